"""The static rules (language.md §10): what a program that can be read does wrong all the same.

A rule is a small function that carries its code; it looks at an `Index`, computed once an agent. What was
found in an agent is kept for as long as its text stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from agentl_grammar.checks import (
    answers,
    binding,
    calls,
    conditions,
    declarations,
    effects,
    inference,
    joining,
    kinds,
    knowledge,
    layout,
    letter_case,
    meant_values,
    misread,
    oracles,
    origins,
    planning,
    policy,
    promises,
    retrying,
    scenarios,
    society,
)
from agentl_grammar.checks.host import HostFacts
from agentl_grammar.checks.index import Index
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Rule
from agentl_grammar.checks.remembering import Memory, Roster, Rules, look
from agentl_grammar.checks.selection import Selection
from agentl_grammar.checks.society import Society
from agentl_grammar.checks.suppression import allowances, complaints, has_allowances, left_over
from agentl_grammar.parser import ParseResult, parse
from agentl_grammar.problems import Problem
from agentl_grammar.source import Span
from agentl_grammar.tree import Agent, Message, Step, Tool
from agentl_grammar.tree import Rule as PolicyRule

__all__ = ["CODES", "PROGRAM_RULES", "RULES", "UNNECESSARY", "Checker", "HostFacts", "Selection", "check"]

RULES: tuple[Rule[Index], ...] = (
    *calls.RULES,
    *declarations.RULES,
    *policy.RULES,
    *oracles.RULES,
    *effects.RULES,
    *origins.RULES,
    *knowledge.RULES,
    *inference.RULES,
    *planning.RULES,
    *scenarios.RULES,
    *society.RULES,
    *promises.RULES,
    *retrying.RULES,
    *binding.RULES,
    *kinds.RULES,
    *answers.RULES,
    *joining.RULES,
    *misread.RULES,
    *meant_values.RULES,
    *letter_case.RULES,
    *conditions.RULES,
    *layout.RULES,
)
_RULES = Rules(RULES)
PROGRAM_RULES: tuple[Rule[Society], ...] = society.PROGRAM_RULES
CODES = frozenset({rule.code for rule in (*RULES, *PROGRAM_RULES)})
"""The codes of the rules; W141 and W142 are about comments."""
UNNECESSARY = frozenset({rule.code for rule in RULES if rule.unnecessary} | {"W142"})
"""Codes that mark what could as well be gone."""


class Checker:
    """Checks the texts of one document, one version after the other; what did not change is not looked at."""

    def __init__(self) -> None:
        self._rosters: dict[_Slot, Roster] = {}
        self._memories: dict[_Slot, tuple[_AgentKey, Memory]] = {}

    def check(self, result: ParseResult, *, host: HostFacts | None = None) -> tuple[Problem, ...]:
        """Return every problem of a text in its order, those of its syntax included.

        Of a text with syntax errors nothing else is told: its tree has holes. `host` is what is known of the
        host script; without it W139 and W140 are silent.
        """
        program = result.program
        if program is None or not result.complete:
            return result.problems
        slots = _slots(program.agents)
        self._rosters = {slot: self._rosters.get(slot) or Roster() for slot in slots}
        rosters = self._rosters.values()
        parts = [
            roster.update(agent, result.source) for roster, agent in zip(rosters, program.agents, strict=True)
        ]
        sent = [_sent(members) for members in parts]
        indexes = [
            Index(agent, members, result.source, host, _Keys().union(*sent[:at], *sent[at + 1 :]))
            for at, (agent, members) in enumerate(zip(program.agents, parts, strict=True))
        ]
        found = self._of_agents(slots, indexes)
        found += _of_program(indexes)
        told = [*result.problems, *_not_allowed(result, indexes, found)]
        return tuple(sorted(told, key=lambda problem: (problem.span.start, problem.span.end, problem.code)))

    def _of_agents(self, slots: Sequence[_Slot], indexes: Sequence[Index]) -> list[Problem]:
        memories: dict[_Slot, tuple[_AgentKey, Memory]] = {}
        for slot, index in zip(slots, indexes, strict=True):
            key, (old_key, before) = _key(index), self._memories.get(slot, (None, None))
            if before is not None and old_key == key:
                memories[slot] = key, before.moved_to(index.agent.span.start)
            else:
                same = before if old_key is not None and old_key[2:] == key[2:] else None
                memories[slot] = key, look(index, _RULES, same)
        self._memories = memories
        return [problem for _, memory in memories.values() for problem in memory.problems()]


_Slot = tuple[str, int]
"""An agent of a program: its name, and how many of that name stand before it."""


def _slots(agents: Sequence[Agent]) -> list[_Slot]:
    seen: Counter[str] = Counter()
    slots: list[_Slot] = []
    for agent in agents:
        slots.append((agent.name.text, seen[agent.name.text]))
        seen[agent.name.text] += 1
    return slots


_Keys = frozenset[tuple[str, str]]
_AgentKey = tuple[str, str, HostFacts | None, _Keys]


def _sent(members: list[Part]) -> _Keys:
    """Return the keys of the messages that an agent sends, each with the name of its message."""
    messages = (message for part in members for message in part.all(Message))
    return frozenset((message.name.text, entry.key.text) for message in messages for entry in message.payload)


def _key(index: Index) -> _AgentKey:
    """Return what the findings in an agent depend on: its text, and how its line begins."""
    text, span = index.source.text, index.agent.span
    before = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    return before, text[span.start : span.end], index.host, index.received


def _of_program(indexes: list[Index]) -> list[Problem]:
    whole = Society(indexes)
    return [problem for rule in PROGRAM_RULES for problem in rule.problems(whole)]


def _not_allowed(result: ParseResult, indexes: list[Index], problems: list[Problem]) -> list[Problem]:
    """Return the problems that no comment takes back, and what is wrong with such comments."""
    source = result.source
    if not has_allowances(source.text):
        return problems
    found = allowances(source, result.comments, (span for index in indexes for span in _places(index)))
    return [*left_over(problems, found), *complaints(source, found)]


def _places(index: Index) -> Iterator[Span]:
    for part in (*index.members, *index.homes(PolicyRule)):
        yield part.at(part.node)
        for kind in (Tool, Step, PolicyRule):
            yield from (part.at(node) for node in part.all(kind))


def check(result: ParseResult | str, *, host: HostFacts | None = None) -> tuple[Problem, ...]:
    """Return every problem of a text, or of what was parsed of it, in the order of the text."""
    return Checker().check(parse(result) if isinstance(result, str) else result, host=host)
