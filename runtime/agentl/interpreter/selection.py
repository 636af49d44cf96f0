"""SELECT_PLAN: events first, then the plans whose WHEN holds, then DECIDE (language.md §4.3)."""

from __future__ import annotations

from agentl.interpreter.core import Core, Steps
from agentl.interpreter.decide import decide
from agentl.interpreter.queueing import enqueue, guard_queue
from agentl.interpreter.reactions import take_events
from agentl.interpreter.written import join_guard


def select_plan(core: Core) -> Steps[None]:
    """Handle the events that wait, queue every plan whose WHEN holds, then let DECIDE decide."""
    yield from take_events(core)
    for name, plan in core.plans.items():
        if plan.when is None:
            continue
        decided = core.label_of(plan.when)
        join_guard(core, plan, decided)
        guard_queue(core, (name,), decided)
        if core.holds(plan.when):
            enqueue(core, name, decided)
    yield from decide(core)
