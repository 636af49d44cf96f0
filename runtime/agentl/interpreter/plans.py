"""EXECUTE, the running of a plan, and VERIFY with its retries (language.md §4.4, §5.9)."""

from __future__ import annotations

from agentl.interpreter.core import Arrival, Core, Steps, TickCut, VerifyFailure
from agentl.interpreter.payloads import arrived
from agentl.interpreter.queueing import guarded, next_plan, queue_is_empty
from agentl.interpreter.rollback import own_actions
from agentl.interpreter.sensing import read_again
from agentl.interpreter.written import join, join_guard, join_rest, retries_of
from agentl.provenance import Label, without_secrets
from agentl_grammar.printer import print_node
from agentl_grammar.tree import Plan, Verify

MAX_PLAN_STARTS = 1000


def execute(core: Core) -> Steps[None]:
    """Run the queued plans until none is left; at most 1,000 starts, then the tick ends (§0 ⚠7)."""
    outermost = not core.executing
    if outermost:
        core.executing = True
        core.plan_starts = 0
    while queued := _next_plan(core):
        plan, label, arrival = queued
        with core.under(label), core.body(plan), own_actions(core), arrived(core, arrival):
            yield from _run_plan(core, plan)
    queue_is_empty(core)
    if outermost:
        core.executing = False


def _next_plan(core: Core) -> tuple[Plan, Label, Arrival | None] | None:
    """Take the next plan, before which one that something kept from the queue might have written."""
    for name, label in guarded(core).items():
        join(core, core.plans[name], label)
    return next_plan(core)


def _run_plan(core: Core, plan: Plan) -> Steps[None]:
    retries = attempt = 0
    while True:
        failed = yield from _attempt(core, plan)
        if failed is None:
            core.trace.emit("plan.finished", plan=plan.name.text)
            return
        handler = core.failure_handler(failed)
        retries = max(retries, retries_of(handler))
        if attempt >= retries:
            break
        attempt += 1
        core.trace.emit("plan.retried", plan=plan.name.text, attempt=attempt, retries=retries)
    yield from core.run_failure_handler(handler)
    core.trace.emit("plan.failed", plan=plan.name.text)


def _attempt(core: Core, plan: Plan) -> Steps[Verify | None]:
    """Run the steps of a plan; return the VERIFY that stopped it, if one did."""
    core.plan_starts += 1
    if core.plan_starts > MAX_PLAN_STARTS:
        core.trace.emit("tick.cut", reason=f"{MAX_PLAN_STARTS} plans were started in one EXECUTE")
        raise TickCut
    core.trace.emit("plan.started", plan=plan.name.text)
    try:
        for step in plan.steps:
            core.trace.emit("step.started", plan=plan.name.text, step=step.name.text)
            yield from core.run_block(step.body)
    except VerifyFailure as failure:
        return failure.statement
    return None


def verify(core: Core, statement: Verify) -> Steps[None]:
    """Read again what the condition names, then judge it strictly. Raises VerifyFailure.

    It decides whether the plan or handler goes on, is retried, or ends in ON FAIL: its sources stay in force,
    and count for what does not run because of it.
    """
    yield from read_again(core, statement.condition, statement)
    label = print_node(statement.condition) if statement.label is None else statement.label.value
    passed = core.holds(statement.condition, strict=True)
    decided, handler = core.label_of(statement.condition), core.failure_handler(statement)
    core.pass_on(decided)
    decided |= core.context()
    core.decide(core.state.locals, "still_failed", without_secrets(decided))
    if passed and handler is not None:
        join_guard(core, handler, decided)
    join_rest(core, statement, decided, again=bool(retries_of(handler)))
    core.state.count("verify_pass" if passed else "verify_fail")
    core.trace.emit("verify.passed" if passed else "verify.failed", condition=label)
    if not passed:
        raise VerifyFailure(statement)
