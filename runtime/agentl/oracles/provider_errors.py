"""What may go wrong between us and a provider: what passes, what stays, and what of it is told."""

from __future__ import annotations

import os
from collections.abc import Callable

from pydantic_ai.exceptions import (
    ModelConnectionError,
    ModelHTTPError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    UserError,
)
from tenacity import RetryCallState, wait_exponential_jitter

from agentl.oracles.failures import Refused, Transient
from agentl.oracles.limits import Limits

_PASSING = frozenset({408, 425, 429, 529})
_SERVER_ERROR = 500
_KEY_REFUSED = frozenset({401, 403})
_LONGEST_MESSAGE = 300
_SHORTEST_KEY = 6
_KEY_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")


def translated(error: Exception) -> Refused | Transient:
    """Return an exception of pydantic-ai, of a provider's library or of the network as one of ours."""
    if isinstance(error, ModelHTTPError):
        message = _http_message(error)
        passing = error.status_code in _PASSING or error.status_code >= _SERVER_ERROR
        return Transient(message, error.retry_after) if passing else Refused(message)
    if isinstance(error, ModelRequestTimeout | TimeoutError) or _is_timeout(error):
        return Transient("no answer in time")
    if isinstance(error, ModelConnectionError | OSError):
        return Transient("the connection to the provider failed")
    if isinstance(error, ModelRequestRejectedError | UserError):
        return Refused(without_keys(str(error)))
    return Transient("the response of the provider cannot be read")


def _is_timeout(error: Exception) -> bool:
    return "timeout" in type(error).__name__.lower()


def _http_message(error: ModelHTTPError) -> str:
    if error.status_code in _KEY_REFUSED:
        return f"the provider refuses the key (HTTP {error.status_code})"
    code = error.provider_error_code or error.provider_error_type
    told = f"the provider answers HTTP {error.status_code}" + (f" {code}" if code else "")
    body = error.body
    said = body.get("message") if isinstance(body, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return without_keys(f"{told}: {said}" if isinstance(said, str) else told)


def without_keys(text: str) -> str:
    """Return a text, cut to a readable length, in which no key of the environment stands."""
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST_KEY and any(word in name.upper() for word in _KEY_NAMES):
            text = text.replace(value, "[key]")
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"


def wait_between(limits: Limits) -> Callable[[RetryCallState], float]:
    """Return how long to wait before the next request.

    Not at all after an answer that did not fit; else as long as the provider asks for, else exponentially
    longer, with jitter.
    """
    growing = wait_exponential_jitter(limits.first_wait, limits.longest_wait, jitter=limits.first_wait)

    def wait(state: RetryCallState) -> float:
        error = None if state.outcome is None else state.outcome.exception()
        if not isinstance(error, Transient):
            return 0
        return growing(state) if error.retry_after is None else error.retry_after

    return wait
