"""A disk lost the record of an action: where a reconciler knows of it, it does not happen again."""

import pytest

from agentl import NOT_EXECUTED
from agentl.durable import FileStore, read_records, status

TWICE = """
AGENT payer {
  OBSERVE { queue.pending }
  TOOL transfer { INPUT { amount: Number } OUTPUT { reference: String } SIDE_EFFECT { bank.ledger } }
  POLICY { DEFAULT ALLOW NEVER transfer WHEN tools.transfer.in_doubt == true }
  PLAN pay WHEN 1 == 1 { transfer(amount = 10) transfer(amount = 20) transfer(amount = 30) }
  LOOP MAX 1 { OBSERVE SELECT_PLAN EXECUTE }
}
"""


@pytest.fixture
def cut(durable, bank, tmp_path):
    """Return a function that makes a run of three transfers and loses the records from a number on."""

    def make(number: int) -> None:
        bank.promise = "reconcilable"
        durable(bank.host(), TWICE).run()
        (tmp_path / "state" / "agentl" / "runs.jsonl").unlink()
        journal = tmp_path / "run" / "wal.jsonl"
        lines = journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join(lines[:number]))

    return make


RECORDS = 13
"""Header, read, then verdict, intent, invoke of each transfer, checkpoint, ended."""


@pytest.mark.parametrize("number", range(1, RECORDS))
def test_no_lost_record_makes_a_reconcilable_action_happen_twice(
    durable, bank, cut, tmp_path, number
) -> None:
    cut(number)
    booked = list(bank.ledger)
    assert len(booked) == 3
    bank.reconcile = lambda args, action: (
        {"reference": f"r{booked.index(action.idempotency_key)}"}
        if action.idempotency_key in booked
        else NOT_EXECUTED
    )
    durable(bank.host(), TWICE).run()
    assert bank.ledger == booked
    assert status(tmp_path / "run").state == "completed"
    results = [record.value for record in read_records(tmp_path / "run") if record.kind == "invoke"]
    assert results[-1] in ({"reference": "r2"}, {"reference": "entry-3"})


@pytest.fixture
def interrupted(durable, bank, crash):
    """A run of a reconcilable host that died before its first action."""

    def die() -> int:
        raise crash

    bank.promise = "reconcilable"
    host = bank.host()
    host.sensors["queue.pending"] = die
    with pytest.raises(crash):
        durable(host).run()


def test_a_new_action_of_a_resumed_run_is_performed_and_nothing_is_said_of_the_question(
    durable, bank, interrupted, tmp_path
) -> None:
    durable(bank.host()).run()
    assert [attempt for _, attempt in bank.calls] == [1]
    assert "resolution" not in [record.kind for record in read_records(tmp_path / "run")]


def test_a_reconciler_that_raises_keeps_no_new_action_from_being_performed(
    durable, bank, interrupted
) -> None:
    bank.known = [ConnectionError("the bank is closed")]
    run = durable(bank.host())
    run.run()
    assert len(bank.ledger) == 1
    assert run.journal.resolutions == []


def test_a_reconciler_is_not_asked_by_a_run_that_was_never_interrupted(durable, bank) -> None:
    bank.promise, bank.known = "reconcilable", [AssertionError("nobody asks")]
    durable(bank.host()).run()
    assert len(bank.known) == 1


def test_a_host_that_recognises_keys_is_not_asked_either(durable, bank, crash) -> None:
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host()).run()
    host = bank.host()
    host.reconciler("transfer")(bank.reconcile)
    bank.known = [AssertionError("nobody asks")]
    durable(host).run()
    assert len(bank.known) == 1


def test_what_a_lost_action_had_brought_is_told_as_reconciled(durable, bank, cut, tmp_path) -> None:
    cut(2)
    told = []
    run = durable(bank.host(), TWICE, store=FileStore(tmp_path / "run"), notify=told.append)
    run.run()
    assert [resolution["how"] for resolution in run.journal.resolutions] == ["reconciled"] * 3
    assert [str(notice) for notice in told][1:] == [
        f"  ✓ transfer (run1:payer:t1:a{n}): had happened, its result was found" for n in (1, 2, 3)
    ]
