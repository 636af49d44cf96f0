"""The static rules (language.md §10): what a program that can be read does wrong all the same.

A rule is a small function that carries its code; it looks at an `Index`, computed once an agent. What was
found in an agent is kept for as long as its text stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agentl_grammar.checks import (
    binding,
    calls,
    declarations,
    effects,
    inference,
    knowledge,
    oracles,
    planning,
    policy,
    promises,
    scenarios,
    society,
)
from agentl_grammar.checks.host import HostFacts
from agentl_grammar.checks.index import Index, parts_of
from agentl_grammar.checks.parts import Facts, Part
from agentl_grammar.checks.registry import Rule
from agentl_grammar.checks.selection import Selection
from agentl_grammar.checks.society import Society
from agentl_grammar.checks.suppression import allowances, complaints, has_allowances, left_over
from agentl_grammar.parser import ParseResult, parse
from agentl_grammar.problems import Fix, Problem, Related
from agentl_grammar.source import Span
from agentl_grammar.tree import Member, Message, Step, Tool
from agentl_grammar.tree import Rule as PolicyRule

__all__ = ["CODES", "PROGRAM_RULES", "RULES", "UNNECESSARY", "Checker", "HostFacts", "Selection", "check"]

RULES: tuple[Rule[Index], ...] = (
    *calls.RULES,
    *declarations.RULES,
    *policy.RULES,
    *oracles.RULES,
    *effects.RULES,
    *knowledge.RULES,
    *inference.RULES,
    *planning.RULES,
    *scenarios.RULES,
    *society.RULES,
    *promises.RULES,
    *binding.RULES,
)
PROGRAM_RULES: tuple[Rule[Society], ...] = society.PROGRAM_RULES
CODES = frozenset({rule.code for rule in (*RULES, *PROGRAM_RULES)})
"""The codes of the rules; W141 and W142 are about comments."""
UNNECESSARY = frozenset({rule.code for rule in RULES if rule.unnecessary} | {"W142"})
"""Codes that mark what could as well be gone."""


class Checker:
    """Checks the texts of one document, one version after the other; what did not change is not looked at."""

    def __init__(self) -> None:
        self._facts: dict[int, tuple[Member, Facts]] = {}
        self._agents: dict[_AgentKey, tuple[int, list[Problem]]] = {}

    def check(self, result: ParseResult, *, host: HostFacts | None = None) -> tuple[Problem, ...]:
        """Return every problem of a text in its order, those of its syntax included.

        Of a text with syntax errors nothing else is told: its tree has holes. `host` is what is known of the
        host script; without it W139 and W140 are silent.
        """
        program = result.program
        if program is None or not result.complete:
            return result.problems
        facts: dict[int, tuple[Member, Facts]] = dict(self._facts)
        parts = [parts_of(agent, facts) for agent in program.agents]
        kept = {id(part.node) for members in parts for part in members}
        self._facts = {key: value for key, value in facts.items() if key in kept}
        sent = [_sent(members) for members in parts]
        indexes = [
            Index(agent, members, result.source, host, _Keys().union(*sent[:at], *sent[at + 1 :]))
            for at, (agent, members) in enumerate(zip(program.agents, parts, strict=True))
        ]
        found = [*self._of_agents(indexes), *_of_program(indexes)]
        told = [*result.problems, *_not_allowed(result, indexes, found)]
        return tuple(sorted(told, key=lambda problem: (problem.span.start, problem.span.end, problem.code)))

    def _of_agents(self, indexes: list[Index]) -> Iterator[Problem]:
        kept: dict[_AgentKey, tuple[int, list[Problem]]] = {}
        for index in indexes:
            key, start = _key(index), index.agent.span.start
            known = kept.get(key) or self._agents.get(key)
            if known is None:
                known = start, [problem for rule in RULES for problem in rule.problems(index)]
            kept[key] = known
            yield from (_moved(problem, start - known[0]) for problem in known[1])
        self._agents = kept


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
    for part in index.members:
        yield part.at(part.node)
        for kind in (Tool, Step, PolicyRule):
            yield from (part.at(node) for node in part.all(kind))


def _moved(problem: Problem, distance: int) -> Problem:
    if not distance:
        return problem

    def at(span: Span) -> Span:
        return Span(span.start + distance, span.end + distance)

    return replace(
        problem,
        span=at(problem.span),
        related=tuple(Related(at(r.span), r.message, r.name) for r in problem.related),
        fixes=tuple(
            Fix(fix.title, tuple((at(span), text) for span, text in fix.replacements))
            for fix in problem.fixes
        ),
    )


def check(result: ParseResult | str, *, host: HostFacts | None = None) -> tuple[Problem, ...]:
    """Return every problem of a text, or of what was parsed of it, in the order of the text."""
    return Checker().check(parse(result) if isinstance(result, str) else result, host=host)
