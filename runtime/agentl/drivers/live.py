"""The live driver: the host and the model answer (architecture.md)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from threading import TIMEOUT_MAX
from typing import Any, Self, cast

from agentl.codec import round_trip
from agentl.drivers.attempting import attempted
from agentl.drivers.attempts import Attempts, Prepared
from agentl.drivers.calling import Caller
from agentl.drivers.unfinished import refuse_unfinished
from agentl.drivers.within import OVERDUE
from agentl.errors import InDoubt
from agentl.failures import failure_of
from agentl.host.registry import Host
from agentl.interpreter.crossings import (
    Answered,
    Approve,
    Ask,
    Authorised,
    Begin,
    Checkpoint,
    CompensationLookup,
    Crossing,
    DelegateLookup,
    Done,
    Doubtful,
    Drain,
    Failed,
    Failure,
    Invoke,
    Judge,
    Lapsed,
    Outcome,
    Read,
    Reason,
    SelectPlan,
)
from agentl.kernel import Permit
from agentl.oracles.asking import put, put_choice
from agentl.oracles.model import Model
from agentl.secret import holds_secret

_log = logging.getLogger("agentl.live")
_DONE = Done()


class LiveDriver:
    """Answers every crossing from a host and a model; every value passes the codec, as in a durable run.

    What host and model print goes to stderr: stdout is for the trace. What a secret opens to is replaced by
    its name in everything that they say. One event loop serves all `async def` functions of a run; `close`
    ends it.
    """

    def __init__(self, host: Host, model: Model) -> None:
        self._host = host
        self._model = model
        self._caller = Caller()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the event loop of this run, if there was one."""
        self._caller.close()

    def answer(self, crossing: Crossing) -> Outcome:  # noqa: C901, PLR0911  # one line a kind of crossing
        """Return the outcome of `crossing`.

        A BaseException of the host, an Abort among them, goes through.
        """
        match crossing:
            case Read():  # the commonest kinds come first
                return self.read(crossing.path)
            case Invoke():
                return self._act(crossing)
            case Authorised() | Checkpoint():
                return _DONE
            case Drain():
                return Answered(value=self.drain())
            case Reason() | Judge() | SelectPlan():
                return self.ask_model(crossing)
            case Ask():
                return self.ask(crossing)
            case Approve():
                return self.approve(crossing)
            case DelegateLookup():
                return Answered(value=crossing.name in self._host.subagents)
            case CompensationLookup():
                return Answered(value=crossing.name in self._host.compensations)
            case Begin():
                return Answered(value=self.kept(dict(self._host.memory)))
            case _:
                return _DONE

    # ------------------------------------------------------------------------------------ what is told

    def read(self, path: str) -> Outcome:
        """Read a sensor, and again after a failure as often as its `retries` say."""
        options = self._host.options(path, "read")
        if not options.retries:
            return self._read(path, options.timeout)
        return attempted(
            lambda: self._read(path, options.timeout),
            lambda outcome: not isinstance(outcome, Failed),
            most=options.retries + 1,
        )

    def _read(self, path: str, timeout: float | None) -> Outcome:
        outcome = self._answer(self._host.read, path, timeout=timeout)
        if isinstance(outcome, Lapsed):
            return Failed(failure=Failure("TimeoutError", f"no answer within {timeout:g} s"))
        return outcome

    def drain(self) -> list[dict[str, Any]]:
        """Return the host's events that wait. What an overridden `drain` brings and is no event is logged."""
        try:
            events = list(self.call(self._host.drain))
        except Exception as error:  # noqa: BLE001  # a host may override drain; events are not worth a run
            told = self._failure(error)
            _log.warning("drain() failed, no event is taken: %s: %s", told.class_name, told.message)
            return []
        taken = [event for event in events if _is_event(event)]
        if len(taken) < len(events):
            odd = len(events) - len(taken)
            _log.warning('%d of what drain() brought is dropped, being no {"source": …, "payload": {…}}', odd)
        return self.kept(taken)

    def ask_model(self, crossing: Reason | Judge | SelectPlan) -> Outcome:
        """Ask the model for fields ({"fields": …, "missing": …}; no dict is no answer) or for a plan."""
        if isinstance(crossing, SelectPlan):
            choice = put_choice(self._model, dict(crossing.context), crossing.candidates, self.call)
            return self._concealed(choice)
        return self._concealed(put(self._model, crossing, self.call))

    def ask(self, crossing: Ask) -> Outcome:
        """Ask a person through the host. Lapsed when nobody answers within the time of the question."""
        if crossing.timeout is None:
            return self._answer(self._host.ask, crossing.question, crossing.reason)
        if crossing.timeout <= 0:
            return Lapsed()
        timeout = min(crossing.timeout, TIMEOUT_MAX)
        return self._answer(self._host.ask, crossing.question, crossing.reason, timeout=timeout)

    def approve(self, crossing: Approve) -> Outcome:
        """Ask a person, through the host, to approve an action."""
        return self._answer(self._host.approve, crossing.request)

    # ------------------------------------------------------------------------------------ actions

    def perform(self, permit: Permit, attempt: int = 1) -> Outcome:
        """Let the host perform an action: one attempt under its permit, never repeated here.

        Doubtful when the host raises InDoubt or exceeds its timeout, Failed when it raises another Exception.
        """
        return self.prepared(permit, attempt)()

    def prepared(self, permit: Permit, attempt: int = 1) -> Prepared:
        """Return what `perform` does, to be done once: all that goes before the call of the host is done.

        Raises HostError R306 when a secret among the arguments does not open: before anything happens.
        """
        action, host = permit.action, self._host
        target, kind = action.target, action.kind
        if holds_secret(action.arguments):
            self.call(host.vault.open, dict(action.arguments))
        act = {"invoke": host.invoke, "delegate": host.delegate, "compensate": host.compensate}[kind]
        timeout, function = host.options(target, kind).timeout, host.function_of(target, kind)
        arguments = round_trip(dict(action.arguments))
        active = permit.active(attempt)

        def perform() -> Outcome:
            with active:
                try:
                    result = self._caller.call(act, target, arguments, timeout=timeout)
                    refuse_unfinished(result, function)
                except InDoubt as error:
                    return Doubtful(reason=self._failure(error).message)
                except Exception as error:  # noqa: BLE001  # whatever a tool raises is a failure (durability.md §3)
                    return Failed(failure=self._failure(error))
            if result is OVERDUE:
                return Doubtful(reason=f"no answer within {timeout:g} s", under_way=True)
            return Answered(value=self.kept(result))

        return perform

    def _act(self, crossing: Invoke) -> Outcome:
        """Perform an action to its end: with its retries, its doubts settled as in a durable run."""
        promise = self._host.promise(crossing.key, crossing.permit.action.kind)
        return Attempts(self, self._host, crossing, promise).perform()

    # ------------------------------------------------------------------------------------ the boundary

    def call(self, function: Callable[..., Any], *arguments: object, timeout: float | None = None) -> Any:
        """Call a function of the host and wait for it; OVERDUE after `timeout` seconds."""
        return self._caller.call(function, *arguments, timeout=timeout)

    def kept(self, value: Any) -> Any:
        """Return what the host said as the run keeps it."""
        return self._host.vault.conceal(round_trip(value))

    def _failure(self, error: Exception) -> Failure:
        return self._concealed_failure(failure_of(error))

    def _concealed_failure(self, failure: Failure) -> Failure:
        conceal = self._host.vault.conceal
        return Failure(conceal(failure.class_name), conceal(failure.message), conceal(failure.code))

    def _concealed(self, outcome: Outcome) -> Outcome:
        if isinstance(outcome, Answered):
            return replace(outcome, value=self._host.vault.conceal(outcome.value))
        if isinstance(outcome, Failed):
            return replace(outcome, failure=self._concealed_failure(outcome.failure))
        return outcome

    def _answer(
        self, function: Callable[..., Any], *arguments: object, timeout: float | None = None
    ) -> Outcome:
        try:
            result = self.call(function, *arguments, timeout=timeout)
            refuse_unfinished(result, None)
        except Exception as error:  # noqa: BLE001  # whatever the host raises is a failure of this crossing
            return Failed(failure=self._failure(error))
        return Lapsed() if result is OVERDUE else Answered(value=self.kept(result))


def _is_event(event: Any) -> bool:
    if not isinstance(event, dict):
        return False
    held = cast("dict[str, Any]", event)
    payload: Any = held.get("payload")
    keys = cast("dict[Any, Any]", payload) if isinstance(payload, dict) else (None,)
    return isinstance(held.get("source"), str) and all(isinstance(key, str) for key in keys)
