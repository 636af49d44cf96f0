"""What every node of the tree has, the names that occur everywhere, and how to walk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from itertools import zip_longest
from typing import Self

from agentl_grammar.source import Span
from agentl_grammar.tree.shift import Moved


@dataclass(frozen=True, slots=True)
class Node:
    """Anything with a place in the text."""

    span: Span = field(compare=False, repr=False)


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly below `node`, in the order of its fields."""
    for slot in fields(node):
        value: object = getattr(node, slot.name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple | Moved):
            yield from (item for item in value if isinstance(item, Node))  # pyright: ignore[reportUnknownVariableType]


def walk(node: Node) -> Iterator[Node]:
    """Yield `node` and everything below it, parents first."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(list(children(current))))


class Row(Node):
    """A node that may go on in one of its own kind, hundreds of times: `a + b + c …`, IF … ELSE IF ….

    What is told of such a row is told in a loop: a call within a call would end with Python's stack.
    """

    __slots__ = ()

    def rest(self) -> Self | None:
        """Return the next of the row, if any."""
        raise NotImplementedError

    def own(self) -> tuple[object, ...]:
        """Return what this one holds, without the rest of the row."""
        raise NotImplementedError

    def row(self) -> Iterator[Self]:
        """Yield this one and those that follow it."""
        current: Self | None = self
        while current is not None:
            yield current
            current = current.rest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Row):
            return NotImplemented
        pairs = zip_longest(self.row(), other.row())
        return all(one and two and type(one) is type(two) and one.own() == two.own() for one, two in pairs)

    def __hash__(self) -> int:
        return hash((type(self), *(part.own() for part in self.row())))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([repr(part.own()) for part in self.row()])})"


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A Word (§2.1): an identifier, a reserved word, a number or the text of a string."""

    text: str


@dataclass(frozen=True, slots=True)
class Path(Node):
    """A Path or BucketPath (§2.1). As an expression it reads the state."""

    segments: tuple[Name, ...]

    @property
    def text(self) -> str:
        """The dotted text."""
        segments = self.segments
        return segments[0].text if len(segments) == 1 else ".".join([segment.text for segment in segments])


@dataclass(frozen=True, slots=True)
class NameList(Node):
    """Paths in braces, or one bare path (§2.1)."""

    paths: tuple[Path, ...]
