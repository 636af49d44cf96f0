"""The fields of PRODUCE: types, domains and defaults of what a model answers (language.md §2.4, §5.12)."""

from __future__ import annotations

import math
from collections.abc import Callable

from agentl.values import UNDEFINED, Symbol, Value, as_number, equal, is_finite_number, text_of
from agentl_grammar.printer import print_node
from agentl_grammar.tree import Name, NumberLiteral, ProduceField, StringLiteral

_NUMERIC = frozenset({"number", "float", "int"})
_ENDS_OF_INTERVAL = 2
_TRUE = frozenset({"true", "yes", "on", "1", "oui", "vrai"})
_FALSE = frozenset({"false", "no", "off", "0", "non", "faux", "none", "null", ""})


def describe(field: ProduceField) -> str:
    """Return the text by which a model is told of a field: `Symbol IN [a, b] DEFAULT b`."""
    text = "Any" if field.type is None else field.type.text
    if field.domain is not None:
        text += f" IN [{', '.join(_item_text(item) for item in field.domain.items)}]"
    return text if field.default is None else f"{text} DEFAULT {print_node(field.default)}"


def _item_text(item: NumberLiteral | StringLiteral | Name) -> str:
    return print_node(item) if isinstance(item, StringLiteral) else item.text


def _number(value: Value) -> Value:
    if isinstance(value, bool):
        return UNDEFINED
    number = as_number(str(value) if isinstance(value, Symbol) else value)
    return number if number is not None and math.isfinite(number) else UNDEFINED


def _integer(value: Value) -> Value:
    number = _number(value)
    return number if number is UNDEFINED else int(number)


def _boolean(value: Value) -> Value:
    word = text_of(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else UNDEFINED


def _text(value: Value) -> Value:
    return str(value) if isinstance(value, str | Symbol) else text_of(value)


_TYPES: dict[str, Callable[[Value], Value]] = {
    "number": _number,
    "float": _number,
    "int": _integer,
    "bool": _boolean,
    "boolean": _boolean,
    "string": _text,
    "symbol": lambda value: Symbol(text_of(value)),
}


def is_answer(field: ProduceField, value: Value) -> bool:
    """Tell whether `value` has the shape of an answer to `field`; what has not is missing, as silence is.

    Nothing and a number that is none never have it, a list or dict only where neither type nor domain ask for
    a single value.
    """
    if value is None or value is UNDEFINED or (isinstance(value, float) and not math.isfinite(value)):
        return False
    if isinstance(value, list | tuple | dict):
        return field.domain is None and (field.type is None or field.type.text.lower() not in _TYPES)
    return True


def _as_declared(field: ProduceField, value: Value) -> Value:
    """Return `value` as the type of the field has it; UNDEFINED when it cannot be read so."""
    if not is_answer(field, value):
        return UNDEFINED
    convert = None if field.type is None else _TYPES.get(field.type.text.lower())
    return value if convert is None else convert(value)


def fit(field: ProduceField, answer: Value, default: Value, *, answered: bool) -> tuple[Value, bool]:
    """Return the value of a field, and whether its domain changed what was answered, or the DEFAULT.

    Nothing is invented: without an answer the DEFAULT counts, and without one the field is UNDEFINED. An
    answer that cannot be read makes way for a DEFAULT inside the domain, and for no other.
    """
    fallback = _as_declared(field, default)
    value = _as_declared(field, answer) if answered else fallback
    bounds = interval_of(field)
    if value is UNDEFINED:
        outside = bounds is not None and fallback is not UNDEFINED and not bounds[0] <= fallback <= bounds[1]
        return (UNDEFINED if outside else fallback), False
    if bounds is not None:
        return _into_interval(value, bounds, fallback)
    return _into_set(field, answer if answered else default, value, fallback)


def interval_of(field: ProduceField) -> tuple[float, float] | None:
    """Return the ends of a domain that is an interval: of a numeric type, exactly two numbers."""
    if field.domain is None or not _is_numeric(field):
        return None
    ends = [item.value for item in field.domain.items if isinstance(item, NumberLiteral)]
    if len(ends) != _ENDS_OF_INTERVAL or len(field.domain.items) != _ENDS_OF_INTERVAL:
        return None
    return min(ends), max(ends)


def _is_numeric(field: ProduceField) -> bool:
    return field.type is not None and field.type.text.lower() in _NUMERIC


def _into_interval(value: Value, bounds: tuple[float, float], fallback: Value) -> tuple[Value, bool]:
    low, high = bounds
    if low <= value <= high:
        return value, False
    if fallback is not UNDEFINED and low <= fallback <= high:
        return fallback, True
    return type(value)(min(max(value, low), high)), True


def _into_set(field: ProduceField, given: Value, value: Value, fallback: Value) -> tuple[Value, bool]:
    """Return the listed value that an answer names, as `given` or as the `value` of the type of the field.

    Outside the set the DEFAULT counts, else the last one listed: of an answer that is of the kind that is
    listed. Any other chooses nothing.
    """
    listed = listed_values(field)
    if not listed:
        return value, False
    for item in listed:
        if equal(item, given) or equal(item, value) or text_of(item) == text_of(value):
            return item, False
    if fallback is UNDEFINED:
        of_their_kind = isinstance(given, str | Symbol) or (is_finite_number(given) and _is_numeric(field))
        return (listed[-1] if of_their_kind else UNDEFINED), True
    return fallback, not equal(fallback, value)


def listed_values(field: ProduceField) -> list[Value]:
    """Return the values of a domain that is a set, as the type of the field has them."""
    items = () if field.domain is None else field.domain.items
    return [_item_value(field, item) for item in items]


def _item_value(field: ProduceField, item: NumberLiteral | StringLiteral | Name) -> Value:
    if isinstance(item, Name):
        return (
            item.text if field.type is not None and field.type.text.lower() == "string" else Symbol(item.text)
        )
    value = _as_declared(field, item.value)
    return item.value if value is UNDEFINED else value
