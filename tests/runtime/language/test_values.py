"""Truthiness, comparison, ordinals (language.md §3.3 to §3.5)."""

import math
from datetime import UTC, date, datetime

import pytest

from agentl import UNDEFINED, Symbol
from agentl.expressions import compare
from agentl.values import Datetime, contains, equal, order_keys, rank, show, truth

yes, no = Symbol("yes"), Symbol("no")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (UNDEFINED, False),
        (None, False),
        (0, False),
        (0.0, False),
        ("", False),
        ([], False),
        ({}, False),
        (False, False),
        ("no", True),
        ("false", True),
        (1, True),
        ([0], True),
        (Symbol("none"), False),
        (Symbol("FALSE"), False),
        (Symbol("Unknown"), False),
        (Symbol("null"), False),
        (no, True),
        (Symbol("off"), True),
        (Symbol("healthy"), True),
    ],
)
def test_truthiness(value: object, expected: bool):
    assert truth(value) is expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (True, yes, True),
        (Symbol("TRUE"), True, True),
        (False, no, True),
        (False, Symbol("false"), True),
        (True, no, False),
        (True, Symbol("healthy"), False),
        (False, Symbol("off"), False),
        (True, "true", False),
        (1, Symbol("true"), False),
        (True, 1, True),
        (Symbol("a"), "a", True),
        (Symbol("a"), "A", False),
        (Symbol("3"), 3, True),
        (3, 3.0, True),
        ("3", 3, False),
        ([1, "a"], [1, "a"], True),
        (None, None, True),
        (UNDEFINED, UNDEFINED, False),
        (math.nan, math.nan, False),
    ],
)
def test_equality(left: object, right: object, expected: bool):
    assert equal(left, right) is expected
    assert equal(right, left) is expected


def test_a_value_that_raises_when_compared_is_unequal():
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError

        __hash__ = None

    assert not equal(Odd(), 1)


@pytest.mark.parametrize(
    ("left", "right", "plain", "strict"),
    [
        (UNDEFINED, UNDEFINED, (False, False), (False, False)),
        (UNDEFINED, yes, (False, True), (False, False)),
        (1, UNDEFINED, (False, True), (False, False)),
        (1, 1, (True, False), (True, False)),
        (1, 2, (False, True), (False, True)),
    ],
)
def test_equal_and_unequal_with_undefined(left: object, right: object, plain: object, strict: object):
    assert tuple(compare(name, left, right, strict=False) for name in ("==", "!=")) == plain
    assert tuple(compare(name, left, right, strict=True) for name in ("==", "!=")) == strict


@pytest.mark.parametrize(
    ("word", "place"),
    [
        ("NONE", 0),
        ("INFO", 1),
        ("LOW", 2),
        ("MODERATE", 3),
        ("MEDIUM", 3),
        ("HIGH", 4),
        ("SEVERE", 5),
        ("CRITICAL", 6),
        ("UNSET", 7),
        ("other", None),
    ],
)
def test_the_ordinal_scale_in_any_case(word: str, place: int | None):
    assert rank(Symbol(word)) == rank(word.lower()) == rank(word.title()) == place


@pytest.mark.parametrize(
    ("left", "name", "right", "expected"),
    [
        ("critical", ">=", Symbol("HIGH"), True),
        (Symbol("LOW"), "<", 7, False),
        (Symbol("LOW"), ">", 7, False),
        (Symbol("MEDIUM"), "<=", "moderate", True),
        (2, "<", 10, True),
        ("2", "<", "10", True),
        (True, ">=", 1, True),
        (95, ">", 90.5, True),
        ("N/A", ">", 90, False),
        ("N/A", "<=", 90, False),
        (UNDEFINED, "<", 1, False),
        (None, "<", 1, False),
        ([1], "<", [2], False),
        (math.nan, "<", 1, False),
        (math.nan, ">=", math.nan, False),
        (math.inf, ">", 1, True),
        (10**400, ">", 5, True),
        (10**400, "<", 5, False),
        (-(10**400), "<", 5.5, True),
        (10**400, ">", "5", False),
        (10**300, ">", 5, True),
        (2**53 + 1, ">", 2**53, True),
    ],
)
def test_ordering(left: object, name: str, right: object, expected: bool):
    assert compare(name, left, right, strict=False) is expected


def test_datetimes_are_ordered_in_time_and_equal_the_same_text():
    early, late = Datetime("2026-07-26"), Datetime("2026-07-26T20:15")
    assert compare("<", early, late, strict=False)
    assert compare(">=", late, "2026-07-26T20:14:59", strict=False)
    assert equal(early, "2026-07-26")
    assert equal(early, Datetime("2026-07-26T00:00"))
    assert equal(date(2026, 7, 26), early)
    assert compare(">", datetime(2026, 7, 27), late, strict=False)  # noqa: DTZ001


@pytest.mark.parametrize(
    "other", [1, "soon", UNDEFINED, datetime(2026, 1, 1, tzinfo=UTC), Datetime("2026-13-45")]
)
def test_a_datetime_is_not_ordered_against_what_is_none(other: object):
    assert order_keys(Datetime("2026-07-26"), other) is None


@pytest.mark.parametrize(
    ("item", "container", "expected"),
    [
        (Symbol("a"), ["a", "b"], True),
        ("a", [Symbol("a")], True),
        (True, [yes], True),
        (no, [False], True),
        (3, [1, 2], False),
        ("ell", "hello", True),
        (Symbol("ell"), "hello", True),
        (3, "3", False),
        ("k", {"k": 1}, True),
        (1, 5, None),
        ("a", Symbol("abc"), None),
        (UNDEFINED, [1], False),
    ],
)
def test_membership(item: object, container: object, expected: bool | None):
    assert contains(container, item) is expected


def test_values_are_shown_as_a_program_writes_them():
    value = {"a": Symbol("yes"), "b": ['x "y"', 1.0, True, None], "c": UNDEFINED}
    assert show(value) == '{a: yes, b: ["x \\"y\\"", 1.0, true, none], c: undefined}'
    assert show("x" * 500, limit=10) == '"xxxxxxxx…'


def test_an_integer_of_thousands_of_digits_is_compared_and_shown():
    huge = 10**5000
    assert (equal(huge, Symbol("yes")), equal([huge], Symbol("yes"))) == (False, False)
    assert show({huge: huge}, limit=None) == f"{{{hex(huge)}: {hex(huge)}}}"


def test_nothing_is_the_word_none():
    assert equal(None, Symbol("none"))
    assert not equal(None, Symbol("None"))
    assert not equal(None, Symbol("no"))
