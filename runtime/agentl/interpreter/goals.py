"""Goals and their scores (language.md §4.5)."""

from __future__ import annotations

from agentl.interpreter.core import Core
from agentl.provenance import RUNTIME, of
from agentl_grammar.tree import Goal

_RUNTIME = of(RUNTIME)


def evaluate_goals(core: Core) -> None:
    """Publish the score of every goal, and of all of them by weight."""
    total = weights = 0.0
    for goal in core.of(Goal):
        name = "main" if goal.name is None else goal.name.text
        weight = 1.0 if goal.weight is None else float(goal.weight.value)
        score = _score(core, goal)
        core.state.world.put(f"goals.{name}.score", score, _RUNTIME)
        core.trace.emit("goal.evaluated", goal=name, score=score)
        total += weight * score
        weights += weight
    overall = total / weights if weights else 1.0
    core.state.world.put("goal.score", overall, _RUNTIME)
    core.state.world.put("goal.satisfied", overall >= 1, _RUNTIME)


def _score(core: Core, goal: Goal) -> float:
    parts = [*(() if goal.condition is None else (goal.condition,)), *goal.targets]
    met = [core.holds(part) for part in parts]
    return sum(met) / len(met) if met else 1.0
