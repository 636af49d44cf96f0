"""What becomes of an action that was interrupted (durability.md §3; language.md appendix A, row 35)."""

import threading

import pytest

from agentl import NOT_EXECUTED, InDoubt, PermitError, current_action
from agentl.durable import MemoryStore


def settled(run) -> list[tuple[str, int]]:
    return [(resolution["how"], resolution["attempt"]) for resolution in run.journal.resolutions]


def interrupt(durable, bank, crash, store, *, after: bool = True) -> None:
    """Let the process die inside transfer: before, or after, the money moved."""
    (bank.after if after else bank.before).append(crash())
    with pytest.raises(crash):
        durable(bank.host(), store=store).run()


# promise, did it happen, what the reconciler says → how it is settled, entries in the ledger, in doubt
ROWS = [
    ("idempotent", True, [], [("retry", 2)], 1, False),
    ("idempotent", False, [], [("retry", 2)], 1, False),
    ("reconcilable", True, [{"reference": "entry-1"}], [("reconciled", 1)], 1, False),
    ("reconcilable", False, [NOT_EXECUTED], [("not_executed", 2)], 1, False),
    ("reconcilable", True, [RuntimeError("bank closed")], [("in_doubt", 1)], 1, True),
    ("reconcilable", False, [RuntimeError("bank closed")], [("in_doubt", 1)], 0, True),
    ("reconcilable", True, ["booked"], [("in_doubt", 1)], 1, True),
    ("reconcilable", True, [{"other": 1}], [("in_doubt", 1)], 1, True),
    ("reconcilable", True, [None], [("in_doubt", 1)], 1, True),
    ("none", True, [], [("in_doubt", 1)], 1, True),
    ("none", False, [], [("in_doubt", 1)], 0, True),
]


@pytest.mark.parametrize("row", ROWS)
def test_an_open_intent_is_settled_as_the_table_says(durable, bank, crash, store, row) -> None:
    bank.promise, happened, known, how, entries, in_doubt = row
    interrupt(durable, bank, crash, store, after=happened)
    bank.known = list(known)
    run = durable(bank.host(), store=store)
    assert [intent["tool"] for intent in run.journal.pending()] == ["transfer"]
    machine = run.run()
    assert settled(run) == how
    assert len(bank.ledger) == entries
    assert len({key for key, _ in bank.calls}) == 1
    assert machine.state.get("tools.transfer.in_doubt") is in_doubt
    assert machine.state.get("bank.ledger.dirty") is True
    assert run.journal.pending() == []
    assert [doubt.key for doubt in run.status.in_doubt] == ["transfer"] * in_doubt


def test_a_result_that_was_journaled_is_never_sent_again(durable, bank, crash, store) -> None:
    host = bank.host()
    host.sensors["queue.pending"] = iter([1, crash()]).__next__

    def reading():
        value = next(readings)
        if isinstance(value, BaseException):
            raise value
        return value

    readings = iter([1, crash()])
    host.sensors["queue.pending"] = reading
    with pytest.raises(crash):
        durable(host, store=store).run()
    assert len(bank.calls) == 1
    run = durable(bank.host(), store=store)
    run.run()
    assert len(bank.calls) == 1
    assert run.journal.resolutions == []


def test_what_the_reconciler_says_is_the_result_whatever_it_is(durable, bank, crash, store) -> None:
    bank.promise = "reconcilable"
    interrupt(durable, bank, crash, store)
    bank.known = [{"reference": "found-by-hand"}]
    machine = durable(bank.host(), store=store).run()
    assert machine.state.get("transfer.reference") == "found-by-hand"


def test_a_failure_of_what_was_sent_again_leaves_the_first_attempt_in_doubt(
    durable, bank, crash, store
) -> None:
    interrupt(durable, bank, crash, store)  # the money moved
    bank.before.append(ConnectionError("bank unreachable"))
    run = durable(bank.host(), store=store)
    machine = run.run()
    assert settled(run) == [("retry", 2), ("in_doubt", 2)]
    assert machine.state.get("tools.transfer.in_doubt") is True
    assert len(bank.ledger) == 1
    assert [attempt for _, attempt in bank.calls] == [1, 2]


def test_a_failure_after_not_executed_is_a_failure(durable, bank, crash, store) -> None:
    bank.promise = "reconcilable"
    interrupt(durable, bank, crash, store, after=False)
    bank.known = [NOT_EXECUTED]
    bank.before.append(ConnectionError("bank unreachable"))
    run = durable(bank.host(), store=store)
    machine = run.run()
    assert settled(run) == [("not_executed", 2)]
    assert machine.state.get("tools.transfer.in_doubt") is False
    assert len(bank.ledger) == 1  # by the action of the next tick, under a key of its own


