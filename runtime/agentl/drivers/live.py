"""The live driver: the host and the model answer (architecture.md)."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import sys
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from threading import Event, Thread
from typing import Any, Self, cast

from agentl.codec import failure_of, round_trip
from agentl.drivers.attempts import OVERDUE, Attempts
from agentl.errors import InDoubt
from agentl.host import Host
from agentl.interpreter.crossings import (
    Answered,
    Approve,
    Ask,
    Crossing,
    Done,
    Doubtful,
    Drain,
    Failed,
    Invoke,
    Judge,
    Outcome,
    Read,
    Reason,
)
from agentl.kernel import Permit
from agentl.oracles.asking import put
from agentl.oracles.model import Model

_log = logging.getLogger("agentl.live")


class LiveDriver:
    """Answers every crossing from a host and a model; every value passes the codec, as in a durable run.

    What host and model print goes to stderr: stdout is for the trace. One event loop serves all `async def`
    functions of a run; `close` ends it.
    """

    def __init__(self, host: Host, model: Model) -> None:
        self._host = host
        self._model = model
        self._runner: asyncio.Runner | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the event loop of this run, if there was one."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def answer(self, crossing: Crossing) -> Outcome:  # noqa: PLR0911  # one line a kind of crossing
        """Return the outcome of `crossing`.

        A BaseException of the host, an Abort among them, goes through.
        """
        match crossing:
            case Read():
                return self.read(crossing.path)
            case Drain():
                return Answered(value=self.drain())
            case Reason() | Judge():
                return self.ask_model(crossing)
            case Ask():
                return self.ask(crossing)
            case Approve():
                return self.approve(crossing)
            case Invoke():
                return self._act(crossing)
            case _:
                return Done()

    def read(self, path: str) -> Outcome:
        """Read a sensor once."""
        return self._answer(self._host.read, path)

    def drain(self) -> list[dict[str, Any]]:
        """Return the host's events that wait. What an overridden `drain` brings and is no event is logged."""
        try:
            events = list(self.call(self._host.drain))
        except Exception as error:  # noqa: BLE001  # a host may override drain; events are not worth a run
            _log.warning("the host's drain() failed: %s; no event is taken", failure_of(error))
            return []
        taken = [event for event in events if _is_event(event)]
        if len(taken) < len(events):
            _log.warning(
                "drain() brought %d values that are no events; they are dropped", len(events) - len(taken)
            )
        return round_trip(taken)

    def ask_model(self, crossing: Reason | Judge) -> Outcome:
        """Ask the model. The answer is {"fields": …, "missing": …}; what is no dict counts as no answer."""
        return put(self._model, crossing, self.call)

    def ask(self, crossing: Ask) -> Outcome:
        """Ask a person through the host."""
        return self._answer(self._host.ask, crossing.question, crossing.reason)

    def approve(self, crossing: Approve) -> Outcome:
        """Ask a person, through the host, to approve an action."""
        return self._answer(self._host.approve, crossing.request)

    def perform(self, permit: Permit, attempt: int = 1) -> Outcome:
        """Let the host perform an action: one attempt under its permit, never repeated here.

        Doubtful when the tool raises InDoubt or exceeds its timeout, Failed when it raises another Exception.
        """
        name = permit.action.target
        timeout = self._host.options(name).timeout
        arguments = round_trip(dict(permit.action.arguments))
        with permit.active(attempt):
            try:
                result = self.call(self._host.invoke, name, arguments, timeout=timeout)
            except InDoubt as error:
                return Doubtful(reason=failure_of(error).message)
            except Exception as error:  # noqa: BLE001  # whatever a tool raises is a failure (durability.md §3)
                return Failed(failure=failure_of(error))
        if result is OVERDUE:
            return Doubtful(reason=f"no answer within {timeout:g} s", under_way=True)
        return Answered(value=round_trip(result))

    def _act(self, crossing: Invoke) -> Outcome:
        """Perform an action to its end: with its retries, its doubts settled as in a durable run."""
        promise = self._host.promise(crossing.key)
        return Attempts(self, self._host, crossing, promise).perform()

    def call(self, function: Callable[..., Any], *arguments: object, timeout: float | None = None) -> Any:
        """Call a function of the host and wait for it, be it `async def` or not; its prints go to stderr."""
        with contextlib.redirect_stdout(sys.stderr):
            if timeout is None:
                return self._finish(function(*arguments))
            result = _within(timeout, function, arguments)
            return result if result is OVERDUE else self._finish(result, timeout)

    def _answer(self, function: Callable[..., Any], *arguments: object) -> Outcome:
        try:
            return Answered(value=round_trip(self.call(function, *arguments)))
        except Exception as error:  # noqa: BLE001  # whatever host and model raise is a failure of this crossing
            return Failed(failure=failure_of(error))

    def _finish(self, result: Any, timeout: float | None = None) -> Any:
        if not inspect.isawaitable(result):
            return result
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(_await(result, timeout), context=copy_context())


def _is_event(event: Any) -> bool:
    if not isinstance(event, dict):
        return False
    held = cast("dict[str, Any]", event)
    return isinstance(held.get("source"), str) and isinstance(held.get("payload"), dict)


async def _await(awaitable: Awaitable[Any], timeout: float | None) -> Any:  # noqa: ASYNC109  # the tool's own option
    task = asyncio.ensure_future(awaitable)
    done, _ = await asyncio.wait({task}, timeout=timeout)
    if task in done:
        return task.result()
    task.cancel()
    return OVERDUE


def _within(timeout: float, function: Callable[..., Any], arguments: tuple[object, ...]) -> Any:
    """Call `function` in a daemon thread under a copy of the context.

    OVERDUE when it takes longer than `timeout`.

    A thread cannot be ended: a result that comes later is dropped and logged.
    """
    outcome: list[tuple[Any, BaseException | None]] = []
    ended, overdue = Event(), Event()
    context = copy_context()

    def work() -> None:
        try:
            outcome.append((context.run(function, *arguments), None))
        except BaseException as error:  # noqa: BLE001  # it is raised again in the thread that waits
            outcome.append((None, error))
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
