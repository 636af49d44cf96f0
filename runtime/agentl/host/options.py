"""What a host may say of a function when it registers it, and what is refused there (language.md §8.2)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from threading import TIMEOUT_MAX
from typing import Any, Literal, TypeAlias, TypeVar

from agentl.errors import HostError
from agentl.vocabulary import ActionKind
from agentl_grammar.problems import Message, message_id

_GENERATORS = (inspect.isgeneratorfunction, inspect.isasyncgenfunction)
F = TypeVar("F", bound=Callable[..., Any])
Use: TypeAlias = ActionKind | Literal["read"]
"""What a function of the host is called for."""


@dataclass(frozen=True, slots=True)
class CallOptions:
    """How a function is called: `retries` further attempts after a failure, `timeout` in seconds or None."""

    retries: int = 0
    timeout: float | None = None


def registrar(kind: str, registry: dict[str, Callable[..., Any]], name: object) -> Callable[[F], F]:
    """Return what registers a function as `kind` under `name`.

    Raises HostError H104 when `name` is no text, and, from what is returned, for a generator function.
    """
    if not isinstance(name, str) or not name:
        # `@host.tool` without its parentheses would register nothing, and say nothing.
        message = message_id("@host.{kind} needs a name in quotation marks, not {found}")
        action = Message(message_id('write @host.{kind}("name")'), {"kind": kind})
        raise HostError("H104", Message(message, {"kind": kind, "found": repr(name)}), action=action)

    def register(function: F) -> F:
        refuse_generator(kind, name, function)
        registry[name] = function
        return function

    return register


def refuse_unnamed_event(source: object) -> None:
    """Raise HostError H104 when what an event is to be called is no text."""
    if not isinstance(source, str) or not source:
        message = message_id("an event needs a name in quotation marks, not {found}")
        action = Message(message_id('write emit("name", key=value)'))
        raise HostError("H104", Message(message, {"found": repr(source)}), action=action)


def refuse_generator(kind: str, name: str, function: object) -> None:
    """Raise HostError H104 for a generator function: calling it runs nothing of its body."""
    if not any(is_one(each) for is_one in _GENERATORS for each in (function, routine_of(function))):
        return
    values = {"kind": kind, "name": name}
    message = message_id("the {kind} {name} is a generator function: when it is called, nothing in it runs")
    action = Message(message_id("take its yield away, and return the answer"))
    raise HostError("H104", Message(message, values), action=action)


def routine_of(function: object) -> Any:
    """Return what runs when `function` is called, of an object its `__call__`; None when nothing does."""
    return function if inspect.isroutine(function) else getattr(function, "__call__", None)  # noqa: B004  # it is looked at


def checked_options(
    what: tuple[str, str], *, retries: object, timeout: object, idempotent: object = False
) -> CallOptions:
    """Return the options of a registration; `what` is its kind and name. Raises HostError H104."""
    if not isinstance(idempotent, bool):
        raise _option(what, "idempotent", idempotent, message_id("True or False"))
    if not isinstance(retries, int) or isinstance(retries, bool) or retries < 0:
        raise _option(what, "retries", retries, message_id("a whole number from 0"))
    if timeout is None:
        return CallOptions(retries)
    if not isinstance(timeout, (int, float)) or isinstance(timeout, bool) or not 0 < timeout <= TIMEOUT_MAX:
        raise _option(what, "timeout", timeout, message_id("a number of seconds above 0, or None"))
    return CallOptions(retries, timeout)


def _option(what: tuple[str, str], option: str, found: object, due: str) -> HostError:
    message = message_id("the {kind} {name}: {option} is {found}, not {due}")
    action = message_id("write {option}= as {due}, or leave it out")
    kind, name = what
    values = {"kind": kind, "name": name, "option": option, "found": repr(found), "due": Message(due)}
    return HostError("H104", Message(message, values), action=Message(action, values))
