"""DECIDE: rules that act at once, then the choice of a plan by the model (language.md §4.3 steps 3 and 5)."""

from __future__ import annotations

from agentl.interpreter.core import Core, Steps
from agentl.interpreter.crossings import Answered, Failed, SelectPlan
from agentl.interpreter.model_context import build_context
from agentl.interpreter.queueing import enqueue, guard_queue, guarded
from agentl.interpreter.reasoning import reason
from agentl.interpreter.rollback import own_actions
from agentl.interpreter.written import join, join_guard
from agentl.provenance import LLM, NOTHING, of
from agentl.values import Value
from agentl_grammar.tree import Decide


def decide(core: Core) -> Steps[None]:
    """Run the branch of every rule, in order; when no plan waits then, let the model choose one."""
    block = core.last(Decide)
    if block is None:
        return
    for rule in block.rules:
        chosen = rule.then if core.holds(rule.condition) else rule.otherwise
        decided = core.label_of(rule.condition)
        join(core, rule, decided)
        if chosen is not None:
            with core.under(decided), own_actions(core):
                yield from core.run_body(chosen)
    if block.reason is None:
        return
    decided = NOTHING.union(*guarded(core).values())
    join_guard(core, block.reason, decided)
    guard_queue(core, core.plans, decided)
    if not core.state.queue:
        with core.under(decided):
            yield from reason(core, block.reason)
            yield from _choose(core, block)


def _choose(core: Core, block: Decide) -> Steps[None]:
    """Ask the model for a plan, told of everything; only a declared one is queued."""
    outcome = yield from core.cross(
        SelectPlan(
            agent=core.name,
            tick=core.state.tick,
            site=core.site_of(block),
            context=build_context(core, None),
            candidates=tuple(core.plans),
        )
    )
    core.state.count("llm_calls")
    if isinstance(outcome, Failed):
        failure = outcome.failure
        core.trace.emit("plan.choice_failed", error=failure.class_name, message=failure.message)
        return
    choice: Value = outcome.value if isinstance(outcome, Answered) else None
    if choice is None:
        core.trace.emit("plan.none_chosen")
    elif str(choice) not in core.plans:
        core.state.count("blocked")
        core.trace.emit("plan.choice_refused", plan=choice)
    else:
        core.trace.emit("plan.chosen", plan=str(choice))
        enqueue(core, str(choice), of(LLM))
