"""`// agentl: allow CODE because …`."""

import pytest

from agentl_grammar.checks import check
from agentl_grammar.digest import program_digest
from agentl_grammar.parser import parse

RISKY = """AGENT a {
  GOAL { x.y == 1 }
  OBSERVE { x.y }
  %s
  TOOL pay {%s
    INPUT { amount: Number }
    RISK HIGH
  }
  POLICY { NEVER pay WHEN amount > 9 }
}
"""
BECAUSE = "agentl: allow W120 because the bank asks back"


def codes(text: str) -> list[str]:
    return [problem.code for problem in check(text)]


def test_without_a_comment_the_warning_is_there():
    assert codes(RISKY % ("", "")) == ["W120"]


@pytest.mark.parametrize(
    ("above", "beside"),
    [
        (f"// {BECAUSE}", ""),
        (f"# {BECAUSE}", ""),
        (f"/* {BECAUSE} */", ""),
        (f"// {BECAUSE}\n  // and more about it\n", ""),
        ("", f"  // {BECAUSE}"),
        ("", f"  /* {BECAUSE} */"),
        ("// agentl: ALLOW w120 BECAUSE the bank asks back", ""),
        ("// AGENTL: ALLOW W120 BECAUSE the bank asks back", ""),
        ("", "  # Agentl: allow W120 because the bank asks back"),
    ],
)
def test_a_comment_above_or_beside_a_declaration_takes_a_warning_back(above: str, beside: str):
    assert codes(RISKY % (above, beside)) == []


def test_a_comment_reaches_everything_in_the_member_it_stands_at():
    text = """AGENT a {
  GOAL { x.y == 1 }
  OBSERVE { x.y }
  TOOL shut { EFFECT { x.y = 1 } }
  // agentl: allow W102, W137 because a person stands beside it
  PLAN p WHEN x.y {
    STEP one { shut() }
  }
}"""
    assert codes(text) == []
    assert codes(text.replace(", W137", "")) == ["W137"]


def test_a_comment_does_not_reach_the_next_declaration():
    text = RISKY % (f"// {BECAUSE}\n  TOOL nothing {{ }}", "")
    assert codes(text) == ["W142", "W120"]


def test_without_a_reason_the_comment_is_a_hint_itself():
    assert codes(RISKY % ("// agentl: allow W120", "")) == ["W141"]
    assert codes(RISKY % ("// agentl: allow W120 because", "")) == ["W141"]
    assert codes(RISKY % ("/* agentl: allow W120 because */", "")) == ["W141"]


def test_a_code_that_nobody_knows_does_not_occur():
    assert codes(RISKY % ("// agentl: allow W999, W120 because of both", "")) == ["W142"]


def test_a_comment_that_names_no_code_allows_nothing():
    assert codes(RISKY % ("// agentl: allow all of it because I say so", "")) == ["W142", "W120"]


def test_an_error_cannot_be_allowed():
    text = (
        "AGENT a { GOAL { x.y == 1 }\n// agentl: allow E001 because why not\nPLAN p WHEN x.y > 1 { pay() } }"
    )
    assert codes(text) == ["W142", "E001"]


def test_a_code_of_another_tool_is_left_alone():
    assert codes(RISKY % ("// agentl: allow D201, W120 because the bank asks back", "")) == []


def test_the_same_words_in_a_text_are_no_comment():
    text = RISKY.replace("RISK HIGH", 'RISK HIGH DESCRIPTION "// agentl: allow W120 because of it"')
    assert codes(text % ("", "")) == ["W120"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("// agentl: allow W131 because x\nGOAL { x.y == 1 }", "GOAL { x.y == 1 }"),
        ("GOAL { x.y == 1 }  // agentl: allow W131 because x\n", "GOAL { x.y == 1 }\n"),
        (
            "// agentl: allow W131, W105 because x\nGOAL { x.y == 1 }",
            "// agentl: allow W105 because x\nGOAL { x.y == 1 }",
        ),
        (
            "GOAL { x.y == 1 } // agentl: allow W131 because x  // and this is for a reader",
            "GOAL { x.y == 1 } // and this is for a reader",
        ),
        (
            "/* agentl: allow W131 because x\n   and this is for a reader */ GOAL { x.y == 1 }",
            "/* \n   and this is for a reader */ GOAL { x.y == 1 }",
        ),
        (
            "// for a reader; agentl: allow W131 because x\nGOAL { x.y == 1 }",
            "// for a reader;\nGOAL { x.y == 1 }",
        ),
        ("// agentl: allow W131 because of #5, see http://x/y\nGOAL { x.y == 1 }", "GOAL { x.y == 1 }"),
    ],
)
def test_the_fix_leaves_out_what_is_not_needed_and_nothing_else(before: str, after: str):
    text = f"AGENT a {{\n{before}\n}}"
    problem = next(problem for problem in check(text) if problem.code == "W142")
    ((span, new),) = problem.fixes[0].replacements
    fixed = text[: span.start] + new + text[span.end :]
    assert fixed == f"AGENT a {{\n{after}\n}}"
    assert program_digest(parse(fixed).program) == program_digest(parse(text).program)


def test_two_comments_that_allow_the_same_are_both_of_use():
    assert codes(RISKY % (f"// {BECAUSE}", f" // {BECAUSE}")) == []


def test_windows_line_ends_change_nothing():
    text = (RISKY % (f"// {BECAUSE}", "")).replace("\n", "\r\n")
    assert codes(text) == []
