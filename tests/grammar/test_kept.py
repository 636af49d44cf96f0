"""One mistake in the head of an agent, member or statement: one problem, and what is in its braces stands."""

import pytest

from agentl_grammar.parser import parse
from agentl_grammar.printer import print_program

HEADS = [
    ("TOOL pay me", "COST 3"),
    ("POLICY main", "ALLOW t"),
    ("SCENARIO cold day", "EXPECT NO ERROR"),
    ('EVENT "door opened"', "a()"),
    ("EVENT door opened", "a()"),
    ("PLAN go()", "a()"),
    ("PLAN go WHEN x THEN", "a()"),
    ("PLAN go x == 1", "a()"),
    ("OBSERVE all", "x"),
    ("BELIEF my", "x = 1"),
    ("GOAL my goal", "z"),
    ("MEMORY all", "SHORT_TERM { a }"),
    ("HYPOTHESIS my guess", "PRIOR 0.1"),
    ("ON MESSAGE a b", "a()"),
    ("LOOP MAX 3 TICKS", "OBSERVE"),
]
STATEMENTS = [
    "FOREACH b OF bs {",
    "FOREACH (b IN bs) {",
    "LOOP 3 {",
    "LOOP MAX ten {",
    "MAX ten {",
    "WHILE x == 1 {",
    'VERIFY: "seen" {',
    "IF x {",
    "IF x: {",
    "IF x <> 1 THEN {",
    "IF x =< 1 THEN {",
    "IF x is y THEN {",
    "IF x NOT IN [y] THEN {",
    "IF x AND THEN {",
    "IF x THEN { } ELSE IF {",
    "IF x THEN { } OTHERWISE {",
]


def kept(text: str) -> str:
    """What is left of a text with one problem."""
    result = parse(text)
    assert len(result.problems) == 1, [(str(problem.message), problem.span) for problem in result.problems]
    assert result.program
    return " ".join(print_program(result.program).split())


@pytest.mark.parametrize("head", ["AGENT my bank", "AGENT bank extends x", "AGENT bank()", 'AGENT bank "x"'])
def test_a_word_too_many_behind_agent_leaves_the_program(head: str):
    left = kept(f"AGENT first {{\n  TOOL t {{ COST 3 }}\n}}\n{head} {{\n  GOAL {{ MAINTAIN y }}\n}}\n")
    assert "TOOL t { COST 3 }" in left
    assert "GOAL { MAINTAIN y }" in left


@pytest.mark.parametrize(("head", "body"), HEADS)
def test_a_word_too_many_in_a_head_leaves_the_member(head: str, body: str):
    left = kept(f"AGENT a {{\n  {head} {{\n    {body}\n  }}\n  GOAL {{ MAINTAIN y }}\n}}\n")
    assert head.split(maxsplit=1)[0] in left
    assert body.split(maxsplit=1)[0] in left
    assert "GOAL { MAINTAIN y }" in left


@pytest.mark.parametrize("unknown", ["FOO { }", "STEP s { }", "b()"])
def test_a_member_before_what_is_none_on_its_line_is_left(unknown: str):
    left = kept(f"AGENT a {{ GOAL {{ MAINTAIN x }} {unknown} OBSERVE {{ z }} }}")
    assert "GOAL { MAINTAIN x }" in left
    assert "OBSERVE { z }" in left


@pytest.mark.parametrize("head", STATEMENTS)
def test_a_mistake_in_the_head_of_a_statement_leaves_its_block_and_all_around_it(head: str):
    block = f"      {head}\n        f()\n      }}\n      g()\n"
    steps = f"    STEP one {{\n{block}    }}\n    STEP two {{ h() }}\n"
    left = kept(f"AGENT a {{\n  PLAN p {{\n{steps}  }}\n  GOAL {{ MAINTAIN y }}\n}}\n")
    assert [
        word for word in ("f()", "g()", "STEP two { h() }", "GOAL { MAINTAIN y }") if word not in left
    ] == []


@pytest.mark.parametrize("head", ["STEP tell (x)", "STEP tell them"])
def test_a_word_too_many_behind_step_leaves_the_step(head: str):
    steps = f"    {head} {{\n      f()\n    }}\n    STEP two {{ h() }}\n"
    left = kept(f"AGENT a {{\n  PLAN p {{\n{steps}  }}\n  GOAL {{ MAINTAIN y }}\n}}\n")
    assert [word for word in ("f()", "STEP two { h() }", "GOAL { MAINTAIN y }") if word not in left] == []


