"""A member of an agent as the rules look at it: as it was read, and how far from there it stands now.

What a member says is collected once for as long as its text stays; an edit elsewhere moves it and no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, TypeVar, cast, overload

from agentl_grammar.source import Span
from agentl_grammar.tree import (
    Assign,
    BeliefEntry,
    CallStatement,
    Delegate,
    EffectEntry,
    EventHandler,
    Explains,
    FunctionCall,
    GivenEvent,
    GivenMessage,
    Member,
    Memory,
    MemoryWrite,
    Name,
    NameList,
    Node,
    NumberLiteral,
    Observation,
    Path,
    PriorFrom,
    Redaction,
    Rule,
    StringLiteral,
    Tool,
    Trigger,
)

_N = TypeVar("_N", bound=Node)
_V = TypeVar("_V")
_NOT_READ: dict[type[Node], tuple[str, ...]] = {
    CallStatement: ("target",),
    Assign: ("target",),
    Trigger: ("plan",),
    Rule: ("target",),
    FunctionCall: ("function",),
    BeliefEntry: ("path",),
    Observation: ("path",),
    EffectEntry: ("path",),
    Tool: ("side_effects",),
    Memory: ("short_term", "long_term", "knowledge", "shared"),
    MemoryWrite: ("into",),
    PriorFrom: ("bucket",),
    Redaction: ("paths",),
    EventHandler: ("source",),
    GivenEvent: ("source",),
    GivenMessage: ("name",),
    Explains: ("path",),
    Delegate: ("expects",),
}
_LEAVES = frozenset({Name, NumberLiteral, StringLiteral})
_PLAIN = frozenset(
    {"str", "bool", "int", "float", "None", "Span", "tuple", *(leaf.__name__ for leaf in _LEAVES)}
)
"""What is written of the type of a field that holds leaves at most."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is in a member: its nodes by kind, and the paths that it reads, each with its text."""

    nodes: dict[type[Node], list[Node]]
    texts: list[str]
    """The texts of the paths that are read."""
    named: list[Path]
    """The paths that are written, declared or named, and not read."""
    inner: dict[int, Facts] = field(default_factory=dict[int, "Facts"])
    """The same of expressions and statements in it that were asked about, by identity."""
    kept: dict[object, object] = field(default_factory=dict[object, object])
    """What rules worked out of it alone."""

    def all(self, kind: type[_N]) -> list[_N]:
        """Return the nodes of one kind, in the order of the text."""
        found: Any = self.nodes.get(kind, ())
        return found

    @property
    def reads(self) -> Iterator[tuple[str, Path]]:
        """The paths that are read, each with its text."""
        return zip(self.texts, self.all(Path), strict=True)

    def inside(self, node: Node) -> Facts:
        """Return what is in a node of this member."""
        found = self.inner.get(id(node))
        if found is None:
            found = self.inner[id(node)] = facts_of(node)
        return found


@dataclass(slots=True, eq=False)
class Part:
    """A member in one text. All spans of its nodes are `distance` from where they were read.

    One that stays from one version of the text to the next only moves.
    """

    node: Member
    distance: int
    facts: Facts
    entries: Sequence[Part] = ()
    """What it consists of, where that is looked at entry by entry; `facts` are then what is besides."""

    def at(self, node: Node) -> Span:
        """Return where a node of this member stands now."""
        return self.place(node.span)

    def place(self, span: Span) -> Span:
        """Return where a span of this member stands now."""
        return Span(span.start + self.distance, span.end + self.distance)

    def all(self, kind: type[_N]) -> list[_N]:
        """Return the nodes of one kind, in the order of the text."""
        return self.facts.all(kind)

    def inside(self, node: Node) -> Facts:
        """Return what is in a node of this member."""
        return self.facts.inside(node)

    def reads(self, node: Node | None) -> list[str]:
        """Return the texts of the paths that a node of this member reads."""
        if node is None or type(node) in _LEAVES:
            return []
        return [node.text] if type(node) is Path else self.inside(node).texts

    def keep_of_all(self, work_out: Callable[[Facts], _V]) -> _V:
        """Return what a function tells of all that is in this member; it is asked once while that stays."""
        kept = self.facts.kept
        if work_out not in kept:
            kept[work_out] = work_out(self.facts)
        return cast("_V", kept[work_out])

    def keep(self, work_out: Callable[[_N], _V], node: _N) -> _V:
        """Return what a function tells of a node of this member; it is asked once while the member stays."""
        key = work_out, id(node)
        kept = self.facts.kept
        if key not in kept:
            kept[key] = work_out(node)
        return cast("_V", kept[key])


class Places(Sequence[Span]):
    """Where some parts stand now, told when somebody asks: most are never looked at."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> Places: ...
    def __getitem__(self, index: int | slice) -> Span | Places:
        if isinstance(index, slice):
            return Places(self._parts[index])
        part = self._parts[index]
        return part.at(part.node)

    def __len__(self) -> int:
        return len(self._parts)


def facts_of(member: Node) -> Facts:
    """Collect what a member says. Paths count as read where their value is asked for."""
    nodes: dict[type[Node], list[Node]] = {}
    named: list[Path] = []
    pending: list[Node] = [member]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind in nodes:
            nodes[kind].append(node)
        else:
            nodes[kind] = [node]
        if kind is Path:
            continue
        below, unread = _getters(kind)
        for read in below:
            value = read(node)
            if type(value) is tuple:
                items = cast("tuple[Node, ...]", value)
                pending.extend([item for item in reversed(items) if type(item) not in _LEAVES])
            elif isinstance(value, Node) and type(value) not in _LEAVES:
                pending.append(value)
        for read in unread:
            named += _paths_in(read(node))
    paths = cast("list[Path]", nodes.get(Path, []))
    return Facts(nodes, [path.text for path in paths], named)


def _paths_in(value: object) -> Iterator[Path]:
    if isinstance(value, NameList):
        yield from value.paths
    found = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
    yield from (each for each in found if isinstance(each, Path))


_Getters = list[Callable[[Any], object]]


@cache
def _getters(kind: type[Node]) -> tuple[_Getters, _Getters]:
    """Return what reads the fields with more than leaves, last first, and those that are not read."""
    unread = _NOT_READ.get(kind, ())
    names = [
        slot.name
        for slot in reversed(fields(kind))
        if slot.name not in unread and not _PLAIN.issuperset(re.findall(r"\w+", str(slot.type)))
    ]
    below = [getattr(kind, name).__get__ for name in names]
    return below, [getattr(kind, name).__get__ for name in unread]
