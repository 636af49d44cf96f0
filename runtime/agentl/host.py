"""The Host: the functions through which a program touches the world (language.md §8.2)."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import TIMEOUT_MAX, Lock
from typing import Any, Final, Literal, TypeAlias, TypeVar

from agentl.errors import HostError
from agentl.interpreter.crossings import ActionRequest
from agentl.kernel import Action, active_action, present_permit
from agentl.values import Symbol, Value
from agentl_grammar.problems import Message, message_id

_F = TypeVar("_F", bound=Callable[..., Any])
Promise: TypeAlias = Literal["idempotent", "reconcilable", "none"]
HostEvent: TypeAlias = dict[str, Any]
"""An event that waits: `id`, `source` and `payload`."""


class _NotExecuted:
    """The singleton behind NOT_EXECUTED."""

    def __repr__(self) -> str:
        return "NOT_EXECUTED"


NOT_EXECUTED: Final = _NotExecuted()
"""What a reconciler returns when it knows that the action did not happen."""


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """How a tool is called: `retries` further attempts after a failure, `timeout` in seconds or None."""

    retries: int = 0
    timeout: float | None = None


class Host:
    """The registry of sensors, tools, reconcilers and people. It may be subclassed.

    `read`, `invoke`, `ask`, `approve`, `drain` and `reconcile` are the boundary that a driver uses; what
    they return may be awaitable, when the function behind is `async def`.
    """

    def __init__(self) -> None:
        self.sensors: dict[str, Callable[[], Any]] = {}
        self.tools: dict[str, Callable[..., Any]] = {}
        self.reconcilers: dict[str, Callable[[dict[str, Any], Action], Any]] = {}
        self.subagents: dict[str, Callable[[dict[str, Any]], Any]] = {}
        self.idempotent_tools: set[str] = set()
        self.approver: Callable[[ActionRequest], Any] | None = None
        self.asker: Callable[[str, str | None], Any] | None = None
        self._options: dict[str, ToolOptions] = {}
        self._events = _Events()

    # ------------------------------------------------------------------------------------ registering

    def sensor(self, path: str) -> Callable[[_F], _F]:
        """Register the decorated function, without parameters, as the sensor of `path`; None means mute.

        Raises HostError H104 when `path` is no text.
        """
        return _registrar("sensor", self.sensors, path)

    def tool(
        self, name: str, *, idempotent: bool = False, retries: int = 0, timeout: float | None = None
    ) -> Callable[[_F], _F]:
        """Register the decorated function as a tool.

        It takes the INPUT names and returns a dict of the OUTPUT keys.

        `idempotent` promises that a second call with the same idempotency key has no further effect.
        `retries` are further attempts under that key after a failure. A call that takes longer than
        `timeout` seconds is in doubt. Raises HostError H104 for an option that cannot be meant.
        """
        register = _registrar("tool", self.tools, name)
        _refuse_options(name, idempotent, retries, timeout)
        self._options[name] = ToolOptions(retries, timeout)
        if idempotent:
            self.idempotent_tools.add(name)
        return register

    def reconciler(self, name: str) -> Callable[[_F], _F]:
        """Register the decorated function as what settles an interrupted call of the tool `name`.

        It takes the arguments and the `Action`, and returns what the tool would have, or NOT_EXECUTED; it
        raises when it does not know.
        """
        return _registrar("reconciler", self.reconcilers, name)

    def subagent(self, name: str) -> Callable[[_F], _F]:
        """Register the decorated function as a sub-agent; it takes a dict and returns a dict."""
        return _registrar("subagent", self.subagents, name)

    def emit(self, source: str, /, **payload: Value) -> None:
        """Put in an event; the program takes it at its next SELECT_PLAN. May be called from any thread."""
        self._events.emit(source, payload)

    # ------------------------------------------------------------------------------------ promises

    def promise(self, name: str) -> Promise:
        """Return what is promised of interrupted calls of the tool `name` (durability.md §3)."""
        if name in self.idempotent_tools:
            return "idempotent"
        return "reconcilable" if name in self.reconcilers else "none"

    def options(self, name: str) -> ToolOptions:
        """Return how the tool `name` is to be called."""
        return self._options.get(name, ToolOptions())

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
        return self.tools[name](**args)

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
        return self.reconcilers[name](dict(args), context)


def _registrar(kind: str, registry: dict[str, Callable[..., Any]], name: object) -> Callable[[_F], _F]:
    if not isinstance(name, str) or not name:
        # `@host.tool` without its parentheses would register nothing, and say nothing.
        message = message_id("@host.{kind} needs a name in quotation marks, not {found}")
        action = Message(message_id('write @host.{kind}("name")'), {"kind": kind})
        raise HostError("H104", Message(message, {"kind": kind, "found": repr(name)}), action=action)

    def register(function: _F) -> _F:
        registry[name] = function
        return function

    return register


def _refuse_options(tool: str, idempotent: object, retries: object, timeout: object) -> None:
    if not isinstance(idempotent, bool):
        raise _option(tool, "idempotent", idempotent, message_id("True or False"))
    if not isinstance(retries, int) or isinstance(retries, bool) or retries < 0:
        raise _option(tool, "retries", retries, message_id("a whole number from 0"))
    if timeout is not None and not _is_duration(timeout):
        raise _option(tool, "timeout", timeout, message_id("a number of seconds above 0, or None"))


def _is_duration(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= TIMEOUT_MAX


def _option(tool: str, option: str, found: object, due: str) -> HostError:
    message = message_id("the tool {tool}: {option} is {found}, not {due}")
    action = message_id("write {option}= as {due}, or leave it out")
    values = {"tool": tool, "option": option, "found": repr(found), "due": Message(due)}
    return HostError("H104", Message(message, values), action=Message(action, values))


class _Events:
    """The events of a host, in order, each with an id: it names them once, wherever they are kept."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: list[HostEvent] = []
        self._sink: Callable[[HostEvent], None] | None = None
        self._building = True
        self._counts: dict[tuple[str, int], int] = {}

    def emit(self, source: str, payload: dict[str, Value]) -> None:
        with self._lock:
            event: HostEvent = {"id": self._identify(), "source": source, "payload": payload}
            if self._sink is None:
                self._waiting.append(event)
            else:
                self._sink(event)

    def drain(self) -> list[HostEvent]:
        with self._lock:
            self._building = False
            waiting, self._waiting = self._waiting, []
        return waiting

    def deliver_to(self, sink: Callable[[HostEvent], None] | None) -> None:
        with self._lock:
            self._sink = sink
            self._building = False
            waiting = self._waiting if sink else []
            for event in waiting:
                if sink:
                    sink(event)
            del waiting[:]

    def _identify(self) -> str:
        """Return `<action>:k` inside a tool, `build:k` before the run, else a random id."""
        action = active_action()
        if action is None:
            return f"build:{len(self._waiting)}" if self._building else uuid.uuid4().hex
        key = (action.action_id, action.attempt)
        number = self._counts.get(key, 0)
        self._counts[key] = number + 1
        return f"{action.action_id}:{number}"
