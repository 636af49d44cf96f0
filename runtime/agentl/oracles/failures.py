"""How a question to a provider may end without an answer that fits (language.md §8.3)."""

from __future__ import annotations

from typing import Any


class ModelFailure(Exception):  # noqa: N818  # what a trace and a journal call it
    """The model gave no answer. The message holds no key and no address."""


class Unfit(Exception):  # noqa: N818  # an answer, not an error of ours
    """An answer that does not fit. `problem` tells the model why; `fields` is what it did say."""

    def __init__(self, problem: str, fields: dict[str, Any] | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.fields = fields or {}


class Refused(Exception):  # noqa: N818  # what came back, not an error of ours
    """Asking again would not help."""


class Transient(Exception):  # noqa: N818  # what came back, not an error of ours
    """It may pass. `retry_after` is the delay in seconds that the provider asks for, if it does."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
