"""The cut of a text when that of a text much like it is known: only the change is looked at.

Where a member begins is told by what stands before it and, where texts and comments are closed, by no more
than a few characters behind it: so the cut goes on shortly before the change. Behind the change it stops at
the first place where a member began before, too, or an agent ended: all that follows is as it was.
"""

from __future__ import annotations

from bisect import bisect_left

from agentl_grammar.cutting.cuts import AgentText, Joints, cut_on, first
from agentl_grammar.cutting.layout import Regions, cut_by_layout
from agentl_grammar.cutting.lines import Lines, common_ends

# ON looks for UNKNOWN behind it, at most a few letters into the member that follows.
_MEMBERS_LOOKED_AHEAD = 2


class Cutter:
    """Cuts the texts of one document, one version after the other."""

    def __init__(self) -> None:
        self._text = ""
        self._agents: list[AgentText] = []
        self._lines = Lines()
        self._regions = Regions()

    def by_braces(self, text: str) -> list[AgentText] | None:
        """Return what `cut_by_braces` returns."""
        agents = _cut_again(text, self._text, self._agents)
        if agents is not None:
            self._text, self._agents = text, agents
        return agents

    def by_layout(self, text: str, *, loose: bool = False) -> list[AgentText] | None:
        """Return what `cut_by_layout` returns."""
        known, self._regions = self._regions, Regions()
        if not known.single:
            known = Regions(self._members(), known.others)
        return cut_by_layout(text, self._lines.of(text), known, self._regions, loose=loose)

    def _members(self) -> set[str]:
        """Return the members' texts of the last text whose braces matched: they need no second look."""
        settled = (agent for agent in self._agents if agent.unsettled is None)
        return {self._text[start:end] for agent in settled for start, end in agent.members}


def _cut_again(text: str, before: str, agents: list[AgentText]) -> list[AgentText] | None:
    start, end = common_ends(before, text)
    shift = len(text) - len(before)
    cut = _kept(agents, start)
    position = first(text)
    if cut:
        position = cut[-1].close or (cut[-1].members.pop() if cut[-1].members else (cut[-1].head_end,))[0]
    joint = cut_on(text, cut, position, _joints(agents, len(before) - end, shift))
    if joint is None:
        return None
    if joint:
        _join(cut, agents, joint, shift)
    return cut


def _kept(agents: list[AgentText], start: int) -> list[AgentText]:
    """Return the agents that the first `start` characters tell; the last may still be open."""
    kept: list[AgentText] = []
    for agent in agents:
        settled = start if agent.unsettled is None else min(start, agent.unsettled + 1)
        if agent.end <= settled:
            kept.append(agent)
            continue
        if agent.head_end <= settled:
            count = max(0, bisect_left(agent.members, (settled,)) - _MEMBERS_LOOKED_AHEAD)
            kept.append(AgentText(agent.start, agent.head_end, agent.members[:count]))
        break
    return kept


def _joints(agents: list[AgentText], start: int, shift: int) -> Joints:
    """Return where, from `start` on, members begin and agents end: the numbers of agent and member."""
    joints = Joints({}, {})
    for number, agent in enumerate(agents):
        if agent.end >= start:
            joints.agents[agent.end + shift] = number, len(agent.members)
            for member in range(bisect_left(agent.members, (start,)), len(agent.members)):
                joints.members[agent.members[member][0] + shift] = number, member
    return joints


def _join(cut: list[AgentText], agents: list[AgentText], joint: tuple[int, int], shift: int) -> None:
    """Add to `cut` what follows the joint."""
    number, member = joint
    if cut and cut[-1].close is None:
        rest = _shifted(agents[number], shift)
        unsettled = rest.unsettled
        if unsettled is not None and cut[-1].unsettled is None:
            cut[-1].unsettled = max(unsettled, rest.members[member][0])
        cut[-1].members += rest.members[member:]
        cut[-1].close = rest.close
    cut += [_shifted(agent, shift) for agent in agents[number + 1 :]]


def _shifted(agent: AgentText, by: int) -> AgentText:
    if not by:
        return agent
    return AgentText(
        agent.start + by,
        agent.head_end + by,
        [(start + by, end + by) for start, end in agent.members],
        agent.end + by,
        unsettled=None if agent.unsettled is None else agent.unsettled + by,
    )
