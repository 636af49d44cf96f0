"""Values ↔ JSON, the same in every driver (durability.md §5 "Values").

A value that is not plain JSON becomes an object with one key that begins with `$`:

    {"$symbol": "yes"}                  a symbol
    {"$undefined": true}                UNDEFINED
    {"$float": "nan"}                   nan, inf, -inf
    {"$int": "0x40000000000000"}        an integer beyond ±2^53
    {"$datetime": "2026-07-26T20:15:00"}, {"$date": "2026-07-26"}
    {"$literal": "2026-07-26T20:15"}    a datetime as a program writes it: its text
    {"$string": "7aCA"}                 a string with lone surrogates: base64 of its UTF-8
    {"$bytes": "AAE="}                  base64
    {"$tuple": [1, 2]}
    {"$dict": [[1, "a"], ["$b", 2]]}    keys that are not all plain strings, or one that begins with `$`
    {"$untrusted": "text"}              what the host marked as third-party data
    {"$secret": "BANK_TOKEN"}           a secret, by its name
    {"$unencodable": "socket"}          something happened, its value could not be kept

A set becomes a list in the order of its JSON, since its own order differs from process to process.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from json.encoder import encode_basestring_ascii
from typing import Any, TypeVar, cast

from agentl.secret import Secret
from agentl.values import UNDEFINED, Datetime, Symbol, Untrusted

_Kind = TypeVar("_Kind")
MAX_DEPTH = 100
"""Levels of nesting that are kept; what is deeper, or holds itself, is unencodable as a whole."""
MAX_NODES = 1_000_000
"""Values inside one value that are kept; it bounds what a few shared lists can unfold to."""
_MAX_JSON_INTEGER = 2**53
_FLAT = 64
"""Fields or items of what is copied without the detour through JSON: what tools take and answer has fewer."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class Undecodable(ValueError):  # noqa: N818  # the word the design uses
    """A JSON value that no encoder of ours wrote."""


class _TooLargeError(Exception):
    """The value is nested too deeply, or unfolds to too much."""


@dataclass(frozen=True, slots=True)
class Unencodable:
    """What stands for a value that could not be kept: the name of its type."""

    type_name: str

    def __str__(self) -> str:
        return f"<{self.type_name}>"


def encode(value: object) -> Any:
    """Return `value` as JSON-able data. Never raises: see `$unencodable`."""
    if (copy := _flat_copy(value)) is not None:
        return copy
    try:
        return _Encoder().encode(value, 0)
    except _TooLargeError:
        return _unencodable(value)


def encode_arguments(arguments: Mapping[str, object]) -> Any:
    """Return the arguments of an action as JSON-able data; done before the effect (durability.md §5)."""
    return encode(dict(arguments))


def decode(data: object) -> Any:
    """Return the value behind `data`, as `encode` made it. Raises Undecodable."""
    if (copy := _flat_copy(data)) is not None:
        return copy
    try:
        return _decode(data)
    except Undecodable:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise Undecodable(f"not a value of the codec: {type(error).__name__}") from error


def round_trip(value: object) -> Any:
    """Return `value` as a journal would give it back, so that a live run sees what a resumed one will see."""
    if _is_itself(value):
        return value
    copy = _flat_copy(value)
    return decode(encode(value)) if copy is None else copy


def recorded(value: object) -> tuple[Any, Any]:
    """Return `value` as JSON-able data, and as a journal gives that back: mostly `value` itself."""
    if (copy := _flat_copy(value)) is not None:
        return copy, value
    data = encode(value)
    return data, decode(data)


def _flat_copy(value: object) -> object:
    """Return a copy of a short record or list of what comes back as it is; None for all else."""
    if type(value) is dict:
        record = cast("dict[object, object]", value)
        if len(record) > _FLAT:
            return None
        for key, item in record.items():
            if not (type(key) is str and key.isascii() and key[:1] != "$" and _is_itself(item)):
                return None
        return dict(record)
    if type(value) is list:
        items = cast("list[object]", value)
        return list(items) if len(items) <= _FLAT and all(map(_is_itself, items)) else None
    return None


def _is_itself(value: object) -> bool:
    """Tell at once of the commonest readings that they come back as they are."""
    if type(value) is int:
        return -_MAX_JSON_INTEGER <= value <= _MAX_JSON_INTEGER
    if type(value) is float:
        return math.isfinite(value)
    if type(value) is str:
        return value.isascii()
    return type(value) is bool or value is None


