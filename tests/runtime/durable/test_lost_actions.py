"""What a repair counts: never fewer actions than may have happened, so none happens twice."""

import json
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from agentl import Host, current_action, parse_source
from agentl.durable import DurableRun, FileStore, read_records
from agentl.durable.lost import actions_left
from agentl.durable.records import IntentRecord, RepairedRecord, record_made
from agentl.durable.repair import plan_repair, repair

PROGRAM = parse_source(
    """
    AGENT payer {
      OBSERVE { queue.pending }
      TOOL pay { INPUT { amount: Number } SIDE_EFFECT { ledger } }
      TOOL note { INPUT { amount: Number } SIDE_EFFECT { notes } }
      POLICY { DEFAULT ALLOW }
      PLAN go WHEN queue.pending > 0 { pay(amount = 1) note(amount = 2) }
      LOOP MAX 3 { OBSERVE SELECT_PLAN EXECUTE }
    }
    """
)
ACTIONS = 6
Damage = Callable[[list[bytes]], list[bytes]]


class Crash(BaseException):
    """The death of the process."""


class Payments:
    """One run that promises nothing, and all that its tools did. It dies behind so many `readings`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.journal = directory / "wal.jsonl"
        self.done: list[str] = []

    def run(self, readings: int | None = None) -> None:
        read = count()

        def pending() -> int:
            if next(read) == readings:
                raise Crash
            return 1

        host = Host()
        host.sensors["queue.pending"] = pending
        for name in ("pay", "note"):
            host.tool(name)(lambda amount: self.done.append(current_action().idempotency_key))
        DurableRun(PROGRAM, host, store=FileStore(self.directory), run_id="run1").run()

    def damage(self, damage: Damage) -> None:
        lines = self.journal.read_bytes().splitlines(keepends=True)
        self.journal.write_bytes(b"".join(damage(lines)))

    def repair(self) -> int:
        plan = plan_repair(self.directory)
        assert plan.needed
        repair(plan, "ada")
        return plan.actions

    def twice(self) -> set[str]:
        return {key for key in self.done if self.done.count(key) > 1}


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Payments]:
    """Return a function that gives a copy of a run that did all it had to, known to no list of runs."""
    numbers = count()
    first = Payments(tmp_path / "first")
    first.run()
    assert len(first.done) == ACTIONS

    def copy() -> Payments:
        number = next(numbers)
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / f"state-{number}"))
        copied = Payments(tmp_path / f"run-{number}")
        shutil.copytree(first.directory, copied.directory)
        copied.done = list(first.done)
        return copied

    return copy


def kinds(run: Payments) -> list[str]:
    return [json.loads(line)["kind"] for line in run.journal.read_bytes().splitlines()]


def flipped(lines: list[bytes], number: int, text: bytes) -> list[bytes]:
    """Return the lines with one bit of `text` flipped in one of them: the line is still JSON."""
    at = lines[number].index(text) + 1
    line = bytearray(lines[number])
    line[at] ^= 1
    return [*lines[:number], bytes(line), *lines[number + 1 :]]


def zeroed(lines: list[bytes], first: int, behind: int) -> list[bytes]:
    """Return the lines with some of them overwritten by NUL, the ends between them too."""
    length = sum(map(len, lines[first:behind]))
    return [*lines[:first], b"\0" * (length - 1) + b"\n", *lines[behind:]]


def without(lines: list[bytes], first: int, behind: int) -> list[bytes]:
    return [*lines[:first], *lines[behind:]]


def swapped(lines: list[bytes], first: int) -> list[bytes]:
    return [*lines[:first], lines[first + 1], lines[first], *lines[first + 2 :]]


def intent(action: str) -> IntentRecord:
    return record_made({"kind": "intent", "action": action})


def repaired(actions: int) -> RepairedRecord:
    return record_made({"kind": "repaired", "actions": actions})


def test_no_damage_of_a_line_or_more_makes_an_action_happen_twice(fresh) -> None:
    length = len(kinds(fresh()))
    inner = range(1, length - 1)  # the header cannot be mended; behind the end nothing is begun
    damages: list[Damage] = [
        *(lambda lines, n=n: flipped(lines, n, b'kind":"') for n in inner),
        *(lambda lines, n=n: flipped(lines, n, b'"kind') for n in inner),
        *(lambda lines, n=n: flipped(lines, n, b'"n":') for n in inner),
        *(lambda lines, n=n: swapped(lines, n) for n in inner if n + 2 < length),
        *(
            lambda lines, n=n, w=w: without(lines, n, n + w)
            for w in (1, 2, 5, 9)
            for n in inner
            if n + w < length
        ),
        *(
            lambda lines, n=n, w=w: zeroed(lines, n, n + w)
            for w in (1, 2, 5, 9)
            for n in inner
            if n + w < length
        ),
    ]
    assert len(damages) == 297
    for damage in damages:
        run = fresh()
        run.damage(damage)
        run.repair()
        run.run()
        assert not run.twice()


def test_damage_that_still_tells_what_it_was_counts_no_action_too_many(fresh) -> None:
    run = fresh()
    intents = [number for number, kind in enumerate(kinds(run)) if kind == "intent"]
    run.damage(lambda lines: flipped(lines, 1, b'"tick'))
    assert run.repair() == ACTIONS + 1
    one = fresh()
    one.damage(lambda lines: without(lines[: intents[-1] + 2], intents[-1], intents[-1] + 1))
    assert one.repair() == 1
    none = fresh()
    none.damage(lambda lines: [*lines[: intents[0] - 1], b"junk\n"])
    assert none.repair() == 1


def test_a_damaged_repair_is_counted_again(fresh) -> None:
    for damage in (
        lambda lines: flipped(lines, len(lines) - 1, b'"lost'),
        lambda lines: flipped(lines, len(lines) - 1, b'"kind'),
        lambda lines: zeroed(lines, len(lines) - 1, len(lines)),
        lambda lines: [*lines[:-1], b"}\n"],
    ):
        run = fresh()
        run.damage(lambda lines: zeroed(lines, 3, 4))
        assert run.repair() >= ACTIONS
        run.damage(damage)
        assert run.repair() >= ACTIONS
        run.run()
        assert not run.twice()


@pytest.mark.parametrize("readings", [0, 1])
def test_a_second_repair_keeps_what_is_left_of_the_first(fresh, readings) -> None:
    run = fresh()
    run.damage(lambda lines: zeroed(lines, 3, 4))
    run.repair()
    with pytest.raises(Crash):
        run.run(readings)
    run.damage(lambda lines: [*lines, b"junk\n"])
    run.repair()
    run.run()
    assert not run.twice()
    assert sum(record.kind == "repaired" for record in read_records(run.directory)) == 2


def test_what_was_seen_behind_the_last_line_counts(tmp_path) -> None:
    run = Payments(tmp_path / "seen")
    with pytest.raises(Crash):
        run.run(2)
    with pytest.raises(Crash):
        run.run(0)
    intents = [number for number, kind in enumerate(kinds(run)) if kind == "intent"]
    run.damage(lambda lines: [*lines[: intents[1]], b"junk\n"])
    assert run.repair() >= 3
    run.run()
    assert not run.twice()


def test_what_an_operator_has_sent_again_uses_up_none_of_what_was_lost() -> None:
    older, lost = intent("t1:a1"), intent("t2:a3")
    assert actions_left([older, repaired(2)]) == 2
    assert actions_left([older, repaired(2), older]) == 2
    assert actions_left([older, repaired(2), lost, lost]) == 1
    assert actions_left([older, repaired(3), lost, repaired(1)]) == 2
    assert actions_left([older, repaired(1), lost, repaired(4)]) == 4
