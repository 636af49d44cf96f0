"""Ticks, goals, plans, VERIFY and the steering statements (language.md §4, §5.9, §5.10)."""

import pytest

from agentl import UNDEFINED, Host, Symbol


@pytest.fixture
def said() -> tuple[Host, list[str]]:
    """Return a host with the tool `say`, and the words said."""
    host, words = Host(), []
    host.tools["say"] = lambda word: words.append(str(word)) or {}
    return host, words


SAY = "TOOL say { INPUT { word: Symbol } }"


# ------------------------------------------------------------------------------------------------ ticks


@pytest.mark.parametrize(
    ("loop", "ticks", "expected"),
    [
        ("", None, 10),
        ("LOOP { OBSERVE }", None, 10),
        ("LOOP MAX 3 { OBSERVE }", None, 3),
        ("LOOP MAX 0 { OBSERVE }", None, 10),
        ("LOOP MAX 3 { OBSERVE }", 5, 5),
        ("LOOP MAX 3 { OBSERVE }", 2, 2),
        ("LOOP UNTIL 1 == 1 { OBSERVE }", None, 1),
        ("LOOP UNTIL a.b > 3 MAX 9 { SET a.b = a.b + 1 }", None, 4),
        ("LOOP UNTIL word + 1 > 2 MAX 2 { OBSERVE }", None, 2),
    ],
)
def test_the_length_of_a_run(run_agent, loop: str, ticks: int | None, expected: int):
    machine = run_agent(f"BELIEF {{ a.b = 0 }} {loop}", ticks=ticks)
    assert machine.state.tick == machine.metrics["ticks"] == expected


def test_an_agent_without_loop_runs_the_phases_in_the_default_order(run_agent):
    host = Host()
    host.sensors["a.b"] = lambda: 1
    machine = run_agent("GOAL g { a.b == 1 } OBSERVE { a.b } PLAN p WHEN a.b == 1 { SET c = 1 }", host)
    kinds = [e.kind for e in machine.trace.events]
    assert kinds == ["TICK", "OBSERVE", "BELIEF", "GOAL", "PLAN", "PLAN", "STEP", "PLAN", "GOAL"]


def test_a_loop_body_replaces_the_order_and_runs_statements_in_place(run_agent, said):
    host, words = said
    run_agent(f"{SAY} PLAN p {{ say(plan) }} LOOP {{ say(first) p say(second) EXECUTE say(third) }}", host)
    assert words == ["first", "second", "plan", "third"]


def test_phases_without_work_are_harmless(run_agent):
    run_agent("LOOP { RECEIVE UPDATE_HYPOTHESES SYNTHESIZE DECIDE UPDATE_MEMORY ACT }")


# ------------------------------------------------------------------------------------------------ goals


@pytest.mark.parametrize(
    ("goals", "score"),
    [
        ("", 1.0),
        ("GOAL {}", 1.0),
        ("GOAL { 1 == 1 TARGET { 1 == 2, 1 == 1, 1 == 1 } }", 0.75),
        ("GOAL a { ACHIEVE 1 == 1 WEIGHT 3 } GOAL b { MAINTAIN 1 == 2 }", 0.75),
        ("GOAL { word + 1 > 2 }", 0.0),
        ("GOAL { x.y != 1 }", 1.0),
    ],
)
def test_scores(run_agent, goals: str, score: float):
    machine = run_agent(f"{goals} LOOP {{ EVALUATE_GOALS }}")
    assert machine.state.get("goal.score") == score
    assert machine.state.get("goal.satisfied") is (score == 1)


# ------------------------------------------------------------------------------------------------ plans


def test_every_plan_whose_guard_holds_runs_even_if_another_made_it_false(run_agent, said):
    host, words = said
    run_agent(
        f"""{SAY} PLAN one WHEN stop.all != yes {{ say(one) SET stop.all = yes }}
        PLAN two WHEN stop.all != yes {{ say(two) }} PLAN three WHEN word + 1 > 2 {{ say(three) }}
        PLAN four {{ say(four) }}""",
        host,
    )
    assert words == ["one", "two"]


def test_what_selects_plans_does_so_in_its_order(run_agent, said):
    host, words = said
    host.emit("e")
    machine = run_agent(
        f"""{SAY} DECIDE {{ IF 1 == 1 THEN ruled IF 1 == 2 THEN nothing ELSE otherwise
          REASON "Which?" {{ PRODUCE {{ why: String }} }} }}
        PLAN second WHEN 1 == 1 {{ say(second) }} PLAN first WHEN 1 == 1 {{ say(first) }}
        PLAN handled {{ say(handled) }} PLAN ruled {{ say(ruled) }} PLAN otherwise {{ say(otherwise) }}
        EVENT e {{ handled }}""",
        host,
    )
    assert words == ["handled", "second", "first", "ruled", "otherwise"]
    assert machine.metrics["llm_calls"] == 0  # a plan waits: the model is not asked


