"""A program typed letter by letter: at each letter the rest of it stands, and little is said."""

import random

import pytest
from generated import programs
from hypothesis import given, settings
from hypothesis import strategies as st

from agentl_grammar.cutting.cuts import cut_by_braces
from agentl_grammar.parser import Parser, ParseResult, parse
from agentl_grammar.printer import print_program
from agentl_grammar.tree import Member, Plan, Program, walk

PROGRAM = """AGENT desk {
  GOAL calm { MAINTAIN orders.open < 9 }
  OBSERVE { orders.open  sky ON UNKNOWN DEGRADE grey }

  TOOL pay {
    INPUT { to: String, amount: Number }
    RISK HIGH
  }
  POLICY { NEVER pay WHEN amount > 10 }

  PLAN settle WHEN orders.open > 0 {
    pay(to = "a", amount = 1)
    IF last_action.blocked == true THEN { SET told = yes }
  }
  DECIDE { IF sky == grey THEN settle }
  LOOP { OBSERVE SELECT_PLAN EXECUTE }
  SCENARIO pays {
    GIVEN { orders.open = 1 }
    EXPECT CALL pay
  }
}

AGENT other {
  PLAN look { see("x") }
}
"""
MEMBERS = [
    "GOAL more { ACHIEVE orders.open == 0  WEIGHT 2 }",
    'PLAN again WHEN a.failures > 2 {\n    STEP one { pay(to = "x") }\n    VERIFY "done" done == yes\n  }',
    "TOOL look { INPUT { place: String, deep: Int BIND a.b }  OUTPUT { found: Bool }  RISK LOW }",
    "EVENT rain WHEN sky == grey { SET wet = yes }",
    "ON MESSAGE question { answer(x) }",
    'DESCRIPTION "it is \\"so\\" { "',
    "SCENARIO s {\n    GIVEN { a.b = 1 }\n    EXPECT CALL pay\n  }",
    '// a note { "\n  # another',
]
LINES = [
    'pay(amount = 1, to = "x")',
    "IF a.b == 1 THEN { tell(x) } ELSE { SET c = 2 }",
    "SET total = (a + b) * 2",
    'VERIFY "done" { CONDITION a == b ON FAIL { RETRY 2 } }',
    "FOREACH o IN orders MAX 3 { look(o) }",
    'ASK person { QUESTION "Which one?" TIMEOUT 5m DEFAULT none }',
    "/* a { note */ tell(a)",
]
MOST = 8
"""So many problems may be told at any letter: a word may take what begins the next line for its own."""
USUAL = 2
"""So many, or fewer, at nine letters of ten."""


def members(program: Program | None) -> list[Member]:
    return [member for agent in program.agents for member in agent.members] if program else []


def member_starts(text: str) -> list[int]:
    """Return the starts of the lines that begin a member."""
    starts = [start for agent in cut_by_braces(text) or [] for start, _ in agent.members]
    return [text.rfind("\n", 0, start) + 1 for start in starts]


def assert_same(one: ParseResult, other: ParseResult) -> None:
    assert one.problems == other.problems
    assert one.complete == other.complete
    assert one.program == other.program
    if one.program and other.program:
        spans = [[(type(node), node.span) for node in walk(result.program)] for result in (one, other)]
        assert spans[0] == spans[1]


def assert_typing_hurts_nothing(typed: str, place: int, around: str = "") -> None:
    """Type into the program letter by letter; all its members stand, but that of the name `around`."""
    parser, counts = Parser(), list[int]()
    others = [member for member in members(parse(PROGRAM).program) if named(member) != around]
    for end in range(len(typed) + 1):
        now = f"{PROGRAM[:place]}  {typed[:end]}\n{PROGRAM[place:]}"
        result = parser.parse(now)
        assert_same(result, parse(now))
        kept = members(result.program)
        lost = [member for member in others if member not in kept]
        assert not lost, typed[:end]
        assert len(result.problems) <= MOST, typed[:end]
        counts.append(len(result.problems))
    assert sum(count <= USUAL for count in counts) >= len(counts) * 9 // 10


def named(member: Member) -> str:
    return member.name.text if isinstance(member, Plan) else "no plan"


@pytest.mark.parametrize("number", range(len(MEMBERS)))
def test_a_member_typed_into_a_program(number: int):
    starts = member_starts(PROGRAM)
    assert_typing_hurts_nothing(MEMBERS[number], starts[number * 3 % len(starts)])


@pytest.mark.parametrize("typed", LINES)
def test_a_line_typed_into_a_plan(typed: str):
    assert_typing_hurts_nothing(f"  {typed}", PROGRAM.index("    pay("), "settle")


@settings(max_examples=2, deadline=None)
@given(programs(), st.sampled_from(MEMBERS), st.randoms())
def test_a_member_typed_into_any_program(program: Program, typed: str, chance: random.Random):
    text = print_program(program)
    place = chance.choice([*member_starts(text), len(text)])
    parser = Parser()
    for end in range(len(typed) + 1):
        now = f"{text[:place]}  {typed[:end]}\n{text[place:]}"
        assert_same(parser.parse(now), parse(now))
