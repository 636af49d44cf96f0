"""The kinds of value a program has, and how they are judged and compared (language.md §3.1 to §3.6)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from typing import Any, TypeAlias, TypeVar


@dataclass(frozen=True, slots=True)
class Symbol:
    """A bare word as a value: `healthy`, `yes`. Not a string, though both may read alike."""

    text: str

    def __str__(self) -> str:
        return self.text


class _Undefined(Enum):
    """The singleton behind UNDEFINED."""

    UNDEFINED = "undefined"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNDEFINED"


UNDEFINED = _Undefined.UNDEFINED
"""Nothing is known: falsy, never equal to anything in the language."""


class Datetime(str):
    """A datetime literal: its text, equal to the same text, and ordered in time (language.md §0 ⚠23)."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Untrusted:
    """A value that its host marked as third-party data (language.md §6.4). No program ever sees the mark."""

    value: Any


Value: TypeAlias = Any
"""Any value of the language: number, boolean, string, Symbol, Datetime, list, dict, None or UNDEFINED."""

_Key = TypeVar("_Key", float, int, datetime)
_PLAIN_NUMBERS = frozenset({int, float})
_FALSE_SYMBOLS = frozenset({"none", "false", "unknown", "null"})
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
_RANKS = {
    "none": 0,
    "info": 1,
    "low": 2,
    "moderate": 3,
    "medium": 3,
    "high": 4,
    "severe": 5,
    "critical": 6,
    "unset": 7,
}
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?)?", re.ASCII)
_SHOWN_CHARACTERS = 160
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def truth(value: Value) -> bool:
    """Return the truthiness of `value` (language.md §3.3): the symbols `no` and `off` are true."""
    if isinstance(value, Symbol):
        return value.text.lower() not in _FALSE_SYMBOLS
    return bool(value)


def rank(value: Value) -> int | None:
    """Return the place of an ordinal word on the scale of language.md §3.5; None for anything else."""
    return _RANKS.get(str(value).lower()) if isinstance(value, Symbol | str) else None


def boolean(symbol: Symbol) -> bool | None:
    """Return the boolean that `symbol` stands for beside a boolean (language.md §3.4 rule 4), if any."""
    return _BOOLEANS.get(symbol.text.lower())


def equal(left: Value, right: Value) -> bool:  # noqa: PLR0911  # one line a rule
    """Tell whether two values are equal by rules 4 to 6 of language.md §3.4; UNDEFINED equals nothing."""
    if type(left) in _PLAIN_NUMBERS and type(right) in _PLAIN_NUMBERS:
        return bool(left == right)
    if left is UNDEFINED or right is UNDEFINED:
        return False
    if isinstance(left, Symbol) and isinstance(right, bool):
        return boolean(left) is right
    if isinstance(right, Symbol) and isinstance(left, bool):
        return boolean(right) is left
    if _is_moment(left) and _is_moment(right):
        return _same_moment(left, right)
    try:
        if isinstance(left, Symbol) or isinstance(right, Symbol):
            return _word_of(left) == _word_of(right)  # Python writes no integer of thousands of digits
        return bool(left == right)
    except Exception:  # noqa: BLE001  # a value of a host may raise anything when compared
        return False


def _word_of(value: Value) -> str:
    return "none" if value is None else str(value)


def order_keys(left: Value, right: Value) -> tuple[Any, Any] | None:
    """Return two keys that order `left` and `right` (language.md §3.4, §3.5).

    None when nothing orders them.
    """
    if type(left) in _PLAIN_NUMBERS and type(right) in _PLAIN_NUMBERS:
        return _ordered(left, right)
    ranks = rank(left), rank(right)
    if ranks[0] is not None and ranks[1] is not None:
        return ranks[0], ranks[1]
    if _is_moment(left) or _is_moment(right):
        return _ordered(moment(left), moment(right))
    return _ordered(as_number(left), as_number(right))


def _ordered(left: _Key | None, right: _Key | None) -> tuple[_Key, _Key] | None:
    if left is None or right is None or left != left or right != right:  # noqa: PLR0124  # NaN alone differs
        return None
    try:
        _ = left < right
    except TypeError:  # a moment with a time zone beside one without
        return None
    return left, right


def contains(container: Value, item: Value) -> bool | None:
    """Tell whether `item` is IN `container` (language.md §3.4, §0 ⚠22); None when that is no container."""
    if isinstance(container, str):
        return isinstance(item, str | Symbol) and str(item) in container
    if isinstance(container, list | tuple | dict | set | frozenset):
        members: list[Value] = list(container)  # pyright: ignore[reportUnknownArgumentType]
        return any(equal(item, member) for member in members)
    return None


def as_number(value: Value) -> float | None:
    """Return `value` as a float when it converts: numbers, booleans and numeric strings; else None."""
    if not isinstance(value, int | float | str) or isinstance(value, Datetime):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def is_finite_number(value: Value) -> bool:
    """Tell whether `value` is an int or a finite float; a boolean is neither."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def moment(value: Value) -> datetime | None:
    """Return the point in time that `value` names: a Datetime, a date, a datetime or a text of that form."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001  # literals have no time zone
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            return None
    return None


def _is_moment(value: Value) -> bool:
    return isinstance(value, Datetime | date)


def _same_moment(left: Value, right: Value) -> bool:
    moments = moment(left), moment(right)
    return moments[0] == moments[1] if None not in moments else str(left) == str(right)


def printable(text: str) -> str:
    """Return `text` on one line, without what steers a terminal or turns the direction of writing."""
    return _UNPRINTABLE.sub(lambda found: ascii(found.group())[1:-1], text)


def text_of(value: Value) -> str:
    """Return `value` as plain text: what a String parameter and a model receive."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "none"
    if isinstance(value, Symbol | str):
        return printable(str(value))
    return show(value, limit=None)


_DECIMAL_BITS = 4096
"""Larger integers are shown in hexadecimal: Python refuses to write very long ones in decimal."""


def show(value: Value, *, limit: int | None = _SHOWN_CHARACTERS) -> str:
    """Return `value` as a program would write it, cut after `limit` characters; strings are quoted."""
    text = _shown(value)
    return text if limit is None or len(text) <= limit else text[: limit - 1] + "…"


def _shown(value: Value) -> str:  # noqa: PLR0911  # one line a kind of value
    if isinstance(value, str) and not isinstance(value, Datetime):
        return '"' + printable(value.replace("\\", "\\\\").replace('"', '\\"')) + '"'
    if isinstance(value, list | tuple):
        items: list[Value] = list(value)  # pyright: ignore[reportUnknownArgumentType]
        return "[" + ", ".join(map(_shown, items)) + "]"
    if isinstance(value, dict):
        pairs: list[tuple[Value, Value]] = list(value.items())  # pyright: ignore[reportUnknownArgumentType]
        return "{" + ", ".join(f"{_shown_key(key)}: {_shown(item)}" for key, item in pairs) + "}"
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, bool) or value is None:
        return text_of(value)
    if isinstance(value, int) and value.bit_length() > _DECIMAL_BITS:
        return hex(value)
    return printable(str(value))


def _shown_key(key: Value) -> str:
    return printable(key) if isinstance(key, str) else _shown(key)
