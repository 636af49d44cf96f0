"""What happened, as events with stable codes.

Their English text is made when it is shown (language.md §8.5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from agentl.event_chain import Event
from agentl.redaction import Redactor
from agentl.run_state import RunState
from agentl.trace_codes import CODES
from agentl.values import Value, printable, show
from agentl.vocabulary import PLACEHOLDER

_NOTHING_HIDDEN: frozenset[str] = frozenset()
_OVERRIDES = frozenset({"value", "before"})
"""What is hidden when an argument that is secret, or stands for something secret, overrides a name."""


class _Shown:
    """An argument inside a template.

    `{x}` is its plain text, `{x!r}` the value, `{x:call}` an argument list.
    """

    def __init__(self, value: Value) -> None:
        self._value = value

    def __str__(self) -> str:
        return str(self._value)

    def __repr__(self) -> str:
        return show(self._value)

    def __format__(self, style: str) -> str:
        if style == "call":
            return ", ".join(
                f"{name}={show(item)}" for name, item in cast("dict[str, Value]", self._value).items()
            )
        if style == "list":
            return ", ".join(map(str, cast("list[Value]", self._value)))
        return str(self)


class Trace:
    """The events of a run, in order. The chained digest lives in the state; the texts are for people only."""

    def __init__(self, state: RunState, protected: Sequence[str] = ()) -> None:
        self.events: list[Event] = []
        self._keeps = True
        self._state = state
        self._redactor = Redactor(tuple(protected))
        self._hidden: dict[Value, frozenset[str]] = {}
        self._latest: frozenset[str] = frozenset()
        self._subscribers: list[Callable[[Event], None]] = []

    def emit(self, code: str, remark: str = "", /, **arguments: Value) -> None:
        """Record an event at the current tick, its text with `remark`, and hand it to the subscribers."""
        hidden = self._hidden_in(code, arguments) if self._hidden else _NOTHING_HIDDEN
        event = Event(self._state.tick, CODES[code][0], code, arguments, hidden, remark)
        if self._keeps:
            self.events.append(event)
        self._state.chain.add(event)
        for subscriber in self._subscribers:
            subscriber(event)

    def _hidden_in(self, code: str, arguments: Mapping[str, Value]) -> frozenset[str]:
        if code == "policy.argument_overrides":
            return _OVERRIDES if arguments["path"] in self._latest else frozenset()
        return self._hidden.get(arguments.get("tool"), frozenset())

    def hide(self, tool: str, arguments: Mapping[str, Value]) -> None:
        """Mask these arguments in the events of `tool` until it is called again, and their texts anywhere."""
        self._hidden[tool] = self._latest = frozenset(arguments)
        for name, value in arguments.items():
            self._redactor.hide(name, value)

    def subscribe(self, subscriber: Callable[[Event], None]) -> None:
        """Call `subscriber` with every event from now on."""
        self._subscribers.append(subscriber)

    def keep_none(self) -> None:
        """Keep no event from now on, in `events` and for `render`: the subscribers have them."""
        self._keeps = False

    def digest(self) -> str:
        """Return the chained SHA-256 over (tick, kind, code, arguments) of all events.

        Empty before the first.
        """
        return self._state.events

    def text(self, event: Event) -> str:
        """Return the English sentence of an event; what NEVER SEND protects is masked."""
        shown = {name: _Shown(value) for name, value in self.masked(event.arguments, event.hidden).items()}
        return printable(CODES[event.code][1].format(**shown) + event.remark)

    def line(self, event: Event) -> str:
        """Return an event as one line: tick, kind and text."""
        return f"[t{event.tick}] {event.kind:<11} {self.text(event)}"

    def render(self) -> str:
        """Return the whole trace, one line an event."""
        return "".join(f"{self.line(event)}\n" for event in self.events)

    def scrub(self, text: str) -> str:
        """Return a text from elsewhere without what NEVER SEND protects, as far as it was shown masked."""
        return self._redactor.scrub(text)

    def masked(
        self, arguments: Mapping[str, Value], hidden: frozenset[str] = frozenset()
    ) -> Mapping[str, Value]:
        """Return the arguments of an event as they may be shown: what NEVER SEND protects is masked."""
        redactor = self._redactor
        if not redactor.protected:
            return arguments
        masked = dict(arguments)
        for name in {"value", "before"} & masked.keys() if "path" in masked else ():
            masked[name] = PLACEHOLDER if name in hidden else self._cleaned(masked["path"], masked[name])
        for name in {"outputs", "payload"} & masked.keys():
            masked[name] = redactor.clean(masked.get("tool", "payload"), masked[name])
        for name in {"arguments", "action_arguments"} & masked.keys() if hidden else ():
            given = cast("dict[str, Value]", masked[name])
            masked[name] = {key: PLACEHOLDER if key in hidden else item for key, item in given.items()}
        return {name: redactor.scrub(value) for name, value in masked.items()}

    def _cleaned(self, path: str, value: Value) -> Value:
        """Return what was written at `path` without what is protected; the keys of a record are paths."""
        value = self._redactor.clean(path, value)
        if not isinstance(value, dict):
            return value
        record = cast("dict[Value, Value]", value)
        return {key: self._redactor.clean(str(key), item) for key, item in record.items()}
