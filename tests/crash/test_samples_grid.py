"""Kill -9 before and after every journal write, and after every effect, of every sample program; then again.

The witness is the only judge: no idempotency key ever has two effects. Where every open action is promised,
the resumed run ends with the effects and the trace of an undisturbed one.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentl import parse_file
from agentl.durable import read_records
from agentl_grammar.tree import walk

PROGRAMS = Path(__file__).parents[1] / "programs"
WRITES = {"payouts": 45, "isolation": 24, "mail": 38, "greenhouse": 39, "deployment": 39, "triage": 61}
"""Records of an undisturbed run, the header included."""
EFFECTS = {"payouts": 3, "isolation": 1, "mail": 4, "greenhouse": 5, "deployment": 4, "triage": 4}
"""What a witness has written down at its end."""
CELLS = {"idempotent": 513, "reconcilable": 77, "none": 77}
CONSTRUCTS = """
    Ask Assign CallStatement Decide Delegate EventHandler ForEach If Judge Loop Memory MessageHandler Phase
    Reason Retry Rollback Then Trigger Verify VerifyFailHandler
"""


def every_write(name: str) -> list[dict[str, Any]]:
    return [{"write": n, "side": side} for n in range(1, WRITES[name] + 1) for side in ("before", "after")]


def every_action(intents: list[int]) -> list[dict[str, Any]]:
    """After each intent, and before what comes of it: where a promise decides."""
    return [
        fault
        for n in intents
        for fault in ({"write": n + 1, "side": "after"}, {"write": n + 2, "side": "before"})
    ]


def every_effect(name: str) -> list[dict[str, Any]]:
    return [{"effect": n} for n in range(1, EFFECTS[name] + 1)]


def undisturbed(grid, promise: str) -> dict[str, tuple[str, list, list[int]]]:
    """Return trace, effects and intents of every program when nothing dies."""

    def run(cell, name: str) -> tuple[str, tuple[str, list, list[int]]]:
        cell.program = name
        assert not cell.attempt()
        records = read_records(cell.run)
        assert (len(records) + 1, len(cell.effects())) == (WRITES[name], EFFECTS[name]), name
        intents = [record.n for record in records if record.kind == "intent"]
        return name, (cell.told["trace"], cell.effects(), intents)

    return dict(grid.map(run, list(WRITES), promise))


def assert_nothing_twice(cell, spec: object) -> None:
    keys = Counter(key for key, _, _ in cell.effects())
    assert max(keys.values(), default=0) <= 1, spec


@pytest.mark.parametrize("promise", CELLS)
def test_one_kill_anywhere_in_any_sample_never_makes_an_effect_twice(
    sample_grid, promise: str, proof
) -> None:
    expected = undisturbed(sample_grid, promise)

    def killed(cell, spec) -> bool:
        cell.program, fault = spec
        assert cell.attempt(fault), spec
        assert_nothing_twice(cell, spec)
        assert not cell.attempt(), spec
        assert_nothing_twice(cell, spec)
        trace, effects, _ = expected[cell.program]
        in_doubt = "in_doubt" in cell.told["how"]
        assert ("may have" in cell.told["trace"]) is in_doubt, spec
        if not in_doubt:
            assert (cell.told["trace"], cell.effects()) == (trace, effects), spec
        return in_doubt

    specs = [
        (name, fault)
        for name, (_, _, intents) in expected.items()
        for writes in (every_write(name) if promise == "idempotent" else every_action(intents),)
        for fault in (*writes, *every_effect(name))
    ]
    doubts = sample_grid.map(killed, specs, promise)
    assert len(specs) == CELLS[promise]
    assert (sum(doubts) == 0) is (promise == "idempotent")
    ends = ["doubt" if doubt else "same" for doubt in doubts]
    proof("SIGKILL at every write and effect of six programs", ends, promise)


def test_a_second_kill_while_a_sample_resumes_changes_nothing(sample_grid, proof) -> None:
    """Every program dies at each of its effects, and again at the first writes of the resume."""
    expected = undisturbed(sample_grid, "idempotent")
    again = [{"write": 1, "side": "after"}, {"write": 2, "side": "before"}]

    def killed_twice(cell, spec) -> None:
        cell.program, first, second = spec
        assert cell.attempt(first), spec
        assert cell.attempt(second), spec
        assert not cell.attempt(), spec
        assert (cell.told["trace"], cell.effects()) == expected[cell.program][:2], spec

    firsts = [(name, fault) for name in WRITES for fault in every_effect(name)]
    specs = [(name, first, second) for name, first in firsts for second in again]
    sample_grid.map(killed_twice, specs, "idempotent")
    proof("SIGKILL at every write and effect of six programs", ["same"] * len(specs), "twice")


def test_the_samples_use_every_construct_that_is_executed() -> None:
    programs = [parse_file(PROGRAMS / f"{name}.agent") for name in WRITES]
    used = {type(node).__name__ for program in programs for node in walk(program)}
    assert used >= set(CONSTRUCTS.split())
