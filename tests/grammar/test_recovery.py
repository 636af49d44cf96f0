"""Several mistakes in one text: each is told once, and the rest of the tree stands (mistakes.md)."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentl_grammar.excerpt import render
from agentl_grammar.parser import parse
from agentl_grammar.printer import print_program
from agentl_grammar.problems import Problem, Severity
from agentl_grammar.tree import Goal, Plan, Scenario

HERE = Path(__file__).parent
SAMPLES = [
    path.read_text(encoding="utf-8")
    for path in [*sorted((HERE / "samples").glob("*.agent")), HERE / "rare.agent"]
]
MEMBERS = [
    ("GOAL a {{ WEIGHT {} }}", "1", "one"),
    ("BELIEF {{ b {} }}", "= 2", "==== 2"),
    ("POLICY {{ {} x }}", "ALLOW", "ALOW"),
    ("PLAN p {{\n    a()\n    {}\n    b()\n  }}", "c()", "c("),
    ("TOOL t {{\n    RISK LOW\n    COST {}\n  }}", "3", '"much"'),
    ("OBSERVE {{ o {} u }}", "WHEN a == 1", "EVERY 5m"),
    ("EVENT e {{ {} }}", "a(x = 1)", "a(x = 1,, 2)"),
    ("HYPOTHESIS h {{ PRIOR {} }}", "0.1", "0.1 0.2"),
    ("SCENARIO s {{ GIVEN {{ a = b }} {} }}", "EXPECT NO ERROR", ""),
]


PAGE = Path(__file__).with_name("mistakes.md").read_text(encoding="utf-8")
CASE = re.compile(
    r"^## ([^\n]+) · (\d+)\n\n```agent\n(.*?)\n```\n\n```text\n(.*?)\n```\n(?:\n```kept\n(.*?)\n```\n)?",
    re.MULTILINE | re.DOTALL,
)
CASES = CASE.findall(PAGE)
ALL = pytest.mark.parametrize(
    ("mistakes", "text", "shown", "kept"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)


def written(page: str) -> str:
    """The page shows what a person could not see."""
    return page.replace("⍽", "\u00a0") + "\n"


def test_there_are_61_programs_most_with_several_mistakes_and_the_page_holds_nothing_else():
    assert len(CASES) == PAGE.count("\n## ") == 61
    assert sum(int(case[1]) > 1 for case in CASES) >= 40


@ALL
def test_what_is_shown_of_several_mistakes(mistakes: str, text: str, shown: str, kept: str):
    result = parse(written(text), "pay.agent")
    assert "\n".join(render(problem, result.source) for problem in result.problems) == shown.replace(
        "⍽", "\u00a0"
    )
    assert len(result.problems) == int(mistakes)
    assert all(problem.severity is Severity.ERROR and problem.hint for problem in result.problems)


@ALL
def test_what_stands_around_several_mistakes(mistakes: str, text: str, shown: str, kept: str):
    result = parse(written(text), "pay.agent")
    assert (print_program(result.program).rstrip() if result.program else "") == kept


def said(problems: Iterable[Problem]) -> Counter[tuple[str, str]]:
    """Without places: a fix moves what stands behind it."""
    return Counter((problem.code, problem.message.template) for problem in problems)


@ALL
def test_each_fix_removes_its_problem_and_adds_none(mistakes: str, text: str, shown: str, kept: str):
    problems = parse(written(text)).problems
    for problem in problems:
        for fix in problem.fixes:
            repaired = written(text)
            for span, new in reversed(fix.replacements):
                repaired = repaired[: span.start] + new + repaired[span.end :]
            assert said(parse(repaired).problems) == said(other for other in problems if other is not problem)


def test_most_mistakes_have_a_fix_that_can_be_applied():
    problems = [problem for case in CASES for problem in parse(written(case[2])).problems]
    assert sum(bool(problem.fixes) for problem in problems) > len(problems) * 2 / 3


@settings(deadline=None)
@given(st.lists(st.sampled_from(range(len(MEMBERS))), unique=True), st.permutations(range(len(MEMBERS))))
def test_so_many_problems_as_mistakes(broken: list[int], order: list[int]):
    members = [MEMBERS[index][0].format(MEMBERS[index][2 if index in broken else 1]) for index in order]
    text = "AGENT t {\n" + "\n".join(f"  {member}" for member in members) + "\n}\n"
    result = parse(text)
    assert len(result.problems) == len(broken), [render(p, result.source) for p in result.problems]
    assert result.complete == (not broken)
    assert result.program is not None
    healthy = parse(
        "AGENT t {\n" + "\n".join(MEMBERS[i][0].format(MEMBERS[i][1]) for i in order if i not in broken) + "}"
    )
    assert healthy.program is not None
    read = list(result.program.agents[0].members)
    assert all(member in read for member in healthy.program.agents[0].members)


@pytest.mark.parametrize("sample", SAMPLES)
def test_any_line_left_out_leaves_a_tree(sample: str):
    lines = sample.splitlines(keepends=True)
    for index in range(len(lines)):
        result = parse("".join(lines[:index] + lines[index + 1 :]))
        assert result.program is not None or result.problems
        # The line may have opened a block: each of its own lines can be one too many then.
        assert len(result.problems) <= 8


@pytest.mark.parametrize("sample", SAMPLES)
def test_any_prefix_behind_the_first_head_leaves_a_tree(sample: str):
    begin = sample.index("{") + 1
    for end in range(begin, len(sample), 23):
        assert parse(sample[:end]).program is not None


def test_healthy_statements_of_a_broken_plan_are_kept():
    result = parse(
        "AGENT t {\n  PLAN p {\n    a()\n    b(,)\n    c()\n    SET = 3\n    d()\n  }\n  GOAL g { x }\n}\n"
    )
    assert [problem.span.start for problem in result.problems] == [35, 54]
    assert result.program is not None
    agent = result.program.agents[0]
    assert [print_program_line(statement) for statement in agent.of(Plan)[0].steps[0].body.statements] == [
        "a",
        "b",
        "c",
        "d",
    ]
    assert len(agent.of(Goal)) == 1


def print_program_line(statement: object) -> str:
    return str(getattr(statement, "target").text)  # noqa: B009 (whatever statement it is)


def test_a_missing_brace_costs_one_problem_and_no_member():
    for sample in SAMPLES:
        program = parse(sample).program
        assert program is not None
        closers = [match.start() for match in re.finditer(r"^  \}$", sample, re.MULTILINE)]
        for offset in closers:
            result = parse(sample[: offset + 2] + sample[offset + 3 :])
            assert len(result.problems) == 1
            assert result.program is not None
            assert [len(agent.members) for agent in result.program.agents] == [
                len(agent.members) for agent in program.agents
            ]


def test_a_quote_left_open_costs_its_line_only():
    text = 'AGENT t {\n  DESCRIPTION "one\n  GOAL a { x == "y" }\n  PLAN p { b("z") }\n}\n'
    result = parse(text)
    assert [(problem.code, problem.span.start) for problem in result.problems] == [("S103", 24)]
    assert result.program is not None
    assert len(result.program.agents[0].members) == 3


@pytest.mark.parametrize("text", ["Is it so?", 'Say \\"yes\\"', "50% or more; less & less"])
def test_a_quote_left_open_in_a_plan_costs_its_line_only_whatever_the_texts_below_say(text: str):
    lines = ["tell(", f'tell("{text}")', f'ask("{text}")', "done()"]
    result = parse("AGENT t {\n  PLAN p {\n" + "\n".join(f"    {line}" for line in lines) + "\n  }\n}\n")
    assert [problem.code for problem in result.problems] == ["S102"]
    lines[0] = 'tell("'
    result = parse("AGENT t {\n  PLAN p {\n" + "\n".join(f"    {line}" for line in lines) + "\n  }\n}\n")
    codes = [problem.code for problem in result.problems]
    assert "S103" in codes
    assert len(codes) <= 2
    assert result.program is not None
    assert {f'tell("{text}")', f'ask("{text}")', "done()"} < {
        line.strip() for line in print_program(result.program).splitlines()
    }


def test_the_tree_of_a_broken_program_can_be_printed_and_read_again():
    for sample in SAMPLES:
        for at in range(0, len(sample), 101):
            program = parse(sample[:at] + sample[at + 3 :]).program
            if program:
                assert parse(print_program(program)).program == program


def kept(text: str) -> list[str]:
    """Every name of a declaration or step, and every rule, that is left of a text with one problem."""
    result = parse(text)
    assert len(result.problems) == 1
    assert result.program is not None
    return print_program(result.program).split()


def test_a_step_without_its_name_leaves_the_other_steps():
    words = kept(
        "AGENT t {\n  PLAN p {\n    STEP\n    STEP tell {\n      a()\n    }\n    STEP b { c() }\n  }\n}\n"
    )
    assert [word for word in words if word in ("tell", "a()", "b", "c()")] == ["tell", "a()", "b", "c()"]


def test_a_brace_doubled_leaves_the_rules():
    words = kept("AGENT t {\n  POLICY {{\n    DEFAULT DENY\n    ALLOW a\n  }\n  PLAN q { c() }\n}\n")
    assert "DEFAULT DENY ALLOW a" in " ".join(words)


def test_a_plan_without_its_brace_keeps_a_loop_in_it():
    plan = '  PLAN p NEVER DELEGATE b { TASK "c" }\n    LOOP MAX 3 { d() }\n    THEN { e }\n  }\n'
    words = kept("AGENT t {\n" + plan + "  GOAL g { x }\n}\n")
    assert {"DELEGATE", "LOOP", "THEN"} < set(words)
    assert words.index("PLAN") < words.index("LOOP") < words.index("GOAL")


@pytest.mark.parametrize("broken", ["EXPECT CAL a(", "EXPECT { = }"])
def test_a_scenario_whose_only_expectation_is_broken_is_kept(broken: str):
    result = parse(
        f"AGENT t {{\n  SCENARIO s {{\n    GIVEN {{ a = 1 }}\n    {broken}\n  }}\n  GOAL g {{ x }}\n}}\n"
    )
    assert result.program is not None
    assert [type(member) for member in result.program.agents[0].members] == [Scenario, Goal]
    assert "NO ERROR" not in print_program(result.program)


TWO = """AGENT one {
  GOAL g { x }
  PLAN p { a() }
}

