"""A program and its agents (language.md §2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from agentl_grammar.tree.behaviour import (
    Decide,
    EventHandler,
    Hypothesis,
    MainLoop,
    MessageHandler,
    Plan,
    Planner,
    Scenario,
    Utility,
    VerifyFailHandler,
)
from agentl_grammar.tree.declarations import (
    Belief,
    Description,
    Goal,
    Memory,
    Observation,
    Observe,
    Policy,
    PolicyDefault,
    Redaction,
    Rule,
    Tool,
    ToolList,
    Version,
)
from agentl_grammar.tree.node import Name, Node

Member = (
    Version
    | Description
    | Goal
    | Belief
    | Observe
    | Memory
    | Tool
    | ToolList
    | Policy
    | Plan
    | EventHandler
    | MessageHandler
    | VerifyFailHandler
    | Decide
    | Hypothesis
    | Planner
    | Utility
    | MainLoop
    | Scenario
)

_M = TypeVar("_M", bound=Node)


@dataclass(frozen=True, slots=True)
class Agent(Node):
    """AGENT name { … }; members in the order of the text."""

    name: Name
    members: Sequence[Member]

    def of(self, kind: type[_M]) -> tuple[_M, ...]:
        """Return the members of one kind, in order."""
        return tuple(member for member in self.members if isinstance(member, kind))

    def last(self, kind: type[_M]) -> _M | None:
        """Return the last member of a kind of which the last wins (§2.2), if any."""
        found = self.of(kind)
        return found[-1] if found else None

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Every tool, of the full and of the short form."""
        found: list[Tool] = []
        for member in self.members:
            if isinstance(member, Tool):
                found.append(member)
            elif isinstance(member, ToolList):
                found.extend(member.tools)
        return tuple(found)

    @property
    def observations(self) -> tuple[Observation, ...]:
        """Every observed path, in order."""
        return tuple(entry for member in self.of(Observe) for entry in member.entries)

    @property
    def policy_rules(self) -> tuple[PolicyDefault | Redaction | Rule, ...]:
        """Every entry of every POLICY, in order."""
        return tuple(rule for member in self.of(Policy) for rule in member.rules)


@dataclass(frozen=True, slots=True)
class Program(Node):
    """One or more agents."""

    agents: tuple[Agent, ...]
