"""What differs between two programs for a run: declarations added, removed, changed, or in another order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agentl_grammar.declared import agent_keys
from agentl_grammar.digest import Declaration, agent_digest, declarations, unordered_digest
from agentl_grammar.source import Span
from agentl_grammar.tree import Agent, Node, Program, Scenario


class Change(StrEnum):
    """What became of a declaration. REORDERED: its parts in another order; MOVED: it stands elsewhere."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    REORDERED = "reordered"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Side:
    """A declaration, or a whole agent, in one of the two programs."""

    nodes: tuple[Node, ...]
    span: Span
    digest: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A declaration that is not the same in both programs; an agent when all of it came, went or moved."""

    key: str
    change: Change
    before: Side | None
    after: Side | None


def differences(before: Program, after: Program) -> list[Difference]:
    """Return what differs, in the order of `after`, what is gone behind it; [] when the digests are equal.

    SCENARIO, VERSION, DESCRIPTION, comments and layout are no difference.
    """
    old, new = dict(agent_keys(before)), dict(agent_keys(after))
    found: list[Difference] = []
    moved = _moved(list(old), list(new))
    for key, agent in new.items():
        if key not in old:
            found.append(Difference(key, Change.ADDED, None, _agent(agent)))
            continue
        if key in moved:
            found.append(Difference(key, Change.MOVED, _agent(old[key]), _agent(agent)))
        if agent_digest(agent) != agent_digest(old[key]):
            found += _inside(key, old[key], agent)
    gone = [key for key in old if key not in new]
    return [*found, *(Difference(key, Change.REMOVED, _agent(old[key]), None) for key in gone)]


def _agent(agent: Agent) -> Side:
    return Side((agent,), agent.span, agent_digest(agent))


def _side(declaration: Declaration) -> Side:
    return Side(declaration.nodes, declaration.span, declaration.digest)


def _inside(key: str, before: Agent, after: Agent) -> list[Difference]:
    old, new = _counting(before, key), _counting(after, key)
    moved = _moved(list(old), list(new))
    found: list[Difference] = []
    for name, declaration in new.items():
        known = old.get(name)
        if known is None:
            found.append(Difference(name, Change.ADDED, None, _side(declaration)))
            continue
        change = _change(known, declaration, moved=name in moved)
        if change:
            found.append(Difference(name, change, _side(known), _side(declaration)))
    gone = [Difference(name, Change.REMOVED, _side(old[name]), None) for name in old if name not in new]
    return [*found, *gone] or [Difference(key, Change.REORDERED, _agent(before), _agent(after))]


def _counting(agent: Agent, key: str) -> dict[str, Declaration]:
    """Return the declarations that a run depends on."""
    found = declarations(agent, key)
    return {name: entry for name, entry in found.items() if not isinstance(entry.nodes[0], Scenario)}


def _change(before: Declaration, after: Declaration, *, moved: bool) -> Change | None:
    if before.digest == after.digest:
        return Change.MOVED if moved else None
    same_parts = unordered_digest(before.nodes) == unordered_digest(after.nodes)
    return Change.REORDERED if same_parts else Change.CHANGED


def _moved(before: Sequence[str], after: Sequence[str]) -> set[str]:
    """Return the fewest of the keys in both that must move to lead from one order to the other."""
    places = {key: at for at, key in enumerate(before)}
    common = [key for key in after if key in places]
    # The longest rising chain stays: `last` holds, by length, the chain whose end stands first in `before`.
    last: list[str] = []
    ahead: dict[str, str | None] = {}
    for key in common:
        at = bisect_left(last, places[key], key=places.__getitem__)
        ahead[key] = last[at - 1] if at else None
        last[at : at + 1] = [key]
    staying: set[str] = set()
    key = last[-1] if last else None
    while key is not None:
        staying.add(key)
        key = ahead[key]
    return set(common) - staying
