"""Calling a function of the host: be it `async def` or not, within its time, its prints kept off stdout."""

from __future__ import annotations

import inspect
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agentl.drivers.within import end_a_child, within
from agentl.host.streams import lent_streams

if TYPE_CHECKING:
    from agentl.drivers.awaiting import Loop

_NEVER_AWAITED = (int, float, str, dict, list, type(None))


class Caller:
    """Calls functions of the host one at a time. One event loop serves all coroutines; `close` ends it."""

    def __init__(self) -> None:
        self._loop: Loop | None = None

    def close(self) -> None:
        """End the event loop, if there was one."""
        if self._loop is not None:
            with lent_streams():
                self._loop.close()

    def call(self, function: Callable[..., Any], *arguments: object, timeout: float | None = None) -> Any:
        """Call a function and wait for it; OVERDUE after `timeout` seconds. What it prints goes to stderr.

        What it raises goes through.
        """
        process, depth = os.getpid(), sys.getrecursionlimit()
        try:
            with lent_streams():
                if timeout is not None:
                    return self._call_within(timeout, function, arguments)
                result = function(*arguments)
                return self._event_loop().run(result) if _is_awaitable(result) else result
        finally:
            end_a_child(process)
            if sys.getrecursionlimit() != depth:  # ours is the one setting of Python that a run depends on
                sys.setrecursionlimit(depth)

    def _call_within(
        self, timeout: float, function: Callable[..., Any], arguments: tuple[object, ...]
    ) -> Any:
        end = time.monotonic() + timeout
        result = within(timeout, function, arguments)
        if not _is_awaitable(result):
            return result
        return self._event_loop().run_within(max(0.0, end - time.monotonic()), result)

    def _event_loop(self) -> Loop:
        if self._loop is None:
            from agentl.drivers.awaiting import Loop  # noqa: PLC0415  # asyncio loads longer than a tick takes

            self._loop = Loop()
        return self._loop


def _is_awaitable(result: object) -> bool:
    """Tell whether a result is still to be awaited; the commonest results are asked no further."""
    return not isinstance(result, _NEVER_AWAITED) and inspect.isawaitable(result)
