"""What was found in an agent, member by member, with what was asked for it; what may differ is found anew.

An edit changes members, and through them answers to some questions about the agent. A member that stayed, and
that asked none of these questions, has the findings that it had, where it stands now.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from agentl_grammar.checks.asking import Asked, Changes
from agentl_grammar.checks.contents import Every, Joined
from agentl_grammar.checks.index import Index
from agentl_grammar.checks.parts import Facts, Part, facts_of
from agentl_grammar.checks.registry import Rule
from agentl_grammar.problems import Fix, Problem, Related
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import Agent, Member, Node, Policy
from agentl_grammar.tree.shift import as_read

_Key = tuple[object, int]
"""What a part is known by, and how many of its like stand before it."""


class Roster:
    """The parts of an agent, the same objects for as long as their texts stay: they only move.

    The entries of a POLICY are parts of their own, known by their texts.
    """

    def __init__(self) -> None:
        self._known: dict[_Key, Part] = {}
        self._entries: list[_Entries] = []

    def update(self, agent: Agent, source: Source) -> list[Part]:
        """Return the members of an agent, those of POLICY with their entries."""
        fresh: dict[_Key, Part] = {}
        alike: Counter[int] = Counter()
        members: list[Part] = []
        policies: list[_Entries] = []
        for member, distance in as_read(agent.members):
            key = id(member), alike[id(member)]
            alike[id(member)] += 1
            part = fresh[key] = self._part(key, member, distance)
            members.append(part)
            if isinstance(member, Policy):
                known = next(iter(self._entries[len(policies) : len(policies) + 1]), None)
                same = known is not None and known.policy is member
                policies.append(known if known and same else _Entries(member, source, distance, known))
                part.entries = policies[-1].at(distance)
        self._known, self._entries = fresh, policies
        return members

    def _part(self, key: _Key, member: Member, distance: int) -> Part:
        known = self._known.get(key)
        if known is None:
            facts = _alone(member) if isinstance(member, Policy) else facts_of(member)
            known = Part(member, distance, facts)
        known.distance = distance
        return known


class _Entries:
    """The entries of one POLICY; `before` is what stood at its place, and gives those of the same text."""

    def __init__(self, policy: Policy, source: Source, distance: int, before: _Entries | None) -> None:
        self.policy = policy
        self._known: dict[_Key, Part] = {}
        self._parts: list[tuple[Part, int]] = []
        count: dict[str, int] = {}
        for entry in policy.rules:
            text = source.text[entry.span.start + distance : entry.span.end + distance]
            number = count[text] = count.get(text, -1) + 1
            key = text, number
            part = before.known(key) if before else None
            if part is None:
                part = Part(cast("Member", entry), distance, facts_of(entry))
            self._known[key] = part
            self._parts.append((part, entry.span.start - part.node.span.start))

    def known(self, key: _Key) -> Part | None:
        """Return the part of an entry of this text, the first or a later one."""
        return self._known.get(key)

    def at(self, distance: int) -> list[Part]:
        """Return the entries, moved to where they are when the POLICY is `distance` further on."""
        for part, offset in self._parts:
            part.distance = offset + distance
        return [part for part, _ in self._parts]


def _alone(policy: Policy) -> Facts:
    return Facts({Policy: [policy]}, [], [])


@dataclass(frozen=True, slots=True)
class _Findings:
    """What was found, and what was asked for it."""

    problems: list[Problem]
    asked: frozenset[Asked]

    def moved(self, moves: _Moves) -> _Findings:
        """Return the same where it stands now. Raises _GoneError."""
        return _Findings(moves.all(self.problems), self.asked) if self.problems else self


@dataclass(slots=True)
class Memory:
    """What was found in one version of an agent. `starts` are where its parts began, in order."""

    index: Index
    of_parts: dict[Part, _Findings] = field(default_factory=dict[Part, _Findings])
    of_rules: dict[str, _Findings] = field(default_factory=dict[str, _Findings])
    starts: list[int] = field(default_factory=list[int])
    parts: list[Part] = field(default_factory=list[Part])
    start: int = 0

    def problems(self) -> list[Problem]:
        """Return all that was found."""
        found = (*self.of_parts.values(), *self.of_rules.values())
        return [problem for each in found for problem in each.problems]

    def moved_to(self, start: int) -> Memory:
        """Return the same of an agent that stands elsewhere in its text, and is the same."""
        if start == self.start:
            return self
        distance = start - self.start
        moves = _Moves.by(self, distance)
        return Memory(
            self.index,
            {part: each.moved(moves) for part, each in self.of_parts.items()},
            {code: each.moved(moves) for code, each in self.of_rules.items()},
            [each + distance for each in self.starts],
            self.parts,
            start,
        )


class Rules:
    """The rules: those of a whole agent, and those of its members by what is in them."""

    def __init__(self, rules: Sequence[Rule[Index]]) -> None:
        self._rules = rules
        self.of_all = [rule for rule in rules if not rule.of]
        self._known: dict[frozenset[type[Node]], list[Rule[Index]]] = {}

    def of(self, part: Part) -> list[Rule[Index]]:
        """Return the rules that look at a part."""
        kinds = frozenset(part.facts.nodes)
        if kinds not in self._known:
            self._known[kinds] = [rule for rule in self._rules if not kinds.isdisjoint(rule.of)]
        return self._known[kinds]


def look(index: Index, rules: Rules, before: Memory | None) -> Memory:
    """Return what the rules find in an agent; `before` is an older version of it, with the same host."""
    parts = [part for member in index.members for part in (member, *member.entries)]
    memory = Memory(index, parts=parts, start=index.agent.span.start)
    memory.starts = [part.node.span.start + part.distance for part in memory.parts]
    changed = Changes(before.index, index, _same(before, memory)).found if before else set[Asked]()
    moves = _Moves.between(before, memory) if before else None
    for part in parts:
        known = before.of_parts.get(part) if before else None
        memory.of_parts[part] = _still(known, changed, moves) or _found(index, rules.of(part), part)
    for rule in rules.of_all:
        known = before.of_rules.get(rule.code) if before else None
        memory.of_rules[rule.code] = _still(known, changed, moves) or _found(index, (rule,), None)
    return memory


def _same(before: Memory, now: Memory) -> Callable[[object], bool]:
    """Return what tells that a fact is as it was: the parts that came say what those said that went."""
    old, new = set(before.parts), set(now.parts)
    gone = [part for part in before.parts if part not in new]
    come = [part for part in now.parts if part not in old]
    moved = [part for part in before.parts if part in new] != [part for part in now.parts if part in old]
    touched = {kind for part in (*gone, *come) for kind in part.facts.nodes}

    def is_same(fact: object) -> bool:
        if moved:
            return False
        if isinstance(fact, Every):
            return fact.kind not in touched
        return isinstance(fact, Joined) and fact.tells(gone) == fact.tells(come)

    return is_same


def _found(index: Index, rules: Sequence[Rule[Index]], part: Part | None) -> _Findings:
    return _Findings(
        *index.listen(part, lambda: [problem for rule in rules for problem in rule.problems(index)])
    )


def _still(known: _Findings | None, changed: set[Asked], moves: _Moves | None) -> _Findings | None:
    """Return what was found, where it stands now; None when it may be something else."""
    if known is None or moves is None or not changed.isdisjoint(known.asked):
        return None
    try:
        return known.moved(moves)
    except _GoneError:
        return None


class _GoneError(Exception):
    """A place of a finding is in a part that is no more."""


class _Moves:
    """How far each part moved from one version to the next, and what was between the parts with them."""

    def __init__(self, starts: list[int], distances: list[int | None]) -> None:
        """`starts` are where parts began, `distances` how far each moved: None for one that is gone."""
        self._starts = starts
        self._distances = distances
        first = next((at for at, distance in enumerate(distances) if distance != 0), None)
        self._same_until = float("inf") if first is None else starts[first]

    @classmethod
    def between(cls, before: Memory, now: Memory) -> _Moves:
        """Return the moves from one version to another."""
        new = dict(zip(now.parts, now.starts, strict=True))
        old = zip(before.parts, before.starts, strict=True)
        distances = [new[part] - start if part in new else None for part, start in old]
        return cls([before.start, *before.starts], [now.start - before.start, *distances])

    @classmethod
    def by(cls, memory: Memory, distance: int) -> _Moves:
        """Return the same move of everything."""
        return cls([memory.start], [distance])

    def all(self, problems: list[Problem]) -> list[Problem]:
        """Return problems where they are now. Raises _GoneError."""
        return [self._problem(problem) for problem in problems]

    def _problem(self, problem: Problem) -> Problem:
        ends = [problem.span.end, *(each.span.end for each in problem.related)]
        ends += [span.end for fix in problem.fixes for span, _ in fix.replacements]
        if max(ends) < self._same_until:
            return problem
        return Problem(
            problem.code,
            problem.severity,
            self._span(problem.span),
            problem.message,
            problem.hint,
            tuple(Related(self._span(each.span), each.message, each.name) for each in problem.related),
            tuple(
                Fix(
                    fix.title,
                    tuple((self._span(span), text) for span, text in fix.replacements),
                    fix.name,
                    fix.guess,
                )
                for fix in problem.fixes
            ),
        )

    def _span(self, span: Span) -> Span:
        distance = self._distances[bisect_right(self._starts, span.start) - 1]
        if distance is None:
            raise _GoneError
        return Span(span.start + distance, span.end + distance)