@pytest.mark.parametrize("word", ["AGNT", "AEGNT", "AGENTS", "AGEN", "agent", "Agent"])
def test_a_misspelt_agent_heads_an_agent_and_the_mistakes_in_it_are_told(word: str):
    broken = f"{word} second {{\n  GOAL {{ y = 3 }}\n  PLAN p {{ c( }}\n}}\n"
    for text in (
        f"AGENT first {{\n  TOOL t {{ COST 3 }}\n}}\n{broken}",
        broken,
        f"{broken}AGENT third {{ }}\n",
    ):
        result = parse(text)
        assert [problem.code for problem in result.problems] == ["S108", "S110", "S101"]
        assert [edit for fix in result.problems[0].fixes for edit in fix.replacements] == [
            (result.problems[0].span, "AGENT")
        ]
        assert result.program
        left = " ".join(print_program(result.program).split())
        assert "AGENT second { GOAL { MAINTAIN y == 3 } PLAN p {" in left
        assert ("first" in text, "third" in text) == ("AGENT first { TOOL" in left, "AGENT third { }" in left)


OPENED = [
    ("TOOL pay {", "    INPUT { a: Number }\n    OUTPUT { b: Number }", "PLAN p {\n    f()\n  }"),
    ("SCENARIO s {", "    GIVEN { x = 1 }\n    EXPECT NO ERROR", "EXPECT NO ERROR"),
    ("OBSERVE {", "    x.y ON UNKNOWN ESCALATE\n    z WHEN x.y == 1", "z WHEN x.y == 1"),
    ("PLAN q {", "    f(a = 1)\n    SET b = 2", "PLAN unnamed"),
    ("EVENT e {", "    SET b = 2", "SET b = 2"),
    ("HYPOTHESIS h {", "    PRIOR 0.1\n    EVIDENCE { c LIKELIHOOD 0.2 }", "EVIDENCE {"),
]
INSIDE = [
    ('JUDGE "x" {', "      USING { a }\n      b NOUL 'c'".replace("'", '"')),
    ("ASK boss {", '      QUESTION "x"\n      DEFAULT no'),
    ("DELEGATE d {", '      TASK "x"\n      EXPECT { c }'),
    ('REASON "x" {', "      PRODUCE { team: Symbol }"),
    ('VERIFY "x" {', "      CONDITION a == 1"),
    ("IF a THEN {", "      f()\n      SET b = 2"),
]


@pytest.mark.parametrize(("opening", "block", "left"), OPENED)
def test_a_member_without_its_first_line_is_one_problem_and_its_neighbours_stand(
    opening: str, block: str, left: str
):
    before = "AGENT a {\n  TOOL t {\n    INPUT { c: Number }\n    OUTPUT { d: Number }\n  }\n"
    healthy = f"{before}  {opening}\n{block}\n  }}\n  PLAN p {{\n    f()\n  }}\n}}\n"
    assert parse(healthy).problems == ()
    found = kept(healthy.replace(f"  {opening}\n", ""))
    assert "TOOL t { INPUT { c: Number } OUTPUT { d: Number } }" in found
    assert " ".join(left.split()) in found
    assert "PLAN p { f() }" in found


@pytest.mark.parametrize(("opening", "block"), INSIDE)
def test_a_statement_without_its_first_line_is_one_problem_and_its_neighbours_stand(opening: str, block: str):
    plan = f"  PLAN p {{\n    g()\n    {opening}\n{block}\n    }}\n    h()\n  }}\n"
    healthy = f"AGENT a {{\n{plan}  GOAL {{ y }}\n}}\n"
    assert parse(healthy).problems == ()
    found = kept(healthy.replace(f"    {opening}\n", ""))
    assert [word for word in ("g()", "h()", "GOAL { MAINTAIN y }") if word not in found] == []


def test_what_a_brace_too_many_cuts_off_a_memory_is_no_second_memory():
    text = "AGENT a {\n  MEMORY {\n    WRITE { STORE x }}\n    SHARED { k }\n  }\n  PLAN p { f() }\n}\n"
    assert [problem.code for problem in parse(text).problems] == ["S116"]