def test_a_live_doubt_outlives_the_failure_of_what_was_sent_again(durable, bank, store) -> None:
    bank.after.append(InDoubt("no answer"))
    bank.retries = 1
    host = bank.host()
    bank.before.clear()
    tool = host.tools["transfer"]

    def transfer(amount: float) -> object:
        if bank.ledger:
            bank.calls.append(("again", current_action().attempt))
            raise ConnectionError("bank unreachable")
        return tool(amount=amount)

    host.tools["transfer"] = transfer
    run = durable(host, store=store)
    machine = run.run()
    assert machine.state.get("tools.transfer.in_doubt") is True
    assert [how for how, _ in settled(run)] == ["retry", "in_doubt"]
    assert len(bank.ledger) == 1


def test_a_reconciler_reads_the_current_action_and_can_perform_nothing(durable, bank, crash, store) -> None:
    bank.promise = "reconcilable"
    interrupt(durable, bank, crash, store)
    host = bank.host()
    seen = []

    @host.reconciler("transfer")
    def find(args, action) -> object:
        seen.append(current_action() == action)
        try:
            host.invoke("transfer", args)
        except PermitError as error:
            seen.append(error.code)
        return {"reference": "entry-1"}

    durable(host, store=store).run()
    assert seen == [True, "P102"]
    assert len(bank.ledger) == 1


def test_the_tool_reads_the_same_key_and_a_higher_attempt(durable, bank, crash, store) -> None:
    for _ in range(3):
        interrupt(durable, bank, crash, store, after=False)
    durable(bank.host(), store=store).run()
    keys, attempts = zip(*bank.calls, strict=True)
    assert len(set(keys)) == 1
    assert attempts == (1, 2, 3, 4)


def test_an_idempotent_tool_is_sent_once_more_in_every_process(durable, bank, crash, store) -> None:
    for _ in range(6):
        interrupt(durable, bank, crash, store)
    run = durable(bank.host(), store=store)
    machine = run.run()
    assert len(bank.ledger) == 1
    assert machine.state.get("tools.transfer.in_doubt") is False


@pytest.mark.parametrize(
    ("promise", "how"),
    [("idempotent", ("retry", 2)), ("reconcilable", ("reconciled", 1)), ("none", ("in_doubt", 1))],
)
def test_a_tool_that_raises_in_doubt_is_settled_like_a_crash(durable, bank, store, promise, how) -> None:
    bank.promise, bank.after = promise, [InDoubt("no confirmation")]
    run = durable(bank.host(), store=store)
    machine = run.run()
    assert settled(run) == [how]
    assert len(bank.ledger) == 1
    assert machine.state.get("tools.transfer.in_doubt") is (promise == "none")
    assert ("may have happened: no confirmation" in run.trace_text()) is (promise == "none")


def test_a_tool_that_acts_and_then_exceeds_its_timeout_is_settled_like_a_crash(durable, bank, store) -> None:
    given_up, late = threading.Event(), []

    def transfer(amount: float) -> dict[str, str]:
        result = bank.transfer(amount)
        if len(bank.calls) == 1:
            late.append(threading.current_thread())
            given_up.wait(120)
        return result

    host = bank.host()
    host.tool("transfer", idempotent=True, timeout=1)(transfer)
    run = durable(host, store=store)
    run.run()
    given_up.set()
    late[0].join(120)
    assert settled(run) == [("retry", 2)]
    assert [attempt for _, attempt in bank.calls] == [1, 2]
    assert len(bank.ledger) == 1


def test_a_timeout_without_a_promise_is_never_sent_again(durable, bank, store) -> None:
    bank.promise = "none"
    host = bank.host()

    given_up, late = threading.Event(), []

    def transfer(amount: float) -> dict[str, str]:
        late.append(threading.current_thread())
        given_up.wait(120)
        return bank.transfer(amount)

    host.tool("transfer", timeout=0.05)(transfer)
    run = durable(host, store=store)
    machine = run.run()
    given_up.set()
    late[0].join(120)
    assert settled(run) == [("in_doubt", 1)]
    assert len(bank.ledger) == 1
    assert machine.state.get("tools.transfer.in_doubt") is True


