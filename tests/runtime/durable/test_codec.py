import json
import math
import subprocess
import sys
from collections import OrderedDict, namedtuple
from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum, IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentl import codec
from agentl.codec import (
    MAX_DEPTH,
    Undecodable,
    Unencodable,
    comparable,
    decode,
    dump,
    encode,
    encode_arguments,
    load,
    recorded,
    round_trip,
)
from agentl.values import UNDEFINED, Symbol

text = st.text(st.characters(codec=None), max_size=20)
hashable = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | text
    | st.binary(max_size=8)
    | st.dates()
    | st.datetimes(timezones=st.none() | st.just(UTC))
    | st.builds(Symbol, text)
    | st.just(UNDEFINED),
    lambda inner: st.tuples(inner, inner),
    max_leaves=4,
)
values = st.recursive(
    hashable,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(hashable, inner, max_size=4) | st.tuples(inner)
    ),
    max_leaves=20,
)


def same(left: Any, right: Any) -> bool:
    """Equal, of equal types, in equal order, all the way down."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return len(left) == len(right) and all(
            same(a, b) for a, b in zip(left.items(), right.items(), strict=True)
        )
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, float):
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    return left == right


@given(values)
def test_a_value_comes_back_equal_of_the_same_type_and_in_the_same_order(value: Any) -> None:
    assert same(decode(encode(value)), value)


@given(values)
def test_a_line_is_ascii_without_line_ends_and_comes_back(value: Any) -> None:
    line = dump(encode(value)).encode("ascii")
    assert b"\n" not in line
    assert same(decode(load(line)), value)


@given(values)
def test_what_passed_the_codec_once_is_encoded_alike_again(value: Any) -> None:
    assert dump(encode(round_trip(value))) == dump(encode(value))


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        {"a": 1, "b": None, "": "x"},
        [1, 2.5, True, "x"],
        {"$a": 1},
        {1: 2},
        {"é": "é"},
        {"a": [1]},
        {"a": 2**60},
        [math.inf, Symbol("yes")],
        list(range(100)),
        {str(number): number for number in range(100)},
    ],
    ids=repr,
)
def test_what_comes_back_is_a_copy_be_it_made_the_short_way_or_through_json(value):
    back = round_trip(value)
    assert back is not value
    assert (type(back), back) == (type(value), decode(encode(value)))
    assert list(back) == list(value)


@given(values)
def test_what_is_recorded_and_what_is_given_back_are_two(value: Any) -> None:
    kept = round_trip(value)
    data, back = recorded(kept)
    assert dump(data) == dump(encode(value))
    assert same(back, decode(encode(value)))
    assert data is not back or not isinstance(data, dict | list)
    assert recorded({1}) == ([1], [1])


@pytest.mark.parametrize("encoder", [json.encoder.c_make_encoder, None], ids=["in C", "in Python"])
@given(value=values)
def test_a_line_is_what_json_makes_of_it(encoder: Any, value: Any) -> None:
    data = encode(value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json.encoder, "c_make_encoder", encoder)
        for sort_keys in (False, True):
            pieces = codec._encoder(sort_keys=sort_keys)(data, 0)
            assert "".join(pieces) == json.dumps(data, separators=(",", ":"), sort_keys=sort_keys)
    assert dump(data) == json.dumps(data, separators=(",", ":"))
    assert comparable(data) == json.dumps(data, separators=(",", ":"), sort_keys=True)


STRICT = r"""
import re, sys
token = re.compile(r'"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\/bfnrt]|\\u[0-9a-f]{4})*"'
                   r'|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null|[\[\]{},:]')
surrogate = re.compile(r'\\u(d[89a-f][0-9a-f]{2})')
for line in sys.stdin:
    line = line.rstrip("\n"); at = 0
    while at < len(line):
        found = token.match(line, at)
        if not found: sys.exit(f"no JSON at {at}: {line[at:at+30]!r}")
        halves = surrogate.findall(found[0])
        pairs = re.findall(r'\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}', found[0])
        if len(halves) != 2 * len(pairs): sys.exit(f"lone surrogate: {found[0]!r}")
        at = found.end()
