"""The same tree at another place of the text: what makes a member free of what stands above it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cache
from itertools import repeat
from typing import Any, TypeVar, cast, overload

from agentl_grammar.source import Span

_T = TypeVar("_T")
_START, _END = (Span.__dict__[name].__set__ for name in ("start", "end"))
_Slot = tuple[Callable[[Any], Any], Callable[[Any, Any], None]]


_PLAIN = frozenset({str, int, float, bool, type(None)})


def shifted(value: Any, distance: int) -> Any:
    """Return a node (or what is in one) with every span `distance` further on."""
    # Slots are written directly: the constructors of frozen classes would take most of the time.
    kind = cast("type[Any]", type(value))
    if kind in _PLAIN:
        return value
    if kind is Span:
        span = object.__new__(Span)
        _START(span, value.start + distance)
        _END(span, value.end + distance)
        return span
    if kind is tuple:
        return tuple([shifted(item, distance) for item in value])
    new: Any = object.__new__(kind)
    for read, write in _slots(kind):
        write(new, shifted(read(value), distance))
    return new


@cache
def _slots(kind: type[Any]) -> list[_Slot]:
    found: list[_Slot] = []
    for slot in fields(kind):
        owner = next(base for base in kind.__mro__ if slot.name in base.__dict__)
        descriptor = owner.__dict__[slot.name]
        found.append((descriptor.__get__, descriptor.__set__))
    return found


class Moved(Sequence[_T]):
    """Nodes as they were read somewhere, shown where they stand now; each is moved when someone looks at it.

    It is equal to the tuple of its nodes.
    """

    __slots__ = ("_distances", "_moved", "_read")

    def __init__(self, nodes: Sequence[_T], distances: Sequence[int]) -> None:
        self._read = nodes
        self._distances = distances
        self._moved: list[_T | None] = [None] * len(nodes)

    def as_read(self) -> Iterable[tuple[_T, int]]:
        """Return the nodes as they were read, and their distances; see `as_read`."""
        return zip(self._read, self._distances, strict=True)

    def __len__(self) -> int:
        return len(self._read)

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_T]: ...
    def __getitem__(self, index: int | slice) -> _T | Sequence[_T]:
        if isinstance(index, slice):
            return tuple(self)[index]
        node = self._moved[index]
        if node is None:
            node, distance = self._read[index], self._distances[index]
            node = shifted(node, distance) if distance else node
            self._moved[index] = node
        return node

    def __iter__(self) -> Iterator[_T]:
        return (self[index] for index in range(len(self._read)))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Moved | tuple) else NotImplemented  # pyright: ignore[reportUnknownArgumentType]

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def as_read(nodes: Sequence[_T]) -> Iterable[tuple[_T, int]]:
    """Return nodes as they were read, the same after every edit elsewhere, and how far each has moved."""
    return nodes.as_read() if isinstance(nodes, Moved) else zip(nodes, repeat(0))
