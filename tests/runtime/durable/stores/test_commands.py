"""Every `agentl durable` command at every kind of place; what people put in, in every state of a run."""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime

import pytest
from store_kinds import LASTING

from agentl import cli
from agentl.cli.app import durable as commands
from agentl.durable import status
from agentl.durable.addressing import store_at

LISTENER = """
AGENT payer {
  OBSERVE { queue.pending }
  TOOL transfer { INPUT { amount: Number } OUTPUT { reference: String } }
  POLICY { DEFAULT ALLOW NEVER transfer WHEN tools.transfer.in_doubt == true }
  BELIEF { heard = 0 }
  EVENT order.paid { SET heard = amount }
  PLAN pay WHEN queue.pending > 0 { STEP send { transfer(amount = 10) } }
  LOOP MAX 3 { RECEIVE OBSERVE SELECT_PLAN EXECUTE }
}
"""
PUT_IN = (
    ("send", "order.paid", '{"amount": 7}'),
    ("settle", "transfer", "--did-not-happen"),
    ("cancel",),
)
Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Return a function: a command, a place and further words → exit code, results, what else is said."""
    monkeypatch.setenv("AGENTL_LANG", "en")

    def command(name: str, place: str, *words: str) -> tuple[int, str, str]:
        code = cli.run(["durable", name, place, *words])
        told = capsys.readouterr()
        return code, told.out, told.err

    return command


@pytest.fixture
def run(durable, bank):
    """Return a function that starts or resumes the run at a place; its bank promises nothing."""
    bank.promise = "none"
    return lambda place: durable(bank.host(), LISTENER, store=store_at(place)).run()


@pytest.fixture(params=LASTING)
def place(request: pytest.FixtureRequest, address: Callable[[str], str]) -> str:
    return address(request.param)


@pytest.fixture
def interrupted(place, run, bank, crash) -> str:
    """A run whose process died inside transfer, before the money moved."""
    bank.before = [crash()]
    with pytest.raises(crash):
        run(place)
    return place


def codes(say: Say, place: str, words: Sequence[Sequence[str]] = PUT_IN) -> list[str]:
    """What each command is refused with; empty where it is not."""
    said = [say(name, place, *rest) for name, *rest in words]
    return ["" if code == 0 else error.split()[1].rstrip(":") for code, _, error in said]


def as_data(say: Say, place: str) -> dict[str, object]:
    code, text, error = say("status", place, "--json")
    assert code == 0, error
    return json.loads(text)


def above(place: str) -> str:
    """The database of a run, or the directory that it lies in."""
    before, mark, _ = place.rpartition("#")
    return before if mark else place.rpartition("/")[0]


def listed(say: Say, place: str, *filters: str) -> list[str]:
    code, text, error = say("list", place, "--format", "json", *filters)
    assert code == 0, error
    return [run["state"] for run in json.loads(text)]


def test_a_run_that_never_began_takes_nothing(place, say) -> None:
    assert codes(say, place) == ["R602"] * 3


def test_an_interrupted_run_takes_all_and_the_doubt_clears_before_the_policy_looks(
    interrupted, say, run, bank
) -> None:
    assert listed(say, above(interrupted), "--status", "in_doubt") == ["interrupted"]
    for words in PUT_IN[:2]:
        code, _, told = say(words[0], interrupted, *words[1:], "--by", "ada")
        assert (code, "the run takes it when it is resumed" in told) == (0, True)
    (word,) = as_data(say, interrupted)["put_in"]
    assert (word["how"], word["who"]) == ("operator_not", "ada")
    assert datetime.fromisoformat(word["at"]).tzinfo is not None
    assert codes(say, interrupted, PUT_IN[1:2]) == ["R403"]
    assert listed(say, above(interrupted), "--status", "in_doubt") == []
    machine = run(interrupted)
    assert machine.state.get("heard") == 7
    assert len(bank.ledger) == 1
    found = as_data(say, interrupted)
    assert (found["state"], found["in_doubt"], found["put_in"]) == ("completed", [], [])
    assert [(said["how"], said["who"]) for said in found["settlements"]] == [("operator_not", "ada")]


def test_an_interrupted_run_that_is_cancelled_takes_nothing_more(interrupted, say, run) -> None:
    code, _, told = say("cancel", interrupted, "--by", "ada")
    assert (code, "cancelled by ada" in told, "its result is not known" in told) == (0, True, True)
    assert as_data(say, interrupted)["state"] == "cancelled"
    assert codes(say, interrupted, (PUT_IN[0], PUT_IN[2])) == ["R502"] * 2
    assert listed(say, above(interrupted), "--status", "cancelled") == ["cancelled"]
    with pytest.raises(Exception, match="the run was cancelled by ada"):
        run(interrupted)


def test_a_running_run_takes_events_and_its_end_but_no_word_on_what_is_being_performed(
    interrupted, say
) -> None:
    with closing(store_at(interrupted)) as holder:
        holder.open(write=True)
        code, _, told = say("send", interrupted, "order.paid", '{"amount": 7}')
        assert (code, "the run takes it at its next tick" in told) == (0, True)
        assert codes(say, interrupted, PUT_IN[1:2]) == ["R304"]
        assert listed(say, above(interrupted), "--status", "running") == ["running"]
        assert codes(say, interrupted, PUT_IN[2:]) == [""]


def test_a_run_that_ended_takes_a_word_on_its_doubt_and_nothing_else(interrupted, say, run) -> None:
    run(interrupted)
    before = store_at(interrupted).records()
    assert [len(as_data(say, interrupted)["in_doubt"]), codes(say, interrupted)] == [1, ["R303", "", "R303"]]
    (word,) = as_data(say, interrupted)["put_in"]
    assert "@" in word["who"]
    assert store_at(interrupted).records() == before
    assert listed(say, above(interrupted), "--status", "in_doubt") == []


def test_a_pruned_run_takes_nothing_and_nothing_of_it_is_listed(interrupted, say, run) -> None:
    run(interrupted)
    say("settle", interrupted, "--did-not-happen")
    code, text, _ = say("prune", interrupted)
    assert (code, text.startswith("deleted")) == (0, True)
    assert codes(say, interrupted) == ["R602"] * 3
    assert listed(say, above(interrupted)) == []


WORDS = {
    "list": (),
    "status": (),
    "show": (),
    "export": (),
    "settle": ("--did-not-happen",),
    "send": ("order.paid",),
    "cancel": (),
    "repair": (),
    "prune": ("--status", "cancelled"),
}
"""Every command, in an order in which each can do its work."""


def test_every_command_takes_every_place(interrupted, say) -> None:
    assert {command.name or command.callback.__name__ for command in commands.registered_commands} == {*WORDS}
    for name, words in WORDS.items():
        code, text, told = say(name, interrupted, *words)
        if name == "repair" and "#" in interrupted:
            assert (code, "a run in a database cannot be repaired" in told) == (2, True)
        else:
            assert code == 0, (name, told)
            assert "run1" in text + told or name in {"show", "send", "settle", "cancel", "repair"}, name
    with pytest.raises(Exception, match=r"no run can be reached|not a run directory|there is no such run"):
        status(interrupted)
