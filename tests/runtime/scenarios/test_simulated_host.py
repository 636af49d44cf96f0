"""The simulated host: tools, people, models and sub-agents answer from GIVEN; what is missing is an error."""

import pytest

from agentl import PermitError, parse_source
from agentl.drivers.scenario import ScenarioDriver
from agentl.interpreter.crossings import Answered, Invoke
from agentl.kernel import Kernel
from agentl.run_state import RunState
from agentl.scenarios.simulation import SimulatedWorld
from agentl.scenarios.watching import Watch
from agentl_grammar.tree import Scenario

PUMP = """
  OBSERVE { tank.level }
  TOOL fill { INPUT { litres: Number } OUTPUT { level: Number } EFFECT { tank.level = tank.level + litres } }
  PLAN p WHEN tank.level < 10 { fill(litres = 4) }
"""


def test_an_effect_is_applied_with_the_arguments_and_seen_by_the_sensor(scenario) -> None:
    result = scenario(PUMP, "GIVEN { tank.level = 1  fill.level = 5 } EXPECT { tank.level == 13 } WITHIN 9")
    assert result.passed
    assert result.ticks == 3
    assert "[t2] OBSERVE     tank.level = 5.0" in result.trace.render()


def test_an_effect_reads_the_world_and_not_what_the_agent_believes_of_it(scenario) -> None:
    members = """
      TOOL drip { OUTCOME only { bucket.drops = bucket.drops + 1 } }
      PLAN p WHEN go { drip() drip() drip() }
    """
    assert scenario(members, "GIVEN { bucket.drops = 0 } EXPECT { bucket.drops == 3 }").passed


def test_the_simulated_host_performs_nothing_without_a_valid_permit() -> None:
    program = parse_source("AGENT a { TOOL t { } SCENARIO s { EXPECT CALL t } }")
    agent, state = program.agents[0], RunState()
    world = SimulatedWorld(agent.of(Scenario)[0])
    watch = Watch(agent.of(Scenario)[0], state, world, ())
    driver = ScenarioDriver(agent, state, world, watch, within=1, expected={})
    permit = Kernel("run", "a", "").mint("invoke", "t", {}, tick=1, sequence=1)
    crossing = Invoke(agent="a", tick=1, permit=permit)
    assert driver.answer(crossing) == Answered(value=None)
    permit.void()
    with pytest.raises(PermitError):
        driver.answer(crossing)
    assert len(driver.calls) == 1


def test_outputs_come_from_tool_key_then_from_the_bare_key(scenario) -> None:
    members = "TOOL t { OUTPUT { n: Number } } PLAN p WHEN go { t() }"
    assert scenario(members, "GIVEN { t.n = 1  n = 2 } EXPECT CALL t EXPECT { t.n == 1 }").passed
    assert "→ {n: 2}" in scenario(members, "GIVEN { n = 2 } EXPECT CALL t").trace.render()


def test_a_missing_output_is_an_error(scenario, told) -> None:
    members = "TOOL t { OUTPUT { n: Number } } PLAN p WHEN go { t() }"
    assert told(scenario(members, "EXPECT CALL t")) == [
        "simulation: t has no n to return: GIVEN t.n is missing"
    ]


def test_a_result_of_the_wrong_type_is_an_error_of_the_run(scenario, told) -> None:
    members = "TOOL t { OUTPUT { n: Number } } PLAN p WHEN go { t() }"
    assert told(scenario(members, "GIVEN { t.n = many } EXPECT CALL t")) == [
        "error: the run had an error: t broke its contract: n: Number expected"
    ]


TWO_WAYS = """
  OBSERVE { valve }
  TOOL turn { OUTCOME works WITH 0.9 { valve = open } OUTCOME sticks WITH 0.1 { valve = stuck } }
  PLAN p WHEN valve == shut { turn() }
"""


@pytest.mark.parametrize(("branch", "state"), [("works", "open"), ("sticks", "stuck")])
def test_the_chosen_outcome_is_applied(scenario, branch, state) -> None:
    given = f"GIVEN {{ valve = shut  scenario.outcome.turn = {branch} }}"
    assert scenario(TWO_WAYS, f"{given} EXPECT {{ valve == {state} }}").passed


@pytest.mark.parametrize("choice", ["", "scenario.outcome.turn = explodes"])
def test_of_several_outcomes_one_must_be_chosen(scenario, told, choice) -> None:
    result = scenario(TWO_WAYS, f"GIVEN {{ valve = shut  {choice} }} EXPECT CALL turn")
    assert told(result) == [
        "simulation: turn has several OUTCOMEs; GIVEN scenario.outcome.turn must name one of works, sticks"
    ]


def test_a_call_that_the_scenario_says_nothing_of_was_not_performed(scenario) -> None:
    result = scenario(TWO_WAYS, "GIVEN { valve = shut } EXPECT { valve == open }")
    (note,) = result.shortfalls[0].notes
    assert str(note).startswith("tick 1: turn() failed: SimulationError: turn has several OUTCOMEs")


def test_an_effect_that_cannot_be_told_is_an_error(scenario, told) -> None:
    members = "TOOL t { OUTCOME only { x.y = z.gone } } PLAN p WHEN go { t() }"
    assert told(scenario(members, "EXPECT CALL t")) == ["simulation: the effect of t on x.y cannot be told"]


