"""DELEGATE: hand a task to a sub-agent of the host (language.md §5.14, §0 ⚠18, ⚠35, ⚠37)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import cast

from agentl.codec import round_trip
from agentl.interpreter.aftermath import (
    mark_dirty,
    note_allowed,
    note_blocked,
    note_decided,
    remember_completed,
    remember_doubt,
)
from agentl.interpreter.authorising import authorise
from agentl.interpreter.completion import is_admitted, kept_secrets, made_of, take_back
from agentl.interpreter.contracts import risk_of
from agentl.interpreter.core import Core, Steps
from agentl.interpreter.crossings import ActionRequest, Answered, DelegateLookup, Doubtful, Failed
from agentl.interpreter.crossings import Delegate as DelegateCrossing
from agentl.kernel import Action, Permit
from agentl.provenance import (
    DECLARED,
    DELEGATE,
    EXTERNAL,
    NOTHING,
    Label,
    of,
    secrets,
    union,
    unmarked_fields,
)
from agentl.spaces import Space, locate
from agentl.state import action_confidence
from agentl.values import UNDEFINED, Value
from agentl_grammar.checks.naming import expected_of
from agentl_grammar.tree import Delegate, Tool

ORIGIN = "delegate"
TASK = "task"
UNDECLARED_RISK = "CRITICAL"


def delegate(core: Core, statement: Delegate) -> Steps[None]:
    """Ask the policy as for a call, then the sub-agent; bind the keys of EXPECT and no others."""
    name = statement.target.text
    payload, labels = _payload(core, statement)
    core.judged = NOTHING
    if payload is None:
        core.state.count("blocked")
        note_blocked(core, union(*labels.values()))
        core.trace.emit("delegate.refused", tool=name, key=TASK, reason="given twice")
        return
    tool = core.tools.get(name)
    risk = UNDECLARED_RISK if tool is None else risk_of(tool)
    request = ActionRequest(name, payload, risk, _side_effects(tool), ORIGIN, action_confidence(core.state))
    permit = yield from authorise(core, "delegate", request, labels, statement)
    if permit is None:
        core.state.count("blocked")
        note_blocked(core, union(*labels.values()))
        note_decided(core, name, union(*labels.values()), replies(core, name, expected_of(statement)))
        return
    note_allowed(core, union(*labels.values()))
    if (yield from _is_there(core, statement)):
        yield from _hand_over(core, statement, permit, labels)
    else:
        core.trace.emit("delegate.unknown", tool=name)
    note_decided(core, name, union(*labels.values()), replies(core, name, expected_of(statement)))
    permit.void()


def _payload(core: Core, statement: Delegate) -> tuple[dict[str, Value] | None, dict[str, Label]]:
    """Return the paths of INPUT with their values, and TASK; None when a path is called `task` too."""
    paths = () if statement.inputs is None else [path.text for path in statement.inputs.paths]
    payload = {path: core.state.get(path) for path in paths}
    labels = {path: core.state.label(path) for path in paths}
    if statement.task is not None:
        if TASK in payload:
            return None, labels
        payload[TASK] = statement.task.value
        labels[TASK] = of(DECLARED)
    return round_trip(payload), labels


def _side_effects(tool: Tool | None) -> tuple[str, ...]:
    return () if tool is None else tuple(path.text for path in tool.side_effects)


def _is_there(core: Core, statement: Delegate) -> Steps[bool]:
    outcome = yield from core.cross(
        DelegateLookup(
            agent=core.name,
            tick=core.state.tick,
            site=core.site_of(statement),
            name=statement.target.text,
        )
    )
    return isinstance(outcome, Answered) and outcome.value is True


def _hand_over(core: Core, statement: Delegate, permit: Permit, labels: dict[str, Label]) -> Steps[None]:
    name, action = statement.target.text, permit.action
    side_effects = _side_effects(core.tools.get(name))
    outcome = yield from core.cross(
        DelegateCrossing(agent=core.name, tick=core.state.tick, site=core.site_of(statement), permit=permit)
    )
    expected = expected_of(statement)
    if isinstance(outcome, Failed):
        fail(core, action, expected, outcome.failure.class_name, outcome.failure.message)
    elif isinstance(outcome, Doubtful):
        core.state.count("tool_failures")
        take_back(core, replies(core, name, expected), of(DELEGATE))
        remember_doubt(core, action, side_effects, labels, expected)
        core.trace.emit("delegate.in_doubt", tool=name, arguments=action.arguments, reason=outcome.reason)
    else:
        mark_dirty(core, side_effects)
        result, marked = unmarked_fields(outcome.value if isinstance(outcome, Answered) else None)
        remember_completed(core, action, labels, {} if result is None else result)
        answered(core, action, expected, labels, result, marked=marked)


def answered(  # noqa: PLR0913  # what was asked, and what came of it
    core: Core,
    action: Action,
    expected: Iterable[str],
    labels: Mapping[str, Label],
    answer: Value,
    *,
    marked: AbstractSet[str],
) -> None:
    """Bind what a sub-agent made of arguments with these `labels`; what is no dict is a failure.

    `answer` is without marks of its host, which stood in the keys that are `marked` ("" is the whole of it);
    None is an empty one.
    """
    answer = {} if answer is None else answer
    if not isinstance(answer, dict):
        fail(core, action, expected, "ContractError", "a dict expected", marked=bool(marked))
        return
    result = cast("dict[str, Value]", answer)
    made = {
        key: made_of(core, labels) | _source(key in marked) | kept_secrets(core, action, labels, value)
        for key, value in result.items()
    }
    take_back(core, replies(core, action.target, expected), _source("" in marked))
    _bind(core, action, expected, result, made)


def replies(core: Core, name: str, expected: Iterable[str]) -> Iterator[tuple[Space, str]]:
    """Yield where the expected keys of an answer are bound: under no name that means something else."""
    for key in expected:
        for space, path in _reply(core, name, key):
            if is_admitted(core, key, path):
                yield space, path


def _reply(core: Core, name: str, key: str) -> tuple[tuple[Space, str], ...]:
    return (core.state.locals, f"{name}.{key}"), (core.state.untrusted, key)


def _source(marked: bool) -> Label:  # noqa: FBT001  # the mark of the host, as it is kept
    return of(DELEGATE, EXTERNAL) if marked else of(DELEGATE)


def fail(  # noqa: PLR0913  # what was asked, and what came of it
    core: Core, action: Action, expected: Iterable[str], error: str, message: str, *, marked: bool = False
) -> None:
    """The sub-agent failed: nothing is known of what was expected of it."""
    core.state.count("tool_failures")
    take_back(core, replies(core, action.target, expected), _source(marked))
    core.trace.emit(
        "delegate.failed", tool=action.target, arguments=action.arguments, error=error, message=message
    )


def _bind(
    core: Core,
    action: Action,
    expected: Iterable[str],
    result: dict[str, Value],
    made: Mapping[str, Label],
) -> None:
    """Bind what EXPECT names: as `<agent>.<key>`, and as an untrusted bare name."""
    name = action.target
    bound: dict[str, Value] = {}
    for key in expected:
        held, value = locate(result, key)
        if value is UNDEFINED:
            core.trace.emit("delegate.missing", tool=name, key=key)
            continue
        bound[key] = value
        label = made[held] | secrets(core.protected, f"{name}.{key}")
        for space, path in _reply(core, name, key):
            if core.names.is_observed(path):
                core.trace.emit("delegate.name_taken", tool=name, path=path)
            elif is_admitted(core, key, path):
                space.put(path, value, label)
    core.trace.emit("delegate.called", tool=name, arguments=action.arguments, outputs=bound)