def dump(data: object) -> str:
    """Return encoded data as one line of strict ASCII JSON, keys in the order they have."""
    return "".join(_DUMPED(data, 0))


def comparable(data: object) -> str:
    """Return encoded data as text that is equal for equal data, whatever the order of keys."""
    return "".join(_COMPARED(data, 0))


def same(left: object, right: object) -> bool:
    """Tell whether encoded data are equal, as their `comparable` texts are: `1`, `1.0` and `true` are not."""
    if type(left) is not type(right) or isinstance(left, float):
        return comparable(left) == comparable(right)
    if isinstance(left, dict):
        one, other = cast("dict[str, object]", left), cast("dict[str, object]", right)
        return one.keys() == other.keys() and all(same(item, other[key]) for key, item in one.items())
    if isinstance(left, list):
        ones, others = cast("list[object]", left), cast("list[object]", right)
        return len(ones) == len(others) and all(map(same, ones, others))
    return left == right


def load(line: bytes) -> Any:
    """Return the data of one line of strict ASCII JSON. Raises ValueError: for NaN and a repeated key too."""
    try:
        return _DECODER.decode(line.decode("ascii"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def load_text(text: str) -> Any:
    """Return the data of strict JSON that a person wrote: no repeated key, no number or text that is none.

    Raises ValueError.
    """
    try:
        data = _STRICT.decode(text)
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except UnicodeEncodeError as error:
        raise ValueError("a text holds half a character (a lone surrogate)") from error
    return data


def _finite(number: str) -> float:
    value = float(number)
    if math.isinf(value):
        raise ValueError(f"{number} is too large a number")
    return value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ValueError("a key is given twice")
    return data


_COMPACT = (",", ":")


def _encoder(*, sort_keys: bool) -> Callable[[object, int], Iterable[str]]:
    """Return what makes strict ASCII JSON, in pieces, at indent 0: `json` makes one anew for every call."""
    usual = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=_COMPACT, sort_keys=sort_keys)
    if (make := getattr(json.encoder, "c_make_encoder", None)) is None:
        return lambda data, _: usual.iterencode(data)
    return make(None, usual.default, encode_basestring_ascii, None, ":", ",", sort_keys, False, False)


_DUMPED = _encoder(sort_keys=False)
_COMPARED = _encoder(sort_keys=True)
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_unique)
_STRICT = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_unique)


# ------------------------------------------------------------------------------------------------ encoding


