"""Calling a function of the host: be it `async def` or not, within its time, its prints kept off stdout."""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import time
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context
from threading import Event, Thread
from typing import Any, Final

from agentl.errors import InDoubt
from agentl.host.streams import lent_streams

_log = logging.getLogger("agentl.live")
_NEVER_AWAITED = (int, float, str, dict, list, type(None))
_GRACE = 0.5
"""Seconds a loop has to cancel what is overdue; one that takes longer is blocked, and given up."""


class _Overdue:
    """The singleton behind OVERDUE."""


OVERDUE: Final = _Overdue()
"""What a call gives that did not end in time."""


class Caller:
    """Calls functions of the host one at a time. One event loop serves all coroutines; `close` ends it."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None

    def close(self) -> None:
        """End the event loop, if there was one."""
        runner, self._runner = self._runner, None
        if runner is not None:
            runner.close()

    def call(self, function: Callable[..., Any], *arguments: object, timeout: float | None = None) -> Any:
        """Call a function and wait for it; OVERDUE after `timeout` seconds. What it prints goes to stderr.

        What it raises goes through.
        """
        process = os.getpid()
        try:
            with lent_streams():
                return self._call(function, arguments, timeout)
        finally:
            _end_a_child(process)

    def _call(
        self, function: Callable[..., Any], arguments: tuple[object, ...], timeout: float | None
    ) -> Any:
        if timeout is None:
            result = function(*arguments)
            return self._run(result, None, copy_context()) if _is_awaitable(result) else result
        end = time.monotonic() + timeout
        result = _within(timeout, function, arguments)
        if not _is_awaitable(result):
            return result
        return self._run_within(max(0.0, end - time.monotonic()), result)

    def _run(self, awaitable: Awaitable[Any], timeout: float | None, context: Context) -> Any:
        if self._runner is None:
            self._runner = asyncio.Runner()
        runner = self._runner
        try:
            return runner.run(_await(awaitable, timeout), context=context)
        finally:
            if runner is not self._runner:  # it was given up, and nobody else will end it
                runner.close()

    def _run_within(self, timeout: float, awaitable: Awaitable[Any]) -> Any:
        """Await in a thread: a coroutine that blocks the loop cannot be cancelled, only left behind."""
        result = _within(timeout + _GRACE, self._run, (awaitable, timeout, copy_context()))
        if result is OVERDUE and self._runner is not None and self._runner.get_loop().is_running():
            self._runner = None
        return result


def _is_awaitable(result: object) -> bool:
    """Tell whether a result is still to be awaited; the commonest results are asked no further."""
    return not isinstance(result, _NEVER_AWAITED) and inspect.isawaitable(result)


def _end_a_child(process: int) -> None:
    """End a child that the host forked and that comes back: only one process may go on with a run."""
    if os.getpid() != process:
        os._exit(1)


async def _await(awaitable: Awaitable[Any], timeout: float | None) -> Any:  # noqa: ASYNC109  # the tool's own option
    task = asyncio.ensure_future(awaitable)
    done, _ = await asyncio.wait({task}, timeout=timeout)
    if task not in done:
        task.cancel()
        return OVERDUE
    if task.cancelled():
        # Somebody cancelled it in the middle: what it had begun may have happened.
        raise InDoubt("the call was cancelled")
    return task.result()


def _within(timeout: float, function: Callable[..., Any], arguments: tuple[object, ...]) -> Any:
    """Call `function` in a daemon thread under a copy of the context; OVERDUE when it takes longer.

    A thread cannot be ended: a result that comes later is dropped and logged.
    """
    outcome: list[tuple[Any, BaseException | None]] = []
    ended, overdue = Event(), Event()
    context = copy_context()

    process = os.getpid()

    def work() -> None:
        try:
            outcome.append((context.run(function, *arguments), None))
        except BaseException as error:  # noqa: BLE001  # it is raised again in the thread that waits
            outcome.append((None, error))
        _end_a_child(process)
        ended.set()
        if overdue.is_set():
            _log.warning("an answer came after %g s, too late; it is dropped", timeout)

    Thread(target=work, name="agentl-tool", daemon=True).start()
    if not ended.wait(timeout):
        overdue.set()
        return OVERDUE
    result, error = outcome[0]
    if error is not None:
        raise error
    return result
