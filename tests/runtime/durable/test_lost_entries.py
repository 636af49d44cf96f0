"""A cancelled run stays cancelled, whatever damage did to the entry that says so (durability.md §5, §10)."""

from pathlib import Path

import pytest

from agentl.codec import dump
from agentl.durable import DurableError, status
from agentl.durable.lost_entries import lost_entry
from agentl.durable.repair import plan_repair, repair
from agentl.durable.sending import cancel_run
from agentl.errors import UsageError


@pytest.fixture
def interrupted(durable, bank, crash, tmp_path) -> Path:
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host()).run()
    return tmp_path / "run"


def damage(directory: Path, before: bytes, after: bytes) -> None:
    inbox = directory / "inbox.jsonl"
    assert before in inbox.read_bytes()
    inbox.write_bytes(inbox.read_bytes().replace(before, after))
    assert status(directory).state == "corrupt"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"who":"ada"', b'"who":"adb"'),
        (b'"kind":"cancel"', b'"kind":"cbncel"'),
        (b'"id":"cancel"', b'"id":"bancel"'),
        (b'"n":1', b'"n":3'),
    ],
)
def test_a_lost_entry_that_still_reads_as_the_end_keeps_the_run_cancelled(
    durable, bank, interrupted, before, after
) -> None:
    cancel_run(interrupted, who="ada")
    damage(interrupted, before, after)
    plan = plan_repair(interrupted)
    assert ([entry.number for entry in plan.entries], plan.cancels) == ([1], True)
    repair(plan, "bob")
    found = status(interrupted)
    assert (found.state, found.cancelled.who) == ("cancelled", "bob")
    calls = list(bank.calls)
    with pytest.raises(DurableError) as refusal:
        durable(bank.host()).run()
    assert (refusal.value.code, bank.calls) == ("R502", calls)
    assert not plan_repair(interrupted).needed


UNREADABLE = [
    (b'"kind":"cancel"', b'"kind":"cancel'),
    (b'"id":"cancel","kind":"cancel"', b'"id":"bancel","kind":"bancel"'),
]


@pytest.mark.parametrize(("before", "after"), UNREADABLE)
def test_of_a_lost_entry_that_cannot_be_read_somebody_says_whether_it_was_the_end(
    interrupted, before, after
) -> None:
    cancel_run(interrupted, who="ada")
    damage(interrupted, before, after)
    plan = plan_repair(interrupted)
    files = {path: path.read_bytes() for path in interrupted.iterdir() if path.is_file()}
    with pytest.raises(UsageError) as refusal:
        repair(plan)
    assert (plan.cancels, refusal.value.code) == (None, "U125")
    assert "--cancelled" in str(refusal.value.action)
    assert {path: path.read_bytes() for path in interrupted.iterdir() if path.is_file()} == files
    repair(plan, "bob", cancelled=True)
    assert (status(interrupted).state, status(interrupted).cancelled.who) == ("cancelled", "bob")


def test_who_says_that_it_was_not_the_end_goes_on(interrupted) -> None:
    cancel_run(interrupted, who="ada")
    damage(interrupted, *UNREADABLE[0])
    repair(plan_repair(interrupted), cancelled=False)
    assert status(interrupted).state == "interrupted"


def test_an_end_that_is_sound_needs_no_word_and_is_not_doubled(interrupted) -> None:
    cancel_run(interrupted, who="ada")
    inbox = interrupted / "inbox.jsonl"
    inbox.write_bytes(inbox.read_bytes() + b"more\n")
    plan = plan_repair(interrupted)
    assert (len(plan.entries), plan.cancels) == (1, False)
    repair(plan, "bob", cancelled=True)
    assert (status(interrupted).state, status(interrupted).cancelled.who) == ("cancelled", "ada")


def test_a_run_that_has_ended_needs_no_word(durable, bank, tmp_path) -> None:
    durable(bank.host()).run()
    (tmp_path / "run" / "inbox.jsonl").write_bytes(b"nonsense\n")
    plan = plan_repair(tmp_path / "run")
    assert (len(plan.entries), plan.cancels) == (1, False)
    repair(plan)
    assert status(tmp_path / "run").state == "completed"


EVENT = {"id": "e", "kind": "event", "source": "ping", "payload": {}, "who": "ada"}
WORD = {"id": "s", "kind": "settle", "action": "t1:a1", "tool": "pay", "how": "operator_not", "who": "ada"}


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (EVENT, ("event", "ping", "ada", False)),
        (WORD, ("settle", "t1:a1", "ada", False)),
        ({**EVENT, "source": 1}, ("event", "1", "ada", None)),
        ({**EVENT, "kind": "evant"}, ("evant", "ping", "ada", None)),
        ({"id": "cancel", "kind": "cancel", "who": None}, ("cancel", "", "", True)),
        ({}, ("", "", "", None)),
    ],
)
def test_a_lost_entry_is_told_by_what_can_be_read_of_it(entry, told) -> None:
    found = lost_entry(7, dump(entry).encode("ascii"))
    assert (found.number, found.kind, found.subject, found.who, found.cancels) == (7, *told)