def _ascii(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _unencodable(value: object) -> dict[str, str]:
    name = value.type_name if isinstance(value, Unencodable) else type(value).__name__
    return {"$unencodable": _ascii(name)}


def _text(text: str) -> object:
    plain = str.__str__(text)
    if _SURROGATE.search(plain) is None:
        return plain
    return {"$string": base64.b64encode(plain.encode("utf-8", "surrogatepass")).decode("ascii")}


def _integer(number: int) -> object:
    plain = int(number)
    return plain if -_MAX_JSON_INTEGER <= plain <= _MAX_JSON_INTEGER else {"$int": hex(plain)}


def _float(number: float) -> object:
    plain = float(number)
    return plain if math.isfinite(plain) else {"$float": repr(plain)}


def _moment(moment: date) -> object:
    return {"$datetime" if isinstance(moment, datetime) else "$date": moment.isoformat()}


def _plain_key(key: object) -> bool:
    return isinstance(key, str) and not key.startswith("$") and _SURROGATE.search(key) is None


class _Encoder:
    """One encoding: it counts what it meets, so that a value which unfolds without end is given up."""

    def __init__(self) -> None:
        self._nodes = 0

    def encode(self, value: object, depth: int) -> object:
        self._nodes += 1
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:
            raise _TooLargeError
        if _is_itself(value):
            return value
        try:
            return self._encode_kind(value, depth)
        except _TooLargeError:
            raise
        except Exception:  # noqa: BLE001  # a subclass from a host may raise anything while it is read
            return _unencodable(value)

    def _encode_kind(self, value: object, depth: int) -> object:
        for kind, scalar in _SCALARS:
            if isinstance(value, kind):
                return scalar(value)
        for kind, container in _CONTAINERS:
            if isinstance(value, kind):
                return container(self, value, depth)
        return _unencodable(value)

    def items(self, values: Any, depth: int) -> list[object]:
        return [self.encode(item, depth + 1) for item in values]

    def pairs(self, value: Any, depth: int) -> object:
        held = cast("dict[object, object]", value)
        pairs = [(key, self.encode(item, depth + 1)) for key, item in held.items()]
        if all(_plain_key(key) for key, _ in pairs):
            return {str.__str__(key): item for key, item in pairs if isinstance(key, str)}
        return {"$dict": [[self.encode(key, depth + 1), item] for key, item in pairs]}


_SCALARS: tuple[tuple[type, Callable[[Any], object]], ...] = (
    (Datetime, lambda literal: {"$literal": _text(literal)}),
    (str, _text),
    (int, _integer),
    (float, _float),
    (Symbol, lambda symbol: {"$symbol": _text(symbol.text)}),
    (date, _moment),
    (Secret, lambda secret: {"$secret": _text(secret.name)}),
    (bytes, lambda data: {"$bytes": base64.b64encode(data).decode("ascii")}),
    (Unencodable, _unencodable),
    (type(UNDEFINED), lambda _: {"$undefined": True}),
)
_CONTAINERS: tuple[tuple[type, Callable[[_Encoder, Any, int], object]], ...] = (
    (dict, _Encoder.pairs),
    (list, _Encoder.items),
    (Untrusted, lambda encoder, mark, depth: {"$untrusted": encoder.encode(mark.value, depth + 1)}),
    (tuple, lambda encoder, value, depth: {"$tuple": encoder.items(value, depth)}),
    (set, lambda encoder, value, depth: sorted(encoder.items(value, depth), key=comparable)),
    (frozenset, lambda encoder, value, depth: sorted(encoder.items(value, depth), key=comparable)),
)


# ------------------------------------------------------------------------------------------------ decoding


def _decode(data: object) -> object:
    if data is None or isinstance(data, bool | int | float | str):
        return data
    if isinstance(data, list):
        return _decode_items(data)  # pyright: ignore[reportUnknownArgumentType]
    return _decode_object(cast("dict[Any, Any]", _of_type(data, dict)))


def _decode_items(items: Any) -> list[object]:
    return [_decode(item) for item in cast("list[Any]", _of_type(items, list))]


def _decode_object(data: dict[Any, Any]) -> object:
    tag = next((key for key in data if str(key).startswith("$")), None)
    if tag is None:
        return {key: _decode(item) for key, item in data.items()}
    if len(data) != 1 or tag not in _TAGS:
        raise Undecodable(f"unknown tag {tag}")
    return _TAGS[tag](data[tag])


def _of_type(data: object, kind: type[_Kind]) -> _Kind:
    if not isinstance(data, kind):
        raise Undecodable(f"{kind.__name__} expected")
    return data


def _binary(data: object) -> bytes:
    return base64.b64decode(_of_type(data, str), validate=True)


def _decode_float(data: object) -> float:
    if data not in {"nan", "inf", "-inf"}:
        raise Undecodable("not a number beyond the finite")
    return float(str(data))


def _decode_pairs(data: object) -> dict[object, object]:
    return {_decode(key): _decode(item) for key, item in cast("list[Any]", _of_type(data, list))}


def _decode_symbol(data: object) -> Symbol:
    return Symbol(_of_type(_decode(data), str))


def _decode_undefined(data: object) -> object:
    if data is not True:
        raise Undecodable("$undefined holds true")
    return UNDEFINED


_TAGS: Mapping[object, Callable[[object], object]] = {
    "$symbol": _decode_symbol,
    "$undefined": _decode_undefined,
    "$float": _decode_float,
    "$int": lambda data: int(_of_type(data, str), 16),
    "$datetime": lambda data: datetime.fromisoformat(_of_type(data, str)),
    "$literal": lambda data: Datetime(_of_type(_decode(data), str)),
    "$date": lambda data: date.fromisoformat(_of_type(data, str)),
    "$string": lambda data: _binary(data).decode("utf-8", "surrogatepass"),
    "$bytes": _binary,
    "$tuple": lambda data: tuple(_decode_items(data)),
    "$dict": _decode_pairs,
    "$untrusted": lambda data: Untrusted(_decode(data)),
    "$secret": lambda data: Secret(_of_type(_decode(data), str)),
    "$unencodable": lambda data: Unencodable(_of_type(data, str)),
}
