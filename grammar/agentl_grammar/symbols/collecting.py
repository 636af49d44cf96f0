"""What is collected of one member: its names, in the order in which they are met."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from agentl_grammar.checks.meanings import said_by
from agentl_grammar.checks.parts import facts_of
from agentl_grammar.source import Span
from agentl_grammar.symbols.declarations import Known
from agentl_grammar.symbols.names import Kind, Use
from agentl_grammar.symbols.paths import Meaning, Within
from agentl_grammar.tree import ListExpression, Name, Node, Path, StringLiteral, children

Telling = Callable[["Reading", Any, Within], None]
"""Collects the names of a node of one kind, and of all that is in it."""


class Reading:
    """Collects the uses in one member."""

    def __init__(self, meaning: Meaning, member: Node, telling: Mapping[type[Node], Telling]) -> None:
        self.member = member
        self._telling = telling
        self.uses: list[Use] = []
        self.paths: set[str] = set()
        self.meaning = meaning
        self.loops = 0

    def below(self, node: Node, within: Within) -> None:
        """Collect the names of `node` and of all that is in it."""
        tell = self._telling.get(type(node))
        if tell:
            tell(self, node, within)
        else:
            self.each(children(node), within)

    def each(self, nodes: Iterable[Node | None], within: Within) -> None:
        """Collect the names of several nodes, of which some may be missing."""
        for node in nodes:
            if node is not None:
                self.below(node, within)

    def add(self, kind: Kind, node: Node, name: str, *, declares: bool = False, of: str = "") -> None:
        """Collect one name of this agent."""
        self.uses.append(self.meaning.use(kind, name, node.span, declares=declares, of=of))

    def meant(self, use: Use) -> None:
        """Collect a name that does not stand in the text."""
        self.uses.append(replace(use, written=False))

    def scoped(self, kind: Kind, node: Node, name: str, scope: str, *, declares: bool = False) -> None:
        """Collect one name of another scope."""
        self.uses.append(Use(kind, name, scope, node.span, declares))

    def read(self, path: Path, within: Within) -> list[Use]:
        """Return the names in a path, which is noted."""
        self.paths.add(path.text)
        return self.meaning.read(path, within)

    def written(self, path: Path, within: Within) -> None:
        """Collect a path that is brought into being here, unless it is a fact, belief or variable that is."""
        for use in self.read(path, within):
            own = use.kind is Kind.PATH and use.span == path.span
            self.uses.append(replace(use, declares=True) if own else use)

    def told_names(self, value: Node, kind: Kind, *, of: str = "") -> bool:
        """Collect a value that is one name or a list of names; tell whether it was."""
        named = value.items if isinstance(value, ListExpression) else (value,)
        names = [_name(item) for item in named]
        if None in names:
            return False
        for name in names:
            if name and kind is Kind.TOOL:
                self.uses.append(self.meaning.action(name))
            elif name:
                self.add(kind, name, name.text, of=of)
        return True


def keys_named(handler: Node, known: Known) -> frozenset[str]:
    """Return the keys that a handler reads as `payload.key`, and that have no other meaning in it."""
    facts = facts_of(handler)
    said = said_by(facts)
    paths = [path.segments for path in facts.all(Path) if len(path.segments) > 1]
    keys = {parts[1].text for parts in paths if parts[0].text == "payload"} - said.roots - said.constants
    return frozenset(key for key in keys if key not in said.passed or known.owners(Kind.PARAMETER, key))


def _name(value: Node) -> Name | None:
    """Return the name that a value is: a word, or a text that says it."""
    if isinstance(value, StringLiteral):
        inner = Span(value.span.start + 1, value.span.end - 1)
        plain = value.value and inner.end - inner.start == len(value.value)
        return Name(inner, value.value) if plain else None
    return value.segments[0] if isinstance(value, Path) and len(value.segments) == 1 else None