AGENT two {
  PLAN q { b() }
  PLAN r { c() }
}
"""


@pytest.mark.parametrize(
    ("text", "code", "agents"),
    [
        ("{" + TWO, "S116", {"one": 2, "two": 2}),
        ("x\n" + TWO, "S116", {"one": 2, "two": 2}),
        ("AGENT\n" + TWO, "S101", {"one": 2, "two": 2}),
        ("AGENT three\n" + TWO, "S101", {"one": 2, "two": 2}),
        (TWO + "AGENT", "S101", {"one": 2, "two": 2}),
        (TWO + "AGENT three", "S101", {"one": 2, "two": 2}),
        (TWO + "AGENT three {", "S102", {"one": 2, "two": 2, "three": 0}),
        (TWO.replace("AGENT two", "AGENT"), "S101", {"one": 2, "unnamed": 2}),
        (TWO.replace("two {", "two"), "S101", {"one": 2, "two": 2}),
        (TWO.replace("two {", "two-three {"), "S122", {"one": 2, "two_three": 2}),
        (TWO.replace("AGENT one", "AGEN one"), "S108", {"one": 2, "two": 2}),
    ],
)
def test_a_head_that_is_broken_leaves_the_other_agents_and_its_members(
    text: str, code: str, agents: dict[str, int]
):
    result = parse(text)
    assert [problem.code for problem in result.problems] == [code]
    assert result.program is not None
    assert {agent.name.text: len(agent.members) for agent in result.program.agents} == agents
    assert not result.complete
