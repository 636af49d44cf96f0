"""Where a rule begins and ends, from W157 on, and programs that have none."""

from pathlib import Path

import pytest
from pieces_of_agents import Cases, each, is_found

from agentl_grammar.checks import CODES, check
from agentl_grammar.parser import parse
from agentl_grammar.problems import Problem

ROOT = Path(__file__).parents[3]
OURS = [
    *sorted((ROOT / "tests" / "programs").rglob("*.agent")),
    *sorted((ROOT / "tests" / "grammar" / "samples").rglob("*.agent")),
    *sorted((ROOT / "docs").rglob("*.agent")),
]
NEW = {code for code in CODES if code >= "W157"}
CASES: Cases = {
    "W157": [
        ("TOOL t { RISK Hgih }", True),
        ("TOOL t { RISK DANGEROUS }", True),
        ("TOOL t { RISK { money: HIGH, privacy: LWO } }", True),
        ("TOOL t { RISK high }", False),
        ("TOOL t { RISK { severe: None, money: Moderate } }", False),
        ("TOOL t { RISK UNSET }", False),
        ("TOOL t { }", False),
    ],
}
ALL, NAMES = each(CASES)


@pytest.mark.parametrize(("code", "text", "has"), ALL, ids=NAMES)
def test_a_code_is_found_where_it_should_be_and_only_there(code: str, text: str, has: bool):
    assert is_found(code, text) == has


def told(text: str, code: str) -> Problem:
    (problem,) = (each for each in check(f"AGENT a {{ {text} }}") if each.code == code)
    return problem


def fix_of(problem: Problem) -> tuple[str, bool] | None:
    return (problem.fixes[0].replacements[0][1], problem.fixes[0].guess) if problem.fixes else None


@pytest.mark.parametrize(
    ("code", "text", "says", "fix"),
    [
        ("W157", "TOOL t { RISK Hgih }", "did you mean HIGH?", ("HIGH", False)),
        ("W157", "TOOL t { RISK LWO }", "did you mean LOW?", ("LOW", True)),
        ("W157", "TOOL t { RISK danger }", "write one of LOW, MEDIUM, HIGH, CRITICAL", None),
    ],
)
def test_what_is_to_be_done(code: str, text: str, says: str, fix: tuple[str, bool] | None):
    problem = told(text, code)
    assert str(problem.hint) == says
    assert fix_of(problem) == fix


@pytest.mark.parametrize("path", OURS, ids=[path.stem for path in OURS])
def test_no_program_of_ours_has_one(path: Path):
    found = {problem.code for problem in check(parse(path.read_text(encoding="utf-8")))}
    assert not found & NEW


def test_there_are_programs():
    assert len(OURS) > 15
