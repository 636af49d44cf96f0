"""A fault at every system call that a run makes on its files: SIGKILL, EIO, ENOSPC, injected by strace.

A cell counts only if its fault fired: strace says so, and the kernel reports the signal. The ledger is the
only witness: nothing is ever booked twice, every doubt is said, every event is delivered once.
"""

from __future__ import annotations

from collections import Counter

import pytest
from till_cells import EVERYTHING, Till, Tills

pytestmark = pytest.mark.needs("strace")
PROMISES = ("idempotent", "reconcilable", "none")
CALLS = {
    "openat": 19,
    "close": 16,
    "write": 17,
    "fsync": 11,
    "ftruncate": 5,
    "fchmod": 4,
    "fcntl": 3,
    "mkdir": 2,
    "pread64": 7,
    "pwrite64": 2,
}
"""What a run without a fault does to its files. Calls that only look (stat, getdents) stand between these."""
BLOB_CALLS = {
    "mkdir": 1,
    "chmod": 1,
    "openat": 2,
    "fchmod": 1,
    "ftruncate": 1,
    "write": 1,
    "fsync": 2,
    "close": 2,
    "rename": 1,
}
"""What it does to keep one large value."""
GROWING = ("openat", "write", "fsync", "ftruncate", "mkdir", "pwrite64")
"""Where a full disk is told."""
ALL = 86
TOLD = 8
"""Which write of the run is that of the event from inside the tool: the money has moved, nothing says so."""
THIRD = 4
"""The third fault is one at each of so many writes and syncs: what comes later is much the same again."""


def every(calls: dict[str, int], names: tuple[str, ...] | None = None) -> list[tuple[str, int]]:
    return [(name, n) for name in names or tuple(calls) for n in range(1, calls[name] + 1)]


def kill(call: tuple[str, int]) -> str:
    return f"{call[0]}:signal=SIGKILL:when={call[1]}"


def broken_once(till: Till, inject: str) -> str:
    till.broken(inject)
    return till.finished()


def test_the_calls_of_a_run_are_these(till_grid: Tills) -> None:
    seen = till_grid.one(lambda till: till.calls())
    assert {name: seen[name] for name in CALLS} == CALLS
    assert sum(CALLS.values()) == ALL


def test_sigkill_at_every_call_never_books_twice(till_grid: Tills, proof) -> None:
    specs = [(promise, kill(call)) for promise in PROMISES for call in every(CALLS)]
    ends = till_grid.map(broken_once, specs)
    assert len(specs) == 3 * ALL
    doubts = Counter(promise for (promise, _), end in zip(specs, ends, strict=True) if end == "doubt")
    assert set(doubts) == {"none"}
    proof("SIGKILL at every system call", ends)


@pytest.mark.parametrize("error", ["EIO", "ENOSPC"])
def test_an_error_of_every_call_ends_the_attempt_in_good_order_and_never_books_twice(
    till_grid: Tills, error: str, proof
) -> None:
    calls = every(CALLS) if error == "EIO" else every(CALLS, GROWING)
    specs = [
        (promise, f"{name}:error={error}:when={n}")
        for promise in (PROMISES if EVERYTHING else ("idempotent", "none"))
        for name, n in calls
    ]
    ends = till_grid.map(broken_once, specs)
    assert len(calls) == {"EIO": ALL, "ENOSPC": 56}[error]
    proof(f"{error} at every system call", ends)


def test_a_fault_at_every_call_that_keeps_a_large_value_loses_no_value_and_never_books_twice(
    till_grid: Tills, proof
) -> None:
    def wide(till: Till) -> Counter[str]:
        till.wide = True
        return till.calls()

    calls = till_grid.one(wide)
    assert {name: calls[name] for name in BLOB_CALLS} == BLOB_CALLS

    def broken(till: Till, inject: str) -> str:
        till.wide = True
        return broken_once(till, inject)

    injects = [kill(call) for call in every(BLOB_CALLS)]
    injects += [
        f"{name}:error={error}:when={n}" for error in ("EIO", "ENOSPC") for name, n in every(BLOB_CALLS)
    ]
    specs = [
        (promise, inject) for promise in (PROMISES if EVERYTHING else PROMISES[:1]) for inject in injects
    ]
    proof("SIGKILL, EIO, ENOSPC at every system call that keeps a large value", till_grid.map(broken, specs))


@pytest.mark.parametrize("promise", PROMISES)
def test_sigkill_at_every_call_of_the_recovery_to_depth_three(till_grid: Tills, promise: str, proof) -> None:
    """The money has moved; the process dies before it says so; and again, and again, while it recovers."""

    def recovery(till: Till) -> Counter[str]:
        till.broken(kill(("write", TOLD)))
        return till.calls()

    calls = till_grid.one(recovery, promise)
    seconds = [(name, n) for name, n in every(calls) if name in CALLS]

    def twice(till: Till, second: tuple[str, int]) -> str:
        till.broken(kill(("write", TOLD)))
        till.broken(kill(second))
        return till.finished()

    ends = till_grid.map(twice, [(promise, second) for second in seconds])
    proof("SIGKILL at every system call of the recovery", ends, promise)

    def thrice(till: Till, pair: tuple[tuple[str, int], int]) -> str | None:
        till.broken(kill(("write", TOLD)))
        till.broken(kill(pair[0]))
        code = till.attempt(f"write,fsync:signal=SIGKILL:when={pair[1]}")
        return till.finished() if code == -9 else None

    pairs = [(second, third) for second in seconds for third in range(1, THIRD + 1 if EVERYTHING else 3)]
    chosen = pairs if EVERYTHING else pairs[::3]
    thirds = [end for end in till_grid.map(thrice, [(promise, pair) for pair in chosen]) if end is not None]
    proof("SIGKILL three times, twice while it recovers", thirds, promise)
