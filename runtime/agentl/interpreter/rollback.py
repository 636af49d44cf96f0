"""ROLLBACK: undo what the plan or handler has done, the last first (language.md §5.13, §0 ⚠18)."""

from __future__ import annotations

from agentl.codec import round_trip
from agentl.interpreter.aftermath import mark_dirty, note_allowed, note_blocked, note_decided, remember_doubt
from agentl.interpreter.authorising import authorise
from agentl.interpreter.contracts import risk_of
from agentl.interpreter.core import Completed, Core, Steps
from agentl.interpreter.crossings import (
    UNDOING,
    ActionRequest,
    Answered,
    Compensate,
    CompensationLookup,
    Doubtful,
    Failed,
    Outcome,
)
from agentl.kernel import Permit
from agentl.provenance import NOTHING, union
from agentl.state import action_confidence
from agentl_grammar.tree import Rollback

ORIGIN = UNDOING
UNDECLARED_RISK = "CRITICAL"


class own_actions:  # noqa: N801  # read as a verb: `with own_actions(core)`
    """Give the body inside this block a list of its own: what it did, ROLLBACK undoes, and nothing else.

    Every plan, every run of a handler and every branch of DECIDE is such a body.
    """

    __slots__ = ("_core", "_outer")

    def __init__(self, core: Core) -> None:
        self._core = core

    def __enter__(self) -> None:
        self._outer, self._core.completed = self._core.completed, []

    def __exit__(self, *_: object) -> None:
        self._core.completed = self._outer


def rollback(core: Core, statement: Rollback) -> Steps[None]:
    """Undo the completed actions of this body in reverse order, each under a permit of its own.

    What was undone, or may have been, is not undone again by a later ROLLBACK of the same body.
    """
    if not core.completed:
        core.trace.emit("rollback.nothing")
        return
    core.trace.emit("rollback.started", count=len(core.completed))
    kept: list[Completed] = []
    for done in reversed(core.completed[:]):
        if not (yield from _undo(core, done, statement)):
            kept.insert(0, done)
    core.completed[:] = kept


def _undo(core: Core, done: Completed, statement: Rollback) -> Steps[bool]:
    """Undo one action; return whether nothing is left of it to undo."""
    name, arguments = done.action.target, done.action.arguments
    core.judged = NOTHING
    if not (yield from _is_there(core, name, statement)):
        core.trace.emit("rollback.kept", tool=name, arguments=arguments)
        return False
    tool = core.tools.get(name)
    request = ActionRequest(
        name,
        round_trip(dict(arguments)),
        UNDECLARED_RISK if tool is None else risk_of(tool),
        side_effects_of(core, name),
        ORIGIN,
        action_confidence(core.state),
    )
    exact = {
        "arguments": dict(arguments),
        "result": done.result,
        "action_id": done.action.action_id,
        "idempotency_key": done.action.idempotency_key,
    }
    permit = yield from authorise(
        core, "compensate", request, done.labels, statement, exact=round_trip(exact)
    )
    if permit is None:
        core.state.count("blocked")
        note_blocked(core, union(*done.labels.values()))
        return False
    note_allowed(core, union(*done.labels.values()))
    outcome = yield from core.cross(
        Compensate(agent=core.name, tick=core.state.tick, site=core.site_of(statement), permit=permit)
    )
    permit.void()
    undone = _conclude(core, done, permit, outcome)
    note_decided(core, name, union(*done.labels.values()), ())
    return undone


def _conclude(core: Core, done: Completed, permit: Permit, outcome: Outcome) -> bool:
    name, arguments = done.action.target, done.action.arguments
    side_effects = side_effects_of(core, name)
    if isinstance(outcome, Failed):
        failure = outcome.failure
        core.state.count("tool_failures")
        core.trace.emit(
            "rollback.failed",
            tool=name,
            arguments=arguments,
            error=failure.class_name,
            message=failure.message,
        )
        return False
    if isinstance(outcome, Doubtful):
        core.state.count("tool_failures")
        remember_doubt(core, permit.action, side_effects, done.labels)
        core.trace.emit("rollback.in_doubt", tool=name, arguments=arguments, reason=outcome.reason)
        return True
    mark_dirty(core, side_effects)
    core.trace.emit("rollback.undone", tool=name, arguments=arguments)
    return True


def side_effects_of(core: Core, name: str) -> tuple[str, ...]:
    """Return the paths that a tool may change, as far as it is declared."""
    tool = core.tools.get(name)
    return () if tool is None else tuple(path.text for path in tool.side_effects)


def _is_there(core: Core, name: str, statement: Rollback) -> Steps[bool]:
    outcome = yield from core.cross(
        CompensationLookup(agent=core.name, tick=core.state.tick, site=core.site_of(statement), name=name)
    )
    return isinstance(outcome, Answered) and outcome.value is True