APPROVED = "TOOL t { } POLICY { REQUIRE APPROVAL FOR t } PLAN p WHEN go { t() }"


def test_a_person_approves_or_refuses_as_given(scenario) -> None:
    assert scenario(APPROVED, "GIVEN { operator.approval = yes } EXPECT CALL t").passed
    assert scenario(APPROVED, "GIVEN { operator.approval = no } EXPECT BLOCKED t EXPECT NEVER CALL t").passed
    assert scenario(APPROVED, "EXPECT BLOCKED t EXPECT NEVER CALL t").passed


def test_a_person_answers_as_given(scenario) -> None:
    members = 'PLAN p WHEN go { ASK boss { QUESTION "When?" DEFAULT never } }'
    assert scenario(members, "GIVEN { operator.answer = soon } EXPECT { answer.boss == soon }").passed
    assert scenario(members, "EXPECT { answer.boss == never }").passed


REASONING = """
  PLAN p WHEN go {
    REASON "?" { PRODUCE { risk: Symbol IN [low, high] DEFAULT high  size: Number IN [0, 9] } }
  }
"""


def test_a_model_answers_with_the_fields_that_are_given(scenario) -> None:
    expected = "EXPECT { reason.risk == low  reason.size == 9  reason.missing == 0 }"
    result = scenario(REASONING, f"GIVEN {{ risk = low  size = 12 }} {expected}")
    assert "size = 12" in result.trace.render()
    assert result.passed


def test_a_model_that_is_given_nothing_is_silent(scenario) -> None:
    assert scenario(REASONING, "EXPECT { risk == high  reason.degraded == true }").passed


JUDGING = """
  PLAN p WHEN go {
    JUDGE "?" { wish CHOICE "What?" { refund "money" other "else" } ABSTAIN BELOW 0.5 DEFAULT other }
  }
"""


@pytest.mark.parametrize(
    ("given", "wish"),
    [("wish = refund", "refund"), ("wish = refund  judge.wish.p = 0.4", "other"), ("", "other")],
)
def test_a_judgement_is_certain_unless_its_probability_is_given(scenario, given, wish) -> None:
    assert scenario(JUDGING, f"GIVEN {{ {given} }} EXPECT {{ wish == {wish} }}").passed


CHOOSING = """
  TOOL a { } TOOL b { }
  PLAN one { a() }  PLAN two { b() }
  DECIDE { REASON "?" { PRODUCE { f: Symbol DEFAULT none } } }
"""


def test_the_model_chooses_the_plan_that_is_given(scenario) -> None:
    assert scenario(CHOOSING, "GIVEN { llm.plan = two } EXPECT CALL b EXPECT NEVER CALL a").passed


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("", "the model is asked for a plan: GIVEN llm.plan is missing"),
        ("GIVEN { llm.plan = three }", "GIVEN llm.plan names three, which is no plan"),
    ],
)
def test_a_plan_that_is_asked_for_must_be_given_and_declared(scenario, told, given, error) -> None:
    assert f"simulation: {error}" in told(scenario(CHOOSING, f"{given} EXPECT NEVER CALL a"))


ASKING = """
  TOOL clerk { INPUT { text: String } }
  PLAN p WHEN go { DELEGATE clerk { TASK "count" EXPECT { total, note } } }
"""


def test_a_sub_agent_answers_with_the_keys_that_are_given(scenario, told) -> None:
    expected = "EXPECT CALL clerk EXPECT { clerk.total == 3  clerk.note == fine }"
    assert scenario(ASKING, f"GIVEN {{ clerk.total = 3  note = fine }} {expected}").passed
    lacking = told(scenario(ASKING, "GIVEN { clerk.total = 3 } EXPECT CALL clerk"))
    assert lacking == ["error: the run had an error: clerk did not answer note"]


def test_a_sub_agent_that_the_policy_refuses_is_not_called(scenario) -> None:
    members = f"{ASKING} POLICY {{ NEVER clerk }}"
    assert scenario(members, "GIVEN { total = 3 } EXPECT BLOCKED clerk EXPECT NEVER CALL clerk").passed


def test_a_message_comes_in_once(scenario, told) -> None:
    members = "TOOL t { INPUT { who: Symbol } } ON MESSAGE hello { t(who = message.from) }"
    result = scenario(members, "GIVEN MESSAGE hello FROM bob { } EXPECT CALL t WITHIN 2")
    assert result.passed
    assert result.trace.render().count("t(who=bob)") == 1
    deaf = members + "PLAN p { t(who = me) } LOOP { EXECUTE }"
    assert told(scenario(deaf, "GIVEN MESSAGE hello FROM bob { } EXPECT NO ERROR")) == [
        "stimulus: the message hello was never received: RECEIVE did not run"
    ]
    assert told(scenario(members, "GIVEN MESSAGE bye FROM bob { } EXPECT NO ERROR")) == [
        "check: no handler takes bye"
    ]


def test_the_world_of_one_scenario_is_not_the_world_of_the_next(scenario) -> None:
    for _ in range(2):
        result = scenario(
            PUMP, "GIVEN { tank.level = 1  fill.level = 5 } EXPECT { tank.level == 13 } WITHIN 9"
        )
        assert result.ticks == 3