PHASES = {
    "RECEIVE": None,
    "OBSERVE": "sensor.read",
    "UPDATE_BELIEFS": "belief.formed",
    "UPDATE_HYPOTHESES": None,
    "EVALUATE_GOALS": "goal.evaluated",
    "SELECT_PLAN": "plan.queued",
    "DECIDE": "plan.queued",
    "SYNTHESIZE": None,
    "EXECUTE": "plan.finished",
    "ACT": "plan.finished",
    "VERIFY": "goal.evaluated",
    "UPDATE_MEMORY": "memory.written",
}


@pytest.mark.parametrize("word", PHASES)
def test_a_phase_that_is_left_out_is_never_run(run_agent, codes, word: str):
    host = Host()
    host.sensors["a.b"] = lambda: 1
    members = """GOAL { MAINTAIN a.b == 1 } OBSERVE { a.b } PLAN p WHEN 1 == 1 { SET c.d = 1 }
        MEMORY { LONG_TERM { notes } WRITE { STORE { c.d } INTO LONG_TERM.notes } }"""
    own = {word, {"DECIDE": "SELECT_PLAN", "SELECT_PLAN": "DECIDE", "ACT": "EXECUTE"}.get(word, word)}
    twin = {"EXECUTE": {"ACT"}, "EVALUATE_GOALS": {"VERIFY"}, "VERIFY": {"EVALUATE_GOALS"}}.get(word, set())
    others = [other for other in PHASES if other not in own | twin]
    with_it = codes(run_agent(f"{members} LOOP {{ OBSERVE UPDATE_BELIEFS SELECT_PLAN {word} }}", host))
    without = codes(run_agent(f"{members} LOOP {{ {' '.join(others)} }}", host))
    code = PHASES[word]
    assert code is None or code in with_it
    assert code not in without


def test_a_loop_may_run_a_phase_twice_and_in_any_order(run_agent, codes):
    host = Host()
    host.sensors["a.b"] = lambda: 1
    machine = run_agent("OBSERVE { a.b } LOOP { UPDATE_BELIEFS OBSERVE OBSERVE UPDATE_BELIEFS }", host)
    assert codes(machine) == ["tick.started", "sensor.read", "sensor.read", "belief.formed"]


def test_a_trigger_queues_once_and_runs_after_the_plan(run_agent, said):
    host, words = said
    machine = run_agent(
        f"{SAY} PLAN one WHEN 1 == 1 {{ two two nobody say(one) }} PLAN two {{ say(two) }}", host
    )
    assert words == ["one", "two"]
    assert [e.arguments["plan"] for e in machine.trace.events if e.code == "plan.unknown"] == ["nobody"]


def test_a_plan_that_triggers_itself_ends_the_tick_after_a_thousand_starts(run_agent, codes):
    machine = run_agent("PLAN p WHEN 1 == 1 { SET n = n.x p } GOAL { 1 == 1 }", ticks=1)
    found = codes(machine)
    assert found.count("plan.started") == 1000
    assert found[-1] == "tick.cut"
    assert machine.trace.events[-1].kind == "ERROR"


def test_phases_that_run_inside_one_another_end_the_tick(run_agent, codes):
    machine = run_agent("PLAN p WHEN 1 == 1 { p EXECUTE }", ticks=2)
    assert codes(machine).count("tick.cut") == 2


# ------------------------------------------------------------------------------------------------ statements


def test_a_flag_that_is_no_takes_the_then_branch_and_so_does_an_unset_word(run_agent, said):
    host, words = said
    run_agent(
        f"""{SAY} LOOP {{ SET flag = no IF flag THEN say(flag) IF unset THEN say(unset)
        IF un.set THEN say(dotted) ELSE say(nothing)
        IF word + 1 > 0 THEN say(a) ELSE {{ say(error) }} THEN say(then) }}""",
        host,
    )
    assert words == ["no", "unset", "nothing", "error", "then"]


def test_set_writes_nothing_when_the_value_cannot_be_told(run_agent, codes):
    machine = run_agent("LOOP { SET a.b = 1 SET a.b = word + 1 c.d = a.b }")
    assert (machine.state.get("a.b"), machine.state.get("c.d")) == (1, 1)
    assert "set.failed" in codes(machine)


@pytest.mark.parametrize(
    ("loop", "rounds"),
    [
        ("LOOP MAX 4", 4),
        ("LOOP", 100),
        ("LOOP MAX 0", 100),
        ("LOOP UNTIL n.n >= 3 MAX 9", 3),
        ("LOOP UNTIL n.n >= 0", 1),
        ("LOOP UNTIL word + 1 > 0 MAX 2", 2),
    ],
)
def test_the_rounds_of_a_loop_statement(run_agent, loop: str, rounds: int):
    machine = run_agent(f"BELIEF {{ n.n = 0 }} PLAN p WHEN n.n == 0 {{ {loop} {{ SET n.n = n.n + 1 }} }}")
    assert machine.state.get("n.n") == rounds