def test_sending_again_after_doubts_is_bounded_and_ends_in_doubt(durable, bank, store) -> None:
    bank.after = [InDoubt(str(number)) for number in range(5)]
    run = durable(bank.host(), store=store)
    machine = run.run()
    assert settled(run) == [("retry", 2), ("in_doubt", 2)]
    assert machine.state.get("tools.transfer.in_doubt") is True
    assert len(bank.ledger) == 1


def test_retries_raise_the_bound(durable, bank, store) -> None:
    bank.retries, bank.after = 3, [InDoubt(str(number)) for number in range(3)]
    run = durable(bank.host(), store=store)
    machine = run.run()
    assert settled(run) == [("retry", 2), ("retry", 3), ("retry", 4)]
    assert machine.state.get("tools.transfer.in_doubt") is False


def test_a_failure_did_not_happen_and_is_journaled(durable, bank, store) -> None:
    bank.promise, bank.before = "none", [ValueError("no such account at 0x7f00")]
    run = durable(bank.host(), store=store)
    run.run()
    failed = next(record for record in run.journal.entries if record.kind == "invoke")
    assert failed.error.model_dump() == {
        "class_name": "ValueError",
        "message": "no such account at <address>",
        "code": None,
    }
    assert run.journal.resolutions == []
    assert run.trace_text() == durable(bank.host(), store=store).run().trace.render()


def test_a_failure_is_tried_again_under_the_same_key_even_without_a_promise(durable, bank, store) -> None:
    bank.promise, bank.retries = "none", 2
    bank.before = [ConnectionError("refused"), ConnectionError("refused")]
    run = durable(bank.host(), store=store)
    run.run()
    assert settled(run) == [("retry", 2), ("retry", 3)]
    assert [attempt for _, attempt in bank.calls] == [1, 2, 3]
    assert len({key for key, _ in bank.calls}) == 1
    assert len(bank.ledger) == 1


def test_when_retries_are_spent_the_failure_stands(durable, bank, store) -> None:
    bank.promise, bank.retries = "none", 1
    bank.before = [ConnectionError("refused")] * 2
    run = durable(bank.host(), store=store, text=ONE_TICK)
    machine = run.run()
    assert settled(run) == [("retry", 2)]
    assert machine.metrics["tool_failures"] == 1
    assert bank.ledger == []


def test_a_crash_in_a_second_attempt_without_a_promise_leaves_a_doubt(durable, bank, crash, store) -> None:
    bank.promise, bank.retries = "none", 1
    bank.before = [ConnectionError("refused"), crash()]
    with pytest.raises(crash):
        durable(bank.host(), store=store).run()
    run = durable(bank.host(), store=store)
    run.run()
    assert settled(run) == [("retry", 2), ("in_doubt", 2)]
    assert bank.ledger == []


def test_the_never_rule_keeps_a_doubtful_action_from_happening_again(durable, bank, crash, store) -> None:
    bank.promise = "none"
    interrupt(durable, bank, crash, store, after=False)
    run = durable(bank.host(), store=store)
    run.run()
    denied = [record for record in run.journal.entries if record.kind == "verdict"][-1]
    assert (denied.verdict, denied.rule) == ("DENIED", "NEVER transfer WHEN tools.transfer.in_doubt == true")
    assert bank.ledger == []


def test_a_base_exception_leaves_the_intent_open_and_leaves_run_unchanged(durable, bank, store) -> None:
    bank.before = [KeyboardInterrupt("ctrl-c")]
    run = durable(bank.host(), store=store)
    with pytest.raises(KeyboardInterrupt, match="ctrl-c"):
        run.run()
    assert run.status.state == "interrupted"
    assert [intent.key for intent in run.status.open_intents] == ["transfer"]


def test_the_intent_holds_the_promise_the_host_made_at_that_moment(durable, bank, store) -> None:
    for promise in ("idempotent", "reconcilable", "none"):
        memory = MemoryStore()
        bank.ledger.clear()
        run = durable(bank.host(promise), store=memory)
        run.run()
        intent = next(record for record in run.journal.entries if record.kind == "intent")
        assert intent.promise == promise
        assert intent.action == "run1:payer:t1:a1"
        assert intent.idempotency_key == bank.ledger[0]


ONE_TICK = """
AGENT payer {
  OBSERVE { queue.pending }
  TOOL transfer { INPUT { amount: Number } OUTPUT { reference: String } SIDE_EFFECT { bank.ledger } }
  POLICY { DEFAULT ALLOW }
  PLAN pay WHEN queue.pending > 0 { STEP send { transfer(amount = 10) } }
  LOOP MAX 1 { OBSERVE SELECT_PLAN EXECUTE }
}
"""
