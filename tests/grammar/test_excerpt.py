"""Problems as a terminal shows them."""

import pytest

from agentl_grammar.excerpt import excerpt, render
from agentl_grammar.parser import parse
from agentl_grammar.problems import Message, Problem, Related, Severity
from agentl_grammar.source import Source, Span


def lines(text: str, start: int, end: int) -> list[str]:
    return excerpt(Source(text), Span(start, end)).split("\n")


def test_carets_stand_under_the_span():
    assert lines("one\ntwo three\n", 8, 13) == ["2 | two three", "  |     ^^^^^"]


def test_the_gutter_is_as_wide_as_the_number():
    assert lines("\n" * 11 + "x = 1", 15, 16) == ["12 | x = 1", "   |     ^"]


def test_tabs_stay_tabs_above_the_carets():
    assert lines("\ta\tb", 3, 4) == ["1 | \ta\tb", "  | \t \t^"]


def test_an_empty_span_has_one_caret():
    assert lines("abc", 3, 3) == ["1 | abc", "  |    ^"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_of_a_span_over_several_lines_the_first_is_shown(end: str):
    assert lines(f"a (b{end}c) d", 2, 8) == ["1 | a (b", "  |   ^^"]


def test_a_long_line_is_clipped_around_the_span():
    text = "x" * 300 + " here " + "y" * 300
    shown, carets = lines(text, 301, 305)
    assert shown.startswith("1 | …x")
    assert shown.endswith("y…")
    assert len(shown) < 110
    assert shown[carets.index("^") : carets.rindex("^") + 1] == "here"


def test_a_span_longer_than_the_clipped_line_ends_with_it():
    shown, carets = lines("a" * 500, 0, 500)
    assert len(carets) <= len(shown)


def test_wide_characters_take_two_columns():
    assert lines("漢字 x", 3, 4) == ["1 | 漢字 x", "  |      ^"]


def test_what_a_terminal_would_obey_is_not_printed():
    shown, _ = lines('"\x1b[31m\u202e\ud800"', 0, 1)
    assert shown == '1 | "\ufffd[31m\ufffd\ufffd"'


PROBLEM = Problem(
    "E018",
    Severity.ERROR,
    Span(4, 5),
    Message("a second {what}", {"what": Message("LOOP")}),
    Message("join them"),
    (Related(Span(0, 1), Message("first")), Related(Span(0, 0), Message("see there"), "other.py")),
)


def test_a_problem_is_shown_with_its_place_its_relations_and_its_next_step():
    assert render(PROBLEM, Source("aaa\nbbb", "a.agent")).split("\n") == [
        "a.agent:2:1: error E018: a second LOOP",
        "2 | bbb",
        "  | ^",
        "a.agent:1:1: note: first",
        "1 | aaa",
        "  | ^",
        "other.py: note: see there",
        "help: join them",
    ]


def test_every_word_of_it_is_translated():
    shown = render(
        PROBLEM, Source("aaa\nbbb", "a.agent"), lambda text: text.upper().replace("{WHAT}", "{what}")
    )
    assert shown.split("\n")[0] == "a.agent:2:1: ERROR E018: A SECOND LOOP"
    assert "NOTE: FIRST" in shown
    assert "HELP: JOIN THEM" in shown


def test_an_escape_inside_a_name_is_not_printed():
    result = parse('AGENT t { PLAN "\x1b[31m" { ')
    assert "\x1b" not in render(result.problems[0], result.source)
