"""Which statement of a changed declaration is which: by what it says first, then by what stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

_T = TypeVar("_T")
Pair = tuple[int, int]


def paired(
    old: Sequence[_T], new: Sequence[_T], same: Callable[[_T, _T], bool], alike: Callable[[_T, _T], bool]
) -> dict[int, int]:
    """Return the index in `new` of each item of `old` that is still there.

    Items that are the `same` are paired in order, as many as can be, and then those that changed places. What
    is left is paired in order when it is `alike` and stands between the same neighbours.
    """
    anchors = list(_in_order(old, new, range(len(old)), range(len(new)), same))
    found = dict(anchors)
    found.update(_moved(old, new, found, same))
    taken = set(found.values())
    for (old_start, new_start), (old_end, new_end) in pairwise([(-1, -1), *anchors, (len(old), len(new))]):
        left = [index for index in range(old_start + 1, old_end) if index not in found]
        free = [index for index in range(new_start + 1, new_end) if index not in taken]
        found.update(_in_order(old, new, left, free, alike))
    return found


def _moved(
    old: Sequence[_T], new: Sequence[_T], found: dict[int, int], same: Callable[[_T, _T], bool]
) -> Iterator[Pair]:
    free = [index for index in range(len(new)) if index not in set(found.values())]
    for index in range(len(old)):
        if index not in found:
            other = next((other for other in free if same(old[index], new[other])), None)
            if other is not None:
                free.remove(other)
                yield index, other


def _in_order(
    old: Sequence[_T],
    new: Sequence[_T],
    left: Sequence[int],
    free: Sequence[int],
    equal: Callable[[_T, _T], bool],
) -> Iterator[Pair]:
    """Yield the longest common subsequence of the chosen items, the earliest of several."""
    while left and free and equal(old[left[0]], new[free[0]]):
        yield left[0], free[0]
        left, free = left[1:], free[1:]
    behind: list[Pair] = []
    while left and free and equal(old[left[-1]], new[free[-1]]):
        behind.append((left[-1], free[-1]))
        left, free = left[:-1], free[:-1]
    yield from _longest([[equal(old[one], new[other]) for other in free] for one in left], left, free)
    yield from reversed(behind)


def _longest(equal: list[list[bool]], left: Sequence[int], free: Sequence[int]) -> Iterator[Pair]:
    lengths = [[0] * (len(free) + 1) for _ in range(len(left) + 1)]
    for row in range(len(left) - 1, -1, -1):
        for column in range(len(free) - 1, -1, -1):
            lengths[row][column] = (
                lengths[row + 1][column + 1] + 1
                if equal[row][column]
                else max(lengths[row + 1][column], lengths[row][column + 1])
            )
    row = column = 0
    while row < len(left) and column < len(free):
        if equal[row][column]:
            yield left[row], free[column]
            row, column = row + 1, column + 1
        elif lengths[row + 1][column] >= lengths[row][column + 1]:
            row += 1
        else:
            column += 1
