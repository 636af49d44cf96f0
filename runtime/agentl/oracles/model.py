"""What a model must offer, and what it may (language.md §8.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Model(Protocol):
    """A model. Each method may return an awaitable of what it returns.

    It may also have
    - `judge(task, context, questions)`: a dict of {value, p, confidence} for each field of `questions`
      (kind, instructions, criteria or levels, schema, abstain_below); without it, `reason` is asked;
    - `last_reason_missing`: the fields of the last answer of `reason` that are missing, or None;
    - `last_usage`: the `Usage` of the last call, or None.
    """

    def reason(self, task: str, context: dict[str, Any], schema: dict[str, str]) -> Any:
        """Return a dict with a value for each field of `schema`."""
        ...

    def select_plan(self, context: dict[str, Any], candidates: Sequence[str]) -> Any:
        """Return one of `candidates`, or None for none of them."""
        ...


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call took: requests to the provider, tokens in and out over all of them.

    `cost` is in US dollars; None when the price is not known.
    """

    model: str
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


Questions = Mapping[str, Mapping[str, Any]]
"""The questions of a JUDGE, by field."""
