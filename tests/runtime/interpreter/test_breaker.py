"""The circuit breaker, one run a row (language.md §5.5)."""

import pytest

from agentl import Host, InDoubt
from agentl.interpreter.breaker import COOLDOWN, THRESHOLD

OK, FAILS, BREAKS, DOUBT, RESTS = ".", "x", "c", "?", "-"
"""What happens in a tick: success, exception, broken contract, doubt; or the breaker lets no call through."""

ROWS = [
    ("no failure never opens it", "........", "true", 0),
    ("two failures leave it closed", "xx......", "true", 0),
    ("a success in between starts the count again", "xx.xx.xx", "true", 2),
    ("three failures open it for five ticks", "xxx----", "false", 3),
    ("one probe goes through after five ticks, and success closes", "xxx----..", "true", 0),
    ("after a successful probe three more are needed", "xxx----.xx.", "true", 0),
    ("a failed probe restarts the wait", "xxx----x----x--", "false", 5),
    ("contract violations count", "ccc----", "false", 3),
    ("doubts count", "???----", "false", 3),
    ("all kinds count together", "xc?----", "false", 3),
    ("a doubt as the probe restarts the wait", "xxx----?----.", "true", 0),
]


@pytest.mark.parametrize(("_what", "story", "available", "failures"), ROWS)
def test_the_breaker(run_agent, _what: str, story: str, available: str, failures: int):
    answers = iter(story.replace(RESTS, ""))
    host = Host()

    def act() -> dict:
        answer = next(answers)
        if answer == FAILS:
            raise ValueError
        if answer == DOUBT:
            raise InDoubt
        return {"ok": True} if answer == OK else {}

    host.tools["act"] = act
    machine = run_agent("TOOL act { OUTPUT { ok: Bool } } LOOP { act() }", host, ticks=len(story))
    rested = [event.tick for event in machine.trace.events if event.code == "tool.circuit_open"]
    assert rested == [tick for tick, mark in enumerate(story, 1) if mark == RESTS]
    assert list(answers) == []
    assert machine.state.get("tools.act.available") is (available == "true")
    assert machine.state.get("tools.act.failures") == failures
    assert machine.metrics["circuit_open"] == story.count(RESTS)
    assert machine.metrics["tool_failures"] == sum(story.count(mark) for mark in (FAILS, BREAKS, DOUBT))


def test_the_numbers_of_the_design():
    assert (THRESHOLD, COOLDOWN) == (3, 5)


def test_each_tool_has_its_own_breaker(run_agent):
    host, calls = Host(), []

    def fail() -> None:
        raise ValueError

    host.tools["bad"] = fail
    host.tools["good"] = lambda: calls.append(1) or {}
    machine = run_agent("TOOL { bad good } LOOP { bad() good() }", host, ticks=4)
    assert len(calls) == 4
    assert machine.state.get("tools.bad.available") is False
    assert machine.state.get("tools.good.available") is True


def test_what_never_reached_the_host_is_no_failure(run_agent):
    host = Host()
    machine = run_agent(
        """TOOL { act(n: Int) other } POLICY { NEVER other }
        LOOP { act(word) other() act(1 / 0) act(nowhere + 1) }""",
        host,
        ticks=2,
    )
    assert machine.metrics["tool_failures"] == 0
    assert machine.state.get("tools.act.failures") == machine.state.get("tools.other.failures") == 0
    assert machine.metrics["blocked"] == 8


def test_a_breaker_that_rests_blocks_without_counting_as_blocked(run_agent):
    host = Host()

    def fail() -> None:
        raise ValueError

    host.tools["bad"] = fail
    machine = run_agent("TOOL { bad } LOOP { bad() bad() bad() bad() }", host)
    assert machine.metrics["blocked"] == 0
    assert machine.trace.events[-1].kind == "BLOCKED"
    assert machine.state.get("last_action.blocked") is True
