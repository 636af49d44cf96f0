"""From a proposed action to its permit: policy, approval, permit (language.md §5.6 to §5.8, §6.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from agentl.codec import round_trip
from agentl.interpreter.core import Core, Steps
from agentl.interpreter.crossings import ActionRequest, Answered, Approve, Authorised
from agentl.interpreter.people import is_approval
from agentl.kernel import Permit, action_digest
from agentl.policy import Decision
from agentl.provenance import NOTHING, Label, is_secret, union
from agentl.spaces import find
from agentl.state import policy_view
from agentl.trivalent import is_origin
from agentl.values import UNDEFINED, Value, equal
from agentl.vocabulary import ActionKind
from agentl_grammar.tree import Node


def authorise(  # noqa: PLR0913  # all that is authorised, by name
    core: Core,
    kind: ActionKind,
    request: ActionRequest,
    labels: Mapping[str, Label],
    node: Node,
    *,
    exact: Mapping[str, Value] | None = None,
) -> Steps[Permit | None]:
    """Return the permit for `request`; None when the policy or a person refuses it, which is then traced.

    `labels` say where each argument comes from, without the context, which is added here (language.md §6.4).
    `exact` is what the host is given when that is more than the arguments that the policy judges.
    """
    given = request.args if exact is None else exact
    if not (
        yield from allowed(
            core, request, labels, core.site_of(node), partial(action_digest, kind, request.tool, given)
        )
    ):
        return None
    core.state.permits += 1
    return core.kernel.mint(kind, request.tool, given, tick=core.state.tick, sequence=core.state.permits)


def allowed(
    core: Core, request: ActionRequest, labels: Mapping[str, Label], site: str, digest: Callable[[], str]
) -> Steps[bool]:
    """Tell whether the policy, and a person where it wants one, lets the action of this digest happen.

    The digest is worked out for a person only: who is to be asked once for one and the same action.
    """
    if core.protected:
        secret = {name: value for name, value in request.args.items() if is_secret(labels.get(name, NOTHING))}
        core.trace.hide(request.tool, secret)
    _trace_overrides(core, request)
    decision = _decide(core, request, labels)
    yield from core.cross(
        Authorised(
            agent=core.name,
            tick=core.state.tick,
            site=site,
            target=request.tool,
            action_arguments=request.args,
            verdict=decision.verdict,
            rule=decision.rule,
            reads=decision.reads,
        )
    )
    if decision.verdict == "DENIED":
        core.trace.emit(
            "policy.denied",
            _remark(request, decision),
            tool=request.tool,
            arguments=request.args,
            rule=decision.rule,
        )
        return False
    return decision.verdict == "ALLOWED" or (yield from _approve(core, request, decision, site, digest()))


def _decide(core: Core, request: ActionRequest, labels: Mapping[str, Label]) -> Decision:
    """Ask the policy about a copy of the action; a policy that fails denies."""
    copy = round_trip(dict(request.args))
    seen = ActionRequest(
        request.tool, copy, request.risk, request.side_effects, request.origin, request.confidence
    )
    context = core.context()
    given = {name: label | context for name, label in labels.items()}
    view = policy_view(core.state, seen, core.observed, given, context)
    try:
        decision = core.policy.decide(request.tool, view)
    except Exception:  # noqa: BLE001  # §5.7: an exception in the engine counts as DENIED
        core.trace.emit("policy.failed", tool=request.tool)
        return Decision("DENIED", "policy.failed", {})
    core.judged |= union(*(view.label(path) for path in decision.reads if not is_origin(path)))
    return decision


def _remark(request: ActionRequest, decision: Decision) -> str:
    """Return what a text adds: that it is an undoing; where the guard is unknown, what is undefined in it."""
    undoing = " (to undo it)" if request.undoes else ""
    if decision.unknown is None:
        return undoing
    lacking = ", ".join(f"{path} is undefined" for path in decision.unknown)
    return f"{undoing} (unknown: {lacking or 'it cannot be told'})"


def _trace_overrides(core: Core, request: ActionRequest) -> None:
    """Tell what an argument of the same name hides from the guards, if the value differs.

    That is a local, a belief, or what was observed.
    """
    for name, value in request.args.items():
        before = find(core.state.locals, name)
        if before is UNDEFINED and name in core.state.beliefs:
            before = core.state.beliefs[name].value
        if before is UNDEFINED and name in core.observed:
            before = core.state.get(name)
        if before is not UNDEFINED and not equal(before, value):
            core.trace.emit("policy.argument_overrides", path=name, value=value, before=before)


def _approve(core: Core, request: ActionRequest, decision: Decision, site: str, digest: str) -> Steps[bool]:
    core.state.count("approvals")
    core.trace.emit(
        "approval.asked",
        _remark(request, decision),
        tool=request.tool,
        arguments=request.args,
        rule=decision.rule,
    )
    shown = ActionRequest(
        request.tool,
        round_trip(dict(request.args)),
        request.risk,
        request.side_effects,
        request.origin,
        request.confidence,
        decision.rule,
    )
    outcome = yield from core.cross(
        Approve(
            agent=core.name,
            tick=core.state.tick,
            site=site,
            request=shown,
            digest=digest,
        )
    )
    approved = isinstance(outcome, Answered) and is_approval(outcome.value)
    if approved:
        core.person_spoke(outcome)
    undoing = " (to undo it)" if request.undoes else ""
    core.trace.emit("approval.granted" if approved else "approval.refused", undoing, tool=request.tool)
    return approved
