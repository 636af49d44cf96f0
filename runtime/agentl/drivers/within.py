"""Calling a function in a thread that may be given up (durability.md §3)."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextvars import copy_context
from threading import Event, Thread
from typing import Any, Final

_log = logging.getLogger("agentl.live")


class _Overdue:
    """The singleton behind OVERDUE."""


OVERDUE: Final = _Overdue()
"""What a call gives that did not end in time."""


def within(timeout: float, function: Callable[..., Any], arguments: tuple[object, ...] = ()) -> Any:
    """Call `function` in a daemon thread under a copy of the context; OVERDUE after `timeout` seconds.

    What it raises goes through. A thread cannot be ended: a result that comes later is dropped and logged.
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
        end_a_child(process)
        ended.set()
        if overdue.is_set():
            _log.warning("an answer came after %g s, too late; it is dropped", round(timeout, 3))

    Thread(target=work, name="agentl-tool", daemon=True).start()
    if not ended.wait(timeout):
        overdue.set()
        return OVERDUE
    result, error = outcome[0]
    if error is not None:
        raise error
    return result


def end_a_child(process: int) -> None:
    """End a child that the host forked and that comes back: only `process` may go on with a run."""
    if os.getpid() != process:
        os._exit(1)
