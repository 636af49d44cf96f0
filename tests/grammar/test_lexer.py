"""Tokens: what each is, and that Lark's own contextual lexer cuts every text in the same way."""

import re
from functools import cache
from pathlib import Path

import lark
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark.exceptions import UnexpectedInput

import agentl_grammar
from agentl_grammar.lexer import ANY_CASE, LexicalProblem, Token, lex, quote, string_value
from agentl_grammar.lexicon import UNITS
from agentl_grammar.parser import parse

HERE = Path(__file__).parent
GRAMMAR = Path(agentl_grammar.__file__).with_name("agent.lark").read_text(encoding="utf-8")
SAMPLES = [path.read_text(encoding="utf-8") for path in sorted((HERE / "samples").glob("*.agent"))]
ROWS = re.findall(r"^(.+) · (\w+)\n    (.*)\n", (HERE / "rows.txt").read_text(encoding="utf-8"), re.MULTILINE)


def kinds(text: str) -> list[tuple[str, str]]:
    lexed = lex(text)
    assert lexed.problem is None
    return [(token.type, token.text) for token in lexed.tokens]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", [("NUMBER", "12")]),
        ("1.5%", [("PERCENT", "1.5%")]),
        *((f"7{unit}", [("TIMESPAN", f"7{unit}")]) for unit in UNITS),
        ("5minutes", [("NUMBER", "5"), ("NAME", "minutes")]),
        ("10 s", [("NUMBER", "10"), ("NAME", "s")]),
        ("2fa", [("NUMBER", "2"), ("NAME", "fa")]),
        ("1.x", [("NUMBER", "1"), ("_DOT", "."), ("NAME", "x")]),
        ("2026-07-26", [("DATETIME", "2026-07-26")]),
        ("2026-07-26T20:15:01", [("DATETIME", "2026-07-26T20:15:01")]),
        ("2026-07-26T20", [("DATETIME", "2026-07-26"), ("NAME", "T20")]),
        (
            "12026-07-26",
            [("NUMBER", "12026"), ("_MINUS", "-"), ("NUMBER", "07"), ("_MINUS", "-"), ("NUMBER", "26")],
        ),
        ("GOALS", [("NAME", "GOALS")]),
        ("goal", [("NAME", "goal")]),
        ("a//b\nc", [("NAME", "a"), ("NAME", "c")]),
        ("a#b\rc", [("NAME", "a"), ("NAME", "c")]),
        ("a/**/b/* * /*/c", [("NAME", "a"), ("NAME", "b"), ("NAME", "c")]),
        (
            "a<=b>=c",
            [("NAME", "a"), ("LESS_EQUAL", "<="), ("NAME", "b"), ("GREATER_EQUAL", ">="), ("NAME", "c")],
        ),
        ("ON /* x */ : # y\n UNKNOWN", [("_ON_UNKNOWN", "ON"), ("_COLON", ":"), ("_UNKNOWN", "UNKNOWN")]),
        ("ON UNKNOWN_", [("_ON", "ON"), ("NAME", "UNKNOWN_")]),
        ("ON MESSAGE", [("_ON", "ON"), ("_MESSAGE", "MESSAGE")]),
        ('VERIFY // x\n "a"', [("_VERIFY_LABELLED", "VERIFY"), ("STRING", '"a"')]),
        ("VERIFY a", [("_VERIFY", "VERIFY"), ("NAME", "a")]),
    ],
)
def test_text_is_cut_into_tokens(text: str, expected: list[tuple[str, str]]):
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "problem", "start"),
    [
        ('a "b', LexicalProblem.STRING_NOT_CLOSED, 2),
        ('"a\\\nb"', LexicalProblem.STRING_NOT_CLOSED, 0),
        ('"a\\\r\nb"', LexicalProblem.STRING_NOT_CLOSED, 0),
        ("a /* b", LexicalProblem.COMMENT_NOT_CLOSED, 2),
        ("a ; b", LexicalProblem.UNKNOWN_CHARACTER, 2),
        ("a -> b", LexicalProblem.UNKNOWN_CHARACTER, 2),
        ("a => b", LexicalProblem.UNKNOWN_CHARACTER, 2),
        ("5 %", LexicalProblem.UNKNOWN_CHARACTER, 2),
        ("a\u00a0b", LexicalProblem.UNKNOWN_CHARACTER, 1),
        ("a\x0cb", LexicalProblem.UNKNOWN_CHARACTER, 1),
        ("é", LexicalProblem.UNKNOWN_CHARACTER, 0),
        ("a \ufeff", LexicalProblem.UNKNOWN_CHARACTER, 2),
    ],
)
def test_what_is_no_token_is_found_where_it_starts(text: str, problem: LexicalProblem, start: int):
    lexed = lex(text)
    assert (lexed.problem, lexed.problem_start) == (problem, start)


