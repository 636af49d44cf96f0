"""Text by which digests of states and events compare values (durability.md §6).

It is the codec's JSON with sorted keys and floats at 12 significant digits. Common kinds are written
directly, since a tick writes dozens of them; everything else goes through the codec, and both ways give the
same text.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any, cast

from agentl.codec import encode
from agentl.values import Symbol

_DIGITS = ".12g"
_MAX_JSON_INTEGER = 2**53


class _Uncommon(Exception):  # noqa: N818  # leaves the short way, it is no error
    """A value that only the codec knows how to write."""


def fingerprint(value: object) -> str:
    """Return text that is equal for equal values, and differs for others.

    That of a list is made of those of its items, so that one which grows is written on (`GrowingDigest`).
    """
    return f"[{','.join(map(text_of, value))}]" if type(value) is list else text_of(value)  # pyright: ignore[reportUnknownArgumentType]


def text_of(value: object) -> str:
    """Return the fingerprint of an item of a list, or of what is no list."""
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


class GrowingDigest:
    """The SHA-256 of a text around the fingerprint of a list to which items are added.

    It costs what was added since it was last asked, and is the one of the whole text. `before` is what stands
    before the list.
    """

    __slots__ = ("_begun", "_count")

    def __init__(self, before: str) -> None:
        self._begun = hashlib.sha256(f"{before}[".encode("ascii"))
        self._count = 0

    def digest(self, items: list[Any], after: str) -> bytes:
        """Return the digest of the text that ends in `after`; `items` begin with those of the last time."""
        if len(items) > self._count:
            added = ",".join(map(text_of, items[self._count :]))
            self._begun.update(f"{',' if self._count else ''}{added}".encode("ascii"))
            self._count = len(items)
        whole = self._begun.copy()
        whole.update(f"]{after}".encode("ascii"))
        return whole.digest()


# ---------------------------------------------------------------------------------------- the short way

_MAX_DEPTH = 20
_CACHED_TEXTS = 4096
_CACHED_LENGTH = 64


def _write(value: object, depth: int) -> str:
    writer = _WRITERS.get(type(value))
    if writer is None or depth > _MAX_DEPTH:
        raise _Uncommon
    return writer(value, depth)


def _text(value: str, _depth: int) -> str:
    return _short_text(value) if len(value) < _CACHED_LENGTH else _any_text(value)


def _any_text(value: str) -> str:
    if not value.isascii():
        raise _Uncommon
    return encode_basestring_ascii(value)


# names of paths, codes and keys come again every tick; whole values of a host would only fill the memory
_short_text = lru_cache(_CACHED_TEXTS)(_any_text)


@lru_cache(_CACHED_TEXTS)
def _key(key: str) -> str:
    if key.startswith("$"):
        raise _Uncommon
    return f"{_any_text(key)}:"


def _integer(value: int, _depth: int) -> str:
    if not -_MAX_JSON_INTEGER <= value <= _MAX_JSON_INTEGER:
        raise _Uncommon
    return repr(value)


def _float(value: float, _depth: int) -> str:
    if not math.isfinite(value):
        raise _Uncommon
    return repr(float(format(value, _DIGITS)))


def _list(value: list[Any], depth: int) -> str:
    depth += 1
    return f"[{','.join([_write(item, depth) for item in value])}]"


def _dict(value: dict[Any, Any], depth: int) -> str:
    for key in value:
        if type(key) is not str:
            raise _Uncommon
    depth += 1
    return f"{{{','.join([_key(key) + _write(value[key], depth) for key in sorted(value)])}}}"


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
