"""Reserved words are reserved; commas and separators stand where they may, nowhere else (language.md §1)."""

from __future__ import annotations

import pytest

from agentl_grammar.lexicon import WORDS
from agentl_grammar.parser import parse

OPTIONS = {"BIND", "ATTESTS", "IN", "DEFAULT"}


def codes(text: str) -> list[str]:
    return [problem.code for problem in parse(text).problems]


# -------------------------------------------------------------------------------------------- reserved words


def test_there_are_125_reserved_words():
    assert len(WORDS) == 119 + 6


@pytest.mark.parametrize("word", WORDS)
def test_reserved_word_starts_no_path(word: str):
    assert codes(f"AGENT a {{ PLAN p {{ SET {word}.x = 1 }} }}") != []
    assert codes(f"AGENT a {{ OBSERVE {{ {word}.x }} }}") != []


@pytest.mark.parametrize("word", WORDS)
def test_reserved_word_is_no_symbol(word: str):
    assert codes(f"AGENT a {{ PLAN p {{ VERIFY {{ x == {word} }} }} }}") != []


@pytest.mark.parametrize("word", WORDS)
def test_reserved_word_is_a_word_where_a_word_is_wanted(word: str):
    assert (
        codes(f"AGENT {word} {{ PLAN {word} {{ STEP {word} {{ x }} }} TOOL {word} {{ RISK {word} }} }}") == []
    )
    types = f"TOOL t {{ INPUT {{ a: {word} }} }} BELIEF {{ b = 1 SOURCE {word} }}"
    statements = f"MESSAGE {word} {{ TO {word} PAYLOAD {{ {word}: 1 }} }} FOREACH {word} IN x {{ y }}"
    assert codes(f"AGENT a {{ {types} PLAN p {{ {statements} }} }}") == []


@pytest.mark.parametrize("word", WORDS)
def test_reserved_word_is_a_field_name_unless_it_is_an_option_of_fields(word: str):
    assert bool(codes(f"AGENT a {{ TOOL t {{ OUTPUT {{ {word}: Any }} }} }}")) is (word in OPTIONS)


@pytest.mark.parametrize("word", WORDS)
def test_reserved_word_is_a_field_behind_a_dot(word: str):
    result = parse(f"AGENT a {{ PLAN p {{ VERIFY {{ x.{word} > 1 }} SET y.{word}.z 2 b.{word}(1) }} }}")
    assert result.problems == ()


@pytest.mark.parametrize("word", WORDS)
def test_reserved_word_in_small_letters_is_free(word: str):
    assert codes(f"AGENT a {{ PLAN p {{ VERIFY {{ x == {word.lower()} }} SET {word.lower()}.x 1 }} }}") == []


# ------------------------------------------------------------------------------------ commas and separators

