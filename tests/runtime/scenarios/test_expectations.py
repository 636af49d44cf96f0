"""EXPECT { … }: invariants and eventualities, three-valued and strict, looked at after every step."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentl.values import UNDEFINED

DOOR = """
  OBSERVE { door.state }
  TOOL open { EFFECT { door.state = open } }
  TOOL close { EFFECT { door.state = shut } }
"""


def test_what_is_true_at_the_start_must_stay_true(scenario, told) -> None:
    members = DOOR + "PLAN p WHEN go { open() close() }"
    result = scenario(members, "GIVEN { door.state = shut } EXPECT { door.state == shut }")
    assert told(result) == ["expectation: door.state == shut held at the start, and no longer at tick 1"]


def test_what_is_not_true_at_the_start_may_come_true_and_pass(scenario) -> None:
    members = DOOR + "PLAN p WHEN go { open() close() }"
    assert scenario(members, "GIVEN { door.state = shut } EXPECT { door.state == open }").passed


def test_an_eventuality_that_comes_true_between_two_statements_is_met(scenario) -> None:
    members = "PLAN p WHEN go { SET x.y = 1 SET x.y = 2 }"
    assert scenario(members, "EXPECT { x.y == 1 }").passed


def test_an_invariant_that_breaks_between_two_phases_is_broken(scenario, told) -> None:
    members = "OBSERVE { a.x } BELIEF { a.b = 1 } PLAN p WHEN go { SET a.b = 2 } EVENT e { SET a.b = 1 }"
    result = scenario(members, "GIVEN { a.x = 1 } EXPECT { a.b == 1 } WITHIN 2")
    assert told(result) == ["expectation: a.b == 1 held at the start, and no longer at tick 1"]


@pytest.mark.parametrize("condition", ["x.y != 1", "NOT x.y == 1", "x.y < 3", "NOT (x.y == 1 AND x.y == 2)"])
def test_what_is_unknown_is_never_true_even_under_not(scenario, condition) -> None:
    members = "PLAN p WHEN x.y == 1 { SET x.y = 9 }"
    result = scenario(members, f"EXPECT {{ {condition} }}")
    assert [one.kind for one in result.shortfalls] == ["expectation"]
    assert result.shortfalls[0].values == {"x.y": UNDEFINED}


def test_an_invariant_that_becomes_unknown_is_broken(scenario, told) -> None:
    members = "OBSERVE { a.x } TOOL t { OUTPUT { n: Number } } PLAN p WHEN a.x == 1 { SET x.y = a.gone }"
    result = scenario(members, "GIVEN { a.x = 1  x.y = 1 } EXPECT { x.y == 1 }")
    assert told(result) == ["expectation: x.y == 1 held at the start, and is unknown at tick 1"]


def test_a_word_that_the_program_sets_is_no_constant(scenario, told) -> None:
    members = "PLAN p WHEN never.true { SET alarm = yes }"
    result = scenario(members, "EXPECT { alarm != yes }")
    assert told(result) == ["expectation: alarm != yes never held until tick 1"]


def test_a_word_that_nothing_sets_is_a_constant(scenario) -> None:
    assert scenario("PLAN p WHEN go { SET x.y = done }", "EXPECT { x.y == done }").passed


def test_within_is_the_number_of_ticks_and_loop_max_bounds_it(scenario) -> None:
    members = "BELIEF { n = 0 } PLAN p WHEN n >= 0 { SET n = n + 1 }"
    assert scenario(members, "EXPECT { n == 3 } WITHIN 3").passed
    assert not scenario(members, "EXPECT { n == 3 } WITHIN 2").passed
    assert scenario(members, "EXPECT { n == 1 }").ticks == 1
    assert not scenario(members + "LOOP MAX 2 { SELECT_PLAN EXECUTE }", "EXPECT { n == 3 } WITHIN 9").passed
    assert not scenario(members, "EXPECT { n == 11 } WITHIN 99").passed


def test_within_is_cut_to_a_whole_number(scenario) -> None:
    members = "BELIEF { n = 0 } PLAN p WHEN n >= 0 { SET n = n + 1 }"
    assert scenario(members, "EXPECT { n == 9 } WITHIN 2.9").ticks == 2


def test_until_ends_the_run_before(scenario) -> None:
    members = """
      BELIEF { n = 0 }
      PLAN p WHEN n >= 0 { SET n = n + 1 }
      LOOP UNTIL n >= 2 MAX 9 { SELECT_PLAN EXECUTE }
    """
    assert scenario(members, "EXPECT { n == 3 } WITHIN 9").ticks == 2


def test_a_run_stops_early_when_every_eventuality_is_met_and_nothing_else_is_expected(scenario) -> None:
    members = "BELIEF { n = 0 } TOOL t { } PLAN p WHEN n >= 0 { SET n = n + 1 }"
    assert scenario(members, "EXPECT { n == 1 } WITHIN 5").ticks == 1
    assert scenario(members, "EXPECT { n == 1  n < 9 } WITHIN 5").ticks == 5
    assert scenario(members, "EXPECT { n == 1 } EXPECT NEVER CALL t WITHIN 5").ticks == 5


def test_an_effect_that_the_agent_has_not_observed_yet_counts(scenario) -> None:
    members = """
      OBSERVE { valve }
      TOOL turn { OUTCOME works { valve = open } }
      PLAN p WHEN valve == shut { turn() }
    """
    assert scenario(members, "GIVEN { valve = shut } EXPECT { valve == open }").passed
    assert not scenario(members, "GIVEN { valve = shut } EXPECT { valve != open } WITHIN 2").passed


def test_expectations_are_looked_at_after_every_effect_of_one_call(scenario) -> None:
    members = "BELIEF { a.x = 0 } TOOL t { EFFECT { a.x = 1  a.x = 2 } } PLAN p WHEN a.x == 0 { t() }"
    assert scenario(members, "EXPECT { a.x == 1 } EXPECT { a.x == 2 }").passed
    assert not scenario(members, "EXPECT { a.x != 1 }").passed


@given(start=st.sampled_from([None, 0, 1]), values=st.lists(st.sampled_from([0, 1]), max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_an_expectation_true_at_the_start_must_stay_so_and_any_other_must_come_true(
    scenario, start, values
) -> None:
    known = "" if start is None else f"GIVEN {{ x.y = {start} }}"
    sets = " ".join(f"SET x.y = {value}" for value in values)
    members = f"PLAN p WHEN go {{ {sets} SET done = yes }} PLAN never_run {{ SET x.y = 0 }}"
    result = scenario(members, f"{known} EXPECT {{ x.y == 1 }}")
    assert result.passed is (all(values) if start == 1 else any(values))


def test_a_belief_that_the_program_sets_after_an_effect_counts_as_set(scenario) -> None:
    members = """
      BELIEF { valve = shut }
      TOOL turn { EFFECT { valve = open } }
      PLAN p WHEN valve == shut { turn() SET valve = broken }
    """
    assert scenario(members, "EXPECT { valve == open }").passed
    assert scenario(members, "EXPECT { valve == broken }").passed


def test_an_expectation_on_nothing_that_can_change_fails_before_the_run(scenario, told) -> None:
    result = scenario("OBSERVE { a.x } TOOL t { }", "GIVEN { a.x = 1 } EXPECT { a.x == 1 }")
    assert told(result) == ["check: no action of the agent can change this"]
    assert result.shortfalls[0].code == "W118"


def test_a_given_path_that_nothing_knows_fails_before_the_run(scenario, told) -> None:
    result = scenario("OBSERVE { a.x } TOOL t { }", "GIVEN { a.y = 1 } EXPECT NEVER CALL t")
    assert told(result) == ["check: nothing in the program gets a.y from anywhere"]
    assert result.shortfalls[0].code == "W117"


def test_a_scenario_of_less_than_one_tick_fails(scenario, told) -> None:
    result = scenario("TOOL t { }", "EXPECT NEVER CALL t WITHIN 0.5")
    assert told(result) == ["check: WITHIN 0.5 leaves the scenario no tick"]
