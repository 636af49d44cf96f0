"""What a program declares and where it is meant: declarations, references, scopes (language.md §2, §8.4).

A symbol is a name of one kind in one scope. Each member is read by itself and remembered: after an edit that
declares nothing new, only the member that changed is read again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from agentl_grammar.source import Span
from agentl_grammar.symbols.declarations import Declaration, Known, declarations_of
from agentl_grammar.symbols.names import ANY, Kind, Use
from agentl_grammar.symbols.paths import Meaning
from agentl_grammar.symbols.reading import read
from agentl_grammar.tree import Node, Program
from agentl_grammar.tree.shift import as_read

__all__ = ["Kind", "Symbols", "Use"]

_Key = tuple[Kind, str, str]
_SHARED_OUT = (Kind.PARAMETER, Kind.OUTPUT, Kind.VARIABLE)
"""What several tools or loops may have, each its own, while one place means all of them."""
_Member = tuple[int, str]
"""The identity of a member's node, which `_Told` keeps alive, and its agent: two may share a member."""


class _Told:
    """One member as it was read: what it declares, and its uses with what is known around it."""

    def __init__(self, node: Node, agent: str, declared: frozenset[Declaration], known: Known) -> None:
        self.node = node
        self.agent = agent
        self.declared = declared
        self.known = known
        reading = read(Meaning(agent, known), node)
        self.paths = frozenset(reading.paths)
        self.uses: dict[_Key, list[Use]] = {}
        for use in reading.uses:
            self.uses.setdefault(_key(use), []).append(use)

    def keys(self, use: Use, *, inside: bool) -> list[_Key]:
        """Return under which keys the symbol of `use` is meant here; `inside`: that stands here, too."""
        whole = f"{self.agent}/{ANY}"
        if use.kind not in _SHARED_OUT or not use.scope.startswith(whole[: -len(ANY)]):
            return [_key(use)]
        if use.scope == whole:
            return [key for key in self.uses if key[:2] == (use.kind, use.name)]
        # The loops of two plans of one name have scopes of one name, too.
        own = [_key(use)] if inside or use.kind is not Kind.VARIABLE else []
        return [*own, (use.kind, use.name, whole)]


class _Part:
    """A member where it stands now: `distance` behind where it was read."""

    def __init__(self, told: _Told, distance: int) -> None:
        self.told = told
        self._distance = distance
        self.span = self._moved(told.node.span)

    def all(self) -> Iterator[Use]:
        """Yield every use."""
        for key in self.told.uses:
            yield from self._of(key)

    def same(self, use: Use) -> Iterator[Use]:
        """Yield the uses of the symbol of `use`."""
        inside = self.span.start <= use.span.start < self.span.end
        for key in self.told.keys(use, inside=inside):
            yield from self._of(key)

    def _of(self, key: _Key) -> Iterator[Use]:
        for use in self.told.uses.get(key, ()):
            yield replace(use, span=self._moved(use.span))

    def _moved(self, span: Span) -> Span:
        return Span(span.start + self._distance, span.end + self._distance)


@dataclass(frozen=True, slots=True)
class _Memory:
    """What the symbols of the next version of the text can use again."""

    members: dict[_Member, _Told]
    known: dict[str, Known]
    shared: Known | None = None

    def told(self, node: Node, agent: str) -> _Told | None:
        """Return what is remembered of a member."""
        return self.members.get((id(node), agent))

    def declared(self, node: Node, agent: str) -> frozenset[Declaration]:
        """Return what a member declares."""
        told = self.told(node, agent)
        return told.declared if told else declarations_of(node, agent)


def _know(
    agents: list[str], declared: list[frozenset[Declaration]], shared: Known, before: dict[str, Known]
) -> dict[str, Known]:
    """Return what is known in each agent: its own names, and those that all share."""
    own: dict[str, set[Declaration]] = defaultdict(set)
    for agent, names in zip(agents, declared, strict=True):
        own[agent] |= names
    found: dict[str, Known] = {}
    for agent, names in own.items():
        known = before.get(agent)
        now = frozenset(names)
        same = known and known.shared is shared and known.declarations == now
        found[agent] = known if known and same else Known(now, shared)
    return found


