"""The statements that only steer or assign (language.md §5.10)."""

from __future__ import annotations

from typing import cast

from agentl.expressions import EvaluationError
from agentl.interpreter.core import Core, Steps
from agentl.interpreter.queueing import enqueue
from agentl.interpreter.whose import Fields
from agentl.interpreter.written import join, join_branch, join_guard
from agentl.provenance import NOTHING, RUNTIME, is_untrusted, of
from agentl_grammar.tree import Assign, If, Loop, Retry, Then, Trigger

LOOP_ROUNDS = 100


def assign(core: Core, statement: Assign) -> Steps[None]:
    """SET; a value that cannot be told, or a part of which would be read as an answer, writes nothing."""
    path, label = statement.target.text, core.label_of(statement.value) | core.context()
    try:
        value = core.value(statement.value)
    except EvaluationError as error:
        join_guard(core, statement, label)
        core.trace.emit("set.failed", path=path, error=str(error))
    else:
        if isinstance(value, dict) and core.whose.forges(path, cast("Fields", value)):
            join_guard(core, statement, label)
            core.trace.emit("name.taken", path=path)
        else:
            core.state.assign(path, value, label)
    yield from ()


def branch(core: Core, statement: If) -> Steps[None]:
    """IF; a condition that cannot be told is false."""
    # ELSE IF may follow ELSE IF hundreds of times: in a loop they need no stack. What runs was decided by
    # every condition that was asked.
    last, asked = statement, NOTHING
    for last in statement.row():
        asked |= core.label_of(last.condition)
        if core.holds(last.condition):
            join_branch(core, statement, asked)
            with core.under(asked):
                yield from core.run_block(last.then)
            return
    join_branch(core, statement, asked)
    if last.otherwise is not None:
        with core.under(asked):
            yield from core.run_block(last.otherwise)


def then(core: Core, statement: Then) -> Steps[None]:
    """THEN as a statement just runs its branch."""
    yield from core.run_block(statement.branch)


def trigger(core: Core, statement: Trigger) -> Steps[None]:
    """A path alone queues that plan."""
    enqueue(core, statement.plan.text, of(RUNTIME))
    yield from ()


def retry(_core: Core, _statement: Retry) -> Steps[None]:
    """RETRY outside the top level of a failure handler does nothing."""
    yield from ()


def loop(core: Core, statement: Loop) -> Steps[None]:
    """LOOP: the body, then UNTIL, at most MAX times."""
    rounds = LOOP_ROUNDS if statement.maximum is None else int(statement.maximum.value)
    rounds = rounds if rounds > 0 else LOOP_ROUNDS
    again = NOTHING  # why a round runs: the first one always does
    for number in range(1, rounds + 1):
        with core.under(again):
            yield from core.run_block(statement.body)
        if statement.until is not None:
            again |= core.label_of(statement.until)
            core.pass_on(again)
            done = core.holds(statement.until)
            if done or (number < rounds and is_untrusted(again)):
                join(core, statement.body, again)
            if done:
                return
    if statement.until is not None:
        core.trace.emit("loop.exhausted", rounds=rounds)
