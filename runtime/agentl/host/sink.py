"""The trace as a host hears it (language.md §8.2)."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentl.codec import round_trip
from agentl.host.registry import Host
from agentl.host.streams import lent_streams
from agentl.trace import Event, Trace


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One event: its English `text`, and in `detail` its code and arguments; NEVER SEND paths are masked."""

    tick: int
    kind: str
    text: str
    detail: Mapping[str, Any]


def feed_sink(host: Host, trace: Trace) -> None:
    """Call `host.trace_sink` with every event from now on; an Exception that it raises is ignored."""

    def tell(event: Event) -> None:
        sink = host.trace_sink
        if sink is None:
            return
        detail = {"code": event.code, **round_trip(dict(trace.masked(event.arguments, event.hidden)))}
        with contextlib.suppress(Exception), lent_streams():
            sink(TraceEvent(event.tick, event.kind, trace.text(event), detail))

    trace.subscribe(tell)
