"""SELECT_PLAN: events first, then the plans whose WHEN holds (language.md §4.3, §5.11)."""

from __future__ import annotations

from typing import Any

from agentl.interpreter.core import Core, Steps
from agentl.interpreter.crossings import Answered, Drain
from agentl.interpreter.payloads import bind_payload
from agentl.provenance import EVENT, of
from agentl_grammar.printer import print_node
from agentl_grammar.tree import EventHandler


def select_plan(core: Core) -> Steps[None]:
    """Handle the events that wait, then queue every plan whose WHEN holds."""
    outcome = yield from core.cross(Drain(agent=core.name, tick=core.state.tick))
    for event in outcome.value or () if isinstance(outcome, Answered) else ():
        yield from _handle(core, event)
    for name, plan in core.plans.items():
        if plan.when is not None and core.holds(plan.when):
            core.enqueue(name, core.label_of(plan.when))


def _handle(core: Core, event: dict[str, Any]) -> Steps[None]:
    source, payload = event["source"], event["payload"]
    core.trace.emit("event.received", source=source, payload=payload)
    handlers = [handler for handler in core.agent.of(EventHandler) if handler.source.text == source]
    if not handlers:
        core.trace.emit("event.unhandled", source=source)
    for number, handler in enumerate(handlers):
        before = core.bound
        bind_payload(core, (source, payload), announce=number == 0)
        if core.holds(handler.when):
            with core.under(of(EVENT) | core.guard_label(handler.when)):
                yield from core.run_body(handler.body)
        else:
            guard = "" if handler.when is None else print_node(handler.when)
            core.trace.emit("event.declined", source=source, guard=guard)
            bind_payload(core, before, announce=False)
