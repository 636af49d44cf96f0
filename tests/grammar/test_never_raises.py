"""Whatever the text, `parse` answers: a tree, or a problem with a place in the text."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentl_grammar.builder.parts import MAXIMUM_ROW
from agentl_grammar.checks import check
from agentl_grammar.digest import program_digest
from agentl_grammar.excerpt import render
from agentl_grammar.formatter import formatted
from agentl_grammar.lexicon import WORDS
from agentl_grammar.parser import parse
from agentl_grammar.printer import print_program
from agentl_grammar.sites import SiteIndex
from agentl_grammar.symbols import Symbols
from agentl_grammar.tree import walk
from agentl_grammar.tree.shift import shifted

HERE = Path(__file__).parent
SAMPLES = [
    path.read_text(encoding="utf-8")
    for path in [*sorted((HERE / "samples").glob("*.agent")), HERE / "rare.agent"]
]
SIGNS = "{ } ( ) [ ] , : = == != > < + - * / . // /*"
PIECES = [*WORDS, *SIGNS.split(" "), "x", "a.b", "1", "2.5", "3%", "4s", '"s"', "# c\n"]
QUOTED = re.compile(r"`.*?`", re.DOTALL)
TERMINAL = re.compile(r"\b_[A-Z]|\$|\b(?:TIMESPAN|NAME|STRING|NUMBER|PERCENT|DATETIME|EQUAL)\b")
ODD = ["\0", "\ud800", "😀", "\u00a0", "\ufeff", "\r", "\x0c", "é", "'", ";", "%", "\u2028", "\\", '"']


def assert_answers(text: str) -> None:
    result = parse(text, "any.agent")
    assert result.program is not None or result.problems
    for problem in result.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
        shown = render(problem, result.source)
        shown.encode("utf-8")
        assert not TERMINAL.search(QUOTED.sub("", str(problem.message)))
        assert problem.hint is not None
        for fix in problem.fixes:
            assert all(0 <= span.start <= span.end <= len(text) for span, _ in fix.replacements)


@settings(deadline=None)
@given(st.text())
def test_any_text(text: str):
    assert_answers(text)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=[]), max_size=30), st.sampled_from(SAMPLES), st.randoms())
def test_any_text_inside_a_program(text: str, sample: str, chance: random.Random):
    at = chance.randrange(len(sample))
    assert_answers(sample[:at] + text + sample[at:])


@settings(deadline=None)
@given(st.lists(st.sampled_from([*PIECES, *ODD]), max_size=25))
def test_any_soup_of_words_and_signs(pieces: list[str]):
    assert_answers(" ".join(pieces))
    assert_answers("AGENT t { PLAN p { " + " ".join(pieces))
    assert_answers("AGENT t { " + " ".join(pieces) + " }")


@settings(deadline=None)
@given(st.binary())
def test_any_bytes(data: bytes):
    assert_answers(data.decode("utf-8", "surrogateescape"))
    assert_answers(data.decode("latin-1"))


@pytest.mark.parametrize(
    "text",
    [
        "AGENT THEN",
        "AGENT ELSE",
        "AGENT t { PLAN p { IF a THEN",
        "AGENT t{PLAN p WHEN a{\nb{c(d)}VERIFY{e ON FAIL{{",
    ],
)
def test_a_text_that_ends_where_a_block_should_begin(text: str):
    assert_answers(text)


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_prefix_of_a_program_up_to_a_word(sample: str):
    ends = [index for index in range(len(sample)) if not sample[index].isalnum()]
    for end in ends[::7]:
        assert_answers(sample[:end])


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_program_without_one_of_its_tokens(sample: str):
    words = sample.split(" ")
    for index in range(0, len(words), 7):
        assert_answers(" ".join(words[:index] + words[index + 1 :]))


DEEP = 10_000


@pytest.mark.parametrize(
    ("opening", "inner", "closing"),
    [
        ("AGENT t { GOAL { TARGET ", "(", ") } }"),
        ("AGENT t { GOAL { TARGET ", "[", "] } }"),
        ("AGENT t { GOAL { TARGET ", "f(", ") } }"),
        ("AGENT t { GOAL { TARGET ", "- ", ""),
        ("AGENT t { GOAL { TARGET ", "NOT ", ""),
        ("AGENT t { GOAL { TARGET ", "a + ", ""),
        ("AGENT t { GOAL { TARGET ", "a AND ", ""),
        ("AGENT t { PLAN p { ", "IF a THEN { ", "} } }"),
        ("AGENT t { PLAN p { ", "IF a THEN ", "b } }"),
        ("AGENT t { PLAN p { ", "THEN ", ""),
        ("AGENT t { PLAN p { ", "LOOP { ", "} } }"),
        ("AGENT t { PLAN p { ", "VERIFY { CONDITION a ON FAIL ", "} } }"),
        ("AGENT t { HYPOTHESIS h { EVIDENCE { ", "GROUP g { ", "} } }"),
        ("", "AGENT ", ""),
        ("", "{ ", ""),
    ],
)
def test_ten_thousand_levels_are_a_problem_and_not_a_crash(opening: str, inner: str, closing: str):
    assert_answers(opening + inner * DEEP)
    closer = {"(": ")", "[": "]", "{": "}"}.get(inner.strip()[-1], "")
    assert_answers(opening + inner * DEEP + "a" + f" {closer}" * DEEP + closing)


@pytest.mark.parametrize(
    "inner",
    ["NOT ", "- ", "f(", "[", "a - ("],
    ids=["not", "minus", "call", "list", "()"],
)
def test_the_deepest_expression_that_is_accepted_can_be_used(inner: str):
    closer = {"(": ")", "[": "]"}.get(inner.strip()[-1], "")

    def text(depth: int) -> str:
        return f"AGENT t {{ GOAL {{ TARGET {inner * depth}a{closer * depth} }} }}"

    assert deepest(text) in (50, 99, 100)


def test_the_deepest_group_that_is_accepted_can_be_used():
    fields = "AGENT t {{ HYPOTHESIS h {{ EVIDENCE {{ {0} a {1} }} }} }}"
    assert deepest(lambda depth: fields.format("GROUP g { " * depth, "}" * depth)) == 100


@pytest.mark.parametrize("inner", ["IF a THEN { x ", "LOOP { ", "THEN { "])
def test_the_deepest_statement_that_is_accepted_can_be_used(inner: str):
    assert deepest(lambda depth: f"AGENT t {{ PLAN p {{ {inner * depth} b {'}' * depth} }} }}") == 100


@pytest.mark.parametrize("inner", ["(", "[", "NOT ("])
def test_ten_thousand_brackets_that_match_are_a_problem(inner: str):
    closer = {"(": ")", "[": "]"}[inner[-1]]
    text = f"AGENT t {{ GOAL {{ TARGET {inner * DEEP}a{closer * DEEP} }} }}"
    assert [problem.code for problem in parse(text).problems] == ["S112"]


ROWS = {
    "sum": lambda count: "AGENT t { GOAL { TARGET " + " + ".join(["a"] * count) + " } }",
    "minus": lambda count: "AGENT t { GOAL { TARGET " + " - ".join(["a"] * count) + " } }",
    "product": lambda count: "AGENT t { GOAL { TARGET " + " * ".join(["a"] * count) + " } }",
    "and": lambda count: "AGENT t { GOAL { TARGET " + " AND ".join(["a == b"] * (count - 1)) + " } }",
    "or": lambda count: "AGENT t { GOAL { TARGET " + " OR ".join(["a"] * count) + " } }",
    "else if": lambda count: (
        "AGENT t { PLAN p { " + " ELSE ".join(["IF a THEN { b() }"] * (count // 2 - 1)) + " } }"
    ),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_row_of_hundreds_nests_nowhere_and_can_be_used(row):
    assert used(row(MAXIMUM_ROW))
    problems = parse(row(MAXIMUM_ROW + 6)).problems
    assert [(problem.code, "in one row" in str(problem.message)) for problem in problems] == [("S112", True)]


def test_a_row_is_equal_to_its_like_only():
    one, longer, other = (parse(ROWS["or"](count)).program for count in (101, 102, 103))
    assert one == parse(ROWS["or"](101)).program
    assert len({one, longer, other}) == 3
    assert program_digest(longer) != program_digest(other)


def test_rows_in_rows_count_together():
    text = "a"
    for _ in range(6):
        text = f"({text}) AND " + " AND ".join(["b"] * 90)
    assert [p.code for p in parse(f"AGENT t {{ GOAL {{ TARGET {text} }} }}").problems] == ["S112"]


def used(text: str) -> bool:
    result = parse(text)
    assert result.problems == ()
    program = result.program
    assert program is not None
    assert program == parse(print_program(program)).program
    assert hash(program) == hash(parse(text).program)
    assert repr(program)
    assert shifted(program.agents[0].members[0], 1)
    assert SiteIndex(program).site(program.agents[0]) == "t"
    assert Symbols(program).uses
    assert formatted(text).text
    check(result)
    return bool(program_digest(program))


def deepest(text) -> int:
    depth = max(depth for depth in range(1, 110) if not parse(text(depth)).problems)
    program = parse(text(depth)).program
    assert program is not None
    assert program == parse(print_program(program)).program
    assert hash(program) == hash(parse(text(depth)).program)
    assert len(repr(program)) > depth
    assert program_digest(program)
    assert SiteIndex(program).site(program.agents[0]) == "t"
    assert len(list(walk(program))) > depth
    assert [problem.code for problem in parse(text(depth + 1)).problems] == ["S112"]
    return depth
