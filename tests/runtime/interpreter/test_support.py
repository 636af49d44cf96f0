"""What is not executed yet is refused, by name and line, before anything runs."""

import pytest

from agentl import parse_source
from agentl.interpreter.support import unsupported
from agentl_grammar.source import Source

MEMBERS = {
    "HYPOTHESIS": "HYPOTHESIS h { PRIOR 0.2 }",
    "PLANNER": "PLANNER { ACHIEVE a.b == 1 }",
    "UTILITY": "UTILITY { a.b == 1 VALUE 5 }",
}
STATEMENTS = {
    "run.age_s": "IF run.age_s > 5 THEN p",
    "budget.cost.left": "SET a.b = budget.cost.left",
}


def refused(text: str) -> list[tuple[str, str, int]]:
    """Return code, construct and line of each refusal."""
    program, source = parse_source(text), Source(text)
    return [
        (
            problem.code,
            str(problem.message.arguments["construct"]),
            source.position(problem.span.start).line + 1,
        )
        for problem in unsupported(program)
    ]


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_is_refused(name: str):
    assert refused(f"AGENT a {{\n  PLAN p {{ SET a.b = 1 }}\n\n  {MEMBERS[name]}\n}}") == [("C101", name, 4)]


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_or_function_is_refused_wherever_it_stands(name: str):
    text = f"AGENT a {{\n  PLAN p {{\n    IF a.b == 1 THEN {{\n      {STATEMENTS[name]}\n    }}\n  }}\n}}"
    assert refused(text) == [("C101", name, 4)]


def test_a_second_agent_is_refused():
    assert refused("AGENT a { }\nAGENT b { }\nAGENT c { }") == [
        ("C101", "a second AGENT", 2),
        ("C101", "a second AGENT", 3),
    ]


def test_everything_is_refused_at_once_in_the_order_of_the_text():
    text = (
        "AGENT a {\nPLAN p WHEN run.age_s > 5 { ROLLBACK }\nHYPOTHESIS h { PRIOR 0.2 }\n"
        "UTILITY { a.b VALUE 5 }\n}"
    )
    assert refused(text) == [("C101", "run.age_s", 2), ("C101", "HYPOTHESIS", 3), ("C101", "UTILITY", 4)]


def test_what_is_executed_or_not_used_is_not_refused():
    text = """AGENT a {
      OBSERVE { run.age }
      TOOL t { INPUT { p BIND q.r } COST 3 DURATION 5s OUTCOME good WITH 60% { a.b = 1 } }
      PLAN p WHEN run.age > 5 { t(1) }
      MEMORY { LONG_TERM { notes } SHARED { k } WRITE { STORE a.b INTO SHARED.k } }
      DECIDE { IF SHARED.k.count > 1 THEN ROLLBACK }
      ON MESSAGE hello { MESSAGE hello { BROADCAST } DELEGATE other { TASK "t" } }
      PLAN q { FOREACH x IN a.b { ASK guard { QUESTION "Who?" TIMEOUT 10min } } ESCALATE }
      SCENARIO s { GIVEN { a.b = 1 } EXPECT { P(h) > 0.5 } }
      LOOP { RECEIVE OBSERVE UPDATE_BELIEFS UPDATE_HYPOTHESES SYNTHESIZE DECIDE EXECUTE UPDATE_MEMORY }
    }"""
    assert refused(text) == []


def test_the_hint_says_what_to_do():
    problem = unsupported(parse_source("AGENT a { HYPOTHESIS h { PRIOR 0.2 } }"))[0]
    assert str(problem.message) == "HYPOTHESIS is not executed yet"
    assert problem.hint is not None


FACTS = ("tools.t.in_doubt", "tools.t.failures", "run.resumed", "sensors.x.y.available", "planner.exhausted")


@pytest.mark.parametrize("fact", FACTS)
@pytest.mark.parametrize(
    "member",
    [
        "PLAN p {{ SET {fact} = false }}",
        "PLAN p {{ {fact} = false }}",
        "EVENT e {{ IF a.b == 1 THEN SET {fact} no }}",
        "BELIEF {{ {fact} = false }}",
        "OBSERVE {{ {fact} }}",
        "TOOL u {{ EFFECT {{ {fact} = false }} }}",
    ],
)
def test_a_fact_of_the_runtime_cannot_be_set(member: str, fact: str):
    text = f"AGENT a {{\n  TOOL t {{ }}\n  {member.format(fact=fact)}\n}}"
    problems = unsupported(parse_source(text))
    assert [problem.code for problem in problems] == ["E019"]
    assert Source(text).slice(problems[0].span) == fact
    assert fact in str(problems[0].message)


def test_names_that_only_look_like_facts_are_free():
    assert (
        unsupported(parse_source("AGENT a { BELIEF { tools.t.note = 1, run.name = x, in_doubt = no } }"))
        == ()
    )
