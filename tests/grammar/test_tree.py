"""What the tree says of values, defaults and repeated fields."""

from typing import Any

import pytest

from agentl_grammar.parser import parse
from agentl_grammar.tree import (
    Agent,
    Assign,
    CallStatement,
    Decide,
    EventHandler,
    Goal,
    Hypothesis,
    MainLoop,
    Memory,
    Observe,
    Phase,
    Plan,
    Policy,
    PolicyDefault,
    Reason,
    Rule,
    Scenario,
    Then,
    Tool,
    Utility,
    Version,
)


def agent(members: str) -> Agent:
    result = parse(f"AGENT t {{ {members} }}")
    assert result.program is not None, result.problems
    return result.program.agents[0]


def codes(members: str) -> list[str]:
    return [problem.code for problem in parse(f"AGENT t {{ {members} }}").problems]


def one(members: str, kind: type[Any]) -> Any:
    (found,) = agent(members).of(kind)
    return found


def statements(text: str) -> tuple[Any, ...]:
    return one(f"PLAN p {{ {text} }}", Plan).steps[0].body.statements


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("12", 12, "number"),
        ("12.0", 12.0, "number"),
        ("007", 7, "number"),
        ("99.9%", 0.999, "percent"),
        ("250ms", 0.25, "duration"),
        ("1.5s", 1.5, "duration"),
        ("2sec", 2.0, "duration"),
        ("2m", 120.0, "duration"),
        ("5min", 300.0, "duration"),
        ("2h", 7200.0, "duration"),
        ("1d", 86400.0, "duration"),
    ],
)
def test_a_number_has_its_value_unit_and_text(text: str, value: float, unit: str):
    literal = one(f"GOAL {{ TARGET {text} }}", Goal).targets[0]
    assert (literal.value, literal.unit, literal.text) == (value, unit, text)
    assert type(literal.value) is type(value)


def test_a_number_too_long_for_an_integer_is_still_a_number():
    literal = one(f"GOAL {{ TARGET {'9' * 5000} }}", Goal).targets[0]
    assert literal.value == float("inf")


def test_a_negative_utility_has_its_sign_in_the_value():
    (entry,) = one("UTILITY { a VALUE - 80 }", Utility).entries
    assert (entry.value.value, entry.value.text) == (-80, "-80")


def test_a_negative_number_in_a_domain_has_its_sign_in_the_value():
    (statement,) = statements('REASON { PRODUCE { a: Number IN [-5%, 1, x, "y z", UNKNOWN] } }')
    assert isinstance(statement, Reason)
    domain = statement.produce[0].domain
    assert domain is not None
    values = [getattr(item, "value", None) or getattr(item, "text", None) for item in domain.items]
    assert values == [-0.05, 1, "x", "y z", "UNKNOWN"]
    assert [type(item).__name__ for item in domain.items[2:4]] == ["Name", "StringLiteral"]


@pytest.mark.parametrize(
    ("text", "kept"), [("1.10", "1.10"), ('"2.0-rc"', "2.0-rc"), ("2026-01-01", "2026-01-01")]
)
def test_version_keeps_its_text(text: str, kept: str):
    assert one(f"VERSION: {text}", Version).text == kept


def test_a_goal_without_a_name_and_without_a_mode():
    goal = one("GOAL { a }", Goal)
    assert (goal.name, goal.mode) == (None, "MAINTAIN")


def test_a_bare_condition_keeps_the_mode_that_was_stated():
    goal = one("GOAL { ACHIEVE a, b WEIGHT 2 WEIGHT 3 }", Goal)
    assert (goal.mode, goal.condition.text, goal.weight.value) == ("ACHIEVE", "b", 3)


def test_last_wins_for_the_options_of_an_observation():
    (entry,) = one("OBSERVE { a WHEN b ON UNKNOWN ESCALATE WHEN c ON UNKNOWN DEGRADE 1 }", Observe).entries
    assert entry.when.text == "c"
    assert (entry.on_unknown.action, entry.on_unknown.fallback.value) == ("DEGRADE", 1)


def test_bare_paths_of_a_memory_join_long_term():
    memory = one("MEMORY { a LONG_TERM { b } c SHORT_TERM d SHORT_TERM e }", Memory)
    assert [path.text for path in memory.long_term] == ["b", "c"]
    assert [path.text for path in memory.short_term] == ["e"]


def test_fields_of_a_tool_replace_or_accumulate():
    tool = one(
        "TOOL x { SIDE_EFFECT a SIDE_EFFECT { b, c } RISK LOW RISK { d: HIGH } EFFECT { e = 1 } "
        'EFFECT { f = 2 } OUTCOME o { } OUTCOME o { } DESCRIPTION "1" DESCRIPTION "2" '
        "REQUIRES g REQUIRES h COST 1 COST 2 }",
        Tool,
    )
    assert [path.text for path in tool.side_effects] == ["b", "c"]
    assert [(entry.key.text, entry.level.text) for entry in tool.risk] == [("d", "HIGH")]
    assert [entry.path.text for entry in tool.effects] == ["f"]
    assert len(tool.outcomes) == 2
    assert (tool.description.value, tool.requires.text, tool.cost.value) == ("2", "h", 2)


