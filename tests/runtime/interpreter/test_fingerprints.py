"""The two ways to write a value for a digest agree (durability.md §6)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentl import UNDEFINED, Symbol
from agentl.fingerprints import fingerprint, through_codec
from agentl.values import Datetime

TEXTS = st.text(st.characters(exclude_categories=()), max_size=8) | st.sampled_from(
    ["$symbol", "$", "\ud800"]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | TEXTS
    | TEXTS.map(Symbol)
    | st.just(UNDEFINED)
    | st.just(Datetime("2026-07-26"))
    | st.binary(max_size=3)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXTS, inner, max_size=4)
        | st.dictionaries(st.integers(), inner, max_size=2)
        | st.tuples(inner)
    ),
)


@given(VALUES)
def test_the_short_way_and_the_codec_write_the_same(value: object):
    assert fingerprint(value) == through_codec(value)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (1, True),
        ("1", Symbol("1")),
        (None, "null"),
        (UNDEFINED, None),
        ((1,), [1]),
        ({"$symbol": "a"}, Symbol("a")),
        (0.1, 0.1000000001),
        (math.inf, -math.inf),
        (Datetime("2026-07-26"), "2026-07-26"),
    ],
)
def test_different_values_have_different_texts(left: object, right: object):
    assert fingerprint(left) != fingerprint(right)


def test_equal_values_have_one_text():
    assert fingerprint({"a": 1, "b": [0.1 + 0.2]}) == fingerprint({"b": [0.3], "a": 1})
    deep: list = []
    for _ in range(60):
        deep = [deep]
    assert fingerprint(deep) == through_codec(deep)
