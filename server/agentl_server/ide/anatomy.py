"""A program taken apart once: its sites, declarations and digests, as far as someone asks."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from agentl_grammar.declared import Declared, agent_keys, declared
from agentl_grammar.digest import declaration_digests, program_digest
from agentl_grammar.printer import print_node
from agentl_grammar.problems import Problem
from agentl_grammar.sites import SiteIndex
from agentl_grammar.source import Source
from agentl_grammar.symbols import Symbols
from agentl_grammar.tree import Agent, Program, Rule


class Anatomy:
    """A program and the text it was read from. Each part is computed when it is first needed, then kept.

    `mistakes` are the syntax problems of the text: with any, the program is what could be read around them.
    `older` is the anatomy of an older version of the text.
    """

    def __init__(
        self,
        program: Program,
        source: Source,
        mistakes: tuple[Problem, ...] = (),
        older: Anatomy | None = None,
    ) -> None:
        self.program = program
        self.source = source
        self.mistakes = mistakes
        self._older_symbols = older.newest_symbols if older else None

    @property
    def whole(self) -> bool:
        """Whether the program is all that the text says."""
        return not self.mistakes

    def is_known(self, key: str) -> bool:
        """Tell whether it can be said what the declaration `key` is, or that there is none."""
        return self.whole or (key in self.declared and key not in self._broken)

    @cached_property
    def _broken(self) -> frozenset[str]:
        """The declarations with a mistake in them or behind them: what stands there may belong to them."""
        places = sorted(
            (node.span.start, key) for key, entry in self.declared.items() for node in entry.nodes
        )
        starts = [start for start, _ in places]
        befores = (bisect_right(starts, mistake.span.start) for mistake in self.mistakes)
        return frozenset(places[before - 1][1] for before in befores if before)

    @property
    def newest_symbols(self) -> Symbols | None:
        """The symbols of this version or, if nobody asked for them, of the last of which someone did."""
        return self.__dict__.get("symbols", self._older_symbols)

    @cached_property
    def symbols(self) -> Symbols:
        """What the program declares and where it is meant."""
        return Symbols(self.program, self._older_symbols)

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
    def keys(self) -> dict[int, str]:
        """The key of each declaration by the `id` of its nodes."""
        return {id(node): key for key, entry in self.declared.items() for node in entry.nodes}

    @cached_property
    def rules(self) -> dict[tuple[str, str], Rule]:
        """The first rule with each canonical text, by name of the agent and that text."""
        found: dict[tuple[str, str], Rule] = {}
        for agent in self.program.agents:
            for rule in agent.policy_rules:
                if isinstance(rule, Rule):
                    found.setdefault((agent.name.text, print_node(rule).strip()), rule)
        return found
