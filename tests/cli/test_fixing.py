"""What `--fix` makes of programs that nobody prepared for it."""

from pathlib import Path

import pytest

from agentl.fixing import fixed
from agentl_grammar.checks import check
from agentl_grammar.problems import Severity

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(
    path for folder in ("tests/programs", "docs/examples") for path in (ROOT / folder).rglob("*.agent")
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_what_has_one_fix_is_gone_and_no_error_came(program: Path):
    text = program.read_text(encoding="utf-8")
    before = check(text)
    new, count = fixed(text, check)
    after = check(new)
    assert [problem.code for problem in after if len(problem.fixes) == 1] == []
    assert (count > 0) == any(len(problem.fixes) == 1 for problem in before)
    errors = [
        sorted(problem.code for problem in found if problem.severity is Severity.ERROR)
        for found in (before, after)
    ]
    assert set(errors[1]) <= set(errors[0])


def test_a_text_without_fixes_is_the_same_text():
    text = "AGENT a { GOAL { x.y == 1 } }"
    assert fixed(text, check) == (text, 0)


def test_syntax_is_mended_first_and_then_what_it_hid():
    text = "AGENT a {\n  GOAL { x.y == 1 }\n  TOOL pay { RISK LOW }\n  plan p WHEN x.y > 1 { pya() }\n}\n"
    new, _ = fixed(text, check)
    assert new == text.replace("plan", "PLAN").replace("pya", "pay")


@pytest.mark.parametrize("count", [1, 2, 60])
def test_missing_rules_go_into_one_policy_however_many_tools_there_are(count: int):
    tools = "".join(f"  TOOL t{number} {{ RISK HIGH }}\n" for number in range(count))
    new, fixes = fixed(f"AGENT a {{\n  GOAL {{ x.y == 1 }}\n{tools}}}\n", check)
    assert fixes == count
    assert new.count("POLICY {") == 1
    assert new.count("REQUIRE APPROVAL FOR t") == count
    assert check(new) == ()
