"""What every node of the tree has, the names that occur everywhere, and how to walk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields

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
