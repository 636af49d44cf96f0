"""The words that interpreter, host and journal have in common.

They stand by themselves, so that who reads a journal loads neither of the other two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

ActionKind: TypeAlias = Literal["invoke", "delegate", "compensate"]
"""What an action does: call a tool, hand something to a sub-agent, undo an action."""
Promise: TypeAlias = Literal["idempotent", "reconcilable", "none"]
"""What a host says of a tool (durability.md §3)."""
OperatorHow: TypeAlias = Literal["operator_happened", "operator_not", "operator_resend"]
"""What an operator can say of an action that nobody else can settle (durability.md §3)."""
How: TypeAlias = Literal["retry", "not_executed", "reconciled", "in_doubt"] | OperatorHow
"""What became of an attempt that gave no result (durability.md §3)."""
PLACEHOLDER = "[redacted]"
"""What stands for a value that is not shown."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception as data (durability.md §5): no paths, no addresses, no line numbers."""

    class_name: str
    message: str
    code: str | None = None
