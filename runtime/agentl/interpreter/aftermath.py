"""What an action leaves behind: dirty paths, a doubt, what ROLLBACK can undo (language.md §5.5, §7.7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from agentl.interpreter.core import Completed, Core
from agentl.kernel import Action
from agentl.provenance import RUNTIME, Label, of, union, without_secrets
from agentl.spaces import Space
from agentl.values import Value


def remember_completed(core: Core, action: Action, labels: Mapping[str, Label], result: Value) -> None:
    """The action happened, whatever its result is worth: ROLLBACK can undo it."""
    context = core.context()
    sources = {name: label | context for name, label in labels.items()}
    core.completed.append(Completed(action, sources, result))


def note_blocked(core: Core, label: Label) -> None:
    """The latest call was not made: whatever the call before left in `last_action` is no longer true.

    `label` says where its arguments came from: they had a part in it, as had what REQUIRES and POLICY read.
    """
    _note(core, label, blocked=True)


def note_allowed(core: Core, label: Label) -> None:
    """The latest call is made; `label` says where its arguments came from."""
    _note(core, label, blocked=False)


def _note(core: Core, label: Label, *, blocked: bool) -> None:
    label |= core.judged
    core.put_local_fact("last_action.blocked", blocked, label)
    core.put_local_fact("last_action.in_doubt", False, label)


def note_decided(core: Core, name: str, label: Label, answers: Iterable[tuple[Space, str]]) -> None:
    """Count what decided how a call of `name` ended into the sources of what that end shows in.

    `label` are those of its arguments, `answers` is where it publishes. Those, its effects, what it makes
    dirty and whether it is in doubt are there because it succeeded, or are as they are because it did not.
    """
    decided = without_secrets(label | core.judged) | core.context()
    for space, path in answers:
        core.decide(space, path, decided)
    for space, path in marks_of(core, name):
        core.decide(space, path, decided)


def marks_of(core: Core, name: str) -> list[tuple[Space, str]]:
    """Return where a call of `name` shows beside its answer."""
    marks = core.marks.get(name)
    if marks is None:
        marks = core.marks[name] = [*_marks(core, name)]
    return marks


def _marks(core: Core, name: str) -> Iterator[tuple[Space, str]]:
    tool, state = core.tools.get(name), core.state
    yield from ((state.facts, f"tools.{name}.{fact}") for fact in ("in_doubt", "available", "failures"))
    if tool is not None:
        yield from ((state.beliefs, effect.path.text) for effect in tool.effects)
        yield from ((state.world, f"{path.text}.dirty") for path in tool.side_effects)


def mark_dirty(core: Core, paths: Iterable[str]) -> None:
    """What an action may have changed is no longer known."""
    for path in paths:
        core.state.world.put(f"{path}.dirty", True, of(RUNTIME))


def remember_doubt(
    core: Core,
    action: Action,
    side_effects: Iterable[str],
    labels: Mapping[str, Label],
    expects: Iterable[str] = (),
) -> None:
    """The action may have happened: the doubt stays until it is settled (durability.md §3).

    What an operator's word needs later is kept with it: the action, the `labels` of its arguments, what led
    to it, and the keys that a sub-agent was to answer.
    """
    mark_dirty(core, side_effects)
    core.put_local_fact("last_action.in_doubt", True, union(core.judged, *labels.values()))
    doubt = {
        "kind": action.kind,
        "tool": action.target,
        "arguments": dict(action.arguments),
        "key": action.idempotency_key,
        "labels": {name: sorted(label) for name, label in labels.items()},
        "context": sorted(core.context() | without_secrets(core.judged)),
        "expects": list(expects),
    }
    put_doubt(core, action.action_id, doubt)


def put_doubt(core: Core, action: str, doubt: dict[str, Value]) -> None:
    """Let policies see that an action is in doubt."""
    core.state.unsettled[action] = doubt
    core.state.doubts.setdefault(doubt["tool"], []).append(action)
    core.state.put_fact(f"tools.{doubt['tool']}.in_doubt", value=True)


def take_doubt(core: Core, action: str) -> dict[str, Value]:
    """Return a doubt, and let policies see it no longer: false when no other of its tool is left."""
    doubt = core.state.unsettled.pop(action)
    tool = doubt["tool"]
    left = [other for other in core.state.doubts.pop(tool) if other != action]
    if left:
        core.state.doubts[tool] = left
    core.state.put_fact(f"tools.{tool}.in_doubt", bool(left))
    return doubt
