"""The events of a host, in order, each with an id that names it wherever it is kept (durability.md §10)."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeAlias

from agentl.kernel import active_action
from agentl.values import Value

HostEvent: TypeAlias = dict[str, Any]
"""An event that waits: `id`, `source` and `payload`."""


class Events:
    """What was emitted and not yet taken; with a sink, events go there at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: list[HostEvent] = []
        self._sink: Callable[[HostEvent], None] | None = None
        self._building = True
        self._counts: dict[tuple[str, int], int] = {}

    def emit(self, source: str, payload: dict[str, Value]) -> None:
        """Put in one event."""
        with self._lock:
            event: HostEvent = {"id": self._identify(), "source": source, "payload": payload}
            if self._sink is None:
                self._waiting.append(event)
            else:
                self._sink(event)

    def drain(self) -> list[HostEvent]:
        """Return the events that wait, and forget them."""
        with self._lock:
            self._building = False
            waiting, self._waiting = self._waiting, []
        return waiting

    def deliver_to(self, sink: Callable[[HostEvent], None] | None) -> None:
        """Hand every event, those that wait first, to `sink` from now on; None keeps them here again."""
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