def test_tools_of_both_forms_are_the_tools_of_the_agent():
    assert [tool.name.text for tool in agent("TOOL { a(x: Number) b } TOOL c { }").tools] == ["a", "b", "c"]
    (field,) = agent("TOOL { a(x: Number) }").tools[0].inputs
    assert (field.name.text, field.type.text) == ("x", "Number")


def test_rules_keep_their_order_over_several_policies():
    rules = agent("POLICY { DEFAULT deny ALLOW a } POLICY { NEVER * }").policy_rules
    assert isinstance(rules[0], PolicyDefault)
    assert rules[0].verdict == "DENY"
    assert isinstance(rules[2], Rule)
    assert (rules[2].kind, rules[2].target) == ("NEVER", None)


@pytest.mark.parametrize("approval", ["REQUIRE FOR", "REQUIRE APPROVAL FOR"])
def test_require_is_require_approval(approval: str):
    (rule,) = one(f"POLICY {{ {approval} a }}", Policy).rules
    assert (rule.kind, rule.target.text) == ("REQUIRE", "a")


def test_a_plain_plan_is_one_step_named_main():
    plan = one("PLAN p { a() b }", Plan)
    assert [step.name.text for step in plan.steps] == ["main"]
    assert plan.steps[0].name.span == plan.name.span


def test_a_reaction_keeps_the_order_of_its_statements_and_its_last_when():
    event = one("EVENT e { a WHEN b THEN c d() WHEN f }", EventHandler)
    assert [type(item).__name__ for item in event.body.statements] == ["Trigger", "Then", "CallStatement"]
    assert event.when.text == "f"
    assert isinstance(event.body.statements[1], Then)


def test_decide_joins_rules_and_bare_ifs_and_keeps_the_last_reason():
    decide = one('DECIDE { IF a THEN b REASON "x" { } RULES { IF c THEN d } REASON "y" { } }', Decide)
    assert [rule.condition.text for rule in decide.rules] == ["a", "c"]
    assert decide.reason.task.value == "y"


def test_task_overrides_the_leading_string():
    (statement,) = statements('REASON "x" { TASK "y" }')
    assert statement.task.value == "y"


def test_groups_of_an_evidence_are_listed_outermost_first():
    hypothesis = one(
        "HYPOTHESIS h { EVIDENCE { GROUP a { GROUP b { x } y } z } PREDICT w CONFIDENCE 0.2 }", Hypothesis
    )
    groups = [[name.text for name in evidence.groups] for evidence in hypothesis.evidence]
    assert groups == [["a", "b"], ["a"], [], []]
    assert [evidence.predicted for evidence in hypothesis.evidence] == [False, False, False, True]
    assert hypothesis.prior.value == 0.2


def test_within_takes_its_last_value():
    scenario = one("SCENARIO s { WITHIN 2 EXPECT { a } WITHIN 3 }", Scenario)
    assert scenario.within.value == 3


def test_both_forms_of_ask_give_the_same_tree():
    (short,) = statements('ASK who "What?" TIMEOUT 5min DEFAULT no')
    (full,) = statements('ASK who { DEFAULT no TIMEOUT 5min QUESTION "What?" }')
    assert short == full


def test_set_and_equals_give_the_same_tree():
    (with_set,) = statements("SET a 1")
    (without,) = statements("a = 1")
    assert isinstance(without, Assign)
    assert with_set == without


def test_verify_before_a_name_is_the_statement_and_before_a_comma_the_phase():
    (verify,) = statements("VERIFY a")
    phase, call = statements("VERIFY, a()")
    assert type(verify).__name__ == "Verify"
    assert isinstance(phase, Phase)
    assert isinstance(call, CallStatement)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ("MEMORY { } MEMORY { }", "MEMORY"),
        ("DECIDE { } DECIDE { }", "DECIDE"),
        ("PLANNER { } PLANNER { }", "PLANNER"),
        ("UTILITY { } UTILITY { }", "UTILITY"),
        ("LOOP { } LOOP { }", "LOOP"),
        ("ON VERIFY.FAIL { } ON VERIFY.FAIL { }", "ON VERIFY.FAIL"),
        ("TOOL x { INPUT { a } INPUT { b } }", "INPUT"),
        ("TOOL x { OUTPUT { a } OUTPUT { b } }", "OUTPUT"),
    ],
)
def test_what_may_stand_once_is_an_error_the_second_time_and_the_tree_stands(members: str, words: str):
    result = parse(f"AGENT t {{ {members} }}")
    (problem,) = result.problems
    assert result.program is not None
    assert problem.code == "E018"
    assert words in str(problem.message)
    second = members.rfind(words) + len("AGENT t { ")
    assert problem.span.start == second
    assert problem.related[0].span.start == members.find(words) + len("AGENT t { ")


def test_a_third_one_is_a_second_error():
    assert codes("LOOP { } LOOP { } LOOP { }") == ["E018", "E018"]


@pytest.mark.parametrize("member", ["GOAL { a }", "BELIEF { }", "POLICY { }", "TOOL x { }"])
def test_what_accumulates_may_be_repeated(member: str):
    assert codes(f"{member} {member}") == []


def test_each_agent_has_its_own_loop():
    assert parse("AGENT a { LOOP { } } AGENT b { LOOP { } }").problems == ()


def test_last_finds_the_last_member_of_a_kind():
    found = agent('VERSION "1" VERSION "2"')
    assert found.last(Version).text == "2"  # pyright: ignore[reportOptionalMemberAccess]
    assert found.last(MainLoop) is None
