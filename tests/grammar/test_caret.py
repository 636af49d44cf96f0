"""What could stand at a caret, while a program is typed and whatever is wrong above."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentl_grammar.lexer import lex
from agentl_grammar.lexicon import PHASES, WORDS
from agentl_grammar.parser import place_at
from agentl_grammar.syntax_errors.expectations import keywords

SAMPLES = [p.read_text(encoding="utf-8") for p in sorted((Path(__file__).parent / "samples").glob("*.agent"))]


def words(text: str) -> set[str]:
    return set(text.split())


MEMBERS = words(
    "VERSION DESCRIPTION GOAL BELIEF OBSERVE MEMORY TOOL POLICY PLAN EVENT ON DECIDE HYPOTHESIS PLANNER "
    "UTILITY LOOP SCENARIO"
)
STATEMENTS = {
    *words("SET IF THEN VERIFY REASON JUDGE ASK DELEGATE MESSAGE LOOP FOREACH RETRY ROLLBACK ESCALATE"),
    *PHASES,
}
RULES = {"NEVER", "DENY", "ALLOW", "REQUIRE", "DEFAULT"}


def words_at(text: str) -> set[str] | None:
    """Return the reserved words that may stand at the end of `text`."""
    place = place_at(text, len(text))
    return None if place is None else set(keywords(place.accepts))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {"AGENT"}),
        ("AGE", {"AGENT"}),
        ("AGENT a { }\n", {"AGENT"}),
        ("AGENT a {\n  GO", MEMBERS),
        ("AGENT a { GOAL g { x > 1 } ", MEMBERS),
        ("AGENT a {\n  PLAN p {\n    ", STATEMENTS | {"STEP"}),
        ("AGENT a {\n  PLAN p {\n    send(1)\n    ROLL", STATEMENTS),
        ("AGENT a {\n  PLAN p { STEP s { send(1), ", STATEMENTS),
        ("AGENT a { POLICY { ", RULES),
        ("AGENT a { POLICY { NEVER send ", RULES | {"IF", "WHEN"}),
        ("AGENT a { PLAN p { IF x > 3 TH", {"THEN", "AND", "OR"}),
        (
            "AGENT a { TOOL t { ",
            words("DESCRIPTION INPUT OUTPUT SIDE_EFFECT RISK REQUIRES EFFECT OUTCOME COST DURATION"),
        ),
    ],
)
def test_words_at_the_end_of_a_text_that_is_right_so_far(text: str, expected: set[str]):
    assert words_at(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AGENT a {\n  GOAL g { x > }\n  PLAN p {\n    ", STATEMENTS | {"STEP"}),
        ("AGENT a {\n  TOOL t { RISC HIGH }\n  POLICY { ", RULES),
        ("AGENT a {\n  PLAN p { send( }\n  PLAN q {\n    SE", STATEMENTS | {"STEP"}),
        ("AGENT a {\n  PLAN p {\n    SET y = = 3\n    ", STATEMENTS | {"AND", "OR", "IN"}),
        ("AGENT a {\n  PLAN p {\n    y = = 3\n    ", STATEMENTS | {"STEP"}),
        ("AGENT a {\n  PLAN p {\n    IF x = = 3 THEN y\n    send(1)\n    ", STATEMENTS),
        ("AGENT a {\n  PLAN p {\n    send(1)\n  }\n  }\n  PLAN q {\n    ", STATEMENTS | {"STEP"}),
        ('AGENT a {\n  DESCRIPTION "open\n  PLAN p {\n    ', STATEMENTS | {"STEP"}),
        ("AGENT a {\n  PLAN p {\n    @ send(1)\n    ", STATEMENTS),
        ("AGENT a {\n  PLAN p {\n    STEP s {\n      retry)\n      ", STATEMENTS),
        ("AGENT a {\n  GOAL g {\n    x >\n\n  PLAN p {\n    ", STATEMENTS | {"STEP"}),
        ("AGENT a {\n  GOL g { x }\n  ", MEMBERS),
        ("AGENT a {\n  BELIEF { x = = }\n}\nAGENT b {\n  ", MEMBERS),
    ],
)
def test_words_behind_a_mistake(text: str, expected: set[str]):
    assert words_at(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'AGENT a { PLAN p { send("IF',
        "AGENT a { # GO",
        "AGENT a { // GO",
        "AGENT a { /* GO",
        'AGENT a { VERSION "',
    ],
)
def test_inside_a_text_or_comment_is_no_place(text: str):
    assert words_at(text) is None


def test_below_a_text_that_is_open_on_the_same_line_as_before_there_is_one():
    assert words_at('AGENT a {\n  VERSION "1\n  ') == MEMBERS


@pytest.mark.parametrize("sample", SAMPLES)
def test_while_a_program_is_typed_each_word_is_offered_before_and_behind_its_first_letter(sample: str):
    for offset in range(len(sample)):
        place_at(sample, offset)
    for start, word in reserved_words(sample):
        for caret in (start, start + 1, start + len(word)):
            place = place_at(sample[:caret], caret)
            assert place is not None, sample[:caret][-40:]
            offered = {text for entry in keywords(place.accepts) for text in entry.split()}
            assert word in offered, sample[:caret][-40:]


def reserved_words(sample: str):
    tokens = lex(sample).tokens
    return [(token.start, token.text) for token in tokens if token.text in WORDS]


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(SAMPLES), st.text(st.characters(exclude_categories=[]), max_size=8), st.randoms())
def test_any_text_before_any_caret_has_a_place_or_none(sample: str, text: str, chance: random.Random):
    at = chance.randrange(len(sample))
    broken = sample[:at] + text + sample[at:]
    place_at(broken, chance.randrange(at, len(broken) + 1))


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.sampled_from([*'{}()[],:=<>-*/"#@\n', "AGENT a {", "PLAN p", "IF", "x", "1", "WHEN", "ON"]),
        max_size=25,
    )
)
def test_any_soup_has_a_place_or_none(pieces: list[str]):
    text = " ".join(pieces)
    place_at(text, len(text))
