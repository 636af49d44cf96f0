"""An operator settles what nobody else can (durability.md §3 "An operator settles a doubt")."""

from contextlib import nullcontext, suppress

import pytest

from agentl.durable import DurableError, FileStore, read_records, status
from agentl.durable.sending import cancel_run
from agentl.durable.settling import Word, settle
from agentl.errors import UsageError

PAYER = """
AGENT payer {
  OBSERVE { queue.pending }
  BELIEF { paid = 0 }
  TOOL transfer {
    INPUT { amount: Number }
    OUTPUT { reference: String }
    EFFECT { paid = amount }
    SIDE_EFFECT { bank.ledger }
  }
  POLICY {
    DEFAULT ALLOW
    NEVER transfer WHEN tools.transfer.in_doubt == true
    GUARD
  }
  PLAN pay WHEN queue.pending > 0 { STEP send { transfer(amount = 10) } }
  LOOP MAX 3 { OBSERVE SELECT_PLAN EXECUTE }
}
"""
ACTION = "run1:payer:t1:a1"
LAST_TICK = 3


@pytest.fixture
def pay(durable, bank):
    """Return a function that starts or resumes the run, with a further rule if one is given."""

    def run(guard: str = "", **options):
        return durable(bank.host(), PAYER.replace("GUARD", guard), **options)

    return run


def interrupt(pay, bank, crash, store, *, guard: str = "", after: bool = True) -> None:  # noqa: PLR0913
    """Let the process die inside transfer, to which nobody promised anything."""
    bank.promise = "none"
    (bank.after if after else bank.before).append(crash())
    with pytest.raises(crash):
        pay(guard, store=store).run()


def doubt(pay, bank, crash, store, *, guard: str = "", after: bool = True) -> None:  # noqa: PLR0913
    """Let a run stop at the start of its second tick with transfer in doubt."""
    interrupt(pay, bank, crash, store, guard=guard, after=after)
    run = pay(guard, store=store)
    reading = run._host.sensors["queue.pending"]

    def once() -> int:
        if run.runtime.state.tick > 1:
            raise crash
        return reading()

    run._host.sensors["queue.pending"] = once
    with pytest.raises(crash):
        run.run()


def operator_records(store) -> list:
    return [record for record in read_records(store) if getattr(record, "entry", None) is not None]


def test_a_doubt_that_happened_is_believed_and_does_not_run_again(pay, bank, crash, store) -> None:
    doubt(pay, bank, crash, store)
    settle(store, ACTION, Word("operator_happened", {"reference": "by hand"}, "ada"))
    run = pay(store=store)
    machine = run.run()
    assert len(bank.ledger) == 1
    assert machine.state.get("tools.transfer.in_doubt") is False
    assert machine.state.get("transfer.reference") == "by hand"
    assert machine.state.get("paid") == 10
    assert machine.state.beliefs["paid"].source == "effect:transfer"
    (said,) = operator_records(store)
    assert (said.how, said.who, said.action, said.attempt) == ("operator_happened", "ada", ACTION, 1)
    assert said.at.endswith("+00:00")
    assert "transfer(amount=10) had happened, says ada" in run.trace_text()
    assert status(store).in_doubt == ()


def test_it_is_taken_at_the_start_of_the_next_tick_and_derives_the_same_again(
    pay, bank, crash, store
) -> None:
    doubt(pay, bank, crash, store)
    settle(store, "transfer", Word("operator_happened", {"reference": "by hand"}, "ada"))
    first = pay(store=store)
    first.run()
    kinds = [(record.kind, record.tick) for record in read_records(store)]
    (place,) = [n for n, record in enumerate(read_records(store)) if getattr(record, "entry", None)]
    assert kinds[place - 2 : place + 2] == [("checkpoint", 1), ("resumed", 0), ("resolution", 2), ("read", 2)]
    before = store.records()
    again = pay(store=store)
    again.run()
    assert again.trace_text() == first.trace_text()
    assert store.records() == before


