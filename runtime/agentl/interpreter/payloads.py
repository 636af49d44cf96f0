"""The names under which a handler reads what came in, until the tick ends (language.md §5.11)."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from agentl.interpreter.core import Arrival, Core
from agentl.provenance import EVENT, EXTERNAL, MESSAGE, NOTHING, RUNTIME, of, secrets
from agentl.values import UNDEFINED, Value

_ENVELOPES = ("payload", "event", "message")


def source_of(arrival: Arrival) -> str:
    """Return the source that the payload of an arrival has in a label."""
    return EVENT if arrival.kind == "event" else MESSAGE


def bind_payload(core: Core, arrival: Arrival | None, *, announce: bool) -> None:
    """Bind `payload`, `event` or `message`, and each key as an untrusted bare name.

    What was bound before is released first.

    A key that means something in the program is not bound: outside data hides nothing, makes nothing known
    and changes no constant. With `announce` that is traced.
    """
    release_payload(core)
    if arrival is None:
        return
    core.bound = arrival
    local, label = core.state.locals, of(source_of(arrival))
    core.shadowed = {name: (local.get(name, UNDEFINED), local.label(name)) for name in _ENVELOPES}
    for name in _ENVELOPES:
        local.pop(name, None)
    for key, value in arrival.payload.items():
        if core.state.get(key) is UNDEFINED and core.names.admits_payload(key):
            sources = of(EXTERNAL) if key in arrival.marked else NOTHING
            sources |= label | secrets(core.protected, f"payload.{key}")
            core.state.untrusted.put(key, value, sources)
            core.bound_keys.append(key)
        elif announce:
            _trace_taken(core, arrival, key)
    for name, value, sources in (
        ("payload", arrival.payload, label | of(*([EXTERNAL] if arrival.marked else []))),
        (arrival.kind, _envelope(arrival), of(RUNTIME)),
    ):
        if not core.names.holds(name, value):
            local.put(name, value, sources)
        elif announce:
            core.trace.emit("name.taken", path=name)


def _trace_taken(core: Core, arrival: Arrival, key: str) -> None:
    is_event = arrival.kind == "event"
    core.trace.emit("event.name_taken" if is_event else "message.name_taken", source=arrival.source, key=key)


def _envelope(arrival: Arrival) -> dict[str, Value]:
    if arrival.kind == "event":
        return {"source": arrival.source}
    return {"name": arrival.source, "from": arrival.sender}


@contextmanager
def arrived(core: Core, arrival: Arrival | None) -> Generator[None]:
    """Let a plan read what was bound when it was queued, whatever came in between."""
    before = core.bound
    if arrival is before:
        yield
        return
    bind_payload(core, arrival, announce=False)
    yield
    bind_payload(core, before, announce=False)


def release_payload(core: Core) -> None:
    """Take the bindings away and give shadowed names back; done at the end of the tick (§0 ⚠14)."""
    for name, (value, label) in core.shadowed.items():
        core.state.locals.pop(name, None)
        if value is not UNDEFINED:
            core.state.locals.put(name, value, label)
    for key in core.bound_keys:
        core.state.untrusted.pop(key, None)
    core.bound = None
    core.shadowed = {}
    core.bound_keys = []
