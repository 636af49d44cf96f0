"""A program taken apart once: its sites, declarations and digests, as far as someone asks."""

from __future__ import annotations

from functools import cached_property

from agentl_grammar.declared import Declared, agent_keys, declared
from agentl_grammar.digest import declaration_digests, program_digest
from agentl_grammar.printer import print_node
from agentl_grammar.sites import SiteIndex
from agentl_grammar.source import Source
from agentl_grammar.tree import Agent, Program, Rule


class Anatomy:
    """A program and the text it was read from. Each part is computed when it is first needed, then kept."""

    def __init__(self, program: Program, source: Source) -> None:
        self.program = program
        self.source = source

    @cached_property
    def sites(self) -> SiteIndex:
        """Sites ↔ nodes."""
        return SiteIndex(self.program)

    @cached_property
    def digest(self) -> str:
        """The digest of the whole program."""
        return program_digest(self.program)

    @cached_property
    def digests(self) -> dict[str, str]:
        """The digest of each declaration that a run depends on, by key."""
        return declaration_digests(self.program)

    @cached_property
    def agents(self) -> dict[str, Agent]:
        """The agents by key."""
        return dict(agent_keys(self.program))

    @cached_property
    def declared(self) -> dict[str, Declared]:
        """The declarations by key, in the order of the text."""
        return {entry.key: entry for key, agent in self.agents.items() for entry in declared(agent, key)}

    @cached_property
    def rules(self) -> dict[tuple[str, str], Rule]:
        """The first rule with each canonical text, by name of the agent and that text."""
        found: dict[tuple[str, str], Rule] = {}
        for agent in self.program.agents:
            for rule in agent.policy_rules:
                if isinstance(rule, Rule):
                    found.setdefault((agent.name.text, print_node(rule).strip()), rule)
        return found
