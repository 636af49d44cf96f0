"""Broken programs and what is said about them (syntax_errors.md)."""

import re
from pathlib import Path

import pytest

from agentl_grammar.excerpt import render
from agentl_grammar.parser import parse
from agentl_grammar.problems import Fix, Severity

PAGE = Path(__file__).with_name("syntax_errors.md").read_text(encoding="utf-8")
CASE = re.compile(
    r"^## ([^\n]+)\n\n```agent\n(.*?)\n```\n\n```text\n(.*?)\n```\n(?:\n```fixed\n(.*?)\n```\n)?",
    re.MULTILINE | re.DOTALL,
)
CASES = CASE.findall(PAGE)
ALL = pytest.mark.parametrize(
    ("text", "shown", "fixed"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
# Nobody can guess where the brace that is opened is to be closed.
STILL_BROKEN = {"An agent without its brace"}


def written(page: str) -> str:
    """The page shows what a person could not see."""
    return page.replace("␀", "\0").replace("⍽", "\u00a0") + ("\n" if page else "")


def repaired(text: str, fix: Fix) -> str:
    for span, new in reversed(fix.replacements):
        text = text[: span.start] + new + text[span.end :]
    return text


def test_there_are_108_cases_and_the_page_holds_nothing_else():
    assert len(CASES) == PAGE.count("\n## ") == 108


def test_every_code_of_the_syntax_is_shown():
    codes = set(re.findall(r"error ([ES]\d{3})", PAGE))
    assert codes == {f"S{number}" for number in range(101, 123)} | {"E018"}


@ALL
def test_what_is_shown(text: str, shown: str, fixed: str):
    result = parse(written(text), "pay.agent")
    assert "\n".join(render(problem, result.source) for problem in result.problems) == shown.replace(
        "⍽", "\u00a0"
    )
    assert all(problem.severity is Severity.ERROR and problem.hint for problem in result.problems)


@ALL
def test_what_the_fix_makes_of_it(text: str, shown: str, fixed: str):
    (problem, *_) = parse(written(text)).problems
    if not fixed:
        assert problem.fixes == ()
        return
    assert repaired(written(text), problem.fixes[0]).rstrip() == fixed.replace("␀", "\0").rstrip()


@pytest.mark.parametrize(("title", "fixed"), [(case[0], case[3]) for case in CASES if case[3]])
def test_a_text_is_right_after_its_fix(title: str, fixed: str):
    assert bool(parse(written(fixed)).problems) == (title in STILL_BROKEN)


@ALL
def test_line_ends_of_another_system_change_nothing(text: str, shown: str, fixed: str):
    result = parse(written(text).replace("\n", "\r\n"), "pay.agent")
    assert "\n".join(render(problem, result.source) for problem in result.problems) == shown.replace(
        "⍽", "\u00a0"
    )


def test_one_mistake_is_one_problem_and_leaves_the_tree_incomplete():
    for _, text, shown, _ in CASES:
        result = parse(written(text))
        assert result.complete == (" error S" not in shown)
        assert len(result.problems) == 1


@ALL
def test_a_byte_order_mark_moves_no_column(text: str, shown: str, fixed: str):
    result = parse("\ufeff" + written(text), "pay.agent")
    assert "\n".join(render(problem, result.source) for problem in result.problems) == shown.replace(
        "⍽", "\u00a0"
    )
