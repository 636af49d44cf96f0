"""One slip in one member: what is said, and its fix; none where two readings are left (slips.txt)."""

import re
from pathlib import Path

import pytest

from agentl_grammar.digest import program_digest
from agentl_grammar.parser import parse
from agentl_grammar.problems import Fix

PAGE = Path(__file__).with_name("slips.txt").read_text(encoding="utf-8")
CASES = re.findall(r"text:  (.*)\nsays:  (\S+) at `(.*?)`: (.*)\nhelp:  (.*)\nfixed: (.*)\n", PAGE)
UNSURE = "(not sure)"
ALL = pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
# What must not be offered: in each of these the number, the name or the condition would be another one.
NEVER_OFFERED = (
    "WEIGHT 2 ",
    "COST 3 ",
    "PRIOR 2 ",
    "[a OR b]",
    "a-b == 1",
    "confidence 0.5",
    'x "TO"',
    "{ x = 1 }",
    "ALLOW pay, ALLOW refund WHEN",
)


def agent(member: str) -> str:
    return f"AGENT a {{\n{member}\n}}\n"


def repaired(text: str, fix: Fix) -> str:
    for span, new in reversed(fix.replacements):
        text = text[: span.start] + new + text[span.end :]
    return text


def test_the_page_holds_nothing_else():
    assert len(CASES) == len(PAGE.split("\n\n")) >= 90


@ALL
def test_what_is_said_of_a_slip(case: tuple[str, str, str, str, str, str]):
    member, code, at, says, helps, _ = case
    (problem,) = parse(agent(member)).problems
    shown = (problem.code, agent(member)[problem.span.start : problem.span.end])
    assert (*shown, str(problem.message), str(problem.hint)) == (code, at, says, helps)


@ALL
def test_what_the_fix_of_a_slip_makes(case: tuple[str, str, str, str, str, str]):
    member, fixed = case[0], case[-1]
    (problem,) = parse(agent(member)).problems
    if fixed == UNSURE:
        assert problem.fixes == ()
        return
    assert repaired(agent(member), problem.fixes[0]).replace(" \n", "\n") == agent(fixed)
    assert parse(agent(fixed)).problems == ()


@ALL
def test_what_stands_in_the_tree_is_what_the_fix_makes(case: tuple[str, str, str, str, str, str]):
    member, fixed = case[0], case[-1]
    if fixed == UNSURE:
        return
    program, wanted = parse(agent(member)).program, parse(agent(fixed)).program
    assert program is not None
    assert wanted is not None
    assert program_digest(program) == program_digest(wanted)


def test_no_fix_changes_what_is_said_silently():
    fixed = [case[-1] for case in CASES]
    assert not [text for text in fixed for wrong in NEVER_OFFERED if wrong in text]


def test_a_bar_on_a_line_that_opens_nothing_may_mean_two_things():
    (problem,) = parse(agent("GOAL g { f IN [\n  a | b\n  ] }")).problems
    assert str(problem.hint) == "write OR between conditions, a comma between the values of a list"
    assert problem.fixes == ()
