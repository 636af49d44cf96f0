"""What an operator said of an action in doubt, taken at the start of a tick (durability.md §3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agentl.codec import round_trip
from agentl.interpreter import calls, delegating, rollback
from agentl.interpreter.aftermath import mark_dirty, note_decided, put_doubt, take_doubt
from agentl.interpreter.authorising import allowed
from agentl.interpreter.completion import complete, note_tool_failure, outputs_of
from agentl.interpreter.contracts import risk_of
from agentl.interpreter.core import Core, Steps
from agentl.interpreter.crossings import (
    ActionRequest,
    Answered,
    Compensate,
    Delegate,
    Doubtful,
    Failed,
    Invoke,
    Outcome,
    Settle,
    Settled,
)
from agentl.kernel import Action, action_digest
from agentl.provenance import NOTHING, Label, from_data, union, unmarked_fields
from agentl.spaces import Space
from agentl.state import action_confidence
from agentl.values import Value
from agentl.vocabulary import ActionKind

_ORIGINS: Mapping[ActionKind, str] = {
    "invoke": calls.ORIGIN,
    "delegate": delegating.ORIGIN,
    "compensate": rollback.ORIGIN,
}
_CROSSINGS: Mapping[ActionKind, type[Invoke]] = {
    "invoke": Invoke,
    "delegate": Delegate,
    "compensate": Compensate,
}


@dataclass(frozen=True, slots=True)
class _Doubt:
    """A doubt that was taken out of the state, with the action that it is about."""

    data: dict[str, Value]
    action: Action

    @property
    def labels(self) -> dict[str, Label]:
        return {name: from_data(sources) for name, sources in self.data["labels"].items()}

    @property
    def judged(self) -> dict[str, Value]:
        """The arguments that the policy judges: of an undoing, those of what is undone."""
        arguments: dict[str, Value] = self.data["arguments"]
        return arguments["arguments"] if self.data["kind"] == "compensate" else arguments


def settle_doubts(core: Core) -> Steps[None]:
    """Take what operators have said of doubts: they go, or the action is sent again if the policy allows."""
    while core.state.unsettled:
        asked = Settle(agent=core.name, tick=core.state.tick, unsettled=tuple(core.state.unsettled))
        settled = yield from core.cross(asked)
        if not isinstance(settled, Settled):
            return
        doubt = _taken(core, settled.action)
        core.judged = NOTHING
        with core.under(from_data(doubt.data["context"])):
            yield from _settle(core, doubt, settled)


def _taken(core: Core, action_id: str) -> _Doubt:
    data = take_doubt(core, action_id)
    kind, tool, arguments = data["kind"], data["tool"], data["arguments"]
    action = Action(
        kind=kind,
        target=tool,
        arguments=arguments,
        agent=core.name,
        action_id=action_id,
        idempotency_key=data["key"],
        digest=action_digest(kind, tool, arguments),
        policy_digest=core.policy.digest,
    )
    return _Doubt(data, action)


def _settle(core: Core, doubt: _Doubt, settled: Settled) -> Steps[None]:
    tool, arguments, who = doubt.action.target, doubt.judged, settled.who
    match settled.how:
        case "operator_not":
            core.trace.emit("doubt.not_executed", tool=tool, arguments=arguments, who=who)
        case "operator_happened":
            core.trace.emit("doubt.happened", tool=tool, arguments=arguments, who=who)
            _conclude(core, doubt, Answered(value=settled.value))
        case "operator_resend":
            core.trace.emit("doubt.resent", tool=tool, arguments=arguments, who=who)
            yield from _send_again(core, doubt, settled)


def _send_again(core: Core, doubt: _Doubt, settled: Settled) -> Steps[None]:
    """Ask the policy anew, with this doubt taken as gone; it is back when the answer is no."""
    action = doubt.action
    tool = core.tools.get(action.target)
    request = ActionRequest(
        action.target,
        round_trip(dict(doubt.judged)),
        rollback.UNDECLARED_RISK if tool is None else risk_of(tool),
        rollback.side_effects_of(core, action.target),
        _ORIGINS[action.kind],
        action_confidence(core.state),
    )
    if not (yield from allowed(core, request, doubt.labels, "", lambda: action.digest)):
        core.state.count("blocked")
        core.trace.emit("doubt.stays", tool=action.target, arguments=doubt.judged)
        put_doubt(core, action.action_id, doubt.data)
        return
    permit = core.kernel.mint_again(
        action.kind, action.target, action.arguments, action_id=action.action_id, key=action.idempotency_key
    )
    outputs = tool.outputs if tool is not None and action.kind == "invoke" else ()
    outcome = yield from core.cross(
        _CROSSINGS[action.kind](
            agent=core.name,
            tick=core.state.tick,
            permit=permit,
            outputs=outputs,
            attempt=settled.attempt,
        )
    )
    permit.void()
    mark_dirty(core, request.side_effects)
    _conclude(core, doubt, outcome)


def _conclude(core: Core, doubt: _Doubt, outcome: Outcome) -> None:
    """Believe what is known of the action now, as if the statement had just heard it."""
    action, arguments = doubt.action, doubt.judged
    if isinstance(outcome, Doubtful):
        _note_failure(core, action)
        put_doubt(core, action.action_id, doubt.data)
        core.trace.emit("doubt.remains", tool=action.target, arguments=arguments, reason=outcome.reason)
    elif isinstance(outcome, Failed):
        _note_failure(core, action)
        error, message = outcome.failure.class_name, outcome.failure.message
        core.trace.emit("doubt.failed", tool=action.target, arguments=arguments, error=error, message=message)
    else:
        _publish(core, doubt, outcome.value if isinstance(outcome, Answered) else None)
    note_decided(core, action.target, union(*doubt.labels.values()), _answers(core, doubt))


def _answers(core: Core, doubt: _Doubt) -> Iterable[tuple[Space, str]]:
    if doubt.action.kind == "invoke":
        return outputs_of(core, doubt.action.target)
    return delegating.replies(core, doubt.action.target, doubt.data["expects"])


def _note_failure(core: Core, action: Action) -> None:
    if action.kind == "invoke":
        note_tool_failure(core, action.target)
    else:
        core.state.count("tool_failures")


def _publish(core: Core, doubt: _Doubt, value: Value) -> None:
    action = doubt.action
    result, marked = unmarked_fields(value)
    if action.kind == "invoke":
        complete(core, core.tools[action.target], action, doubt.labels, result, marked=marked)
    elif action.kind == "delegate":
        delegating.answered(core, action, doubt.data["expects"], doubt.labels, result, marked=marked)
    else:
        core.trace.emit("rollback.undone", tool=action.target, arguments=doubt.judged)
