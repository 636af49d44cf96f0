"""Events and a cancellation from outside: kept, taken exactly once, said by status (durability.md §10)."""

import os
from pathlib import Path

import pytest

from agentl.durable import DurableError, FileStore, read_records, replay, status
from agentl.durable.inbox import EMPTY, seal_entry
from agentl.durable.sending import cancel_run, send
from agentl.errors import UsageError

LISTENER = """
AGENT payer {
  OBSERVE { queue.pending }
  TOOL transfer { INPUT { amount: Number } OUTPUT { reference: String } }
  POLICY { DEFAULT ALLOW }
  BELIEF { heard = 0 }
  EVENT order.paid { THEN SET heard = heard + amount }
  PLAN pay WHEN queue.pending > 0 { STEP send { transfer(amount = 10) } }
  LOOP MAX 3 { RECEIVE OBSERVE SELECT_PLAN EXECUTE }
}
"""


@pytest.fixture
def interrupted(durable, bank, crash, store):
    """A store with a run that died inside transfer in its first tick."""
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host(), LISTENER, store=store).run()
    return store


def test_an_event_that_was_sent_is_taken_once_however_often_the_run_dies(
    durable, bank, crash, interrupted
) -> None:
    send(interrupted, "order.paid", {"amount": 7}, who="ada")
    for _ in range(3):
        host = bank.host()
        host.sensors["queue.pending"] = lambda: (_ for _ in ()).throw(crash())
        with pytest.raises(crash):
            durable(host, LISTENER, store=interrupted).run()
    machine = durable(bank.host(), LISTENER, store=interrupted).run()
    assert machine.state.get("heard") == 7
    taken = [
        event for record in read_records(interrupted) if record.kind == "drain" for event in record.value
    ]
    assert [event["source"] for event in taken] == ["order.paid"]


def test_an_event_that_is_sent_twice_under_one_name_is_one(durable, bank, interrupted) -> None:
    assert send(interrupted, "order.paid", {"amount": 7}, id_="webhook-1") is not None
    assert send(interrupted, "order.paid", {"amount": 7}, id_="webhook-1") is None
    assert durable(bank.host(), LISTENER, store=interrupted).run().state.get("heard") == 7


@pytest.mark.parametrize("name", ["", " "])
def test_an_event_has_a_name_that_is_not_empty_or_none(interrupted, name) -> None:
    with pytest.raises(UsageError) as refusal:
        send(interrupted, "order.paid", {"amount": 7}, id_=name)
    assert (refusal.value.code, list(interrupted.entries())) == ("U127", [])


def test_of_two_who_cancel_at_one_moment_the_second_is_told_whose_word_holds(interrupted) -> None:
    put_in = interrupted.put_in

    def late(entry):
        assert put_in({**entry, "who": "ada"})
        return put_in(entry)

    interrupted.put_in = late
    with pytest.raises(DurableError) as refusal:
        cancel_run(interrupted, who="bob")
    assert (refusal.value.code, "ada" in str(refusal.value), "bob" in str(refusal.value)) == (
        "R502",
        True,
        False,
    )
    assert [entry["who"] for entry in interrupted.entries()] == ["ada"]


def test_an_event_that_no_event_declares_is_refused_and_the_declared_ones_named(interrupted) -> None:
    with pytest.raises(UsageError, match=r"no EVENT of the program is called order\.piad") as refusal:
        send(interrupted, "order.piad", {"amount": 7})
    assert refusal.value.code == "U126"
    assert str(refusal.value.action) == "the run takes these: order.paid"
    assert list(interrupted.entries()) == []


def test_a_cancelled_run_counts_as_cancelled_at_once_and_never_goes_on(durable, bank, interrupted) -> None:
    cancel_run(interrupted, who="ada")
    found = status(interrupted)
    assert found.state == "cancelled"
    assert found.cancelled.who == "ada"
    for _ in range(2):
        with pytest.raises(DurableError, match="the run was cancelled by ada") as refusal:
            durable(bank.host(), LISTENER, store=interrupted).run()
        assert refusal.value.code == "R502"
    last = read_records(interrupted)[-1]
    assert (last.kind, last.how, last.who, last.entry) == ("ended", "cancelled", "ada", "cancel")
    assert len(bank.calls) == 1
    assert [intent.key for intent in status(interrupted).open_intents] == ["transfer"]


