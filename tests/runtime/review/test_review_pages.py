"""Every D code on its page: a program and a host that have it, and a near miss that has not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from review_samples import found, repaired, shown

from agentl.host.source import read_host
from agentl.review import CODES, RULES
from agentl_grammar.parser import parse
from agentl_grammar.problems import Severity
from agentl_grammar.source import Source

PAGES = Path(__file__).parents[3] / "docs" / "codes"
PROGRAMS = re.compile(r"```agentl\n(.*?)\n```", re.DOTALL)
HOSTS = re.compile(r"```python\n(.*?)\n```", re.DOTALL)
SHOWN = Path(__file__).with_name("shown.md")
ALL = sorted(CODES)
HINTS = {"D204", "D207"}


def samples(code: str) -> list[tuple[str, str]]:
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    return list(zip(PROGRAMS.findall(text), HOSTS.findall(text), strict=True))


def test_the_codes_are_those_of_the_design():
    assert {f"D{number}" for number in range(201, 212)} == CODES


def test_every_rule_names_its_code_and_only_two_are_hints():
    for rule in RULES:
        assert (rule.find.__doc__ or "").startswith(f"{rule.code}: ")
    told = {rule.code for rule in RULES if rule.severity is Severity.HINT}
    assert told - {"D201"} == HINTS


@pytest.mark.parametrize("code", ALL)
def test_the_first_sample_has_the_finding_once_where_the_page_says_and_the_second_has_not(code: str):
    (program, host), right = samples(code)
    (problem,) = found(program, host, code)
    if f"# {code}" in host:
        place, text = problem.related[0].span, host
    else:
        place, text = problem.span, program
    line = text.splitlines()[text.count("\n", 0, place.start)]
    assert line.endswith((f"// {code}", f"# {code}"))
    assert found(*right, code) == []


@pytest.mark.parametrize("code", ALL)
def test_the_samples_of_a_page_are_a_program_without_mistake_and_a_script_that_is_python(code: str):
    for program, host in samples(code):
        assert parse(program).problems == ()
        assert read_host(Source(host)).complete


@pytest.mark.parametrize("code", ALL)
def test_each_fix_removes_what_it_is_for(code: str):
    (program, host), _ = samples(code)
    (problem,) = found(program, host, code)
    for number in range(len(problem.fixes)):
        mended = repaired(problem, program, host, number)
        assert found(*mended, code) == []
        assert parse(mended[0]).problems == ()
        assert read_host(Source(mended[1])).complete


def test_fixes_are_there_for_the_codes_of_which_the_table_names_one():
    with_fix = {code for code in ALL if found(*samples(code)[0], code)[0].fixes}
    assert with_fix == {"D201", "D202", "D203", "D204", "D206", "D210"}


def page_of_all() -> str:
    head = "# What is shown of the first sample of every page\n\n"
    parts = [f"{head}Written by `render`; read it to judge messages, places and next steps.\n"]
    for code in ALL:
        program, host = samples(code)[0]
        for problem in found(program, host, code):
            parts.append(f"\n```text\n{shown(problem, program, host)}\n```\n")
            for fix in problem.fixes:
                text = program if fix.name is None else host
                edits = "; ".join(f"{text[s.start : s.end]!r} -> {new!r}" for s, new in fix.replacements)
                parts.append(f"\nfix in {fix.name or 'a.agent'}: {fix.title}: {edits}\n")
    return "".join(parts)


def test_what_is_shown_is_what_a_person_has_reviewed():
    assert page_of_all() == SHOWN.read_text(encoding="utf-8")