def test_a_doubt_that_did_not_happen_only_goes(pay, bank, crash, store) -> None:
    doubt(pay, bank, crash, store, after=False)
    settle(store, None, Word("operator_not", who="ada"))
    machine = pay(store=store).run()
    # The rule lets the program pay now, as an action of its own.
    assert len(bank.ledger) == 1
    assert [key for key, _ in bank.calls] != [bank.ledger[0]] * len(bank.calls)
    assert machine.state.get("tools.transfer.in_doubt") is False
    assert machine.state.get("paid") == 10


def test_what_is_sent_again_has_the_same_key_and_the_next_attempt(pay, bank, crash, store) -> None:
    doubt(pay, bank, crash, store, after=False)
    settle(store, ACTION, Word("operator_resend", who="ada"))
    run = pay(store=store)
    machine = run.run()
    (first, _), (second, attempt) = bank.calls
    assert first == second == bank.ledger[0]
    assert attempt == 2
    assert len(bank.ledger) == 1
    assert machine.state.get("tools.transfer.in_doubt") is False
    assert machine.state.get("transfer.reference") == "entry-1"
    assert machine.state.get("paid") == 10
    kinds = [record.kind for record in read_records(store)]
    place = kinds.index("resolution", kinds.index("resolution") + 1)
    assert kinds[place : place + 4] == ["resolution", "verdict", "intent", "invoke"]
    assert pay(store=store).run().trace.render() == run.trace_text()


def test_the_policy_sees_the_action_without_its_own_doubt_and_may_refuse(pay, bank, crash, store) -> None:
    guard = "NEVER transfer WHEN run.resumes > 1"
    doubt(pay, bank, crash, store, guard=guard, after=False)
    settle(store, ACTION, Word("operator_resend", who="ada"))
    run = pay(guard, store=store)
    machine = run.run()
    assert bank.ledger == []
    assert len(bank.calls) == 1
    assert machine.state.get("tools.transfer.in_doubt") is True
    assert "is not sent again and stays in doubt" in run.trace_text()
    found = status(store)
    assert [record.action for record in found.in_doubt] == [ACTION]
    assert found.refused == {ACTION: guard}


def test_a_doubt_that_was_refused_can_be_settled_otherwise(pay, bank, crash, store) -> None:
    guard = "NEVER transfer WHEN run.resumes > 1"
    doubt(pay, bank, crash, store, guard=guard, after=False)
    settle(store, ACTION, Word("operator_resend", who="ada"))
    run = pay(guard, store=store)
    reading = run._host.sensors["queue.pending"]
    run._host.sensors["queue.pending"] = lambda: (
        reading() if run.runtime.state.tick < 3 else (_ for _ in ()).throw(crash())
    )
    with pytest.raises(crash):
        run.run()
    settle(store, ACTION, Word("operator_not", who="ada"))
    machine = pay(guard, store=store).run()
    assert machine.state.get("tools.transfer.in_doubt") is False
    assert bank.ledger == []
    assert [record.how for record in operator_records(store)] == ["operator_resend", "operator_not"]


def test_a_crash_while_it_is_sent_again_is_settled_like_any_other(pay, bank, crash, store) -> None:
    doubt(pay, bank, crash, store, after=False)
    settle(store, ACTION, Word("operator_resend", who="ada"))
    bank.after.append(crash())
    with pytest.raises(crash):
        pay(store=store).run()
    assert len(bank.ledger) == 1
    assert [intent.action for intent in status(store).open_intents] == [ACTION]
    machine = pay(store=store).run()
    assert len(bank.ledger) == 1
    assert machine.state.get("tools.transfer.in_doubt") is True
    assert [record.action for record in status(store).in_doubt] == [ACTION]


