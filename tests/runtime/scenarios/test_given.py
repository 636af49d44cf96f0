"""GIVEN: what the world is, what the agent knows at the start, what is put in once."""

import pytest

from agentl.values import Symbol

LAMP = """
  OBSERVE { dark }
  BELIEF { lamp = off CONFIDENCE 0.2 }
  TOOL switch { INPUT { to: Symbol } EFFECT { lamp = to } }
  PLAN light WHEN dark == yes AND lamp != on { switch(to = on) }
"""


def test_a_scenario_passes_when_its_expectation_comes_true(scenario) -> None:
    assert scenario(LAMP, "GIVEN { dark = yes } EXPECT { lamp == on }").passed


def test_the_same_scenario_fails_in_another_world(scenario, told) -> None:
    result = scenario(LAMP, "GIVEN { dark = no } EXPECT { lamp == on }")
    assert told(result) == ["expectation: lamp == on never held until tick 1"]
    assert result.shortfalls[0].values == {"lamp": Symbol("off")}


def test_a_later_given_may_use_an_earlier_one(scenario) -> None:
    members = "OBSERVE { a.x a.y } PLAN p WHEN a.y == 5 { SET seen = yes }"
    assert scenario(members, "GIVEN { a.x = 2  a.y = a.x + 3 } EXPECT { seen == yes }").passed
    assert scenario(members, "GIVEN { a.x = 2 } GIVEN { a.y = a.x + 3 } EXPECT { seen == yes }").passed


@pytest.mark.parametrize("value", ["b.unknown", "b.unknown + 1", "[1, b.unknown]", "word * 2"])
def test_a_given_value_that_cannot_be_told_fails_the_scenario_before_it_begins(scenario, told, value) -> None:
    result = scenario(
        "OBSERVE { a.x } PLAN p { SET seen = yes }", f"GIVEN {{ a.x = {value} }} EXPECT NO ERROR"
    )
    assert told(result) == ["given: the value of a.x cannot be told"]
    assert result.trace is None


def test_a_declared_belief_starts_with_the_given_value_and_confidence_1(scenario) -> None:
    members = "BELIEF { b = 1 CONFIDENCE 0.1 } PLAN p WHEN CONFIDENCE(b) == 1 AND b == 7 { SET seen = yes }"
    assert scenario(members, "GIVEN { b = 7 } EXPECT { seen == yes }").passed


def test_a_fact_of_the_runtime_can_be_given_and_yes_stands_for_true(scenario) -> None:
    members = "TOOL t { } POLICY { NEVER t WHEN tools.t.in_doubt == true } PLAN p WHEN go { t() }"
    assert scenario(members, "GIVEN { tools.t.in_doubt = yes } EXPECT BLOCKED t EXPECT NEVER CALL t").passed
    assert scenario(members, "EXPECT CALL t").passed


def test_what_the_runtime_says_of_the_last_call_and_of_the_model_can_be_given_too(scenario) -> None:
    members = "TOOL t { } POLICY { NEVER t WHEN reason.degraded == true } PLAN p WHEN go { t() }"
    assert scenario(members, "GIVEN { reason.degraded = yes } EXPECT BLOCKED t").passed
    assert scenario(members, "EXPECT CALL t").passed


def test_a_sensor_reads_exactly_its_path(scenario) -> None:
    members = "OBSERVE { order } PLAN p WHEN order.id == 7 { SET seen = yes }"
    result = scenario(members, "GIVEN { order.id = 7 } EXPECT { seen == yes }")
    assert result.passed
    assert "order does not answer" in result.trace.render()


def test_what_is_given_counts_as_observed_and_a_payload_as_untrusted(scenario) -> None:
    members = """
      OBSERVE { a.x }
      TOOL t { INPUT { n: Number } }
      POLICY { NEVER t WHEN UNTRUSTED(n) }
      PLAN p WHEN a.x > 0 { t(n = a.x) }
      EVENT bell { t(n = payload.n) }
    """
    assert scenario(members, "GIVEN { a.x = 1 } EXPECT CALL t").passed
    assert scenario(members, "GIVEN EVENT bell { n = 1 } EXPECT BLOCKED t EXPECT NEVER CALL t").passed


def test_an_event_is_put_in_once_with_its_payload(scenario) -> None:
    members = "TOOL t { INPUT { n: Number } } EVENT bell { t(n = payload.n) }"
    result = scenario(members, "GIVEN EVENT bell { n = 2 } EXPECT EVENT bell EXPECT CALL t WITHIN 3")
    assert result.passed
    assert result.trace.render().count("bell {n: 2}") == 1


def test_an_event_that_nothing_takes_fails_the_scenario(scenario, told) -> None:
    members = "TOOL t { } EVENT bell { t() } PLAN p WHEN go { SET x = 1 } LOOP { EXECUTE }"
    result = scenario(members, "GIVEN EVENT bell { } EXPECT NO ERROR")
    assert told(result) == ["stimulus: the event bell was never taken: SELECT_PLAN did not run"]


def test_an_event_without_a_handler_fails_the_scenario_before_it_begins(scenario, told) -> None:
    result = scenario("TOOL t { }", "GIVEN EVENT bell { } EXPECT NO ERROR")
    assert told(result) == ["check: no handler takes bell"]
    assert result.shortfalls[0].code == "W117"


@pytest.mark.parametrize("fact", ["tools.t.in_doubt", "last_action.blocked", "sensors.a.x.available"])
@pytest.mark.parametrize("value", ["on", "perhaps", "1", '"yes"'])
def test_a_fact_that_is_true_or_false_is_given_as_that_alone(scenario, told, fact, value) -> None:
    result = scenario("OBSERVE { a.x } TOOL t { }", f"GIVEN {{ {fact} = {value} }} EXPECT NO ERROR")
    assert told(result) == [f"check: {fact} is true or false, and nothing else"]
    assert result.shortfalls[0].code == "W117"
    assert result.trace is None


def test_a_fact_that_is_a_number_is_given_as_that_alone(scenario, told) -> None:
    result = scenario("TOOL t { }", "GIVEN { tools.t.failures = many } EXPECT NO ERROR")
    assert told(result) == ["check: tools.t.failures is a number, and nothing else"]
    assert scenario("TOOL t { }", "GIVEN { tools.t.failures = 2 } EXPECT NO ERROR").passed


def test_a_fact_is_given_by_way_of_another_value_and_is_what_facts_are(scenario, told) -> None:
    members = """OBSERVE { a.x a.y } TOOL t { } POLICY { NEVER t WHEN tools.t.in_doubt == true }
    PLAN p WHEN 1 == 1 { t() }"""
    given = "GIVEN { a.x = 1  a.y = %s  tools.t.in_doubt = %s }"
    assert scenario(members, f"{given % ('yes', 'a.y')} EXPECT BLOCKED t").passed
    assert scenario(members, f"{given % ('yes', 'a.x == 1')} EXPECT BLOCKED t").passed
    result = scenario(members, f"{given % ('on', 'a.y')} EXPECT CALL t")
    assert told(result) == ["given: tools.t.in_doubt is true or false, and nothing else"]
    assert result.trace is None
