"""Repair: what is sound stays, the original is kept, what may have happened is settled (durability.md §5)."""

from pathlib import Path

import pytest

from agentl.durable import DurableError, FileStore, read_records, status
from agentl.durable.repair import plan_repair, repair
from agentl.durable.sending import cancel_run


@pytest.fixture
def damaged(durable, bank, tmp_path):
    """Return a function that damages one line of a journal that ends after the first effect."""

    def make(promise: str, line: int, damage) -> Path:
        bank.promise = promise
        directory = tmp_path / "run"
        run = durable(bank.host())

        def reading() -> int:
            if bank.ledger:
                raise KeyboardInterrupt
            return 1

        run._host.sensors["queue.pending"] = reading
        with pytest.raises(KeyboardInterrupt):
            run.run()
        lines = (directory / "wal.jsonl").read_bytes().splitlines(keepends=True)
        lines[line] = damage(lines[line])
        (directory / "wal.jsonl").write_bytes(b"".join(lines))
        return directory

    return make


def nul(line: bytes) -> bytes:
    return b"\0" * (len(line) - 1) + b"\n"


def altered(line: bytes) -> bytes:
    return line.replace(b'"tick":1', b'"tick":2')


INTENT = 4
"""Records: header, read, drain, verdict, intent, invoke, checkpoint."""
CASES = [
    (promise, line, damage)
    for promise in ("idempotent", "reconcilable", "none")
    for line in range(1, INTENT + 2)
    for damage in (nul, altered)
]


@pytest.mark.parametrize("case", CASES)
def test_a_repaired_run_goes_on_and_does_no_effect_twice(durable, bank, damaged, case) -> None:
    promise, line, damage = case
    directory = damaged(promise, line, damage)
    with pytest.raises(DurableError):
        durable(bank.host()).run()
    assert status(directory).repairable
    original = (directory / "wal.jsonl").read_bytes()
    plan = plan_repair(directory)
    assert plan.kept == line - 1
    assert plan.actions >= (line <= INTENT)
    assert [path.read_bytes() for path in repair(plan, "ada")] == [original]
    host = bank.host()
    host.sensors["queue.pending"] = lambda: 1  # as it was when the effect happened
    run = durable(host)
    machine = run.run()
    first = bank.calls[0][0]
    assert bank.ledger.count(first) == 1
    assert machine.state.get("tools.transfer.in_doubt") is (promise == "none")
    if promise == "none":
        assert bank.ledger == [first]
    said = next(record for record in read_records(directory) if record.kind == "repaired")
    assert (said.who, said.lost, said.n) == ("ada", len(plan.lost), line)
    assert durable(host).run().trace.render() == run.trace_text()


def test_a_plan_changes_nothing_and_names_the_actions_that_would_go(damaged) -> None:
    directory = damaged("none", 2, altered)
    before = {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}
    plan = plan_repair(directory)
    assert {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()} == before
    told = [(line.number, line.kind) for line in plan.lost]
    assert told == [(2, "drain"), (3, "verdict"), (4, "intent"), (5, "invoke"), (6, "checkpoint")]
    assert plan.lost[2].action == "run1:payer:t1:a1"
    assert plan.actions == 1


def test_a_sound_run_needs_no_repair(durable, bank, tmp_path) -> None:
    durable(bank.host()).run()
    assert not plan_repair(tmp_path / "run").needed


def test_what_follows_the_end_goes_and_the_run_has_still_ended(durable, bank, tmp_path) -> None:
    durable(bank.host()).run()
    journal = tmp_path / "run" / "wal.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole + b"more\n")
    repair(plan_repair(tmp_path / "run"))
    assert journal.read_bytes() == whole
    assert status(tmp_path / "run").state == "completed"


def test_a_journal_without_its_header_cannot_be_repaired(damaged) -> None:
    directory = damaged("none", 0, nul)
    assert not status(directory).repairable
    with pytest.raises(DurableError) as refusal:
        plan_repair(directory)
    assert refusal.value.code == "R203"


def test_a_run_that_changed_since_it_was_looked_at_is_left_alone(damaged) -> None:
    directory = damaged("none", 2, altered)
    plan = plan_repair(directory)
    with (directory / "wal.jsonl").open("ab") as journal:
        journal.write(b"more\n")
    with pytest.raises(DurableError) as refusal:
        repair(plan)
    assert refusal.value.code == "R603"


def test_a_run_that_is_held_is_not_repaired(damaged) -> None:
    directory = damaged("none", 2, altered)
    plan = plan_repair(directory)
    holder = FileStore(directory)
    holder.open(write=True)
    with pytest.raises(DurableError) as refusal:
        repair(plan)
    assert refusal.value.code == "R304"
    holder.close()


def test_an_inbox_keeps_its_entries_and_loses_what_is_none(durable, bank, crash, tmp_path) -> None:
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host()).run()
    inbox = tmp_path / "run" / "inbox.jsonl"
    store = FileStore(tmp_path / "run")
    for name in ("a", "root", "b", "last"):
        store.put_in({"id": name, "kind": "event", "source": "x", "payload": {}})
    *lines, _ = inbox.read_bytes().splitlines(keepends=True)
    inbox.write_bytes(b"".join(lines).replace(b"root", b"mall"))
    assert status(tmp_path / "run").problem.code == "R201"
    plan = plan_repair(tmp_path / "run")
    assert (plan.lost, [entry.number for entry in plan.entries], plan.missing) == ((), [2], 1)
    (original,) = repair(plan, cancelled=False)
    assert original.name == "inbox.jsonl.damaged-1"
    assert [entry["id"] for entry in FileStore(tmp_path / "run").entries()] == ["a", "b"]
    assert status(tmp_path / "run").state == "interrupted"
    assert FileStore(tmp_path / "run").put_in({"id": "c"})


def test_an_inbox_that_is_gone_is_said_and_can_be_given_up(durable, bank, crash, tmp_path) -> None:
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host()).run()
    cancel_run(tmp_path / "run", who="ada")
    (tmp_path / "run" / "inbox.jsonl").unlink()
    found = status(tmp_path / "run")
    assert (found.state, found.problem.code, found.repairable) == ("corrupt", "R202", True)
    with pytest.raises(DurableError) as refusal:
        durable(bank.host()).run()
    assert refusal.value.code == "R202"
    assert "repair" in str(refusal.value.action)
    plan = plan_repair(tmp_path / "run")
    assert (plan.needed, plan.missing, plan.cancels) == (True, 1, None)
    repair(plan, cancelled=False)
    assert status(tmp_path / "run").state == "interrupted"
