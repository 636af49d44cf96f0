"""What is known at a place of a function that is gone through without being run."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

from agentl.review.host_code import Callable

_MOST_STATES = 48
"""Of more ways that lead to one place the values of names are forgotten."""


class Rough(Enum):
    """A value of which no more is known than this; SOMETHING is true, and not None."""

    UNKNOWN = "unknown"
    SOMETHING = "something"


class Known(NamedTuple):
    """A value that the text says: None, a truth value, a number, a text; `()` for anything empty."""

    value: object


class NotExecuted(NamedTuple):
    """NOT_EXECUTED; once a function returns it: by which expression, and whether in an `except` block.

    `statement` is set when the return statement holds no more than that.
    """

    node: ast.expr | None = None
    statement: ast.Return | None = None
    in_except: bool = False


class Several(NamedTuple):
    """A tuple that is written out."""

    items: tuple[Value, ...]


class Closure(NamedTuple):
    """A function of the file, with what the functions around it know."""

    function: Callable
    names: frozenset[tuple[str, Value]] = frozenset()


Value = Rough | Known | NotExecuted | Several | Closure


class Failure(NamedTuple):
    """A question that failed, by its `try` or `with`, or by the call that handed its failure over.

    `again`: its loop does not run out before it is answered, but raises when the last attempt fails.
    """

    question: ast.AST
    again: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """What is known on one way to a place.

    `asked`: somebody was asked. `failures`: what failed, and was not answered since. `default`: the answer
    may be any but those that were named. `names`: the values of names.
    """

    asked: bool = False
    failures: frozenset[Failure] = frozenset()
    default: bool = False
    names: frozenset[tuple[str, Value]] = field(default=frozenset())

    def value(self, name: str) -> Value | None:
        """Return the value of a name; None when the function does not set it."""
        return next((value for known, value in self.names if known == name), None)

    def bound(self, values: Iterable[tuple[str, Value]]) -> State:
        """Return the state behind giving names values."""
        given = dict(values)
        if not given:
            return self
        kept = (pair for pair in self.names if pair[0] not in given)
        return replace(self, names=frozenset([*kept, *given.items()]))

    def judged_as(self, other: State) -> State:
        """Return this state with what `other` knows of the answer."""
        return replace(self, failures=other.failures, default=other.default)

    def failed(self, question: ast.AST) -> State:
        """Return the state behind the failure of a question."""
        return replace(self, asked=True, failures=self.failures | {Failure(question)})

    def answered(self, question: ast.stmt | None = None) -> State:
        """Return the state behind an answer: to a question that failed before, or (None) to all of them."""
        left = (failure for failure in self.failures if question is not None)
        return replace(self, failures=frozenset(f for f in left if f.question is not question))


States = frozenset[State]


@dataclass(slots=True)
class Ends:
    """Where a block leads to: behind it, out of its loop (`broken`), to the next turn (`continued`)."""

    after: States
    broken: States = frozenset()
    continued: States = frozenset()

    def add(self, other: Ends) -> None:
        """Take the ends of another block to these."""
        self.after = bounded(self.after | other.after)
        self.jump(other)

    def jump(self, other: Ends) -> None:
        """Take only the jumps of another block to these."""
        self.broken = bounded(self.broken | other.broken)
        self.continued = bounded(self.continued | other.continued)


def bounded(states: States) -> States:
    """Return states with their names forgotten when there are too many."""
    if len(states) <= _MOST_STATES:
        return states
    return frozenset(replace(state, names=frozenset[tuple[str, Value]]()) for state in states)


def truth(value: Value) -> bool | None:
    """Return whether a value is true; None when it may be either."""
    match value:
        case Known(held):
            return bool(held)
        case Several(items):
            return bool(items)
        case Rough.UNKNOWN:
            return None
        case _:
            return True


def is_same(value: Value, other: Value) -> bool | None:
    """Return whether two values are equal; None when they may be or not."""
    if isinstance(value, Known) and isinstance(other, Known):
        return value == other
    if isinstance(value, NotExecuted) and isinstance(other, NotExecuted):
        return True
    if Rough.UNKNOWN in (value, other):
        return None
    rough, held = (value, other) if value is Rough.SOMETHING else (other, value)
    if rough is Rough.SOMETHING:
        return False if truth(held) is False else None
    return False