def test_a_failure_of_what_was_sent_again_leaves_the_first_attempt_in_doubt(pay, bank, crash, store) -> None:
    doubt(pay, bank, crash, store)
    settle(store, ACTION, Word("operator_resend", who="ada"))
    bank.before = [ConnectionError("refused")]
    machine = pay(store=store).run()
    assert [attempt for _, attempt in bank.calls] == [1, 2]
    assert machine.state.get("tools.transfer.in_doubt") is True


# the word → entries of the bank, what the trace tells of a failure
OPEN = [
    (Word("operator_happened", {"reference": "by hand"}, "ada"), 1, ""),
    (Word("operator_not", None, "ada"), 1, "it did not happen, says ada"),
    (Word("operator_resend", None, "ada"), 2, ""),  # a plain host that is told to send again does so
]


@pytest.mark.parametrize("row", OPEN)
def test_an_open_intent_takes_the_word_first_thing_on_a_resume(pay, bank, crash, store, row) -> None:
    word, entries, error = row
    interrupt(pay, bank, crash, store)
    settle(store, ACTION, word)
    run = pay(store=store)
    machine = run.run()
    assert machine.state.get("tools.transfer.in_doubt") is False
    assert len(bank.ledger) == entries
    assert len({key for key, _ in bank.calls}) == 1
    assert status(store).open_intents == ()
    assert status(store).in_doubt == ()
    assert error in run.trace_text()
    assert pay(store=store).run().trace.render() == run.trace_text()


@pytest.mark.parametrize("promise", ["idempotent", "reconcilable"])
def test_the_word_of_an_operator_comes_before_what_the_host_can_tell(
    pay, bank, crash, store, promise
) -> None:
    bank.promise = promise
    bank.after.append(crash())
    with pytest.raises(crash):
        pay(store=store).run()
    settle(store, ACTION, Word("operator_happened", {"reference": "by hand"}, "ada"))
    machine = pay(store=store).run()
    assert machine.state.get("transfer.reference") == "by hand"
    assert len(bank.calls) == 1


def test_the_first_word_holds_and_the_second_is_told_so(pay, bank, crash, store) -> None:
    doubt(pay, bank, crash, store)
    settle(store, ACTION, Word("operator_not", who="ada"))
    for _ in range(2):
        with pytest.raises(DurableError, match="settled already: operator_not, ada") as refusal:
            settle(store, "transfer", Word("operator_happened", {"reference": "x"}, "bob"))
        assert refusal.value.code == "R403"
    pay(store=store).run()
    with pytest.raises(DurableError) as refusal:
        settle(store, ACTION, Word("operator_not", who="bob"))
    assert refusal.value.code == "R403"


def test_an_action_that_is_being_performed_is_nobodys_to_settle(pay, bank, crash, tmp_path) -> None:
    store = FileStore(tmp_path / "run")
    interrupt(pay, bank, crash, store)
    holder = FileStore(tmp_path / "run")
    holder.open(write=True)
    with pytest.raises(DurableError) as refusal:
        settle(store, ACTION, Word("operator_not", who="ada"))
    assert refusal.value.code == "R304"
    assert "is being performed by process" in str(refusal.value)
    assert "would leave it unknown" in str(refusal.value.action)
    holder.close()


def test_a_doubt_of_a_running_process_can_be_settled(pay, bank, crash, tmp_path) -> None:
    store = FileStore(tmp_path / "run")
    doubt(pay, bank, crash, store)
    run = pay(store=store)
    reading = run._host.sensors["queue.pending"]

    def settle_meanwhile() -> int:
        if run.runtime.state.tick == 2:
            assert status(tmp_path / "run").state == "running"
            settle(tmp_path / "run", ACTION, Word("operator_happened", {"reference": "x"}, "ada"))
        return reading()

    run._host.sensors["queue.pending"] = settle_meanwhile
    machine = run.run()
    (said,) = operator_records(store)
    assert said.tick == 3
    assert machine.state.get("transfer.reference") == "x"


