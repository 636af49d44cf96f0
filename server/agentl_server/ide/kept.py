"""Which parts of a text are still there after edits, and where they stand now.

The edits themselves say it best. What one of them replaced as a whole, be it the whole text, is compared line
by line, so that a client that sends full texts, a formatter or a paste lose nothing that is still there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from agentl_grammar.source import Span


class Block(NamedTuple):
    """`length` characters that stood at `old` and stand at `new`."""

    old: int
    new: int
    length: int


class Kept:
    """The unchanged blocks of a text, in order, none of them empty."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._blocks = tuple(block for block in blocks if block.length)

    @classmethod
    def all(cls, text: str) -> Kept:
        """Return what is kept while nothing was edited."""
        return cls([Block(0, 0, len(text))])

    def edited(self, start: int, end: int, length: int) -> Kept:
        """Return what is kept when `length` characters replace those from `start` to `end`."""
        return Kept(_cut(self._blocks, start, end, length))

    def refined(self, old: str, new: str) -> Kept:
        """Return these blocks, and those that both texts still share between them."""
        ends = [Block(0, 0, 0), *self._blocks, Block(len(old), len(new), 0)]
        found: list[Block] = []
        for before, after in pairwise(ends):
            found.append(before)
            found.extend(
                _shared(
                    old,
                    new,
                    Span(before.old + before.length, after.old),
                    before.new + before.length,
                    after.new,
                )
            )
        return Kept(_joined(found))

    def place(self, span: Span) -> Span | None:
        """Return where a span of the old text stands now; None when it was edited."""
        for block in self._blocks:
            if block.old <= span.start and span.end <= block.old + block.length:
                moved = block.new - block.old
                return Span(span.start + moved, span.end + moved)
        return None

    def origin(self, offset: int) -> int | None:
        """Return where an offset of the new text stood in the old one; None inside an edit."""
        for block in self._blocks:
            if block.new <= offset <= block.new + block.length:
                return offset - block.new + block.old
        return None


@lru_cache(maxsize=4)
def kept_between(old: str, new: str) -> Kept:
    """Return what two texts share, when nothing is known of the edits between them."""
    return Kept.all(old) if old == new else Kept([]).refined(old, new)


def _cut(blocks: Iterable[Block], start: int, end: int, length: int) -> Iterator[Block]:
    moved = length - (end - start)
    for old, new, size in blocks:
        before = max(0, min(size, start - new))
        after = max(0, min(size, new + size - end))
        if size in (before, after):
            yield Block(old, new if before == size else new + moved, size)
        else:
            yield Block(old, new, before)
            yield Block(old + size - after, new + size - after + moved, after)


def _joined(blocks: Iterable[Block]) -> Iterator[Block]:
    last = Block(0, 0, 0)
    for block in blocks:
        if (last.old + last.length, last.new + last.length) == (block.old, block.new):
            last = Block(last.old, last.new, last.length + block.length)
        else:
            yield last
            last = block
    yield last


def _shared(old: str, new: str, was: Span, start: int, end: int) -> Iterator[Block]:
    """Yield what a stretch of the old text and one of the new share: lines, and the ends of changed ones."""
    then, now = old[was.start : was.end], new[start:end]
    before, after = _ends(then, now)
    # whole lines: a line that lost its end to the rest is no longer the line it was
    before = then.rfind("\n", 0, before) + 1
    behind = then.find("\n", max(before, len(then) - after)) + 1
    after = len(then) - behind if behind else 0
    yield Block(was.start, start, before)
    old_lines = then[before : len(then) - after].splitlines(keepends=True)
    new_lines = now[before : len(now) - after].splitlines(keepends=True)
    yield from _lines(old_lines, new_lines, was.start + before, start + before)
    yield Block(was.end - after, end - after, after)


def _lines(old: list[str], new: list[str], old_start: int, new_start: int) -> Iterator[Block]:
    for kind, first, last, other_first, other_last in SequenceMatcher(None, old, new).get_opcodes():
        then, now = old[first:last], new[other_first:other_last]
        pairs = zip(then, now, strict=True) if len(then) == len(now) else [("".join(then), "".join(now))]
        for one, other in pairs:
            before, after = (len(one), 0) if kind == "equal" else _ends(one, other)
            yield Block(old_start, new_start, before)
            yield Block(old_start + len(one) - after, new_start + len(other) - after, after)
            old_start += len(one)
            new_start += len(other)


def _ends(one: str, other: str) -> tuple[int, int]:
    """Return how many characters two texts share at their beginning and, apart from those, at their end."""
    shorter = min(len(one), len(other))
    before = _longest(shorter, lambda length: one[:length] == other[:length])
    after = _longest(
        shorter - before, lambda length: one[len(one) - length :] == other[len(other) - length :]
    )
    return before, after


def _longest(limit: int, equal: Callable[[int], bool]) -> int:
    """Return the greatest length up to `limit` for which `equal` holds; it holds for all that are less."""
    return bisect_left(range(1, limit + 1), True, key=lambda length: not equal(length))
