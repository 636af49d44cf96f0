"""Kill -9 before and after every journal write and inside each tool, in all three host modes; then again.

The bank's ledger is the only witness. Promised modes: exactly one transfer, one notice, and the trace of an
undisturbed run. Without a promise: at most one of each, and the doubt is set and told.
"""

from __future__ import annotations

from typing import Any

import pytest

from agentl.durable import read_records

PROMISED = ("idempotent", "reconcilable")
TOOLS = ("transfer", "notify")
POINTS = ("entered", "booked", "returned")
ONCE = "SIGKILL before and after every write, and in each tool"
TWICE = "SIGKILL twice, the second time while it recovers"
WRITES = 16
"""Records of an undisturbed run, the header included."""
INTENTS = {"transfer": 6, "notify": 9}
"""Which of these writes are the intents."""


def faults() -> list[dict[str, Any]]:
    writes = [{"write": n, "side": side} for n in range(1, WRITES + 1) for side in ("before", "after")]
    return writes + [{"tool": tool, "point": point} for tool in TOOLS for point in POINTS]


SECOND = [
    {"write": 1, "side": "before"},
    {"write": 1, "side": "after"},
    *({"tool": tool, "point": "booked"} for tool in TOOLS),
]


def assert_exactly_once(cell, golden: str, spec: object) -> None:
    assert cell.count("ledger") == 1, spec
    assert cell.count("notices") == 1, spec
    assert cell.told["trace"] == golden, spec
    assert cell.told["in_doubt"] == {"transfer": False, "notify": False}, spec


def assert_at_most_once(cell, golden: str, spec: object) -> bool:
    """Return whether an action was left in doubt."""
    told = cell.told
    doubted = [tool for tool in TOOLS if told["in_doubt"][tool]]
    settled = [record for record in read_records(cell.run) if record.kind == "resolution"]
    assert [record.how for record in settled] == ["in_doubt"] * len(doubted), spec
    assert cell.count("ledger") <= 1, spec
    assert cell.count("notices", "recipient = 'NL-0042'") <= 1, spec
    assert cell.count("notices", "recipient = 'treasury'") <= 1, spec
    if not doubted:
        assert_exactly_once(cell, golden, spec)
        return False
    for tool in doubted:
        assert f"{tool}(" in told["trace"], spec
    assert "may have happened: the run was interrupted" in told["trace"], spec
    if doubted == ["transfer"] and cell.count("orders", "NOT paid"):
        # The money may have moved: the order stays, the NEVER rule holds, and a person is told.
        assert told["trace"].count("NEVER transfer WHEN tools.transfer.in_doubt == true") >= 1, spec
        assert told["doubt_told"] == "yes", spec
        assert cell.count("notices", "recipient = 'treasury'") == 1, spec
    return True


def test_an_undisturbed_run_has_the_golden_trace_and_sixteen_records(grid, golden: str) -> None:
    def undisturbed(cell) -> None:
        assert not cell.attempt()
        assert_exactly_once(cell, golden, None)
        assert len(read_records(cell.run)) + 1 == WRITES

    for promise in (*PROMISED, "none"):
        grid.one(undisturbed, promise)


@pytest.mark.parametrize("promise", PROMISED)
def test_one_kill_anywhere_leaves_one_transfer_one_notice_and_the_same_trace(
    grid, golden, promise, proof
) -> None:
    def killed(cell, fault) -> None:
        assert cell.attempt(fault)
        assert not cell.attempt()
        assert_exactly_once(cell, golden, fault)

    grid.map(killed, faults(), promise)
    proof(ONCE, ["same"] * len(faults()), promise)


def test_one_kill_anywhere_without_a_promise_happens_at_most_once_and_the_doubt_is_told(
    grid, golden, proof
) -> None:
    def killed(cell, fault) -> bool:
        assert cell.attempt(fault)
        assert not cell.attempt()
        return assert_at_most_once(cell, golden, fault)

    doubts = grid.map(killed, faults(), "none")
    # Each tool: after its intent, when entered, when booked, when it returns, before its result is written.
    assert sum(doubts) == 10
    proof(ONCE, ["doubt" if doubt else "same" for doubt in doubts], "none")


def records_at(first: dict[str, Any]) -> int:
    """How many records stand when a process died at `first`."""
    return INTENTS[first["tool"]] if "tool" in first else first["write"] - (first["side"] == "before")


def own_writes(first: dict[str, Any]) -> int:
    """How many records the process that resumes after `first` writes, when nothing disturbs it."""
    written = records_at(first)
    if written in {0, WRITES}:
        return WRITES - written
    return (
        WRITES - written + 1 + (written in INTENTS.values())
    )  # `resumed`, and how an open intent was settled


def reaches(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Tell whether an idempotent run that died at `first` comes past `second` when it is resumed."""
    if "write" in second:
        return second["write"] <= own_writes(first)
    return records_at(first) <= INTENTS[second["tool"]]


@pytest.mark.parametrize("promise", [*PROMISED, "none"])
def test_a_second_kill_during_the_resume_changes_nothing(grid, golden, promise: str, proof) -> None:
    def killed_twice(cell, spec) -> str | None:
        doubt = False
        first, second = spec
        assert cell.attempt(first), spec
        fired = cell.attempt(second)
        if fired:
            assert not cell.attempt(), spec
        if promise == "none":
            doubt = assert_at_most_once(cell, golden, spec)
        else:
            assert_exactly_once(cell, golden, spec)
        return ("doubt" if doubt else "same") if fired else None

    specs = [(first, second) for first in faults() for second in SECOND]
    ends = [end for end in grid.map(killed_twice, specs, promise) if end is not None]
    proof(TWICE, ends, promise)


def test_every_pair_of_kills_of_an_idempotent_run_leaves_one_transfer_and_one_notice(
    fast_grid, golden, proof
) -> None:
    """The whole grid: every place of the first process with every place of the second."""

    def killed_once(cell, first):
        assert cell.attempt(first), first
        return cell

    def killed_again(cell, spec) -> None:
        died, _, second = spec
        cell.continue_from(died)
        assert cell.attempt(second), spec
        assert not cell.attempt(), spec
        assert_exactly_once(cell, golden, spec)

    died = zip(fast_grid.map(killed_once, faults(), "idempotent"), faults(), strict=True)
    specs = [(cell, first, second) for cell, first in died for second in faults() if reaches(first, second)]
    fast_grid.map(killed_again, specs, "idempotent")
    proof(TWICE, ["same"] * len(specs), "every pair")
