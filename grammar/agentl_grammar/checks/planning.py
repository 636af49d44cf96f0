"""PLANNER: what it cannot use or reach (§5.17)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.naming import effects_of, related_paths
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, did_you_mean, nearest, renaming, said, warning
from agentl_grammar.problems import message_id
from agentl_grammar.tree import Expression, Goal, NumberLiteral, Planner, Tool

_CLOSE = 1e-6


def _operators(index: Index) -> list[tuple[Part, Tool]]:
    return [(part, tool) for part, tool in index.own_tools() if effects_of(tool)]


@warning("W108")
def nothing_to_plan_with(index: Index) -> Iterator[Found]:
    """W108: a PLANNER, and no tool with EFFECT or OUTCOME that it could use."""
    if index.planner and not _operators(index):
        part, node = index.planner
        yield Found(
            part.at(node),
            said(message_id("the planner has nothing to plan with: no tool says what it does")),
            said(message_id("add EFFECT or OUTCOME to the tools that it may use")),
        )


@warning("W109", Tool)
def unbound_parameter(index: Index) -> Iterator[Found]:
    """W109: the planner cannot call a tool: a parameter is bound to no known path, and none has its name."""
    if not index.planner:
        return
    for part, tool in _operators(index):
        for parameter in tool.inputs:
            path = parameter.bind.text if parameter.bind else parameter.name.text
            if index.is_defined(path):
                continue
            node = parameter.bind or parameter.name
            near = nearest(path, index.defined) if parameter.bind else None
            yield Found(
                part.at(node),
                said(
                    message_id("the planner cannot use {tool}: nothing defines {path}"),
                    tool=tool.name.text,
                    path=path,
                ),
                did_you_mean(near, said(message_id("bind it to a path that is known: BIND a.path"))),
                fixes=renaming(part.at(node), path, near),
            )


@warning("W110")
def goal_no_tool_serves(index: Index) -> Iterator[Found]:
    """W110: no EFFECT or OUTCOME touches what the planner is to achieve: ACHIEVE of PLANNER, else of GOAL."""
    if not index.planner or not _operators(index):
        return
    part, planner = index.planner
    goals: list[tuple[Part, Expression]] = [(part, goal) for goal in planner.achieve]
    if not goals:
        goals = [
            (home, goal.condition)
            for home, goal in index.all(Goal)
            if goal.mode == "ACHIEVE" and goal.condition
        ]
    for home, goal in goals:
        paths = home.reads(goal)
        if not any(related_paths(path, effect) for path in paths for effect in index.effects):
            yield Found(
                home.at(goal),
                said(message_id("no tool of the planner touches this goal")),
                said(message_id("add it to the EFFECT of a tool, or leave it to a PLAN")),
            )


@warning("W113", Tool)
def outcomes_that_do_not_add_up(index: Index) -> Iterator[Found]:
    """W113: the probabilities of a tool's OUTCOMEs do not sum to 1. One without WITH counts as 1."""
    for part, tool in index.own(Tool):
        total = sum(outcome.probability.value if outcome.probability else 1.0 for outcome in tool.outcomes)
        if tool.outcomes and abs(total - 1) > _CLOSE:
            yield Found(
                part.at(tool.outcomes[-1].name),
                said(
                    message_id("the outcomes of {tool} sum to {total}, not to 1"),
                    tool=tool.name.text,
                    total=f"{total:.4g}",
                ),
                said(message_id("give each its probability: OUTCOME name WITH 70%")),
            )


@warning("W126", Tool)
def time_that_is_not_counted(index: Index) -> Iterator[Found]:
    """W126: DEADLINE or TIME_WEIGHT is set, and a tool of the planner has no DURATION: it counts as none."""
    if not index.planner:
        return
    home, planner = index.planner
    reason = _time_matters(planner)
    if reason is None:
        return
    for part, tool in _operators(index):
        if tool.duration is None:
            yield Found(
                part.at(tool.name),
                said(
                    message_id("{tool} has no DURATION, so the planner takes it for instant"),
                    tool=tool.name.text,
                ),
                said(message_id("say how long it takes: DURATION 30s")),
                (see(home, reason, said(message_id("time matters here"))),),
            )


def _time_matters(planner: Planner) -> NumberLiteral | None:
    if planner.deadline is not None:
        return planner.deadline
    return planner.time_weight if planner.time_weight and planner.time_weight.value else None


RULES = (
    nothing_to_plan_with,
    unbound_parameter,
    goal_no_tool_serves,
    outcomes_that_do_not_add_up,
    time_that_is_not_counted,
)
