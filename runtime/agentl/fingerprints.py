"""Text by which digests of states and events compare values (durability.md §6).

It is the codec's JSON with sorted keys and floats at 12 significant digits. Common kinds are written
directly, since a tick writes dozens of them; everything else goes through the codec, and both ways give the
same text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from json.encoder import encode_basestring_ascii
from typing import Any, cast

from agentl.codec import encode
from agentl.values import Symbol

_DIGITS = ".12g"
_MAX_JSON_INTEGER = 2**53


class _Uncommon(Exception):  # noqa: N818  # leaves the short way, it is no error
    """A value that only the codec knows how to write."""


def fingerprint(value: object) -> str:
    """Return text that is equal for equal values, and differs for others."""
    try:
        return _write(value, 0)
    except _Uncommon:
        return through_codec(value)


def through_codec(value: object) -> str:
    """Return the text of any value the long way: encoded, rounded, with sorted keys."""
    return json.dumps(_rounded(encode(value)), separators=(",", ":"), sort_keys=True)


def _rounded(data: Any) -> Any:
    if isinstance(data, float):
        return float(format(data, _DIGITS))
    if isinstance(data, list):
        return [_rounded(item) for item in cast("list[Any]", data)]
    if isinstance(data, dict):
        return {key: _rounded(item) for key, item in cast("dict[str, Any]", data).items()}
    return data


# ---------------------------------------------------------------------------------------- the short way

_MAX_DEPTH = 20


def _write(value: object, depth: int) -> str:
    writer = _WRITERS.get(type(value))
    if writer is None or depth > _MAX_DEPTH:
        raise _Uncommon
    return writer(value, depth)


def _text(value: str, _depth: int) -> str:
    if not value.isascii():
        raise _Uncommon
    return encode_basestring_ascii(value)


def _integer(value: int, _depth: int) -> str:
    if not -_MAX_JSON_INTEGER <= value <= _MAX_JSON_INTEGER:
        raise _Uncommon
    return repr(value)


def _float(value: float, _depth: int) -> str:
    if not math.isfinite(value):
        raise _Uncommon
    return repr(float(format(value, _DIGITS)))


def _list(value: list[Any], depth: int) -> str:
    return f"[{','.join([_write(item, depth + 1) for item in value])}]"


def _dict(value: dict[Any, Any], depth: int) -> str:
    if any(type(key) is not str or key.startswith("$") for key in value):
        raise _Uncommon
    return f"{{{','.join([f'{_text(key, 0)}:{_write(value[key], depth + 1)}' for key in sorted(value)])}}}"


_WRITERS: dict[type, Callable[[Any, int], str]] = {
    str: _text,
    int: _integer,
    float: _float,
    bool: lambda value, _: "true" if value else "false",
    type(None): lambda _, __: "null",
    Symbol: lambda symbol, depth: f'{{"$symbol":{_text(symbol.text, depth)}}}',
    list: _list,
    dict: _dict,
}