class Symbols:
    """Every use of every name of one program; `before` are the symbols of an older version of the text."""

    def __init__(self, program: Program, before: Symbols | None = None) -> None:
        old = before.memory if before else _Memory({}, {})
        self._agents = [
            Use(Kind.AGENT, agent.name.text, "", agent.name.span, declares=True) for agent in program.agents
        ]
        members = [
            (node, distance, agent.name.text)
            for agent in program.agents
            for node, distance in as_read(agent.members)
        ]
        declared = [old.declared(node, agent) for node, _, agent in members]
        shared = self._shared(declared, old.shared)
        known = _know([agent for *_, agent in members], declared, shared, old.known)
        self.memory = _Memory({}, known, shared)
        self._parts: list[_Part] = []
        for (node, distance, agent), names in zip(members, declared, strict=True):
            told = old.told(node, agent)
            if told is None or told.known is not known[agent]:
                told = _Told(node, agent, names, known[agent])
            self.memory.members[id(node), agent] = told
            self._parts.append(_Part(told, distance))

    def _shared(self, declared: list[frozenset[Declaration]], before: Known | None) -> Known:
        """Return the names that all agents share."""
        found: set[Declaration] = {(Kind.AGENT, "", use.name) for use in self._agents}
        for names in declared:
            found.update(entry for entry in names if entry[0] is Kind.PAYLOAD)
        now = frozenset(found)
        return before if before and before.declarations == now else Known(now)

    @property
    def uses(self) -> list[Use]:
        """Every use, in the order of the text."""
        found = [*self._agents, *(use for part in self._parts for use in part.all())]
        return sorted(found, key=lambda use: (use.span.start, -use.span.end))

    @property
    def paths(self) -> set[str]:
        """Every path that is read or written somewhere, as it is written there."""
        return {path for part in self._parts for path in part.told.paths}

    def at(self, offset: int) -> Use | None:
        """Return the use that touches `offset`; of several, the shortest, and a name rather than a fact."""
        around = (part for part in self._parts if part.span.contains(offset))
        uses = [*self._agents, *(use for part in around for use in part.all())]
        found = [use for use in uses if use.span.contains(offset)]
        return min(
            found, key=lambda use: (use.span.end - use.span.start, use.kind is Kind.FACT), default=None
        )

    def same(self, use: Use) -> list[Use]:
        """Return every use of the same symbol, in the order of the text.

        A place that means what several tools have, counts for each of them, and all of them for it.
        """
        found = [other for part in self._parts for other in part.same(use)]
        if use.kind is Kind.AGENT:
            found += [agent for agent in self._agents if agent.name == use.name]
        return sorted(found, key=lambda other: other.span.start)

    def declarations(self, use: Use) -> list[Use]:
        """Return the places where the symbol of `use` is declared; none for facts and unknown names."""
        return [other for other in self.same(use) if other.declares]

    def linked(self, use: Use) -> list[Use]:
        """Return every use that changes with the name of `use`, in the order of the text.

        Places that mean several symbols at once link them: none can have another name without the others.
        """
        at: dict[Span, list[Use]] = {}
        for other in self.uses:
            if other.kind is not Kind.FACT:
                at.setdefault(other.span, []).append(other)
        pending, seen, found = [use], set[_Key](), set[Use]()
        while pending:
            current = pending.pop()
            if _key(current) in seen:
                continue
            same = self.same(current)
            # What means all of them has brought the uses of each.
            seen.update(map(_key, same if current.scope.endswith(f"/{ANY}") else [current]))
            found.update(same)
            pending += (linked for other in same for linked in at.get(other.span, ()))
        return sorted(found, key=lambda other: (other.span.start, other.kind, other.scope))


def _key(use: Use) -> _Key:
    return use.kind, use.name, use.scope