@pytest.mark.parametrize("value", [None, "booked", {}, {"other": 1}, {"reference": None}])
def test_a_value_that_breaks_output_is_refused_before_it_is_put_in(pay, bank, crash, store, value) -> None:
    doubt(pay, bank, crash, store)
    with pytest.raises(UsageError, match="transfer cannot have returned this") as refusal:
        settle(store, ACTION, Word("operator_happened", value))
    assert refusal.value.code == "U121"
    assert status(store).put_in == ()


def test_an_action_that_is_not_open_cannot_be_settled(pay, bank, crash, store) -> None:
    doubt(pay, bank, crash, store)
    for which in ("other", "run1:payer:t9:a9"):
        with pytest.raises(UsageError, match="no action") as refusal:
            settle(store, which, Word("operator_not"))
        assert refusal.value.code == "U120"
        assert ACTION in str(refusal.value.action)


def test_the_word_on_an_ended_run_is_kept_and_shown_and_its_journal_does_not_grow(
    pay, bank, crash, store
) -> None:
    interrupt(pay, bank, crash, store)
    pay(store=store).run()
    assert [record.action for record in status(store).in_doubt] == [ACTION]
    before = store.records()
    with pytest.raises(DurableError) as refusal:
        settle(store, ACTION, Word("operator_resend"))
    assert refusal.value.code == "R303"
    settle(store, ACTION, Word("operator_happened", {"reference": "late"}, "ada"))
    found = status(store)
    assert (found.in_doubt, [entry.who for entry in found.put_in]) == ((), ["ada"])
    pay(store=store).run()
    assert store.records() == before


@pytest.mark.parametrize("over", ["ended", "cancelled"])
def test_what_was_to_be_sent_again_by_a_run_that_is_over_stays_in_doubt(
    pay, bank, crash, store, over
) -> None:
    interrupt(pay, bank, crash, store)
    run = pay(store=store)

    def say_last() -> int:
        if run.runtime.state.tick == LAST_TICK:
            settle(store, ACTION, Word("operator_resend", who="ada"))  # the words of this tick were taken
            if over == "cancelled":
                cancel_run(store)
        return 0

    run._host.sensors["queue.pending"] = say_last
    with pytest.raises(DurableError) if over == "cancelled" else nullcontext():
        run.run()
    found = status(store)
    assert [record.action for record in found.in_doubt] == [ACTION]
    with pytest.raises(DurableError) as refusal:
        settle(store, ACTION, Word("operator_resend"))
    assert refusal.value.code == {"ended": "R303", "cancelled": "R502"}[over]
    settle(store, ACTION, Word("operator_not", who="eve"))
    with pytest.raises(DurableError, match="operator_not, eve"):
        settle(store, ACTION, Word("operator_happened", {"reference": "late"}, "ada"))
    assert status(store).in_doubt == ()


def test_of_two_words_at_one_moment_the_second_is_told_the_first(
    pay, bank, crash, store, monkeypatch
) -> None:
    doubt(pay, bank, crash, store)
    put_in = type(store).put_in

    def after_another(self, entry) -> bool:
        put_in(self, {**entry, "how": "operator_not", "who": "eve"})
        return put_in(self, entry)

    monkeypatch.setattr(type(store), "put_in", after_another)
    with pytest.raises(DurableError, match="settled already: operator_not, eve"):
        settle(store, ACTION, Word("operator_happened", {"reference": "late"}, "ada"))


@pytest.mark.parametrize("look", range(1, 6))
def test_a_word_that_comes_between_two_looks_at_the_inbox_is_the_only_one(
    pay, bank, crash, store, look
) -> None:
    doubt(pay, bank, crash, store)
    entries, left = store.entries, [look]

    def then_another(_, *given):
        found = entries(*given)
        left[0] -= 1
        if left[0] == 0:
            settle(store, ACTION, Word("operator_not", who="eve"))
        return found

    with pytest.MonkeyPatch.context() as patch, suppress(DurableError):
        patch.setattr(type(store), "entries", then_another)
        settle(store, ACTION, Word("operator_happened", {"reference": "late"}, "ada"))
    assert len(store.entries()) == 1
