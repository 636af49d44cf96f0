"""Answers of the host that are none: generators and awaitables that nobody ran (durability.md §3)."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from functools import partial
from typing import Any, cast

from agentl.errors import InDoubt
from agentl.host.options import routine_of

_USUAL = (int, float, str, type(None))
_USUAL_KINDS = frozenset(_USUAL)
_HOLDING = (list, tuple)
_NEXT_STEP = "return the answer itself, without yield, and await what is async"


def refuse_unfinished(answer: object, function: Callable[..., Any] | None) -> None:
    """Raise when `answer`, of the host's `function`, or a direct part of it is work that was never done.

    TypeError when nothing of the function can have run, for then it did not happen: it is a generator
    function. InDoubt when it ran, and left the rest to be awaited or iterated.
    """
    if isinstance(answer, _USUAL):
        return
    parts = _parts(answer)
    if _USUAL_KINDS.issuperset(map(type, parts)):
        return
    left = next((part for part in parts if _is_unfinished(part)), None)
    if left is None:
        return
    kind = type(left).__name__
    never_ran = left is answer and _is_body_of(left, function) and not _has_begun(left)
    if isinstance(left, Coroutine | Generator):
        cast("Coroutine[Any, Any, Any]", left).close()  # or Python warns that nobody awaited it
    if never_ran:
        raise TypeError(f"it is a generator function, and nothing in it ran: {_NEXT_STEP}")
    raise InDoubt(f"it answered a {kind} that nobody has run: {_NEXT_STEP}")


def _parts(answer: object) -> list[object]:
    if isinstance(answer, dict):
        return list(cast("dict[object, object]", answer).values())
    return list(cast("list[object]", answer)) if isinstance(answer, _HOLDING) else [answer]


def _is_unfinished(value: object) -> bool:
    return not isinstance(value, _USUAL) and (
        isinstance(value, Generator | AsyncGenerator) or inspect.isawaitable(value)
    )


def _has_begun(left: object) -> bool:
    return isinstance(left, Generator) and inspect.getgeneratorstate(cast("Any", left)) != inspect.GEN_CREATED


def _is_body_of(left: object, function: Callable[..., Any] | None) -> bool:
    while isinstance(function, partial):
        function = function.func  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]  # any function
    code = getattr(routine_of(function), "__code__", None)
    return code is not None and code in (getattr(left, "gi_code", None), getattr(left, "ag_code", None))
