"""The trace forms of EXPECT, and the reasons that a failure gives."""

import pytest

CALLED = "TOOL t { INPUT { n: Number } } PLAN p WHEN go { t(n = 1) }"
DENIED = f"POLICY {{ NEVER t WHEN n > 0 }} {CALLED}"
REFUSED_INPUT = "TOOL t { INPUT { n: Number } } PLAN p WHEN go { t(n = many) }"
SKIPPED = "TOOL t { INPUT { n: Number } REQUIRES x.y == 1 } PLAN p WHEN go { t(n = 1) }"
IDLE = "TOOL t { INPUT { n: Number } } PLAN p WHEN never.true { t(n = 1) }"
WAITING = f"POLICY {{ REQUIRE APPROVAL FOR t }} {CALLED}"


@pytest.mark.parametrize(
    ("members", "holding"),
    [
        (CALLED, {"CALL"}),
        (DENIED, {"NEVER CALL", "BLOCKED"}),
        (WAITING, {"NEVER CALL", "BLOCKED"}),
        (REFUSED_INPUT, {"NEVER CALL"}),
        (SKIPPED, {"NEVER CALL"}),
        (IDLE, {"NEVER CALL"}),
    ],
)
def test_blocked_is_what_the_policy_or_a_person_refused_and_nothing_else(scenario, members, holding) -> None:
    found = {
        kind for kind in ("CALL", "NEVER CALL", "BLOCKED") if scenario(members, f"EXPECT {kind} t").passed
    }
    assert found == holding


def test_no_error_always_counts(scenario, told) -> None:
    members = "BELIEF { a = 1 } PLAN p WHEN a == 1 { SET b = c.d + 1 SET a = 2 }"
    for items in ("EXPECT NO ERROR", "EXPECT { a == 2 }"):
        assert [one.split(":")[0] for one in told(scenario(members, items))] == ["error"]


def test_the_words_of_a_form_may_be_small(scenario) -> None:
    assert scenario(IDLE, "EXPECT never call t").passed


@pytest.mark.parametrize(("guard", "passes"), [("loud == yes", True), ("loud == no", False)])
def test_an_event_fired_when_the_guard_of_a_handler_let_it(scenario, guard, passes) -> None:
    members = f"TOOL t {{ }} EVENT bell {{ WHEN {guard} THEN {{ t() }} }}"
    assert scenario(members, "GIVEN EVENT bell { loud = yes } EXPECT EVENT bell").passed is passes


def test_an_event_fired_when_one_of_its_two_handlers_ran(scenario) -> None:
    members = (
        "TOOL t { } EVENT bell { WHEN loud == no THEN { t() } } EVENT bell { WHEN loud == yes THEN { t() } }"
    )
    assert scenario(members, "GIVEN EVENT bell { loud = yes } EXPECT EVENT bell").passed


def test_an_event_that_was_not_there_did_not_fire(scenario, told) -> None:
    result = scenario("TOOL t { } EVENT bell { t() }", "EXPECT EVENT bell")
    assert told(result) == ["assertion: no handler of the event bell ran"]


@pytest.mark.parametrize("form", ["CALL", "NEVER CALL", "BLOCKED"])
def test_an_assertion_on_an_unknown_tool_fails_before_the_run(scenario, told, form) -> None:
    assert told(scenario(CALLED, f"EXPECT {form} tt")) == ["check: there is no tool tt to expect anything of"]


def reasons(result) -> list[str]:
    return [str(note) for note in result.shortfalls[0].notes]


def test_a_call_that_was_denied_names_the_rule_and_its_place(scenario) -> None:
    result = scenario(DENIED, "EXPECT CALL t")
    assert reasons(result) == ["tick 1: t(n=1) is denied: NEVER t WHEN n > 0"]
    assert result.shortfalls[0].rule is not None


def test_a_call_that_an_unknown_guard_denied_names_what_is_undefined(scenario) -> None:
    result = scenario(DENIED.replace("n > 0", "n > m.limit"), "EXPECT CALL t")
    told = "tick 1: t(n=1) is denied: NEVER t WHEN n > m.limit (unknown: m.limit is undefined)"
    assert reasons(result) == [told]


@pytest.mark.parametrize(
    ("policy", "rule"),
    [
        ("DEFAULT DENY", "DEFAULT DENY"),
        ("ALLOW t WHEN n > 5, ALLOW t WHEN n > 9", "ALLOW t WHEN n > 5"),
        ("DENY t WHEN n > 0 AND n < 1, DENY t WHEN n > 0 AND n < 10", "DENY t WHEN n > 0 AND n < 10"),
        ("ALLOW t, DENY t WHEN n == 1", "DENY t WHEN n == 1"),
        ("REQUIRE APPROVAL FOR t WHEN n < 2", "REQUIRE APPROVAL FOR t WHEN n < 2"),
    ],
)
def test_the_place_of_the_rule_that_decided_is_found(scenario, policy, rule) -> None:
    members = f"POLICY {{ {policy} }} {CALLED}"
    start = len("AGENT a { POLICY { ") + policy.index(rule)
    span = scenario(members, "EXPECT CALL t").shortfalls[0].rule
    assert (span.start, span.end) == (start, start + len(rule))


def test_a_call_that_should_not_have_been_names_what_allowed_it(scenario) -> None:
    assert reasons(scenario(CALLED, "EXPECT NEVER CALL t")) == [
        "tick 1: t(n=1) was performed; allowed by DEFAULT ALLOW"
    ]


def test_a_tool_that_nothing_tried_is_told_as_such(scenario) -> None:
    assert reasons(scenario(IDLE, "EXPECT CALL t")) == ["no plan that ran tried t"]


def test_a_call_without_consent_tells_that_it_waits_for_a_person(scenario) -> None:
    result = scenario(WAITING, "EXPECT CALL t")
    assert reasons(result) == ["tick 1: t is not approved"]
    assert result.shortfalls[0].rule is not None


def test_an_expectation_tells_what_became_of_the_tools_that_could_have_fulfilled_it(scenario) -> None:
    members = """
      TOOL turn { EFFECT { valve.state = open } }  TOOL other { EFFECT { lamp.state = on } }
      POLICY { DENY turn }  PLAN p WHEN go { turn() }
    """
    result = scenario(members, "EXPECT { valve.state == open }")
    assert reasons(result) == ["tick 1: turn() is denied: DENY turn"]
    assert result.shortfalls[0].rule is not None


def test_a_value_that_never_send_protects_is_masked(scenario) -> None:
    members = 'OBSERVE { a.key } POLICY { NEVER SEND a.key } TOOL t { EFFECT { a.key = "other" } }'
    result = scenario(members, 'GIVEN { a.key = "hunter2" } EXPECT { a.key == "none" }')
    assert result.shortfalls[0].values == {"a.key": "[redacted]"}
