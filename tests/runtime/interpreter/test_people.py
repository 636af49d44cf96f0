"""ASK and ESCALATE (language.md §5.13, §0 ⚠18)."""

import asyncio
import threading

import pytest

from agentl import Host, Symbol


def host_that_says(answer: object) -> tuple[Host, list]:
    host, asked = Host(), []

    def asker(question: str, reason: str | None) -> object:
        asked.append((question, reason))
        if isinstance(answer, Exception):
            raise answer
        return answer

    host.asker = asker
    return host, asked


def test_an_answer_is_bound_under_both_names(run_agent):
    host, asked = host_that_says("left")
    machine = run_agent('LOOP { ASK guard { QUESTION "Which way?" REASON fork DEFAULT right } }', host)
    assert asked == [("Which way?", "fork")]
    assert machine.state.get("answer") == machine.state.get("answer.guard") == "left"


def test_the_short_form(run_agent):
    host, asked = host_that_says(None)
    machine = run_agent('LOOP { ASK guard "Which way?" DEFAULT right }', host)
    assert asked == [("Which way?", None)]
    assert machine.state.get("answer") == Symbol("right")


@pytest.mark.parametrize("answer", [None, Symbol("no_answer"), ValueError("gone")])
@pytest.mark.parametrize(
    ("default", "expected"),
    [("DEFAULT 5", 5), ("", Symbol("no_answer")), ("DEFAULT word + 1", Symbol("no_answer"))],
)
def test_no_answer_means_the_default(run_agent, answer: object, default: str, expected: object):
    host, _ = host_that_says(answer)
    machine = run_agent(f'LOOP {{ ASK guard "Which way?" {default} }}', host)
    assert machine.state.get("answer") == expected


def test_a_default_that_cannot_be_told_does_not_count_as_false(run_agent):
    text = run_agent('LOOP { ASK guard "Which way?" DEFAULT 1 + abc IF 1 + abc THEN { } }').trace.render()
    told = "1 + abc cannot be told (not_a_number abc); it"
    assert [line.partition(told)[2] for line in text.splitlines() if told in line] == [
        " is undefined",
        " counts as false",
    ]


def test_a_host_without_an_asker_gives_no_answer(run_agent, codes):
    machine = run_agent('LOOP { ASK guard "Which way?" }')
    assert machine.state.get("answer") == Symbol("no_answer")
    assert "ask.unanswered" in codes(machine)


def test_escalate_binds_the_reply_to_answer(run_agent):
    host, asked = host_that_says("stop")
    machine = run_agent("LOOP { ESCALATE }", host)
    assert asked == [("The agent a asks for help. What should be done?", None)]
    assert machine.state.get("answer") == "stop"


@pytest.mark.parametrize(("default", "expected"), [("DEFAULT 5", 5), ("", Symbol("no_answer"))])
def test_a_question_waits_no_longer_than_its_timeout(run_agent, codes, default: str, expected: object):
    host, never = Host(), threading.Event()
    host.asker = lambda question, reason: never.wait(10)
    machine = run_agent(f'LOOP {{ ASK guard {{ QUESTION "Who?" TIMEOUT 0.02 {default} }} }}', host)
    never.set()
    assert machine.state.get("answer") == machine.state.get("answer.guard") == expected
    assert codes(machine)[1:3] == ["ask.expired", "ask.unanswered"]
    assert [event.kind for event in machine.trace.events if event.code == "ask.expired"] == ["ASK"]


def test_an_answer_in_time_is_taken(run_agent):
    host, _ = host_that_says("left")
    machine = run_agent('LOOP { ASK guard "Which way?" TIMEOUT 10min DEFAULT right }', host)
    assert machine.state.get("answer") == "left"


def test_an_asker_that_is_async_is_cut_off_too(run_agent, codes):
    async def asker(question: str, reason: str | None) -> str:
        await asyncio.sleep(30)
        return "late"

    host = Host()
    host.asker = asker
    assert "ask.expired" in codes(run_agent('LOOP { ASK guard "Who?" TIMEOUT 0.02 }', host))


def test_with_no_time_at_all_nobody_is_asked(run_agent, codes):
    host, asked = host_that_says("left")
    assert "ask.expired" in codes(run_agent('LOOP { ASK guard "Who?" TIMEOUT 0 }', host))
    assert asked == []
