"""Expressions (language.md §2.5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from agentl_grammar.tree.node import Name, Node, Path, Row


@dataclass(frozen=True, slots=True)
class NumberLiteral(Node):
    """A number, percent (value / 100) or duration (value in seconds); `text` is the source, `-` included."""

    value: int | float
    unit: Literal["number", "percent", "duration"]
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class StringLiteral(Node):
    """A quoted text, escapes resolved (§1.7)."""

    value: str


@dataclass(frozen=True, slots=True)
class DatetimeLiteral(Node):
    """A date or date and time (§1.6); the value is the text."""

    text: str


@dataclass(frozen=True, slots=True)
class SharedPath(Node):
    """`SHARED.key…` in an expression; `segments` leave SHARED out."""

    segments: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class ListExpression(Node):
    """`[a, b]`."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Argument(Node):
    """One argument of a call; `name` is None when positional."""

    name: Name | None
    value: Expression


@dataclass(frozen=True, slots=True)
class FunctionCall(Node):
    """`f(x)` in an expression; CONFIDENCE is a one-segment path here."""

    function: Path
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """`NOT x` or `-x`; `operator.text` is `NOT` or `-`."""

    operator: Name
    operand: Expression


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Binary(Row):
    """`operator.text` is one of OR AND == != > >= < <= IN + - * /."""

    operator: Name
    left: Expression
    right: Expression

    def rest(self) -> Binary | None:
        """Return the left side when it is an operation, too."""
        return self.left if isinstance(self.left, Binary) else None

    def own(self) -> tuple[object, ...]:
        """Return the operator and its right side; of the last, the left side as well."""
        left = None if isinstance(self.left, Binary) else self.left
        return self.operator, left, self.right


Expression = (
    NumberLiteral
    | StringLiteral
    | DatetimeLiteral
    | Path
    | SharedPath
    | ListExpression
    | FunctionCall
    | Unary
    | Binary
)