def test_a_byte_order_mark_is_skipped_and_counts_as_an_offset():
    assert lex("\ufeffa").tokens == [Token("NAME", "a", 1, 2)]


def test_comments_are_kept_apart_with_their_places():
    comments = lex("a # one\n/* two */ b // three").comments
    assert [(comment.text, comment.start) for comment in comments] == [
        ("# one", 2),
        ("/* two */", 8),
        ("// three", 20),
    ]


def test_escapes_are_resolved_and_any_other_backslash_pair_is_kept():
    assert string_value(r'"a\n\t\r\"\\\q"') == 'a\n\t\r"\\\\q'
    assert string_value('"two\n  lines"') == "two\n  lines"


@given(st.text())
def test_a_quoted_text_is_read_back_as_it_was(text: str):
    literal = quote(text)
    assert string_value(literal) == text
    (token,) = lex(literal).tokens
    assert token.text == literal


def test_many_comments_behind_on_and_verify_are_read_in_reasonable_time():
    gap = "# x\n// y\n/* z */" * 3000
    assert len(lex(f"ON {gap} x VERIFY {gap} x").tokens) == 4


# ------------------------------------------------------------------- the contextual lexer as an oracle


@cache
def oracle() -> lark.Lark:
    return lark.Lark(
        GRAMMAR, parser="lalr", lexer="contextual", keep_all_tokens=True, maybe_placeholders=False
    )


def by_the_oracle(text: str) -> list[tuple[str, int, int]] | None:
    start = 1 if text.startswith("\ufeff") else 0
    steps = oracle().parse_interactive(text[start:])
    try:
        tokens = [(t.type, t.start_pos + start, t.end_pos + start) for t in steps.iter_parse()]
        steps.feed_eof()
    except UnexpectedInput:
        return None
    return tokens


def in_place(token: Token, terminal: str) -> str:
    return terminal if token.type == "NAME" and ANY_CASE.get(token.text.upper()) == terminal else token.type


def assert_as_the_oracle(text: str) -> None:
    expected = by_the_oracle(text)
    accepted = not any(problem.code.startswith("S") for problem in parse(text).problems)
    if expected is None:
        assert not accepted
        return
    tokens = lex(text).tokens
    found = [(in_place(t, e[0]), t.start, t.end) for t, e in zip(tokens, expected, strict=True)]
    assert found == expected
    codes = {problem.code for problem in parse(text).problems}
    # S117: `5minutes` is two tokens, and told all the same.
    assert codes <= {"E018", "S112", "S113", "S114", "S117"}


@pytest.mark.parametrize("text", SAMPLES)
def test_a_sample_is_cut_as_by_the_contextual_lexer(text: str):
    assert_as_the_oracle(text)
    assert_as_the_oracle("\ufeff" + text.replace("\n", "\r\n"))


PLACES = {
    "agent": "AGENT t { %s }",
    "plan": "AGENT t { PLAN p { %s } }",
    "loop": "AGENT t { LOOP { %s } }",
    "goal": "AGENT t { GOAL { %s } }",
    "target": "AGENT t { GOAL { TARGET { %s } } }",
    "tool": "AGENT t { TOOL x { %s } }",
    "scenario": "AGENT t { SCENARIO s { %s } }",
    "policy": "AGENT t { POLICY { %s } }",
    "condition": "AGENT t { PLAN p { VERIFY { CONDITION %s } } }",
    "program": "%s",
}


@pytest.mark.parametrize(("place", "text"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_row_is_cut_as_by_the_contextual_lexer(place: str, text: str):
    assert_as_the_oracle(PLACES[place].replace("%s", text.replace("⏎", "\n")))


SOUP = re.findall(
    r"\S+",
    """a b.c x 1 5s 3% "s" ( ) ( ) [ ] - + * / == != < IN AND OR NOT , , CONFIDENCE( SHARED.k f( g(a) . GOAL
    SET SET a = : { } { } IF THEN ELSE VERIFY OBSERVE RETRY ESCALATE FOREACH LOOP UNTIL MAX CONDITION ON FAIL
    call NO no # /*x*/""",
)


@given(st.lists(st.sampled_from(SOUP), max_size=14), st.sampled_from(list(PLACES)))
def test_a_soup_of_tokens_is_accepted_and_cut_as_by_the_contextual_lexer(soup: list[str], place: str):
    assert_as_the_oracle(PLACES[place].replace("%s", " ".join(soup).replace("#", "# c\n")))
