"""A parser that remembers the last text says the same as one that does not."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentl_grammar.parser import Parser, ParseResult, parse
from agentl_grammar.tree import Node, Plan, walk

SAMPLES = [p.read_text(encoding="utf-8") for p in sorted((Path(__file__).parent / "samples").glob("*.agent"))]
PIECES = [
    "{",
    "}",
    '"',
    "/*",
    "*/",
    "\n",
    "# note\n",
    "GOAL",
    "  PLAN q { a() }\n",
    "x",
    " ",
    ",",
    "AGENT b {",
    "é",
    "(",
]
TWO_PLANS = "AGENT t {\n  PLAN p {\n    a()\n  }\n  PLAN q {\n    b(1)\n  }\n}\n"


def places(node: Node) -> list[tuple[str, int, int]]:
    return [(type(part).__name__, part.span.start, part.span.end) for part in walk(node)]


def assert_same(one: ParseResult, other: ParseResult) -> None:
    assert one.problems == other.problems
    assert one.complete == other.complete
    assert one.program == other.program
    if one.program and other.program:
        assert places(one.program) == places(other.program)


def edited(text: str, chance: random.Random) -> str:
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.choice((0, 0, 1, 3, 40)))
    return text[:start] + chance.choice(["", *PIECES]) + text[end:]


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(SAMPLES), st.randoms())
def test_any_sequence_of_edits(sample: str, chance: random.Random):
    parser, text = Parser(), sample
    for _ in range(5):
        text = edited(text, chance)
        assert_same(parser.parse(text), parse(text))


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_line_above_and_back(sample: str):
    parser = Parser()
    parser.parse(sample)
    assert_same(parser.parse("# a note\n" + sample), parse("# a note\n" + sample))
    assert_same(parser.parse(sample), parse(sample))


def test_a_member_that_did_not_change_is_not_read_again():
    parser = Parser()
    before, after = parser.parse(TWO_PLANS), parser.parse(TWO_PLANS.replace("a()", "a(2)"))
    assert before.program
    assert after.program
    (first, second), (changed, moved) = (result.program.agents[0].of(Plan) for result in (before, after))
    assert changed != first
    assert moved == second
    assert moved.span.start == second.span.start + 1
    assert moved.name is not second.name
    assert moved.name.text is second.name.text


def test_an_older_tree_keeps_its_places():
    parser = Parser()
    before = parser.parse(TWO_PLANS)
    assert before.program
    parser.parse("\n\n\n" + TWO_PLANS)
    plan = before.program.agents[0].of(Plan)[1]
    assert TWO_PLANS[plan.span.start : plan.span.end].startswith("PLAN q {")


def test_two_members_of_the_same_text_are_two_nodes():
    text = "AGENT a { PLAN p { x() } } AGENT b { PLAN p { x() } }"
    program = Parser().parse(text).program
    assert program
    one, other = (agent.of(Plan)[0] for agent in program.agents)
    assert one == other
    assert one is not other
    assert one.span != other.span
