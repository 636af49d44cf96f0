"""Where a rule begins and ends, from W148 on, what E002 says of a statement, and programs that have none."""

from pathlib import Path

import pytest
from pieces_of_agents import Cases, each, is_found

from agentl_grammar.checks import check
from agentl_grammar.parser import parse
from agentl_grammar.problems import Problem

ROOT = Path(__file__).parents[3]
PROGRAMS = [
    *sorted((ROOT / "tests" / "programs").rglob("*.agent")),
    *sorted((ROOT / "docs" / "examples").glob("*.agent")),
]
RETRY = "PLAN p { VERIFY { a.b == 1 ON FAIL { RETRY%s } } }"
CASES: Cases = {
    "W148": [
        ("GOAL { a.b == 1 RO c.d == 2 }", True),
        ("GOAL { a.b == 1 or c.d == 2 WEIGHT 3 }", True),
        ("GOAL { a.b == 1 c.d == 2 }", True),
        ("GOAL { a.b == 1, c.d == 2 }", True),
        ("GOAL { NTO a.b == 1 }", True),
        ("GOAL { MAINTIAN a.b == 1 }", True),
        ("GOAL { MAINTAIN a.b == 1 ACHIEVE c.d == 2 }", True),
        ("GOAL { a.b == 1 WEIGHT 2 c.d == 2 }", True),
        ("GOAL { a.b == 1 OR c.d == 2 }", False),
        ("GOAL shut { MAINTAIN: a.b == 1, TARGET: c.d == 2, WEIGHT = 2 }", False),
        ("GOAL { MAINTAIN (a.b == 1) TARGET { c.d == 2 e.f == 3 } }", False),
        ("GOAL { /* x RO y */ a.b == 1 # b == 2\n }", False),
        ('GOAL { len(a.b) > 1 TARGET e.f == "a RO b" }', False),
        ("GOAL { TARGET a.b == 1 WEIGHT 2 WEIGHT 3 }", False),
        ("GOAL { TARGET { a.b == 1 ADN c.d == 2 } }", True),
        ("GOAL { TARGET { a.b == 1 and c.d == 2 } }", True),
        ("GOAL { TARGET { a.b == 1 DONE } }", False),
        ("GOAL { TARGET { a.b == 1 O } }", False),
        ("OBSERVE { ADN } GOAL { TARGET { a.b == 1 ADN } }", False),
        ("BELIEF { ADN = 1 } GOAL { TARGET { a.b == 1 ADN } }", False),
        ("SCENARIO s { EXPECT { a.b == 1 AN c.d == 2 } }", True),
        ("SCENARIO s { EXPECT { not a.b == 1 } }", True),
        ("SCENARIO s { EXPECT { a.b == 1 c.d == 2 } }", False),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 RO c.d == 2 LIKELIHOOD 0.9 } }", True),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1, c.d == 2 LIKELIHOOD 0.9 } }", False),
    ],
    "W149": [
        ("PLAN q { q } ON MESSAGE\n OBSERVE { q }", True),
        ("PLAN q { q } ON MESSAGE # what\n OBSERVE { q }", True),
        ("PLAN q { q } ON MESSAGE OBSERVE { q }", False),
        ("PLAN q { q } ON MESSAGE OBSERVE\n { q }", False),
        ('PLAN q { q } ON MESSAGE\n "OBSERVE" { q }', False),
        ("PLAN q { q } ON MESSAGE\n paid { q }", False),
        ("PLAN\n GOAL { q }", True),
        ("TOOL\n GOAL { COST 1 }", True),
        ("PLAN q { STEP\n VERIFY { q } }", True),
        ("PLAN q { STEP VERIFY { q }\n STEP\n two { q } }", False),
        ("SCENARIO\n GIVEN { EXPECT NO ERROR }", True),
        ("HYPOTHESIS\n PRIOR { PRIOR 0.2 }", True),
    ],
    "W150": [
        ("OBSERVE { d.s } PLAN q { q } LOOP { VERIFY d.s == 1 EXECUTE }", True),
        ("OBSERVE { d.s } PLAN q { q } LOOP { VERIFY { d.s == 1 ON FAIL { ESCALATE } } q }", True),
        ("OBSERVE { d.s } PLAN q { q } LOOP { OBSERVE VERIFY d.s == 1 }", False),
        ("OBSERVE { d.s } PLAN q { q } LOOP { OBSERVE VERIFY EXECUTE }", False),
        ("OBSERVE { d.s } PLAN q { VERIFY d.s == 1 q } LOOP { q EXECUTE }", False),
        ("OBSERVE { d.s } PLAN q { q } LOOP { IF d.s == 1 THEN { VERIFY d.s == 1 q } EXECUTE }", False),
    ],
    "E002": [
        (RETRY % " three", True),
        (RETRY % " p", False),
        ("PLAN p { ROLBACK }", True),
        ("PLAN ROLBACK { ROLLBACK } PLAN p { ROLBACK }", False),
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
        ("W148", "GOAL { a.b == 1 RO c.d == 2 }", "did you mean OR?", ("OR", True)),
        ("W148", "GOAL { NTO a.b == 1 }", "did you mean NOT?", ("NOT", True)),
        ("W148", "GOAL { MAINTIAN a.b == 1 }", "did you mean MAINTAIN?", ("MAINTAIN", True)),
        (
            "W148",
            "GOAL { a.b == 1 c.d == 2 }",
            "join them with AND or OR, or write what must hold as well behind TARGET",
            None,
        ),
        ("W149", "PLAN\n GOAL { p }", "write the name behind PLAN, on its line", None),
        ("E002", RETRY % " three", "write how often in digits: RETRY 3", ("3", False)),
        ("E002", RETRY % " often", "write how often in digits: RETRY 3", None),
        ("E002", RETRY % "\n three", "declare it: PLAN three { … }", None),
        ("E002", "PLAN p { ROLBACK }", "did you mean ROLLBACK?", ("ROLLBACK", True)),
        ("E002", "PLAN p { escalate }", "did you mean ESCALATE?", ("ESCALATE", True)),
        ("E002", "LOOP { OBSRVE EXECUTE }", "did you mean OBSERVE?", ("OBSERVE", True)),
        ("E002", "PLAN retries { retris }", "did you mean retries?", ("retries", False)),
    ],
)
def test_what_is_to_be_done(code: str, text: str, says: str, fix: tuple[str, bool] | None):
    problem = told(text, code)
    assert str(problem.hint) == says
    assert fix_of(problem) == fix


@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_no_program_of_ours_has_one(path: Path):
    found = {problem.code for problem in check(parse(path.read_text(encoding="utf-8")))}
    assert not found & {"W148", "W149"}


def test_there_are_programs():
    assert len(PROGRAMS) > 15
