"""What a model must offer (language.md §8.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Model(Protocol):
    """A model.

    It may also have `last_reason_missing`: the fields of the last answer that are missing, or None.
    """

    def reason(self, task: str, context: dict[str, Any], schema: dict[str, str]) -> Any:
        """Return a dict with a value for each field of `schema`, or an awaitable of it."""
        ...

    def select_plan(self, context: dict[str, Any], candidates: Sequence[str]) -> Any:
        """Return one of `candidates`, None for none of them, or an awaitable of it."""
        ...
