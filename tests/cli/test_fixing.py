"""What `--fix` makes of programs that nobody prepared for it."""

from pathlib import Path

import pytest

from agentl.fixing import fixed
from agentl_grammar.checks import check
from agentl_grammar.problems import Problem, Severity

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(
    path for folder in ("tests/programs", "docs/examples") for path in (ROOT / folder).rglob("*.agent")
)


def _is_sure(problem: Problem) -> bool:
    return len(problem.fixes) == 1 and not problem.fixes[0].guess


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_what_has_one_fix_is_gone_and_no_error_came(program: Path):
    text = program.read_text(encoding="utf-8")
    before = check(text)
    new, count = fixed(text, check)
    after = check(new)
    assert [problem.code for problem in after if _is_sure(problem)] == []
    assert (count > 0) == any(map(_is_sure, before))
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


OBSERVED = "AGENT a {{\n  GOAL {{ x.y == 1 }}\n  OBSERVE {{ x.y, a.b{} }}\n{}}}\n"
TOOL = "  TOOL t { INPUT { level: Number } }\n  POLICY { %s }\n"


@pytest.mark.parametrize(
    ("unknown", "more", "count"),
    [
        ("", "", 1),
        (" ON UNKNOWN DEGRADE 1", "", 1),
        (" ON UNKNOWN ESCALATE", "", 0),
        ("", "  SCENARIO s { GIVEN { a.b = 1 } EXPECT NO ERROR }\n", 0),
        ("", "  SCENARIO s { GIVEN { x.y = 1 } EXPECT NO ERROR }\n", 1),
    ],
)
def test_no_observation_goes_that_calls_a_person_or_that_a_scenario_gives(unknown, more, count):
    text = OBSERVED.format(unknown, more)
    assert "W103" in {problem.code for problem in check(text)}
    new, fixes = fixed(text, check)
    assert ("a.b" not in new.partition("SCENARIO")[0], fixes > 0) == (bool(count), bool(count))


@pytest.mark.parametrize(
    ("rule", "after"),
    [
        ("NEVER t WHEN levl == 3", "NEVER t WHEN level == 3"),
        ("NEVER t WHEN levl != 3", None),
        ("NEVER t WHEN NOT levl == 3", None),
        ("REQUIRE APPROVAL FOR t WHEN levl > 3", None),
    ],
)
def test_no_fix_of_a_guard_lets_through_what_was_stopped(rule, after):
    text = OBSERVED.format(" ON UNKNOWN ESCALATE", TOOL % rule)
    assert "W128" in {problem.code for problem in check(text)}
    assert fixed(text, check)[0] == (text.replace(rule, after) if after else text)


NAMES = """AGENT a {
  GOAL { x.y == 1 AND door.state == open }
  OBSERVE { x.y, door.state }
  TOOL transfer { INPUT { amount: Number } EFFECT { x.y = amount } }
  PLAN notify2 { SET told.once = yes }
  PLAN p WHEN %s { %s }
  POLICY { %s }
  SCENARIO s { GIVEN { %s } EXPECT NO ERROR }
}
"""
RIGHT = ("x.y > 1", "transfer(amount = 1)", "NEVER transfer WHEN amount > 9", "door.state = open")


@pytest.mark.parametrize(
    ("at", "code", "wrong"),
    [
        (0, "W135", "x.yy != 1"),
        (1, "E001", "trasnfer(amount = 1)"),
        (1, "E013", "transfer(amout = 1)"),
        (2, "E003", "NEVER transfe WHEN amount > 9"),
        (3, "W117", "door.stat = open"),
    ],
)
def test_a_name_that_is_one_slip_from_another_is_written_by_fix(at, code, wrong):
    text = NAMES % (*RIGHT[:at], wrong, *RIGHT[at + 1 :])
    assert code in {problem.code for problem in check(text)}
    new, _ = fixed(text, check)
    assert code not in {problem.code for problem in check(new)}


@pytest.mark.parametrize(
    ("at", "code", "wrong"),
    [
        (0, "W135", "door.sta != 1"),
        (1, "E001", "transfers_(amount = 1)"),
        (1, "E002", "notify1"),
        (1, "E013", "transfer(amont_ = 1)"),
        (2, "E003", "NEVER trnsfr WHEN amount > 9"),
        (2, "E003", "ALLOW transfe WHEN amount > 9"),
        (3, "W117", "door.sta = open"),
    ],
)
def test_a_guess_at_a_name_is_offered_and_left_to_a_person(at, code, wrong):
    text = NAMES % (*RIGHT[:at], wrong, *RIGHT[at + 1 :])
    (fix,) = next(problem.fixes for problem in check(text) if problem.code == code)
    assert fix.guess
    assert wrong in fixed(text, check)[0]


@pytest.mark.parametrize("right", ['== "levl"', "== levl", 'IN ["levl", 3]', "IN [3, levl]", "IN [x.y]"])
def test_a_guard_that_compares_a_word_with_itself_stops_today_and_is_left(right):
    text = OBSERVED.format(" ON UNKNOWN ESCALATE", TOOL % f"NEVER t WHEN levl {right}")
    assert "W128" in {problem.code for problem in check(text)}
    assert f"NEVER t WHEN levl {right}" in fixed(text, check)[0]


def test_fixes_that_break_the_text_together_do_not_cancel_the_others():
    text = """AGENT a {
  GOAL { MAINTAIN o.p == yes }
  OBSERVE { o.p ON UNKNOWN ESCALATE  zeta.six }
  TOOL pay { INPUT { amount: Nmber } }
  POLICY { NEVER pya WHEN amount > 3 }
  OBSERVE { delta.four /* d */, /* q */ mu.ten }
}
"""
    new, _ = fixed(text, check)
    assert "zeta" not in new
    assert "amount: Number" in new
    assert "NEVER pay" in new
    assert "E" not in {problem.code[0] for problem in check(new)}
    assert "W103" in {problem.code for problem in check(new)}


def test_a_handler_is_renamed_only_to_what_more_places_say():
    head = "AGENT b { PLAN p WHEN x.y == 1 { MESSAGE aproved { TO a } %s } }\n"
    tail = "AGENT a { ON MESSAGE approved { SET t.u = yes } }\n"
    once, twice = head % "" + tail, head % "MESSAGE aproved { TO a }" + tail
    assert fixed(once, check)[0] == once
    assert "ON MESSAGE aproved" in fixed(twice, check)[0]


def test_a_plan_of_one_letter_is_not_a_slip_for_another():
    text = "AGENT a { GOAL { x.y == 1 } PLAN p WHEN x.y > 1 { q } PLAN qs { SET x.y = 1 } }"
    assert "{ q }" in fixed(text, check)[0]


def test_an_allowance_whose_reason_goes_on_in_the_next_line_is_left_to_a_person():
    text = "/* agentl: allow W131 because\n   of two lines */\nAGENT a { GOAL { x.y == 1 } }\n"
    assert "W142" in {problem.code for problem in check(text)}
    assert fixed(text, check)[0] == text
