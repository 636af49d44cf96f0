"""Guards of a POLICY and of REQUIRES: true, false or unknown, never a guess (language.md §5.7)."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from agentl.expressions import COMPARISONS, EvaluationError, Reader, compare, evaluate, is_comparable
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
        self.met_unknown = self.met_unknown or value is UNDEFINED
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


def judge(guard: Expression, recorder: Recorder) -> Truth:
    """Return the truth of `guard`. Both sides of AND and OR are always evaluated; nothing is raised."""
    if isinstance(guard, Unary) and guard.operator.text == "NOT":
        return Truth(2 - judge(guard.operand, recorder).value)
    if isinstance(guard, Binary) and guard.operator.text in {"AND", "OR"}:
        sides = judge(guard.left, recorder).value, judge(guard.right, recorder).value
        return Truth(min(sides) if guard.operator.text == "AND" else max(sides))
    return _leaf(guard, recorder.leaf())


def _leaf(leaf: Expression, recorder: Recorder) -> Truth:
    try:
        if isinstance(leaf, Binary) and leaf.operator.text in COMPARISONS:
            value: Value = _comparison(leaf, recorder)
        else:
            value = evaluate(leaf, recorder)
    except EvaluationError:
        return Truth.UNKNOWN
    if value is UNDEFINED or recorder.met_unknown:
        return Truth.UNKNOWN
    return Truth.TRUE if truth(value) else Truth.FALSE


def _comparison(comparison: Binary, recorder: Recorder) -> Value:
    name = comparison.operator.text
    left, right = _operand(comparison.left, recorder), _operand(comparison.right, recorder)
    if left is UNDEFINED or right is UNDEFINED:
        return UNDEFINED
    if not is_comparable(name, left, right):
        return UNDEFINED
    return compare(name, left, right, strict=True)


def _operand(operand: Expression, recorder: Recorder) -> Value:
    """Return the value of an operand; a condition that is itself unknown has none."""
    if isinstance(operand, Unary | Binary) and operand.operator.text in {"NOT", "AND", "OR", *COMPARISONS}:
        side = judge(operand, recorder)
        return UNDEFINED if side is Truth.UNKNOWN else side is Truth.TRUE
    return evaluate(operand, recorder)
