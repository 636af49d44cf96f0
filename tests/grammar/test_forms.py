"""Forms of other languages: what is said of each, and that who follows the help has a program (forms.txt).

Behind the help stands what the only fix makes (`fixed`), the same where a person has to take it (`guess`), or
what a reader writes who follows the help (`write`). `FILE` begins a text that is a whole program.
"""

import re
from pathlib import Path

import pytest

from agentl_grammar.digest import program_digest
from agentl_grammar.parser import parse
from agentl_grammar.problems import Fix
from agentl_grammar.syntax_errors.forms import FORMS

PAGE = Path(__file__).with_name("forms.txt").read_text(encoding="utf-8")
CASES = re.findall(
    r"text:  (.*)\nsays:  (\S+) at `(.*?)`: (.*)\nhelp:  (.*)\n(fixed|guess|write): (.*)\n", PAGE
)
Case = tuple[str, str, str, str, str, str, str]
ALL = pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
LEFT_OUT = re.compile(r"remove `(?:NOT|NEVER|EXCEPT|UNLESS|DENY|WHEN|IF)\b", re.IGNORECASE)


def program(text: str) -> str:
    text = text.replace("⏎", "\n")
    return text.removeprefix("FILE ") + "\n" if text.startswith("FILE ") else f"AGENT a {{\n{text}\n}}\n"


def meant(case: Case) -> str:
    """Return the program after the fix, or after what a reader writes."""
    return program(f"FILE {case[-1]}" if case[0].startswith("FILE ") else case[-1])


def repaired(text: str, fix: Fix) -> str:
    for span, new in reversed(fix.replacements):
        text = text[: span.start] + new + text[span.end :]
    return text


def test_the_page_holds_nothing_else():
    assert len(CASES) == len(PAGE.split("\n\n")) > 130


@ALL
def test_one_problem_says_what_is_written_and_what_to_write(case: Case):
    text, code, at, says, helps, _, _ = case
    source = program(text)
    (problem,) = parse(source).problems
    shown = problem.code, source[problem.span.start : problem.span.end].replace("\n", "⏎")
    assert (*shown, str(problem.message), str(problem.hint)) == (code, at, says, helps)


@ALL
def test_who_follows_the_help_has_a_program_without_a_mistake(case: Case):
    assert parse(meant(case)).problems == ()


@ALL
def test_the_fix_makes_what_the_help_says(case: Case):
    kind, source = case[-2], program(case[0])
    (problem,) = parse(source).problems
    offered = [(repaired(source, fix), "guess" if fix.guess else "fixed") for fix in problem.fixes]
    assert offered == ([] if kind == "write" else [(meant(case), kind)])


@ALL
def test_the_tree_holds_what_the_fix_makes(case: Case):
    if case[-2] == "write":
        return
    read, wanted = parse(program(case[0])).program, parse(meant(case)).program
    assert read is not None
    assert wanted is not None
    assert program_digest(read) == program_digest(wanted)


def test_no_fix_allows_anything_unasked():
    unasked = [case[-1] for case in CASES if case[-2] == "fixed" and "POLICY" in case[-1]]
    assert unasked
    assert not [text for text in unasked if "ALLOW" in text]


def test_no_help_tells_to_leave_out_what_forbids_or_a_condition():
    assert not [case[4] for case in CASES if LEFT_OUT.search(case[4])]
    assert not [form.hint for form in FORMS if LEFT_OUT.search(form.hint)]


def test_every_condition_that_was_written_stands_in_what_the_fix_makes():
    conditions = [
        (case[-1], value)
        for case in CASES
        if case[-2] != "write"
        for value in re.findall(r"(?<![\w.])\d+(?![\w.])", case[0].replace("1. ", ""))
    ]
    assert len(conditions) > 30
    assert not [(text, value) for text, value in conditions if value not in text]


def test_the_message_and_the_help_of_every_row_are_shown():
    problems = [problem for case in CASES for problem in parse(program(case[0])).problems]
    shown = {(problem.message.template, problem.hint.template) for problem in problems if problem.hint}
    assert not {(form.message, form.hint) for form in FORMS} - shown
