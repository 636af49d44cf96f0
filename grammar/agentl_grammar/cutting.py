"""Where the agents of a text and their members begin, found without reading them.

One cut follows the braces, texts and comments; it is right for every program whose braces match. The other
follows the layout: a member's word at the start of a line, in the column of the agent's members, begins a
member, whatever is open before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from agentl_grammar.lexer import BYTE_ORDER_MARK, followed_by_unknown

_MEMBERS = (
    "VERSION|DESCRIPTION|GOAL|BELIEF|OBSERVE|MEMORY|TOOL|POLICY|PLAN|EVENT|ON|DECIDE|HYPOTHESIS|PLANNER|UTILITY|"
    "LOOP|SCENARIO"
)
_MEMBER_WORDS = frozenset(_MEMBERS.split("|"))
_NAMING = frozenset(("TOOL", "PLAN", "HYPOTHESIS", "SCENARIO", "MESSAGE"))
_STRING = r'"[^"\\]*+(?:\\[^\r\n][^"\\]*+)*+"'
_COMMENT = r"(?:\#|//)[^\r\n]*+|/\*(?:[^*]|\*(?!/))*+\*/"
_GAP = rf"(?:[ \t\r\n]++|{_COMMENT})*+"
_WORD = r"[A-Za-z_][A-Za-z0-9_]*+"
_HEAD = re.compile(
    rf"{_GAP}(AGENT(?![A-Za-z0-9_]){_GAP}(?:{_WORD}|[0-9]+(?:\.[0-9]+)?|{_STRING}){_GAP}\{{)"
).match
_END = re.compile(rf"{_GAP}\Z").match
# A text that is not closed ends with its line, a comment that is not closed ends with the text.
_OTHER = rf'{_STRING}|"[^\r\n]*+|{_COMMENT}|/\*(?:.|\n)*+|/'
_BRACE = re.compile(rf'(?:[^{{}}"#/]++|{_OTHER})*+([{{}}])').match
# At the level of members: up to the next word that is no field behind a dot, or brace.
_STEP = re.compile(rf'(?:[^{{}}"#/A-Za-z_.]++|{_OTHER}|\.{_GAP}(?:{_WORD})?+)*+(?:({_WORD})|([{{}}]))').match
_NAME = re.compile(_GAP + _WORD).match
_LINE = re.compile(rf"^([ \t]*)(AGENT|{_MEMBERS})(?![A-Za-z0-9_])", re.MULTILINE).finditer


@dataclass(slots=True)
class AgentText:
    """An agent in the text: its head up to the brace, where its members begin, where they end.

    What lies between `head_end` and the first member, if it is not empty, stands in `members` too. `close` is
    behind the closing brace, or None when there is none: `surplus` tells that it stands before the end, else
    the last member is `open_end`.
    """

    start: int
    head_end: int
    members: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    close: int | None = None
    surplus: bool = False
    open_end: tuple[int, int] | None = None

    @property
    def end(self) -> int:
        """Where the agent ends."""
        if self.close is not None:
            return self.close
        return self.open_end[1] if self.open_end else self.members[-1][1]


def _first(text: str) -> int:
    return 1 if text.startswith(BYTE_ORDER_MARK) else 0


def cut_by_braces(text: str) -> list[AgentText] | None:
    """Return the agents of `text` when its braces match and nothing but agents stands outside, else None."""
    agents: list[AgentText] = []
    position = _first(text)
    while not _END(text, position):
        head = _HEAD(text, position)
        if not head:
            return None
        agent = AgentText(head.start(1), head.end(1))
        agents.append(agent)
        _members(text, agent, agent.head_end, len(text))
        if agent.close is None:
            return None
        position = agent.close
    return agents


def _members(text: str, agent: AgentText, begin: int, end: int) -> None:
    """Cut `begin` to `end`, which lies directly in `agent`, at the members; stop where the agent ends."""
    start, closing = begin, end
    for offset, word in _level(text, begin, end):
        if word == "}":
            closing, agent.close = offset, offset + 1
            break
        if offset > start and _is_text(text, start, offset):
            agent.members.append((start, offset))
        start = offset
    if start < closing and _is_text(text, start, closing):
        agent.members.append((start, closing))


def _is_text(text: str, start: int, end: int) -> bool:
    return not _END(text, start, end)


def _level(text: str, position: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield where members start, and the brace that closes the agent."""
    while step := _STEP(text, position, end):
        word, brace = step.groups()
        position = step.end()
        if brace == "}":
            yield step.start(2), brace
            return
        if brace:
            position = _behind_block(text, position, end)
            continue
        if word in _MEMBER_WORDS and not (word == "ON" and followed_by_unknown(text, position)):
            yield step.start(1), word
        if word in _NAMING and (name := _NAME(text, position, end)):
            position = name.end()


def _behind_block(text: str, position: int, end: int) -> int:
    depth = 1
    while depth:
        brace = _BRACE(text, position, end)
        if not brace:
            return end
        depth += 1 if brace[1] == "{" else -1
        position = brace.end()
    return position


def cut_by_layout(text: str) -> list[AgentText] | None:
    """Return the agents by the columns of their members, or None when there is no agent to begin with."""
    agents: list[AgentText] = []
    regions = [*_regions(text), (len(text), "AGENT")]
    for (begin, word), (end, following) in pairwise(regions):
        if word == "AGENT":
            head = _HEAD(text, begin)
            if not head:
                return None
            agents.append(AgentText(head.start(1), head.end(1)))
        elif not agents:
            return None
        region = (agents[-1].head_end if word == "AGENT" else begin, end)
        _region(text, agents[-1], region, last=following == "AGENT")
    for agent in agents:
        if agent.close is None and not agent.surplus:
            agent.open_end = agent.members.pop() if agent.members else (agent.head_end, agent.head_end)
    before = agents[0].start if agents else len(text)
    return agents if agents and _END(text, _first(text), before) else None


def _region(text: str, agent: AgentText, region: tuple[int, int], *, last: bool) -> None:
    start, end = region
    agent.close = None
    _members(text, agent, start, end)
    if agent.close is not None and (not last or _is_text(text, agent.close, end)):
        # A brace too many: it, and what stands behind it, is for the parser to report.
        begin = agent.members.pop()[0] if agent.members and agent.members[-1][0] >= start else start
        agent.members.append((begin, end))
        agent.close, agent.surplus = None, True


def _regions(text: str) -> Sequence[tuple[int, str]]:
    """Return the lines that begin an agent or a member by their column."""
    found: list[tuple[int, str]] = []
    outer = inner = -1
    for line in _LINE(text, _first(text)):
        column, word = len(line[1]), line[2]
        if word == "AGENT" and (not found or column <= outer):
            outer, inner = column, -1
        elif word == "AGENT" or not found:
            continue
        elif inner < 0:
            inner = column
        if word == "AGENT" or column == inner:
            found.append((line.start(2), word))
    return found
