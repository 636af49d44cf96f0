"""Every code on its page: a program that has it, and a near miss that has not."""

import re
from pathlib import Path

import pytest

from agentl_grammar.checks import CODES, PROGRAM_RULES, RULES, HostFacts, check
from agentl_grammar.digest import program_digest
from agentl_grammar.excerpt import render
from agentl_grammar.parser import parse
from agentl_grammar.problems import Severity

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"```agentl\n(.*?)\n```", re.DOTALL)
ALL = sorted({*CODES, "W141", "W142"})
# What the host would say of the examples that need one.
HOST = HostFacts(unpromised=frozenset({"charge"}))
SHOWN = Path(__file__).with_name("shown.md")
# A fix in a scenario or a comment leaves what a run does as it was.
SAME_DIGEST = {"E010", "E014", "W117", "W142"}


def examples(code: str) -> list[str]:
    return BLOCK.findall((ROOT / "docs" / "codes" / f"{code}.md").read_text(encoding="utf-8"))


def found(text: str, code: str):
    return [problem for problem in check(text, host=HOST) if problem.code == code]


def repaired(text: str, fix) -> str:
    for span, new in sorted(fix.replacements, key=lambda edit: edit[0].start, reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text


def test_the_codes_are_those_of_the_language():
    errors = {f"E{number:03}" for number in range(1, 18)}
    warnings = {f"W{number}" for number in (*range(101, 141), *range(143, 165))}
    assert errors | warnings == CODES


def test_every_code_has_one_rule_that_names_it_and_says_what_it_means():
    rules = [*RULES, *PROGRAM_RULES]
    assert len({rule.code for rule in rules}) == len(rules) == 79
    assert [rule.code for rule in rules if not (rule.find.__doc__ or "").startswith(f"{rule.code}: ")] == []


def test_errors_are_errors_warnings_are_warnings_and_w137_is_a_hint():
    for rule in (*RULES, *PROGRAM_RULES):
        expected = Severity.ERROR if rule.code.startswith("E") else Severity.WARNING
        assert rule.severity is (Severity.HINT if rule.code == "W137" else expected)


@pytest.mark.parametrize("code", ALL)
def test_the_first_example_has_the_problem_once_where_the_page_says_and_the_second_has_not(code: str):
    wrong, right = examples(code)
    (problem,) = found(wrong, code)
    assert found(right, code) == []
    marked = [number for number, line in enumerate(wrong.split("\n")) if f"// {code}" in line]
    line = parse(wrong).source.position(problem.span.start).line
    assert line in marked or code in ("W103", "W106", "W115", "W141", "W142")


@pytest.mark.parametrize("code", ALL)
def test_every_problem_says_what_to_do_next(code: str):
    (problem,) = found(examples(code)[0], code)
    assert problem.hint


@pytest.mark.parametrize("code", ALL)
def test_the_examples_of_a_page_can_be_read_and_have_no_error_but_its_own(code: str):
    for text in examples(code):
        assert parse(text).problems == ()
        assert {p.code for p in check(text, host=HOST) if p.severity is Severity.ERROR} <= {code}


@pytest.mark.parametrize("code", [code for code in ALL if found(examples(code)[0], code)[0].fixes])
def test_a_fix_removes_the_problem_and_brings_no_error(code: str):
    wrong = examples(code)[0]
    (problem,) = found(wrong, code)
    text = repaired(wrong, problem.fixes[0])
    assert parse(text).problems == ()
    assert found(text, code) == []
    assert {p.code for p in check(text, host=HOST) if p.severity is Severity.ERROR} == set()
    same = program_digest(parse(wrong).program) == program_digest(parse(text).program)
    assert same == (code in SAME_DIGEST)


def shown() -> str:
    lines = [
        "# What is shown of the first example of every page",
        "",
        "Written by `render`; read it to judge messages, places and next steps.",
    ]
    for code in ALL:
        wrong = examples(code)[0]
        result = parse(wrong, "a.agent")
        (problem,) = found(wrong, code)
        lines += ["", "```text", render(problem, result.source), "```"]
        for fix in problem.fixes:
            edits = [f"{result.source.slice(span)!r} -> {text!r}" for span, text in fix.replacements]
            lines += ["", f"fix: {fix.title}: {'; '.join(edits)}"]
    return "\n".join(lines) + "\n"


def test_what_is_shown_is_what_a_person_has_reviewed():
    assert shown() == SHOWN.read_text(encoding="utf-8")