# ------------------------------------------------------------------------------------------------ verify


def test_a_failing_verify_stops_the_plan_and_only_the_plan(run_agent, said):
    host, words = said
    machine = run_agent(
        f"""{SAY} PLAN p WHEN 1 == 1 {{ STEP 1: say(a) VERIFY x.y != yes say(b) STEP 2: say(c) }}
        PLAN q WHEN 1 == 1 {{ say(q) }} LOOP {{ SELECT_PLAN EXECUTE say(after) }}""",
        host,
    )
    assert words == ["a", "q", "after"]
    assert machine.state.get("still_failed") is True
    assert (machine.metrics["verify_fail"], machine.metrics["verify_pass"]) == (1, 0)


def test_a_verify_inside_a_loop_leaves_the_loop_and_the_plan(run_agent, said):
    host, words = said
    run_agent(f"{SAY} PLAN p WHEN 1 == 1 {{ LOOP MAX 3 {{ say(a) VERIFY 1 == 2 }} say(b) }}", host)
    assert words == ["a"]


def test_retry_runs_the_whole_plan_again_and_the_handler_at_the_end(run_agent, said):
    host, words = said
    machine = run_agent(
        f"""{SAY} PLAN p WHEN 1 == 1 {{ STEP 1 {{ say(a) }}
        STEP 2 {{ VERIFY "it" {{ CONDITION 1 == 2 ON FAIL {{ say(sorry) RETRY 2
        IF still_failed THEN say(still) }} }} }} }}""",
        host,
    )
    assert words == ["a", "a", "a", "sorry", "still"]
    assert [e.arguments["attempt"] for e in machine.trace.events if e.kind == "RETRY"] == [1, 2]


def test_a_retry_that_succeeds_runs_no_handler(run_agent, said, codes):
    host, words = said
    machine = run_agent(
        f"""{SAY} BELIEF {{ n.n = 0 }} PLAN p WHEN 1 == 1 {{ SET n.n = n.n + 1
        VERIFY {{ n.n == 2 ON FAIL {{ RETRY say(sorry) }} }} say(done) }}""",
        host,
    )
    assert words == ["done"]
    assert machine.state.get("still_failed") == UNDEFINED
    assert codes(machine)[-2:] == ["tool.called", "plan.finished"]


def test_without_on_fail_the_agents_handler_runs(run_agent, said):
    host, words = said
    run_agent(
        f"{SAY} ON VERIFY.FAIL {{ say(common) RETRY 1 }} PLAN p WHEN 1 == 1 {{ say(a) VERIFY 1 == 2 }}", host
    )
    assert words == ["a", "a", "common"]


def test_a_retry_below_the_top_of_the_handler_does_nothing(run_agent, said):
    host, words = said
    run_agent(
        f"{SAY} PLAN p WHEN 1 == 1 {{ RETRY say(a)"
        "VERIFY { 1 == 2 ON FAIL { IF 1 == 1 THEN RETRY 5 say(b) } } }",
        host,
    )
    assert words == ["a", "b"]


def test_a_failing_verify_in_a_handler_only_stops_the_handler(run_agent, said):
    host, words = said
    run_agent(
        f"{SAY} PLAN p WHEN 1 == 1 {{ VERIFY {{ 1 == 2 ON FAIL {{ say(b) VERIFY 1 == 2 say(c) }} }} }}"
        "LOOP { SELECT_PLAN EXECUTE say(d) }",
        host,
    )
    assert words == ["b", "d"]


VERIFY = """OBSERVE { vent.state } TOOL act { EFFECT { vent.state = open } }
PLAN p WHEN done.done != yes { SET done.done = yes act()
  VERIFY vent.state == open SET passed.passed = yes }"""


def test_verify_reads_the_sensor_again_and_audits_the_effect(run_agent):
    host = Host()
    readings = iter([Symbol("shut"), Symbol("shut")])
    host.sensors["vent.state"] = lambda: next(readings)
    host.tools["act"] = dict
    machine = run_agent(VERIFY, host)
    assert machine.state.get("passed.passed") is UNDEFINED
    assert machine.state.drift == {"act vent.state": [0, 1]}


def test_verify_erases_a_path_that_is_mute_now(run_agent):
    host = Host()
    readings = iter([Symbol("open"), None])
    host.sensors["vent.state"] = lambda: next(readings)
    host.tools["act"] = dict
    machine = run_agent(VERIFY, host)
    assert machine.state.get("passed.passed") is UNDEFINED
    assert machine.state.get("vent.state") is UNDEFINED


def test_verify_not_is_a_statement(run_agent):
    machine = run_agent("PLAN p WHEN 1 == 1 { VERIFY NOT 1 == 2 SET ok = 1 }")
    assert machine.state.get("ok") == 1
