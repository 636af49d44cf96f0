"""What an action leaves behind: dirty paths, a doubt, what ROLLBACK can undo (language.md §5.5, §7.7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agentl.interpreter.core import Core
from agentl.kernel import Action
from agentl.provenance import RUNTIME, Label, of
from agentl.values import Value


@dataclass(frozen=True, slots=True)
class Completed:
    """An action that happened: what ROLLBACK hands to its compensation.

    `labels` say where the arguments came from, and what led to the action.
    """

    action: Action
    labels: Mapping[str, Label]
    result: Value


def remember_completed(core: Core, action: Action, labels: Mapping[str, Label], result: Value) -> None:
    """The action happened, whatever its result is worth: ROLLBACK can undo it."""
    context = core.context()
    sources = {name: label | context for name, label in labels.items()}
    core.completed.append(Completed(action, sources, result))


def note_blocked(core: Core, label: Label) -> None:
    """The latest call was not made: whatever the call before left in `last_action` is no longer true.

    `label` says where its arguments came from: they had a part in it.
    """
    core.put_local_fact("last_action.blocked", True, label)
    core.put_local_fact("last_action.in_doubt", False, label)


def note_allowed(core: Core, label: Label) -> None:
    """The latest call is made; `label` says where its arguments came from."""
    core.put_local_fact("last_action.blocked", False, label)
    core.put_local_fact("last_action.in_doubt", False, label)


def mark_dirty(core: Core, paths: Iterable[str]) -> None:
    """What an action may have changed is no longer known."""
    for path in paths:
        core.state.world.put(f"{path}.dirty", True, of(RUNTIME))


def remember_doubt(core: Core, action: Action, side_effects: Iterable[str], label: Label) -> None:
    """The action may have happened: the doubt stays until it is settled (durability.md §3)."""
    mark_dirty(core, side_effects)
    core.state.doubts.setdefault(action.target, []).append(action.action_id)
    core.state.facts[f"tools.{action.target}.in_doubt"] = True
    core.put_local_fact("last_action.in_doubt", True, label)
