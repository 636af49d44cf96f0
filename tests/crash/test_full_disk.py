"""A disk that is full at any byte: the run stops in good order, and goes on when there is room."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from till_cells import EVERYTHING, Till, Tills

PROMISES = ("idempotent", "reconcilable", "none")
PAGES = 9
"""A run fits into as many pages of a tmpfs."""


def size_of_a_run(till: Till) -> list[int]:
    assert till.attempt() == 0
    ends, size = [], 0
    for line in till.journal.read_bytes().splitlines(keepends=True):
        size += len(line)
        ends.append(size)
    return ends


@pytest.mark.parametrize("promise", PROMISES)
def test_a_limit_on_the_size_of_the_journal_stops_the_run_and_books_once(
    till_grid: Tills, promise: str, proof
) -> None:
    """RLIMIT_FSIZE: a write that would pass it is short, then fails; around every line end, and between."""
    ends = till_grid.one(size_of_a_run, promise)
    near = {end + shift for end in ends for shift in (-1, 0, 1)}
    step = 13 if EVERYTHING else 97
    limits = sorted({limit for limit in (*range(0, ends[-1], step), *near) if limit < ends[-1]})

    def limited(till: Till, limit: int) -> str:
        assert till.attempt(limit=limit) == 0
        assert till.told.get("refused") in {"R601", "R602"}
        return till.finished()

    told = till_grid.map(limited, [(promise, limit) for limit in limits])
    assert len(told) >= 3 * len(ends) - 1
    assert promise == "none" or set(told) == {"same"}
    proof("a file that may not grow (RLIMIT_FSIZE)", told, promise)


@contextmanager
def mounted(place: Path, pages: int) -> Iterator[None]:
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={pages * 4}k", "tmpfs", place], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", place], check=True)


@pytest.mark.needs("tmpfs")
def test_a_small_disk_stops_the_run_and_with_more_room_it_goes_on(till_grid: Tills, proof) -> None:
    def small(till: Till, pages: int) -> str:
        with mounted(till.run, pages):
            assert till.attempt() == 0
            full = "refused" in till.told
            assert not full or till.told["refused"] in {"R601", "R602"}
            subprocess.run(["mount", "-o", "remount,size=1m", till.run], check=True)
            end = till.finished()
        return end if full else "fits"

    specs = [(promise, pages) for promise in PROMISES for pages in range(1, PAGES + 1)]
    ends = till_grid.map(small, specs)
    fired = [end for end in ends if end != "fits"]
    assert len(fired) >= 3 * 4
    assert [end for (_, pages), end in zip(specs, ends, strict=True) if pages == PAGES] == ["fits"] * 3
    proof("a small disk (tmpfs), page by page", fired)
