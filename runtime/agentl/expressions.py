"""Evaluation of expressions, ordinary and strict (language.md §3.2 to §3.7)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeAlias, cast

from agentl.labelling import EPISTEMIC, PROVENANCE
from agentl.provenance import Label, as_symbols, is_model_made, is_untrusted
from agentl.values import (
    UNDEFINED,
    Datetime,
    Symbol,
    Value,
    as_number,
    contains,
    equal,
    order_keys,
    show,
    truth,
)
from agentl_grammar.tree import (
    Argument,
    Binary,
    DatetimeLiteral,
    Expression,
    FunctionCall,
    ListExpression,
    NumberLiteral,
    Path,
    SharedPath,
    StringLiteral,
    Unary,
)


class EvaluationError(Exception):
    """An expression has no value. `code` and `subject` say why, in words that no Python release changes."""

    def __init__(self, code: str, subject: str = "") -> None:
        super().__init__(f"{code} {subject}".strip())
        self.code = code
        self.subject = subject


class Reader(Protocol):
    """What an expression reads the state through."""

    def read(self, path: str) -> Value:
        """Return the value of `path`, UNDEFINED when nothing answers to it (language.md §3.8)."""
        ...

    def confidence(self, path: str) -> float | None:
        """Return the confidence of the belief `path`; None when there is no such belief."""
        ...

    def label(self, path: str) -> Label:
        """Return where the value of `path` comes from (language.md §6.4)."""
        ...

    def action_label(self) -> Label | None:
        """Return the sources of the action that is decided on; None outside a guard of a POLICY."""
        ...

    def attested(self, value: Value, tool: str | None) -> bool:
        """Tell whether `tool`, or any tool when None, has accepted a value equal to `value`."""
        ...

    @property
    def is_guard(self) -> bool:
        """Whether what cannot be told makes the whole unknown: `note_unknown` is worth the looking."""
        ...

    def note_unknown(self) -> None:
        """Hear that a part of the expression cannot be told, although an ordinary condition goes on."""
        ...


ORDERINGS: dict[str, Callable[[Value, Value], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
COMPARISONS = frozenset({"==", "!=", "IN", *ORDERINGS})
ACTION = "action"
_LEAST_DIGITS = -1000
"""Python works out 10 to the power of the digits that are rounded away, however many they are."""


def _rounded(value: Any, digits: int | None = None) -> Value:
    if digits is not None and digits < _LEAST_DIGITS:
        raise ValueError(digits)
    return round(value, digits)


_PURE: dict[str, Callable[..., Value]] = {"abs": abs, "min": min, "max": max, "round": _rounded}


Evaluator: TypeAlias = Callable[[Reader], Value]
"""An expression, ready to be asked for its value. Raises EvaluationError."""
_Continued: TypeAlias = Callable[[Value, Reader], Value]
"""An operator and its right side: what the left side has been worked out to goes in."""


def evaluate(expression: Expression, reader: Reader, *, strict: bool = False) -> Value:
    """Return the value of `expression`. `strict` is the mode of VERIFY (language.md §3.4 rule 2).

    Raises EvaluationError for arithmetic on what is no number, and for functions that cannot take their
    argument.
    """
    return evaluator(expression, strict=strict)(reader)


def evaluator(expression: Expression, *, strict: bool = False) -> Evaluator:  # noqa: PLR0911  # one line a kind of node
    """Return what gives the value of `expression`, as `evaluate` does: whoever asks every tick keeps it."""
    match expression:
        case Path():
            return _path(expression)
        case NumberLiteral() | StringLiteral():
            return _constant(expression.value)
        case Binary():
            return _binary(expression, strict=strict)
        case Unary():
            return _unary(expression, strict=strict)
        case DatetimeLiteral():
            return _constant(Datetime(expression.text))
        case ListExpression():
            items = [evaluator(item, strict=strict) for item in expression.items]
            return lambda reader: [item(reader) for item in items]
        case FunctionCall():
            return _call(expression, strict=strict)
        case SharedPath():
            text = shared_text(expression)
            return lambda reader: reader.read(text)


def shared_text(path: SharedPath) -> str:
    """Return the dotted text of a SHARED path, as a reader takes it."""
    return ".".join(("SHARED", *(segment.text for segment in path.segments)))


def _constant(value: Value) -> Evaluator:
    return lambda _: value


def _path(path: Path) -> Evaluator:
    text = path.text
    if len(path.segments) > 1:
        return lambda reader: reader.read(text)
    symbol = Symbol(text)

    def word(reader: Reader) -> Value:
        value = reader.read(text)
        return symbol if value is UNDEFINED else value

    return word


def _unary(expression: Unary, *, strict: bool) -> Evaluator:
    operand = evaluator(expression.operand, strict=strict)
    if expression.operator.text == "NOT":
        return lambda reader: not truth(operand(reader))
    return lambda reader: -_number(operand(reader))


def _binary(expression: Binary, *, strict: bool) -> Evaluator:
    # A row of hundreds of terms stands on its left side: in a loop it needs no stack.
    row = list(expression.row())[::-1]
    first = evaluator(row[0].left, strict=strict)
    steps = [_continued(each, strict=strict) for each in row]
    if len(steps) == 1:
        only = steps[0]
        return lambda reader: only(first(reader), reader)

    def joined(reader: Reader) -> Value:
        value = first(reader)
        for step in steps:
            value = step(value, reader)
        return value

    return joined


def _continued(expression: Binary, *, strict: bool) -> _Continued:
    name, right = expression.operator.text, evaluator(expression.right, strict=strict)
    if name == "AND":
        return lambda left, reader: truth(left) and truth(right(reader))
    if name == "OR":
        return lambda left, reader: truth(left) or truth(right(reader))
    if name not in COMPARISONS:
        return lambda left, reader: _arithmetic(name, left, right(reader))

    def compared(left: Value, reader: Reader) -> Value:
        other = right(reader)
        if reader.is_guard and not is_comparable(name, left, other):
            reader.note_unknown()
        return compare(name, left, other, strict=strict)

    return compared


def is_comparable(name: str, left: Value, right: Value) -> bool:
    """Tell whether the comparison `name` can be told of two values: in a guard it is unknown else (§5.7)."""
    if name == "IN":
        return contains(right, left) is not None
    if name not in ORDERINGS:
        return True
    keys = order_keys(left, right)
    return keys is not None and all(map(_is_told, keys))


def _is_told(value: Value) -> bool:
    """Tell whether `value` is, and holds, no number beyond the finite."""
    if isinstance(value, list | tuple):
        return all(map(_is_told, cast("Iterable[Value]", value)))
    return not isinstance(value, float) or math.isfinite(value)


def compare(name: str, left: Value, right: Value, *, strict: bool) -> bool:
    """Return what the comparison `name` says of two values (language.md §3.4)."""
    if name == "IN":
        return bool(contains(right, left))
    if name in ORDERINGS:
        keys = order_keys(left, right)
        return keys is not None and ORDERINGS[name](*keys)
    missing = (left is UNDEFINED) + (right is UNDEFINED)
    if missing:
        return name == "!=" and missing == 1 and not strict
    return equal(left, right) is (name == "==")


def _number(value: Value) -> float:
    number = as_number(value)
    if number is None:
        told = value if isinstance(value, str | Symbol) else show(value, limit=None)
        raise EvaluationError("not_a_number", str(told))
    return number


def _arithmetic(name: str, left: Value, right: Value) -> float:
    first, second = _number(left), _number(right)
    if name == "/":
        return first / second if second else math.inf
    return first + second if name == "+" else first - second if name == "-" else first * second


def _call(call: FunctionCall, *, strict: bool) -> Evaluator:
    name = call.function.text
    positional = [argument for argument in call.arguments if argument.name is None]
    if name in EPISTEMIC:
        return lambda reader: _epistemic(name, positional, reader)
    if name in PROVENANCE:
        return lambda reader: _provenance(name, positional, reader)
    arguments = [evaluator(argument.value, strict=strict) for argument in positional]
    return lambda reader: _function(name, [argument(reader) for argument in arguments], reader)


def _function(name: str, values: list[Value], reader: Reader) -> Value:
    if name == "len" and len(values) == 1:
        return _length(values[0], reader)
    if name not in _PURE:
        raise EvaluationError("no_such_function", name)
    if reader.is_guard and not _is_told(values):
        reader.note_unknown()
    try:
        return _PURE[name](*values)
    except Exception as error:
        raise EvaluationError("cannot_compute", name) from error


def _length(value: Value, reader: Reader) -> int:
    if isinstance(value, str | list | dict | tuple):
        return len(value)  # pyright: ignore[reportUnknownArgumentType]
    reader.note_unknown()
    return 0


def _path_argument(name: str, arguments: list[Argument], count: int = 1) -> str:
    """Return the path that a function is asked about: its first argument, of at most `count`."""
    if not 1 <= len(arguments) <= count or not isinstance(arguments[0].value, Path | SharedPath):
        raise EvaluationError("needs_a_path", name)
    path = arguments[0].value
    return shared_text(path) if isinstance(path, SharedPath) else path.text


def _epistemic(name: str, arguments: list[Argument], reader: Reader) -> float:
    path = _path_argument(name, arguments)
    if name in {"CONFIDENCE", "UNCERTAINTY"}:
        confidence = reader.confidence(path) or 0.0
        return confidence if name == "CONFIDENCE" else 1.0 - confidence
    posterior = as_number(reader.read(f"{path}.posterior"))
    if posterior is None:
        reader.note_unknown()
        return 0.0
    return posterior


def _provenance(name: str, arguments: list[Argument], reader: Reader) -> Value:
    path = _path_argument(name, arguments, 2 if name == "ATTESTED" else 1)
    if path == ACTION:
        return _of_action(name, reader)
    value = reader.read(path)
    if value is UNDEFINED:
        if "." in path:
            return UNDEFINED
        value = Symbol(path)
    if name == "ATTESTED":
        return reader.attested(value, _attesting_tool(arguments))
    return _said_of(name, reader.label(path))


def _of_action(name: str, reader: Reader) -> Value:
    label = reader.action_label()
    if label is None or name == "ATTESTED":
        raise EvaluationError("no_action_here", name)
    return _said_of(name, label)


def _said_of(name: str, label: Label) -> Value:
    if name == "ORIGIN":
        return as_symbols(label)
    if name == "LLM_DERIVED":
        return is_model_made(label)
    return is_untrusted(label) is (name == "UNTRUSTED")


def _attesting_tool(arguments: list[Argument]) -> str | None:
    """Return the tool that ATTESTED names; it is a name, not a value."""
    if len(arguments) == 1:
        return None
    tool = arguments[1].value
    if not isinstance(tool, Path | StringLiteral):
        raise EvaluationError("needs_a_tool", "ATTESTED")
    return tool.text if isinstance(tool, Path) else tool.value
