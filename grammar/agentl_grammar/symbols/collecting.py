"""What is collected of one member: its names, in the order in which they are met."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from agentl_grammar.symbols.names import Kind, Use
from agentl_grammar.symbols.paths import Meaning, Within
from agentl_grammar.tree import ListExpression, Node, Path, children

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

    def scoped(self, kind: Kind, node: Node, name: str, scope: str, *, declares: bool = False) -> None:
        """Collect one name of another scope."""
        self.uses.append(Use(kind, name, scope, node.span, declares))

    def read(self, path: Path, within: Within) -> list[Use]:
        """Return the names in a path, which is noted."""
        self.paths.add(path.text)
        return self.meaning.read(path, within)

    def written(self, path: Path, within: Within) -> None:
        """Collect a path that is brought into being here, unless it is a fact, belief or variable that is."""
        found = self.read(path, within)
        own = len(found) == 1 and found[0].kind is Kind.PATH and found[0].span == path.span
        self.uses += [replace(found[0], declares=True)] if own else found

    def told_names(self, value: Node, kind: Kind, *, of: str = "") -> bool:
        """Collect a value that is one name or a list of names; tell whether it was."""
        named = value.items if isinstance(value, ListExpression) else (value,)
        names = [item for item in named if isinstance(item, Path) and len(item.segments) == 1]
        if len(names) != len(named):
            return False
        for item in names:
            if kind is Kind.AGENT:
                self.uses.append(self.meaning.actor(item.segments[0]))
            else:
                self.add(kind, item, item.text, of=of)
        return True