# Members of an agent; a bar is where the sign would stand. Without it, each text is right.
NO_COMMA = [
    "| GOAL g { x }| BELIEF { b = 1 }| PLAN p { x }|",
    "PLAN p { STEP s { x }| STEP t { y } }",
    "PLAN p { VERIFY { x| } }",
    "PLAN p { VERIFY { CONDITION x| ON FAIL y } }",
    "PLAN p { VERIFY {| x } }",
    "TOOL t { REQUIRES { x| } }",
    "PLAN p { IF x THEN y| ELSE z }",
    "BELIEF { b = 1| CONFIDENCE 0.5| SOURCE s| UPDATED 1 }",
    "OBSERVE { x| WHEN y }",
    "OBSERVE { x| ON UNKNOWN ESCALATE }",
    "TOOL t { INPUT { x: Any| BIND y| ATTESTS u } }",
    "TOOL t { INPUT { x|: Any } }",
    "TOOL t { OUTCOME o| WITH 0.5 { x = 1 } }",
    "TOOL t { EFFECT { x = 1| INTERNAL } }",
    "POLICY { NEVER t| WHEN x }",
    "POLICY { REQUIRE APPROVAL FOR t| IF x }",
    "PLAN p| WHEN x { y }",
    "HYPOTHESIS h { EVIDENCE { x| LIKELIHOOD 0.5| GIVEN_NOT 0.1 } }",
    "HYPOTHESIS h { PRIOR FROM b| WHERE x }",
    "UTILITY { x| VALUE 1 }",
    "LOOP UNTIL x| MAX 3 { y }",
    "PLAN p { FOREACH i IN x| MAX 3 { y } }",
    'PLAN p { REASON "r" { PRODUCE { x: Any| IN [a]| DEFAULT b } } }',
    'PLAN p { JUDGE { x NOUL "q"| ABSTAIN BELOW 0.5| DEFAULT b } }',
    'PLAN p { ASK b "q"| TIMEOUT 3| DEFAULT x }',
    "SCENARIO s { GIVEN MESSAGE m| FROM b { x = 1 } EXPECT NO ERROR }",
    "PLAN p { x(| 1, 2) }",
    "PLAN p { x(1,| 2) }",
    "PLAN p { SET x = [| 1, 2] }",
    "PLAN p {| x }",
    "POLICY {| ALLOW x }",
]
NO_SEPARATOR = [
    "GOAL| g| { x } BELIEF| { b = 1 } OBSERVE| { o } MEMORY| { m } TOOL t| { RISK LOW } POLICY| { ALLOW t }",
    "PLAN p| { x } EVENT e| { x } ON MESSAGE m| { x } ON VERIFY.FAIL| { x } DECIDE| { IF x THEN y }",
    "HYPOTHESIS h| { PRIOR 0.1 } PLANNER| { } UTILITY| { x VALUE 1 } LOOP| { x }",
    "SCENARIO s| { EXPECT { x } }",
    "TOOL t { INPUT| { x: Any } OUTPUT| { y: Any } SIDE_EFFECT| { z } }",
    "MEMORY { SHORT_TERM| { x } LONG_TERM| { x } KNOWLEDGE| { x } SHARED| { x } WRITE| { STORE x } }",
    "SCENARIO s { GIVEN| { x = 1 } GIVEN EVENT| e| { } EXPECT| { x } EXPECT| CALL| t }",
    "PLAN p { IF| x THEN| y ELSE| z } DECIDE { RULES| { IF x THEN y } }",
    "LOOP UNTIL| x MAX| 3 { y }",
    "HYPOTHESIS h { PRIOR FROM| b }",
    'PLAN p { REASON "r" { PRODUCE { x: Any IN| [a] } } FOREACH i IN| x { y } }',
    "POLICY { NEVER| t WHEN x REQUIRE| APPROVAL| FOR| t }",
]
SEPARATOR = [
    'VERSION| "1" DESCRIPTION| "d" GOAL { ACHIEVE| x TARGET| y WEIGHT| 2 }',
    "BELIEF { b| 1 CONFIDENCE| 0.5 SOURCE| s UPDATED| 1 } OBSERVE { o WHEN| x ON UNKNOWN| DEGRADE| 1 }",
    "MEMORY { WRITE { WHEN| x STORE| { y } INTO| LONG_TERM.z } }",
    'TOOL t { DESCRIPTION| "d" INPUT { x: Any BIND| y ATTESTS| t } RISK| HIGH COST| 3 DURATION| 4s }',
    "TOOL t { REQUIRES| { x } EFFECT| { y| 1 } OUTCOME o WITH| 0.5 { z 1 } }",
    "POLICY { DEFAULT| DENY NEVER SEND| s NEVER t WHEN| x } PLAN p WHEN| x { STEP s| { y } }",
    "HYPOTHESIS h { PRIOR| 0.1 THRESHOLD| 0.9 MAX_EVIDENCE| 4 PREDICT| x EVIDENCE| { y LIKELIHOOD| 0.5 } }",
    "PLANNER { ENABLE ACHIEVE| x MAX_DEPTH| 2 DEADLINE| 4s TIME_WEIGHT| 1 } UTILITY { x VALUE| 1 }",
    'PLAN p { REASON { TASK| "t" USING| { x } PRODUCE| { y DEFAULT| 1 } } SET x| 1 }',
    'PLAN p { ASK b { QUESTION| "q" REASON| r TIMEOUT| 3 DEFAULT| x } }',
    'PLAN p { DELEGATE b { TASK| "t" INPUT| { x } EXPECT| { y } } MESSAGE m { TO| b PAYLOAD| { k| 1 } } }',
    "SCENARIO s { GIVEN { x| 1 } EXPECT { x } WITHIN| 3 } PLAN p { VERIFY { CONDITION| x ON FAIL| y } }",
    'PLAN p { JUDGE { USING| { x } y| NOUL "q" ABSTAIN BELOW| 0.5 DEFAULT| z } }',
]


def places(texts: list[str], signs: str) -> list[tuple[str, str]]:
    """Return each text right, and with one sign at one of its bars."""
    found: list[tuple[str, str]] = []
    for text in texts:
        pieces = f"AGENT a {{ {text} }}".split("|")
        signed = (
            "".join(pieces[:index]) + sign + "".join(pieces[index:])
            for index in range(1, len(pieces))
            for sign in signs
        )
        found += [("".join(pieces), one) for one in signed]
    return found


@pytest.mark.parametrize(("right", "wrong"), places(NO_COMMA, ","))
def test_comma_is_refused(right: str, wrong: str):
    assert codes(right) == []
    assert len(codes(wrong)) == 1


@pytest.mark.parametrize(("right", "wrong"), places(NO_SEPARATOR, ":="))
def test_separator_is_refused(right: str, wrong: str):
    assert codes(right) == []
    assert len(codes(wrong)) == 1


@pytest.mark.parametrize(("right", "also"), places(SEPARATOR, ":="))
def test_separator_means_nothing(right: str, also: str):
    one, other = parse(right), parse(also)
    assert one.problems == other.problems == ()
    assert one.program == other.program


def test_agent_takes_no_separator_behind_its_name():
    assert len(codes("AGENT a: { }")) == len(codes("AGENT a = { }")) == 1