def test_a_running_run_stops_before_its_next_step(durable, bank, store) -> None:
    run = durable(bank.host(), LISTENER, store=store)
    run._host.sensors["queue.pending"] = lambda: cancel_run(store, who="ada") and 1
    with pytest.raises(DurableError) as refusal:
        run.run()
    assert refusal.value.code == "R502"
    assert bank.calls == []
    assert [record.kind for record in read_records(store)] == ["read", "ended"]


def test_nothing_is_put_into_a_run_that_is_over(durable, bank, store) -> None:
    durable(bank.host(), LISTENER, store=store).run()
    for attempt in (lambda: send(store, "order.paid", {}), lambda: cancel_run(store)):
        with pytest.raises(DurableError) as refusal:
            attempt()
        assert refusal.value.code == "R303"


def test_a_cancelled_run_takes_nothing_more_and_tells_who(interrupted) -> None:
    cancel_run(interrupted, who="ada")
    for attempt in (lambda: send(interrupted, "order.paid", {}), lambda: cancel_run(interrupted)):
        with pytest.raises(DurableError, match="by ada") as refusal:
            attempt()
        assert refusal.value.code == "R502"


def test_nothing_is_put_into_a_place_where_no_run_began(store) -> None:
    store.open(write=True)
    with pytest.raises(DurableError) as refusal:
        cancel_run(store)
    assert refusal.value.code == "R107"


def test_the_export_of_a_cancelled_run_is_whole_and_replays(durable, bank, store, tmp_path) -> None:
    run = durable(bank.host(), LISTENER, store=store)
    run._host.sensors["queue.pending"] = lambda: cancel_run(store, who="ada") and 1
    with pytest.raises(DurableError):
        run.run()
    export = run.export()
    assert export.partial is False
    (tmp_path / "run.json").write_text(export.text())
    assert replay(tmp_path / "run.json").outcome == "cancelled"


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense",
        seal_entry(EMPTY, {"id": "x", "kind": "settle"})[0],
        seal_entry(EMPTY, {"id": "x", "kind": "cancel", "who": 1})[0],
    ],
)
def test_a_damaged_inbox_is_said_by_status_as_it_is_by_a_resume(durable, bank, crash, tmp_path, line) -> None:
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host(), LISTENER).run()
    (tmp_path / "run" / "inbox.jsonl").write_bytes(line + b"\n")
    found = status(tmp_path / "run")
    assert (found.state, found.problem.code, found.repairable) == ("corrupt", "R203", True)
    with pytest.raises(DurableError) as refusal:
        durable(bank.host(), LISTENER).run()
    assert str(refusal.value) == str(found.problem)


def test_a_pipe_where_a_source_should_be_keeps_nobody_waiting(durable, bank, tmp_path) -> None:
    durable(bank.host(), LISTENER).run()
    (source,) = (tmp_path / "run" / "programs").iterdir()
    source.unlink()
    os.mkfifo(source)
    assert FileStore(tmp_path / "run").pinned(source.stem) is None
    with pytest.raises(DurableError) as refusal:
        durable(bank.host(), LISTENER).export()
    assert refusal.value.code == "R206"


def test_an_older_copy_of_a_run_is_refused_where_the_newer_one_was(durable, bank, crash, tmp_path) -> None:
    directory: Path = tmp_path / "run"
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host(), LISTENER).run()
    older = (directory / "wal.jsonl").read_bytes()
    durable(bank.host(), LISTENER).run()
    (directory / "wal.jsonl").write_bytes(older)
    with pytest.raises(DurableError, match="was seen here before") as refusal:
        durable(bank.host(), LISTENER).run()
    assert refusal.value.code == "R207"
    assert "runs.jsonl" in str(refusal.value.action)
    assert len(bank.calls) == 2