"""


def awkward_values() -> list[Any]:
    class Colour(Enum):
        RED = 1

    class Number(IntEnum):
        ONE = 1

    class Broken(dict):
        def items(self) -> Any:
            raise RuntimeError

    Point = namedtuple("Point", "x y")  # noqa: PYI024  # an old-fashioned host may return one
    holds_itself: list[Any] = []
    holds_itself.append(holds_itself)
    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    return [
        None, True, False, 0, -0.0, 1, 1.0, 2**53, 2**53 + 1, -(2**53) - 1, 10**5000, 1e308, 5e-324,
        math.nan, math.inf, -math.inf, "", "\0", "\n\r\u2028\u2029\u0085", "é", "😀", "\ud800",
        "\udc00\ud800",
        "a\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"), "\ud83d" + "\ude00",
        b"", b"\xff\0",
        (), (1, (2,)), [], {}, {1: 2}, {"1": 1, 1: 2}, {True: 1}, {None: 1}, {1.5: 1}, {(1, 2): 3},
        {"$symbol": "x"}, {"$": 1}, {"a": {"$b": 1}}, {"\ud800": 1}, Symbol("yes"), Symbol("\ud800"),
        UNDEFINED,
        datetime(2026, 7, 26, 20, 15), datetime(2026, 7, 26, tzinfo=timezone(timedelta(hours=2))),  # noqa: DTZ001
        date(2026, 7, 26), timedelta(1), {3, 1, 2}, frozenset({"a"}), OrderedDict(b=1, a=2), Colour.RED,
        Number.ONE, Point(1, 2), object(), object, len, Broken(a=1), holds_itself, deep, complex(1, 2),
        Unencodable("socket"), range(3), memoryview(b"x"), bytearray(b"x"),
    ]  # fmt: skip


def test_awkward_values_are_lines_that_a_strict_foreign_parser_accepts() -> None:
    lines = [dump(encode(value)) for value in awkward_values()]
    assert len(lines) >= 60
    subprocess.run([sys.executable, "-c", STRICT], input="\n".join(lines), text=True, check=True)
    for line in lines:
        json.loads(line, parse_constant=pytest.fail)


def test_awkward_values_settle_after_one_round() -> None:
    for value in awkward_values():
        once = encode(round_trip(value))
        assert dump(encode(round_trip(decode(once)))) == dump(once)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (Symbol("yes"), '{"$symbol":"yes"}'),
        (UNDEFINED, '{"$undefined":true}'),
        (math.nan, '{"$float":"nan"}'),
        (2**53 + 1, '{"$int":"0x20000000000001"}'),
        (2**53, "9007199254740992"),
        ("\ud800", '{"$string":"7aCA"}'),
        (b"\0\1", '{"$bytes":"AAE="}'),
        ((1, 2), '{"$tuple":[1,2]}'),
        ({"b": 1, "a": 2}, '{"b":1,"a":2}'),
        ({1: "a", "1": "b"}, '{"$dict":[[1,"a"],["1","b"]]}'),
        ({"$symbol": "yes"}, '{"$dict":[["$symbol","yes"]]}'),
        (date(2026, 7, 26), '{"$date":"2026-07-26"}'),
        ({3, 1, 2}, "[1,2,3]"),
        ("é", '"\\u00e9"'),
        (object(), '{"$unencodable":"object"}'),
    ],
)
def test_the_tag_of_each_kind(value: Any, line: str) -> None:
    assert dump(encode(value)) == line


def test_a_value_nested_too_deeply_is_unencodable_as_a_whole() -> None:
    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    assert encode(deep) == {"$unencodable": "list"}
    assert encode({"receipt": "r1", "deep": deep}) == {"$unencodable": "dict"}


def test_the_deepest_value_that_is_kept_comes_back() -> None:
    nested: Any = ()
    for _ in range(MAX_DEPTH):
        nested = (nested,)
    assert round_trip(nested) == nested


def test_a_few_shared_lists_that_unfold_without_end_are_unencodable() -> None:
    unfolding: Any = []
    for _ in range(90):
        unfolding = [unfolding, unfolding]
    assert encode(unfolding) == {"$unencodable": "list"}


def test_only_the_part_that_cannot_be_kept_is_replaced() -> None:
    assert round_trip({"receipt": "r1", "connection": object()}) == {
        "receipt": "r1",
        "connection": Unencodable("object"),
    }


@pytest.mark.parametrize(
    "data",
    [
        {"$pickle": "gASV"}, {"$symbol": 1}, {"$symbol": "a", "b": 1}, {"$float": "1.5"}, {"$int": "x"},
        {"$int": 3},
        {"$tuple": 1}, {"$dict": [[1]]}, {"$dict": [[[1], 2]]}, {"$datetime": "soon"}, {"$bytes": "!"},
        {"$undefined": False}, {"$string": 1}, {"a": {"$x": 1}}, [{"$x": 1}],
    ],
)  # fmt: skip
def test_what_no_encoder_wrote_is_refused(data: Any) -> None:
    with pytest.raises(Undecodable):
        decode(data)


@pytest.mark.parametrize(
    "line",
    [b"NaN", b"[Infinity]", b'{"a":1,"a":2}', b'"\xc3\xa9"', b"", b"[" * 100_000, b"1" * 5000, b"\xff"],
)
def test_a_line_that_is_not_strict_ascii_json_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # json raises several kinds of it
        load(line)


def test_the_comparable_form_is_blind_to_the_order_of_keys_only() -> None:
    assert comparable({"a": 1, "b": 2}) == comparable({"b": 2, "a": 1})
    assert comparable(encode_arguments({"a": 1})) != comparable(encode_arguments({"a": 1.0}))
    assert comparable(encode_arguments({"a": True})) != comparable(encode_arguments({"a": 1}))


plain = st.recursive(
    st.none() | st.booleans() | st.sampled_from([0, 1, 0.0, -0.0, 1.0, "", "1"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)


@given(plain, plain)
def test_encoded_data_are_the_same_when_their_comparable_texts_are(left: Any, right: Any) -> None:
    assert codec.same(left, right) == (comparable(left) == comparable(right))
    assert codec.same(left, json.loads(json.dumps(left)))
