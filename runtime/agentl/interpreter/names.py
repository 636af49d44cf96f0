"""Which names outside data may take: none that means something in the program (language.md §3.8, I3, I4)."""

from __future__ import annotations

from agentl.values import Value
from agentl_grammar.checks.meanings import Meanings, said_by
from agentl_grammar.checks.parts import facts_of
from agentl_grammar.tree import Agent, Scenario


class Names(Meanings):
    """What the names in the text of an agent mean, SCENARIO left out: outside data must not change it."""

    def __init__(self, agent: Agent) -> None:
        members = (member for member in agent.members if not isinstance(member, Scenario))
        super().__init__(said_by(facts_of(member)) for member in members)

    def holds(self, path: str, value: Value) -> bool:
        """Tell whether `path` keeps its meaning although an answer or a part of an element has that name."""
        return self.keeps(path, is_dict=isinstance(value, dict))
