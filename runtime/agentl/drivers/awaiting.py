"""The event loop of a run: it serves what the host declares `async def` (durability.md §3)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable
from contextvars import Context, copy_context
from typing import Any

from agentl.drivers.within import OVERDUE, within
from agentl.errors import InDoubt

_log = logging.getLogger("agentl.live")
_GRACE = 0.5
"""Seconds a loop has to cancel what is overdue; one that takes longer is blocked, and given up."""
_LAST_GRACE = 10.0
"""Seconds the tasks that a host left behind have to end, once the run is over."""


class Loop:
    """Awaits one thing at a time on one event loop; tasks left behind go on while another is awaited."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None

    def close(self) -> None:
        """Cancel the tasks that are left, and end the loop; one that will not end is left to the process."""
        runner, self._runner = self._runner, None
        if runner is not None:
            within(_LAST_GRACE, runner.close)

    def run(
        self, awaitable: Awaitable[Any], timeout: float | None = None, context: Context | None = None
    ) -> Any:
        """Await, under `context`; OVERDUE after `timeout` seconds.

        What is awaited raises goes through; InDoubt when somebody cancelled it.
        """
        if self._runner is None:
            self._runner = asyncio.Runner()
        runner = self._runner
        try:
            return runner.run(_await(awaitable, timeout), context=context or copy_context())
        finally:
            if runner is not self._runner:  # it was given up, and nobody else will end it
                runner.close()

    def run_within(self, timeout: float, awaitable: Awaitable[Any]) -> Any:
        """Await in a thread: a coroutine that blocks the loop cannot be cancelled, only left behind."""
        result = within(timeout + _GRACE, self.run, (awaitable, timeout, copy_context()))
        if result is OVERDUE and self._runner is not None and self._runner.get_loop().is_running():
            self._runner = None
        return result


async def _await(awaitable: Awaitable[Any], timeout: float | None) -> Any:  # noqa: ASYNC109  # the tool's own option
    begun = time.monotonic()
    task = asyncio.ensure_future(awaitable)
    task.add_done_callback(_looked_at)
    done, _ = await asyncio.wait({task}, timeout=timeout)
    if task not in done:
        task.cancel()
        return OVERDUE
    if timeout is not None and time.monotonic() - begun > timeout:
        # It blocked the loop, so that nobody could stop it in time.
        _log.warning("an answer came after %g s, too late; it is dropped", round(timeout, 3))
        return OVERDUE
    if task.cancelled():
        # Somebody cancelled it in the middle: what it had begun may have happened.
        raise InDoubt("the call was cancelled")
    return task.result()


def _looked_at(task: asyncio.Future[Any]) -> None:
    """Take note of how a task ended: asyncio prints the traceback of one that nobody looked at."""
    if not task.cancelled():
        task.exception()
