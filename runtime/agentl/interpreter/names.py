"""Which names outside data may take: none that means something in the program (language.md §3.8, I3, I4)."""

from __future__ import annotations

from functools import lru_cache

from agentl.values import Value
from agentl_grammar.checks.meanings import Meanings, said_by
from agentl_grammar.checks.parts import facts_of
from agentl_grammar.tree import Agent, Goal, Scenario

_ASKED_NAMES = 1024


class Names(Meanings):
    """What the names in the text of an agent mean, SCENARIO left out: outside data must not change it."""

    def __init__(self, agent: Agent) -> None:
        members = (member for member in agent.members if not isinstance(member, Scenario))
        super().__init__(said_by(facts_of(member)) for member in members)
        # Asked with every result of a tool, and mostly of the same few names.
        self.is_observed = lru_cache(_ASKED_NAMES)(self.is_observed)
        self.admits_answer = lru_cache(_ASKED_NAMES)(self.admits_answer)

    def holds(self, path: str, value: Value) -> bool:
        """Tell whether `path` keeps its meaning although an answer or a part of an element has that name."""
        return self.keeps(path, is_dict=isinstance(value, dict))


def owned_paths(agent: Agent, names: Names) -> frozenset[str]:
    """Return the paths that only sensors, those who are asked, and the runtime fill.

    What holds them does not speak for them: neither for what is observed, nor for what tools and sub-agents
    answer where no sensor speaks.
    """
    observed = [entry.path.text for entry in agent.observations]
    goals = ["main" if goal.name is None else goal.name.text for goal in agent.of(Goal)]
    return frozenset(
        (
            *observed,
            *(path for path in names.produced if not names.is_observed(path)),
            *(f"sensors.{path}.available" for path in observed),
            *(f"tools.{tool.name.text}.in_doubt" for tool in agent.tools),
            *(f"{path.text}.dirty" for tool in agent.tools for path in tool.side_effects),
            *(f"goals.{name}.score" for name in goals),
            *("goal.score", "goal.satisfied", "last_action.blocked", "last_action.in_doubt"),
        )
    )
