"""The Host: the functions through which a program touches the world (language.md §8.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from agentl.host.events import Events, HostEvent
from agentl.host.options import (
    CallOptions,
    F,
    Use,
    checked_options,
    refuse_generator,
    refuse_unnamed_event,
    registrar,
)
from agentl.interpreter.crossings import ActionRequest
from agentl.kernel import Action, present_permit
from agentl.secret import Opener, Secret, Vault
from agentl.values import Symbol, Value
from agentl.vocabulary import ActionKind, Promise

__all__ = ["NOT_EXECUTED", "CallOptions", "Host", "HostEvent", "Promise"]

_USUAL: Final = CallOptions()


class _NotExecuted:
    """The singleton behind NOT_EXECUTED."""

    def __repr__(self) -> str:
        return "NOT_EXECUTED"


NOT_EXECUTED: Final = _NotExecuted()
"""What a reconciler returns when it knows that the action did not happen."""


class Host:
    """The registry of sensors, tools, sub-agents, and people. It may be subclassed.

    `read`, `invoke`, `delegate`, `compensate`, `ask`, `approve`, `drain` and `reconcile` are the boundary
    that a driver uses; what they return may be awaitable, when the function behind is `async def`.

    `memory` are the records with which a run begins, by memory: `{"LONG_TERM.effect_drift": [{…}]}`.
    `trace_sink`, when set, is called with each trace event: its `tick`, `kind`, `text` and `detail`.
    """

    def __init__(self) -> None:
        self.sensors: dict[str, Callable[[], Any]] = {}
        self.tools: dict[str, Callable[..., Any]] = {}
        self.reconcilers: dict[str, Callable[[dict[str, Any], Action], Any]] = {}
        self.compensations: dict[str, Callable[[dict[str, Any], dict[str, Any]], Any]] = {}
        self.subagents: dict[str, Callable[[dict[str, Any]], Any]] = {}
        self.idempotent_tools: set[str] = set()
        self.idempotent_subagents: set[str] = set()
        self.idempotent_compensations: set[str] = set()
        self.approver: Callable[[ActionRequest], Any] | None = None
        self.asker: Callable[[str, str | None], Any] | None = None
        self.memory: dict[str, list[Any]] = {}
        self.trace_sink: Callable[[Any], object] | None = None
        self.vault = Vault()
        self._options: dict[tuple[Use, str], CallOptions] = {}
        self._events = Events()

    # ------------------------------------------------------------------------------------ registering

    def sensor(self, path: str, *, retries: int = 0, timeout: float | None = None) -> Callable[[F], F]:
        """Register the decorated function, without parameters, as the sensor of `path`; None means mute.

        `retries` are further attempts after a failure. A reading that takes longer than `timeout` seconds is
        mute. Raises HostError H104 when `path` is no text, or for an option that cannot be meant.
        """
        register = registrar("sensor", self.sensors, path)
        self._options["read", path] = checked_options(("sensor", path), retries=retries, timeout=timeout)
        return register

    def tool(
        self, name: str, *, idempotent: bool = False, retries: int = 0, timeout: float | None = None
    ) -> Callable[[F], F]:
        """Register the decorated function as a tool.

        It takes the INPUT names and returns a dict of the OUTPUT keys.

        `idempotent` promises that a second call with the same idempotency key has no further effect.
        `retries` are further attempts under that key after a failure. A call that takes longer than
        `timeout` seconds is in doubt. Raises HostError H104 for an option that cannot be meant.
        """
        register = registrar("tool", self.tools, name)
        options = checked_options(("tool", name), idempotent=idempotent, retries=retries, timeout=timeout)
        self._options["invoke", name] = options
        if idempotent:
            self.idempotent_tools.add(name)
        return register

    def subagent(
        self, name: str, *, idempotent: bool = False, retries: int = 0, timeout: float | None = None
    ) -> Callable[[F], F]:
        """Register the decorated function as a sub-agent; it takes a dict and returns a dict.

        The dict has the paths of INPUT, and the text of TASK under `task`. The options are those of `tool`.
        """
        register = registrar("subagent", self.subagents, name)
        options = checked_options(("subagent", name), idempotent=idempotent, retries=retries, timeout=timeout)
        self._options["delegate", name] = options
        if idempotent:
            self.idempotent_subagents.add(name)
        return register

    def reconciler(self, name: str) -> Callable[[F], F]:
        """Register the decorated function as what settles an interrupted call of the tool `name`.

        It takes the arguments and the `Action`, and returns the dict that the tool would have, `{}` without
        OUTPUT, or NOT_EXECUTED; it raises when it does not know, and any other answer is no knowledge
        either. It serves the sub-agent of that name when there is no such tool.
        """
        return registrar("reconciler", self.reconcilers, name)

    def compensation(
        self, name: str, *, idempotent: bool = False, retries: int = 0, timeout: float | None = None
    ) -> Callable[[F], F]:
        """Register the decorated function as what undoes a completed call of the tool `name` (ROLLBACK).

        It takes the arguments and the result of that call; what it returns is not used. It is an action of
        its own, with its own permit and key; `current_action().arguments` names the one it undoes. The
        options are those of `tool`.
        """
        register = registrar("compensation", self.compensations, name)
        options = checked_options(
            ("compensation", name), idempotent=idempotent, retries=retries, timeout=timeout
        )
        self._options["compensate", name] = options
        if idempotent:
            self.idempotent_compensations.add(name)
        return register

    def secret(self, name: str, opener: Opener | None = None) -> Secret:
        """Return the secret `name`: a value that a sensor may return and a program may pass to a tool.

        Journal, trace, people and models see its name only. A tool, sub-agent or compensation is given what
        `opener` returns, by default the environment variable `name`. Raises HostError R306 when it does not
        open.
        """
        return self.vault.name(name, opener)

    def redact(self, pattern: str | re.Pattern[str]) -> None:
        """Replace what matches a regular expression by `[redacted]` before a run keeps it (durability.md §5).

        In all that the host, its people and a model say, numbers as they are written: program, journal and
        trace never see it. Call it before the run begins: what was kept is not changed. Raises HostError H104
        for what is no regular expression, or one that matches the empty text.
        """
        self.vault.redact(pattern)

    def emit(self, source: str, /, **payload: Value) -> None:
        """Put in an event; the program takes it at its next SELECT_PLAN. May be called from any thread.

        Raises HostError H104 when `source` is no text: nothing is put in.
        """
        refuse_unnamed_event(source)
        self._events.emit(str(source), payload)

    def refuse_generators(self) -> None:
        """Raise HostError H104 for a generator function in a table, as the decorators do."""
        for kind, table in (
            ("sensor", self.sensors),
            ("tool", self.tools),
            ("subagent", self.subagents),
            ("reconciler", self.reconcilers),
            ("compensation", self.compensations),
            ("approver", {"host.approver": self.approver}),
            ("asker", {"host.asker": self.asker}),
        ):
            for name, function in table.items():
                refuse_generator(kind, name, function)

    # ------------------------------------------------------------------------------------ promises

    def promise(self, name: str, kind: ActionKind = "invoke") -> Promise:
        """Return what is promised of interrupted calls of a tool or sub-agent (durability.md §3)."""
        promised = {
            "invoke": self.idempotent_tools,
            "delegate": self.idempotent_subagents,
            "compensate": self.idempotent_compensations,
        }
        if name in promised[kind]:
            return "idempotent"
        return "reconcilable" if self.reconciles(name, kind) else "none"

    def reconciles(self, name: str, kind: ActionKind = "invoke") -> bool:
        """Tell whether a reconciler answers for actions of this kind.

        One that was written for a tool would look for the calls of that tool, and swear that nothing else of
        its name happened.
        """
        if name not in self.reconcilers or kind == "compensate":
            return False
        return kind == "invoke" or name not in self.tools

    def options(self, name: str, use: Use = "invoke") -> CallOptions:
        """Return how the function `name` is to be called."""
        return self._options.get((use, name), _USUAL)

    def function_of(self, name: str, kind: ActionKind = "invoke") -> Callable[..., Any] | None:
        """Return the function that performs actions of this kind; None when none is registered."""
        registered = {
            "invoke": self.tools,
            "delegate": self.subagents,
            "compensate": self.compensations,
        }
        return registered[kind].get(name)

    # ------------------------------------------------------------------------------------ the boundary

    def read(self, path: str) -> Any:
        """Return what the sensor of `path` says; None when there is no such sensor."""
        sensor = self.sensors.get(path)
        return None if sensor is None else sensor()

    def invoke(self, name: str, args: Mapping[str, Any]) -> Any:
        """Perform the action of the active permit.

        Raises PermitError without one, KeyError for an unknown tool.
        """
        present_permit("invoke", name, args)
        return self.tools[name](**self.vault.open(args))

    def delegate(self, name: str, payload: Mapping[str, Any]) -> Any:
        """Hand the payload of the active permit to a sub-agent. Raises PermitError, KeyError."""
        present_permit("delegate", name, payload)
        return self.subagents[name](self.vault.open(payload))

    def compensate(self, name: str, args: Mapping[str, Any]) -> Any:
        """Undo the completed call that `args` describes. Raises PermitError, KeyError."""
        present_permit("compensate", name, args)
        opened = self.vault.open(args)
        return self.compensations[name](opened["arguments"], opened["result"])

    def ask(self, question: str, reason: str | None) -> Any:
        """Return a person's answer; the symbol `no_answer` when nobody can be asked."""
        return Symbol("no_answer") if self.asker is None else self.asker(question, reason)

    def approve(self, request: ActionRequest) -> Any:
        """Return what a person says to an action; None when nobody can be asked.

        The machine judges it (§5.8).
        """
        return None if self.approver is None else self.approver(request)

    def drain(self) -> list[HostEvent]:
        """Return the events that wait, and forget them."""
        return self._events.drain()

    def deliver_to(self, sink: Callable[[HostEvent], None] | None) -> None:
        """Hand every event, those that wait first, to `sink` from now on; None keeps them here again."""
        self._events.deliver_to(sink)

    def reconcile(self, name: str, args: Mapping[str, Any], context: Action) -> Any:
        """Return what the reconciler of `name` knows about an action. Raises KeyError when there is none."""
        return self.reconcilers[name](self.vault.open(args), context)
