"""Lines, positions and offsets of a text, in each encoding of the language server protocol."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentl_grammar.source import Encoding, Position, Source, Span

TEXTS = st.text(st.sampled_from("ab\n\r\té€😀\x0b\x0c\x85\u2028\u2029"))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lf_crlf_and_cr_end_a_line(end: str):
    source = Source(f"one{end}two{end}")
    assert source.line_count == 3
    assert [source.line(number) for number in range(3)] == ["one", "two", ""]
    assert source.position(3 + len(end)) == Position(1, 0)


@pytest.mark.parametrize("character", ["\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\x1c"])
def test_nothing_else_ends_a_line(character: str):
    assert Source(f"a{character}b").line_count == 1


@pytest.mark.parametrize(
    ("encoding", "column"), [(Encoding.UTF_8, 10), (Encoding.UTF_16, 5), (Encoding.CODE_POINTS, 4)]
)
def test_a_column_counts_in_the_units_of_the_encoding(encoding: Encoding, column: int):
    source = Source("x\né€😀a = 1")
    assert source.position(6, encoding) == Position(1, column)
    assert source.offset(Position(1, column), encoding) == 6


def test_a_column_past_the_end_of_its_line_is_that_end():
    assert Source("ab\ncd").offset(Position(0, 99)) == 2
    assert Source("ab\r\ncd").offset(Position(0, 99)) == 2


def test_a_line_past_the_end_is_the_end_and_one_before_the_start_the_start():
    assert Source("ab\ncd").offset(Position(9, 0)) == 5
    assert Source("ab\ncd").offset(Position(-1, 3)) == 0


def test_an_offset_outside_is_clamped():
    assert Source("ab\ncd").position(99) == Position(1, 2)
    assert Source("ab\ncd").position(-1) == Position(0, 0)


@pytest.mark.parametrize(
    ("encoding", "columns"),
    [
        (Encoding.UTF_8, [0, 1, 5, 5, 5, 5, 6, 8, 8]),
        (Encoding.UTF_16, [0, 1, 3, 3, 4, 5]),
        (Encoding.CODE_POINTS, [0, 1, 2, 3, 4]),
    ],
)
def test_a_column_inside_a_character_is_the_place_behind_it(encoding: Encoding, columns: list[int]):
    source = Source("a😀bé\nc")
    for column, expected in enumerate(columns):
        assert source.position(source.offset(Position(0, column), encoding), encoding).column == expected


def test_lone_surrogates_are_characters_of_their_own():
    source = Source("\ud83d\ude00x")
    assert source.position(2, Encoding.UTF_16) == Position(0, 2)
    assert [source.offset(Position(0, column), Encoding.UTF_16) for column in range(4)] == [0, 1, 2, 3]
    assert source.position(2, Encoding.UTF_8) == Position(0, 6)
    assert source.offset(Position(0, 3), Encoding.UTF_8) == 1


@pytest.mark.parametrize("encoding", Encoding)
def test_an_offset_inside_a_crlf_is_the_end_of_its_line(encoding: Encoding):
    assert Source("ab\r\ncd").position(3, encoding) == Position(0, 2)


@pytest.mark.parametrize("encoding", Encoding)
def test_a_column_past_the_end_stays_in_its_line_in_every_encoding(encoding: Encoding):
    source = Source("a😀\r\n\nb")
    assert source.offset(Position(0, 99), encoding) == 2
    assert source.offset(Position(1, 5), encoding) == 4
    assert source.offset(Position(2, 5), encoding) == 6
    assert source.offset(Position(0, -1), encoding) == 0


@given(st.text(st.sampled_from("ab\n\r😀")))
def test_lines_are_those_of_lf_crlf_and_cr_in_any_mixture(text: str):
    source = Source(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert [source.line(number) for number in range(source.line_count)] == lines


@given(TEXTS, st.integers(min_value=0, max_value=30), st.sampled_from(Encoding))
def test_a_position_leads_back_to_its_offset(text: str, offset: int, encoding: Encoding):
    source = Source(text)
    offset = min(offset, len(text))
    if text[offset - 1 : offset + 1] == "\r\n":
        offset += 1
    assert source.offset(source.position(offset, encoding), encoding) == offset


@given(TEXTS)
def test_the_lines_are_the_text_without_its_line_ends(text: str):
    source = Source(text)
    joined = "".join(source.line(number) for number in range(source.line_count))
    assert joined == text.replace("\r", "").replace("\n", "")


def test_a_span_covers_its_slice_and_touches_both_its_ends():
    span = Span(2, 4)
    assert Source("abcdef").slice(span) == "cd"
    assert [span.contains(offset) for offset in (1, 2, 4, 5)] == [False, True, True, False]
    assert span.to(Span(7, 9)) == Span(2, 9)


@pytest.mark.parametrize("encoding", list(Encoding))
def test_a_byte_order_mark_has_no_column_and_belongs_to_no_line(encoding: Encoding):
    source = Source("\ufeffab\ncd")
    assert [source.line(0), source.line(1)] == ["ab", "cd"]
    assert [source.position(offset, encoding) for offset in (0, 1, 2, 4)] == [(0, 0), (0, 0), (0, 1), (1, 0)]
    assert [source.offset(Position(0, column), encoding) for column in (0, 1, 2, 9)] == [1, 2, 3, 3]
    assert source.offset(Position(1, 0), encoding) == 4
    assert source.offset(Position(-1, 0), encoding) == 1


def test_a_text_of_nothing_but_a_byte_order_mark_has_one_empty_line():
    source = Source("\ufeff")
    assert (source.line_count, source.line(0), source.position(1)) == (1, "", Position(0, 0))
