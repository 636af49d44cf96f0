"""The cut that follows the layout, for a text whose braces do not match."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from agentl_grammar.cutting.cuts import HEAD, AgentText, cut_members, first, is_text
from agentl_grammar.cutting.lines import Kind, Line


@dataclass(frozen=True, slots=True)
class Regions:
    """What was found in the stretches of a text between lines that begin an agent or a member, as if at 0.

    Nearly all are one member each: those are in `single`. The last of an agent, apart from the others, may
    hold its end; the flag in the key tells.
    """

    single: set[str] = field(default_factory=set[str])
    others: dict[tuple[str, bool], AgentText] = field(default_factory=dict[tuple[str, bool], AgentText])


def cut_by_layout(
    text: str, lines: list[Line], known: Regions, used: Regions, *, loose: bool = False
) -> list[AgentText] | None:
    """Return the agents by the columns of their members, or None when there is no agent to begin with.

    `lines` are those of the text that begin an agent or a member. What is in `known` is not looked at again;
    `used` is filled with what this cut needed. A `loose` cut has agents whose head is broken or misspelt, the
    first perhaps without its word AGENT.
    """
    agents: list[AgentText] = []
    beginnings = _beginnings(lines if loose else [line for line in lines if line[2] is not Kind.MISSPELT])
    if loose and not beginnings:
        beginnings = _beginnings([(first(text), first(text), Kind.AGENT), *lines])
    for (_, start, kind), (_, end, next_kind) in pairwise([*beginnings, (0, len(text), Kind.AGENT)]):
        begin, is_last = start, next_kind is not Kind.MEMBER
        if kind is not Kind.MEMBER:
            agent = _agent(text, start, end, loose=loose)
            if not agent:
                return None
            agents.append(agent)
            begin = agent.head_end
        part = text[begin:end]
        if part in known.single and not is_last:
            used.single.add(part)
            agents[-1].members.append((begin, end))
        elif part:
            _add_region(agents[-1], begin, _region(part, known, used, last=is_last))
    for agent in agents:
        _end(agent)
    begin = agents[0].start if agents else 0
    if agents and is_text(text, first(text), begin):
        if not loose:
            return None
        agents.insert(0, AgentText(first(text), begin, close=begin, broken=True))
    return agents or None


def _beginnings(lines: list[Line]) -> list[Line]:
    """Return the lines that begin an agent or a member by their column."""
    found: list[Line] = []
    outer, inner = -1, -1
    for line in lines:
        start, word, kind = line
        column = word - start
        if kind is not Kind.MEMBER:
            if outer < 0 or column <= outer:
                outer, inner = column, -1
                found.append(line)
        elif outer >= 0:
            if inner < 0:
                inner = column
            if column == inner:
                found.append(line)
    return found


def _agent(text: str, start: int, end: int, *, loose: bool) -> AgentText | None:
    head = HEAD(text, start)
    if head:
        return AgentText(head.start(1), head.end(1))
    return AgentText(start, end, broken=True) if loose else None


def _end(agent: AgentText) -> None:
    """Tell where an agent ends that has no closing brace."""
    if agent.close is not None or agent.surplus:
        return
    if agent.members:
        agent.open_end = agent.members.pop()
    elif agent.broken:
        agent.close = agent.head_end
    else:
        agent.open_end = agent.head_end, agent.head_end


def _add_region(agent: AgentText, begin: int, region: AgentText) -> None:
    agent.members += [(start + begin, end + begin) for start, end in region.members]
    agent.close = None if region.close is None else region.close + begin
    agent.surplus = agent.surplus or region.surplus


def _region(text: str, known: Regions, used: Regions, *, last: bool) -> AgentText:
    key = (text, last)
    region = used.others.get(key) or known.others.get(key) or _cut_region(text, last=last)
    if region.members == [(0, len(text))] and region.close is None and not region.surplus and not last:
        used.single.add(text)
    else:
        used.others[key] = region
    return region


def _cut_region(text: str, *, last: bool) -> AgentText:
    found = AgentText(0, 0)
    cut_members(text, found, 0)
    if found.close is not None and (not last or is_text(text, found.close, len(text))):
        # A brace too many: it, and what stands behind it, is for the parser to report.
        # A word that begins a line in another column, or stands behind no brace, is none of AGENT's then.
        while len(found.members) > 1 and _is_doubtful(text, found.members[-1][0]):
            found.members.pop()
        begin = found.members.pop()[0] if found.members else 0
        found.members.append((begin, len(text)))
        found.close, found.surplus = None, True
    return found


def _is_doubtful(text: str, offset: int) -> bool:
    before = text[:offset].rstrip(" \t")
    return not before.endswith("}")
