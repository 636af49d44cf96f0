"""Guards of a POLICY and of REQUIRES: true, false or unknown, never a guess (language.md §5.7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Protocol, TypeAlias

from agentl.expressions import COMPARISONS, EvaluationError, Reader, compare, evaluator, is_comparable
from agentl.provenance import Label, as_symbols
from agentl.values import UNDEFINED, Value, truth
from agentl_grammar.tree import Binary, Expression, Unary

_ORIGIN = "ORIGIN({})"
"""Under this name a recorder keeps the sources of a path."""


def is_origin(read: str) -> bool:
    """Tell whether one of `Recorder.reads` is no path, but the sources of one."""
    return read.startswith("ORIGIN(")


class Truth(Enum):
    """A value of strong Kleene logic, in the order of truth."""

    FALSE = 0
    UNKNOWN = 1
    TRUE = 2


class GuardReader(Reader, Protocol):
    """What a guard reads the state through."""

    def bound_to_undefined(self, path: str) -> bool:
        """Tell whether `path` was bound to UNDEFINED: by a silent oracle, or as an argument without value."""
        ...


class Recorder:
    """A reader that keeps every path read with its value, and whether one of them had none.

    `reads` maps a path to its value (UNDEFINED when it had none), in the order of the first read. An
    unresolved single word is a constant and is no read.
    """

    __slots__ = ("_reader", "met_unknown", "reads")
    is_guard = True

    def __init__(self, reader: GuardReader, reads: dict[str, Value] | None = None) -> None:
        self._reader = reader
        self.reads: dict[str, Value] = {} if reads is None else reads
        self.met_unknown = False

    def read(self, path: str) -> Value:
        """Return the value of `path`.

        One bound to UNDEFINED has none, even if a belief of that name exists.
        """
        bound = self._reader.bound_to_undefined(path)
        value = UNDEFINED if bound else self._reader.read(path)
        if value is UNDEFINED and not bound and "." not in path:
            return value
        if value is UNDEFINED:
            self.met_unknown = True
        self.reads[path] = value
        return value

    def confidence(self, path: str) -> float | None:
        """Return the confidence of the belief `path`; a missing belief is an unknown read."""
        confidence = self._reader.confidence(path)
        self.met_unknown = self.met_unknown or confidence is None
        self.reads[f"{path}.confidence"] = UNDEFINED if confidence is None else confidence
        return confidence

    def label(self, path: str) -> Label:
        """Return where the value of `path` comes from; kept under `ORIGIN(path)`."""
        label = self._reader.label(path)
        self.reads[_ORIGIN.format(path)] = as_symbols(label)
        return label

    def action_label(self) -> Label | None:
        """Return the sources of the action; kept under `ORIGIN(action)`."""
        label = self._reader.action_label()
        if label is not None:
            self.reads[_ORIGIN.format("action")] = as_symbols(label)
        return label

    def attested(self, value: Value, tool: str | None) -> bool:
        """Tell whether `tool`, or any tool when None, has accepted a value equal to `value`."""
        return self._reader.attested(value, tool)

    def note_unknown(self) -> None:
        """Take note that a part of the expression cannot be told."""
        self.met_unknown = True

    def leaf(self) -> Recorder:
        """Return a recorder of one leaf: the same `reads`, nothing unknown met yet."""
        return Recorder(self._reader, self.reads)


Guard: TypeAlias = Callable[[Recorder], Truth]
"""A condition, ready to be judged. Nothing is raised."""
_CONNECTIVES: Mapping[str, Callable[[int, int], int]] = {"AND": min, "OR": max}
_CONDITIONS = frozenset({"NOT", *_CONNECTIVES, *COMPARISONS})


def judge(condition: Expression, recorder: Recorder) -> Truth:
    """Return the truth of `condition`. Both sides of AND and OR are always evaluated; nothing is raised."""
    return guard_of(condition)(recorder)


def guard_of(condition: Expression) -> Guard:
    """Return what judges `condition`, as `judge` does: whoever asks with every action keeps it."""
    if isinstance(condition, Unary) and condition.operator.text == "NOT":
        operand = guard_of(condition.operand)
        return lambda recorder: Truth(2 - operand(recorder).value)
    if isinstance(condition, Binary) and condition.operator.text in _CONNECTIVES:
        return _connected(condition)
    return _leaf(condition)


def _connected(condition: Expression) -> Guard:
    # A row of hundreds of terms stands on its left side: in a loop it needs no stack.
    sides: list[tuple[Callable[[int, int], int], Guard]] = []
    while isinstance(condition, Binary) and condition.operator.text in _CONNECTIVES:
        sides.append((_CONNECTIVES[condition.operator.text], guard_of(condition.right)))
        condition = condition.left
    first = guard_of(condition)
    sides.reverse()

    def judged(recorder: Recorder) -> Truth:
        truth_so_far = first(recorder).value
        for choose, side in sides:
            truth_so_far = choose(truth_so_far, side(recorder).value)
        return Truth(truth_so_far)

    return judged


def _leaf(leaf: Expression) -> Guard:
    if isinstance(leaf, Binary) and leaf.operator.text in COMPARISONS:
        valued = _comparison(leaf)
    else:
        valued = evaluator(leaf)

    def judged(recorder: Recorder) -> Truth:
        own = recorder.leaf()
        try:
            value = valued(own)
        except EvaluationError:
            return Truth.UNKNOWN
        if value is UNDEFINED or own.met_unknown:
            return Truth.UNKNOWN
        return Truth.TRUE if truth(value) else Truth.FALSE

    return judged


def _comparison(comparison: Binary) -> Callable[[Recorder], Value]:
    name = comparison.operator.text
    left, right = _operand(comparison.left), _operand(comparison.right)

    def compared(recorder: Recorder) -> Value:
        one, other = left(recorder), right(recorder)
        if one is UNDEFINED or other is UNDEFINED or not is_comparable(name, one, other):
            return UNDEFINED
        return compare(name, one, other, strict=True)

    return compared


def _operand(operand: Expression) -> Callable[[Recorder], Value]:
    """Return what gives the value of an operand; a condition that is itself unknown has none."""
    if not isinstance(operand, Unary | Binary) or operand.operator.text not in _CONDITIONS:
        return evaluator(operand)
    guard = guard_of(operand)

    def told(recorder: Recorder) -> Value:
        side = guard(recorder)
        return UNDEFINED if side is Truth.UNKNOWN else side is Truth.TRUE

    return told
