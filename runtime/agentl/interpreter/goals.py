"""Goals and their scores (language.md §4.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentl.interpreter.core import Core
from agentl.provenance import RUNTIME, of, union, without_secrets
from agentl_grammar.tree import Expression, Goal

_RUNTIME = of(RUNTIME)


def evaluate_goals(core: Core) -> None:
    """Publish the score of every goal, and of all of them by weight, with the sources of what they read."""
    total = weights = 0.0
    every = _RUNTIME | core.context()
    for goal in core.of(Goal):
        name = _name(goal)
        weight = 1.0 if goal.weight is None else float(goal.weight.value)
        parts = [*(() if goal.condition is None else (goal.condition,)), *goal.targets]
        score = _score(core, parts)
        label = union(_RUNTIME, core.context(), *(without_secrets(core.label_of(part)) for part in parts))
        every |= label
        core.state.world.put(f"goals.{name}.score", score, label)
        core.trace.emit("goal.evaluated", goal=name, score=score)
        total += weight * score
        weights += weight
    overall = total / weights if weights else 1.0
    core.state.world.put("goal.score", overall, every)
    core.state.world.put("goal.satisfied", overall >= 1, every)


def goal_facts(core: Core) -> Iterator[str]:
    """Yield the paths that `evaluate_goals` publishes."""
    yield from (f"goals.{_name(goal)}.score" for goal in core.of(Goal))
    yield from ("goal.score", "goal.satisfied")


def _name(goal: Goal) -> str:
    return "main" if goal.name is None else goal.name.text


def _score(core: Core, parts: Sequence[Expression]) -> float:
    met = [core.holds(part) for part in parts]
    return sum(met) / len(met) if met else 1.0
