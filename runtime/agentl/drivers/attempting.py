"""Attempts one after the other, the pauses between them longer each time (durability.md §3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar, cast

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")
_FIRST_WAIT: Final = 0.1
_LONGEST_WAIT: Final = 10.0


def attempted(attempt: Callable[[], T], ended: Callable[[T], bool], most: int | None = None) -> T:
    """Attempt until an outcome is one that `ended` accepts, at most `most` times; return the last outcome.

    Between two attempts the host is left in peace, for 0.1 s at first and 10 s at last. What `attempt` raises
    goes through.
    """
    first = attempt()
    if ended(first) or most == 1:
        return first
    return _attempted_again(first, attempt, ended, most)


def _attempted_again(first: T, attempt: Callable[[], T], ended: Callable[[T], bool], most: int | None) -> T:
    import tenacity  # noqa: PLC0415  # few runs attempt anything twice, and a start is short

    made = [first]
    attempts = tenacity.Retrying(
        stop=tenacity.stop_never if most is None else tenacity.stop_after_attempt(most),
        wait=tenacity.wait_exponential(multiplier=_FIRST_WAIT, max=_LONGEST_WAIT)
        + tenacity.wait_random(0, _FIRST_WAIT),
        retry=tenacity.retry_if_result(lambda outcome: not ended(cast("T", outcome))),
        retry_error_callback=_last_outcome,
    )
    return attempts(lambda: made.pop() if made else attempt())


def _last_outcome(state: RetryCallState) -> object:
    return None if state.outcome is None else state.outcome.result()
