"""The rules of a failing VERIFY, one by one (language.md §5.9)."""

import pytest

from agentl import UNDEFINED, Host, Symbol

SAY = "TOOL say { INPUT { word: Any } }"


def run(run_agent, plan: str, extra: str = "") -> tuple[list, object]:
    host, said = Host(), []
    host.tools["say"] = lambda word: said.append(word) or {}
    machine = run_agent(f"{SAY} {extra} PLAN p WHEN 1 == 1 {{ SET n.all = n.start {plan} }}", host)
    return said, machine


def words(said: list) -> str:
    return " ".join(map(str, said))


COUNT = "SET n.tries = n.tries + 1"
START = "BELIEF { n.tries = 0 }"


@pytest.mark.parametrize(
    ("retry", "attempts"), [("", 1), ("RETRY", 2), ("RETRY 1", 2), ("RETRY 3", 4), ("RETRY 0", 1)]
)
def test_the_plan_runs_once_and_as_often_again_as_retry_says(run_agent, retry: str, attempts: int):
    said, machine = run(run_agent, f"say(act) VERIFY {{ 1 == 2 ON FAIL {{ {retry} say(handler) }} }}")
    assert words(said) == "act " * attempts + "handler"
    assert machine.metrics["verify_fail"] == attempts
    assert machine.state.get("still_failed") is True


def test_only_the_first_retry_of_the_handler_counts_and_it_does_not_run_with_the_rest(run_agent):
    said, _ = run(run_agent, "say(act) VERIFY { 1 == 2 ON FAIL { say(a) RETRY 1 say(b) RETRY 5 } }")
    assert words(said) == "act act a b"


@pytest.mark.parametrize(("first", "second"), [(1, 3), (3, 1)])
def test_over_successive_failures_the_largest_number_applies(run_agent, first: int, second: int):
    plan = f"""{COUNT} say(act) VERIFY {{ n.tries > 1 ON FAIL {{ RETRY {first} say(one) }} }}
        VERIFY {{ 1 == 2 ON FAIL {{ RETRY {second} say(two) }} }}"""
    said, _ = run(run_agent, plan, START)
    assert words(said) == "act act act act two"


def test_after_success_the_handler_never_runs_and_nothing_still_failed(run_agent):
    said, machine = run(
        run_agent,
        f"{COUNT} say(act) VERIFY {{ n.tries > 2 ON FAIL {{ RETRY 5 say(handler) }} }} say(on)",
        START,
    )
    assert words(said) == "act act act on"
    assert machine.state.get("still_failed") in (UNDEFINED, Symbol("still_failed"))


@pytest.mark.parametrize(
    ("own", "agents", "ran"),
    [
        ("ON FAIL { say(own) }", "ON VERIFY.FAIL { say(agents) }", "own"),
        ("ON FAIL { }", "ON VERIFY.FAIL { say(agents) }", "agents"),
        ("", "ON VERIFY.FAIL { say(agents) }", "agents"),
        ("", "", ""),
    ],
)
def test_its_own_handler_goes_before_that_of_the_agent(run_agent, own: str, agents: str, ran: str):
    said, _ = run(run_agent, f"VERIFY {{ 1 == 2 {own} }}", agents)
    assert words(said) == ran


def test_the_handler_of_the_agent_may_retry_too(run_agent):
    said, _ = run(run_agent, "say(act) VERIFY 1 == 2", "ON VERIFY.FAIL { RETRY 2 say(agents) }")
    assert words(said) == "act act act agents"


@pytest.mark.parametrize("loop", ["LOOP MAX 3 { %s }", "FOREACH x IN [1, 2, 3] { %s }"])
def test_failing_inside_a_loop_leaves_the_loop_and_the_plan(run_agent, loop: str):
    said, _ = run(run_agent, f"{loop % 'say(round) VERIFY 1 == 2'} say(after)")
    assert words(said) == "round"


def test_retry_elsewhere_does_nothing(run_agent):
    said, _ = run(run_agent, "say(act) RETRY 3 IF 1 == 1 THEN { RETRY 2 } say(on)")
    assert words(said) == "act on"
    said, _ = run(run_agent, "say(act) VERIFY { 1 == 2 ON FAIL { IF 1 == 1 THEN { RETRY 3 } say(handler) } }")
    assert words(said) == "act handler"


def test_the_mark_of_a_failed_plan_is_never_reset(run_agent):
    said, machine = run(run_agent, "VERIFY 1 == 2", "PLAN q WHEN 2 == 2 { say(well) }")
    assert words(said) == "well"
    assert machine.state.get("still_failed") is True
