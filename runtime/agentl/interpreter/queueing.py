"""The plans that wait, and what decided that they do, or that they do not (language.md §4.3, §6.4)."""

from __future__ import annotations

from collections.abc import Iterable

from agentl.interpreter.core import Arrival, Core
from agentl.provenance import UNKNOWN, Label, from_data, is_untrusted, of, without_secrets
from agentl_grammar.tree import Plan


def enqueue(core: Core, plan: str, label: Label) -> None:
    """Queue a plan, once, under `label` and the context; trace an unknown name (language.md §4.3)."""
    if plan not in core.plans:
        core.trace.emit("plan.unknown", plan=plan)
    elif plan not in core.state.queue:
        core.state.queue.append(plan)
        core.state.queue_labels[plan] = sorted(label | core.context())
        if core.bound is not None:
            core.arrivals[plan] = core.bound
        core.trace.emit("plan.queued", plan=plan)


def guard_queue(core: Core, plans: Iterable[str], label: Label) -> None:
    """Take note that what has this label decided whether plans wait, of those that did not wait before."""
    guard_run(core, [plan for plan in plans if plan not in core.state.queue], label)


def guard_run(core: Core, plans: Iterable[str], label: Label) -> None:
    """Take note that what has this label decided whether plans still wait; a missing value did not."""
    decided = without_secrets(label) - of(UNKNOWN)
    if decided and is_untrusted(decided):
        known = core.state.guarded
        known |= {plan: sorted(decided.union(known.get(plan, ()))) for plan in plans}


def guarded(core: Core) -> dict[str, Label]:
    """Return the plans of which something untrusted decided whether they wait, with what did."""
    return {plan: from_data(label) for plan, label in core.state.guarded.items()}


def next_plan(core: Core) -> tuple[Plan, Label, Arrival | None] | None:
    """Take the first plan of the queue; None when none waits.

    With it comes the label of what enqueued it, and what was bound then, if that was in this tick.
    """
    if not core.state.queue:
        return None
    name = core.state.queue.pop(0)
    guard_run(core, (name,), core.context())
    label = from_data(core.state.queue_labels.pop(name)) | from_data(core.state.guarded.get(name, ()))
    return core.plans[name], label, core.arrivals.pop(name, None)


def queue_is_empty(core: Core) -> None:
    """Take note that no plan waits now: what decided before that one did, or did not, no longer shows."""
    names, core.state.guarded = core.state.guarded, {}
    guard_run(core, names, core.context())
