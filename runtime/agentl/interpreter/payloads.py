"""The names under which a handler reads the payload of its event, until the tick ends (language.md §5.11)."""

from __future__ import annotations

from agentl.interpreter.core import BoundEvent, Core
from agentl.provenance import EVENT, RUNTIME, of, secrets
from agentl.values import UNDEFINED

_EVENT = of(EVENT)


def bind_payload(core: Core, event: BoundEvent | None, *, announce: bool) -> None:
    """Bind `payload`, `event`, and each key as an untrusted bare name.

    What was bound before is released first.

    A key that something else answers to is not bound: outside data hides nothing. With `announce` that is
    traced.
    """
    release_payload(core)
    if event is None:
        return
    source, payload = event
    core.bound = event
    local = core.state.locals
    core.shadowed = {name: (local.get(name, UNDEFINED), local.label(name)) for name in ("payload", "event")}
    for key, value in payload.items():
        if core.state.get(key) is UNDEFINED:
            core.state.untrusted.put(key, value, _EVENT | secrets(core.protected, f"payload.{key}"))
            core.bound_keys.append(key)
        elif announce:
            core.trace.emit("event.name_taken", source=source, key=key)
    local.put("payload", payload, _EVENT)
    local.put("event", {"source": source}, of(RUNTIME))


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
