"""Where the agents of a text and their members begin, found without reading them.

One cut follows the braces, texts and comments; it is right for every program whose braces match. The other
follows the layout: a member's word at the start of a line, in the column of the agent's members, begins a
member, whatever is open before it. Both take what an earlier cut found (`recutting.Cutter` keeps it), and
look only at what changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain, pairwise
from typing import NamedTuple

from agentl_grammar.lexer import BYTE_ORDER_MARK, COMMENT, GAP, STRING, followed_by_unknown

_MEMBERS = (
    "VERSION|DESCRIPTION|GOAL|BELIEF|OBSERVE|MEMORY|TOOL|POLICY|PLAN|EVENT|ON|DECIDE|HYPOTHESIS|PLANNER|UTILITY|"
    "LOOP|SCENARIO"
)
_MEMBER_WORDS = frozenset(_MEMBERS.split("|"))
_NAMING = frozenset(("TOOL", "PLAN", "HYPOTHESIS", "SCENARIO", "MESSAGE"))
_WORD = r"[A-Za-z_][A-Za-z0-9_]*+"
_HEAD = re.compile(
    rf"{GAP}(AGENT(?![A-Za-z0-9_]){GAP}(?:{_WORD}|[0-9]+(?:\.[0-9]+)?|{STRING}){GAP}\{{)"
).match
_END = re.compile(rf"{GAP}\Z").match
# A text that is not closed ends with its line, a comment that is not closed ends with the text.
_NOT_CLOSED = r'("[^\r\n]*+|/\*(?s:.*+))'
_OTHER = rf"{STRING}|{COMMENT}|/(?!\*)"
_BRACE = re.compile(rf'(?:[^{{}}"#/]++|{_OTHER})*+(?:([{{}}])|{_NOT_CLOSED}|\Z)').match
# At the level of members: up to the next word that is no field behind a dot, or brace.
_STEP = re.compile(
    rf'(?:[^{{}}"#/A-Za-z_.]++|{_OTHER}|\.{GAP}(?:{_WORD})?+)*+'
    rf"(?:({_WORD})|([{{}}])|{_NOT_CLOSED}|\Z)"
).match
_NAME = re.compile(GAP + _WORD).match
# The look at one capital first spares most lines the words.
_LINE = re.compile(rf"([ \t]*+)(?=[A-Z])(?:(AGENT)|{_MEMBERS})(?![A-Za-z0-9_])")
_AGENT = 2
# What may be a misspelt AGENT before a name and a brace.
_NEARLY = re.compile(rf"([ \t]*+)(?=[Aa])(?!AGENT[ \t])([A-Za-z]++)[ \t]++{_WORD}[ \t]*+\{{")
_ALIKE = 0.75
# One character in front is found several times as fast as one of two.
_BEHIND_LF = re.compile(rf"\n{_LINE.pattern}").finditer
_BEHIND_ANY = re.compile(rf"[\r\n]{_LINE.pattern}").finditer
_NEARLY_BEHIND_LF = re.compile(rf"\n{_NEARLY.pattern}").finditer
_NEARLY_BEHIND_ANY = re.compile(rf"[\r\n]{_NEARLY.pattern}").finditer


def is_nearly_agent(word: str) -> bool:
    """Tell whether a word is AGENT but for its case or a letter or two."""
    return bool(get_close_matches(word.upper(), ["AGENT"], 1, _ALIKE))


_CLOSED = re.compile(rf'(?:[^"#/]++|{_OTHER})*+\Z').match


def is_open(text: str) -> bool:
    """Tell whether an odd quote leaves a text open: it, or a comment, goes on to the end.

    All texts behind it are turned inside out then; no cut that reads them can be right.
    """
    return (text.count('"') % 2 == 1 or '\\"' in text) and not _CLOSED(text)


@dataclass(slots=True)
class AgentText:
    """An agent in the text: its head up to the brace, where its members begin, where they end.

    What lies between `head_end` and the first member, if it is not empty, stands in `members` too. `close` is
    behind the closing brace, or None when there is none: `surplus` tells that it stands before the end, else
    the last member is `open_end`. From `unsettled` on, if it is given, the members may depend on all that
    follows them: a text or comment there is not closed. With `broken`, what begins it, up to its
    first member, is no head.
    """

    start: int
    head_end: int
    members: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    close: int | None = None
    surplus: bool = False
    open_end: tuple[int, int] | None = None
    unsettled: int | None = field(default=None, compare=False)
    broken: bool = False

    @property
    def end(self) -> int:
        """Where the agent ends."""
        if self.close is not None:
            return self.close
        return self.open_end[1] if self.open_end else self.members[-1][1]


def first(text: str) -> int:
    """Return where the program may begin: behind a byte order mark."""
    return 1 if text.startswith(BYTE_ORDER_MARK) else 0


class Joints(NamedTuple):
    """Places where a cut may stop: there a member begins that is known, or an agent ends that is known."""

    members: dict[int, tuple[int, int]]
    agents: dict[int, tuple[int, int]]


NO_JOINTS = Joints({}, {})


def cut_by_braces(text: str) -> list[AgentText] | None:
    """Return the agents of `text` when its braces match and nothing but agents stands outside, else None."""
    agents: list[AgentText] = []
    return agents if cut_on(text, agents, first(text)) == () else None


def cut_on(
    text: str, agents: list[AgentText], position: int, joints: Joints = NO_JOINTS
) -> tuple[()] | tuple[int, int] | None:
    """Cut from `position` on, behind `agents`; the last of them is still open when it has no `close`.

    Adds to `agents`. Returns the joint where the cut stopped, () for the end of the text, None when the text
    cannot be cut.
    """
    while True:
        if not agents or agents[-1].close is not None:
            if position in joints.agents:
                return joints.agents[position]
            if _END(text, position):
                return ()
            head = _HEAD(text, position)
            if not head:
                return None
            agents.append(AgentText(head.start(1), head.end(1)))
            position = agents[-1].head_end
        agent = agents[-1]
        joint = _members(text, agent, position, joints)
        if joint:
            return joint
        if agent.close is None:
            return None
        position = agent.close


def _members(text: str, agent: AgentText, begin: int, joints: Joints = NO_JOINTS) -> tuple[int, int] | None:
    """Cut what lies directly in `agent` from `begin` on at the members; stop where the agent ends.

    Return the joint where the cut stops, if any.
    """
    start, closing, joint = begin, len(text), None
    for offset, word, broken in _level(text, begin):
        if broken and agent.unsettled is None:
            agent.unsettled = start
        if word == "}":
            closing, agent.close = offset, offset + 1
            break
        if offset in joints.members:
            closing, joint = offset, joints.members[offset]
            break
        if word and offset > start and _is_text(text, start, offset):
            agent.members.append((start, offset))
        start = offset if word else start
    if start < closing and _is_text(text, start, closing):
        agent.members.append((start, closing))
    return joint


def _is_text(text: str, start: int, end: int) -> bool:
    return not _END(text, start, end)


def _level(text: str, position: int) -> Iterator[tuple[int, str, bool]]:
    """Yield where members start, and the brace that closes the agent; "" when the text ends before.

    The flag tells whether a text or comment since the last one is not closed.
    """
    broken = False
    while step := _STEP(text, position):
        word, brace, not_closed = step.groups()
        position = step.end()
        if word in _MEMBER_WORDS and not (word == "ON" and followed_by_unknown(text, position)):
            yield step.start(1), word, broken
            broken = False
        if not_closed:
            broken = True
        elif brace == "{":
            position, not_closed = _behind_block(text, position)
            broken = broken or not_closed
        elif not word:
            yield step.start(2) if brace else position, brace or "", broken
            return
        elif word in _NAMING and (name := _NAME(text, position)):
            position = name.end()


def _behind_block(text: str, position: int) -> tuple[int, bool]:
    """Return where an open block or the text ends, and whether a text or comment in it is not closed."""
    depth, broken = 1, False
    while depth and (step := _BRACE(text, position)):
        brace, not_closed = step.groups()
        position = step.end()
        if not_closed:
            broken = True
        elif not brace:
            break
        else:
            depth += 1 if brace == "{" else -1
    return position, broken


@dataclass(frozen=True, slots=True)
class Regions:
    """What was found in the stretches of a text between lines that begin an agent or a member, as if at 0.

    Nearly all are one member each: those are in `single`. The last of an agent, apart from the others, may
    hold its end; the flag in the key tells.
    """

    single: set[str] = field(default_factory=set[str])
    others: dict[tuple[str, bool], AgentText] = field(default_factory=dict[tuple[str, bool], AgentText])


def cut_by_layout(text: str, known: Regions, used: Regions, *, loose: bool = False) -> list[AgentText] | None:
    """Return the agents by the columns of their members, or None when there is no agent to begin with.

    What is in `known` is not looked at again; `used` is filled with what this cut needed. A `loose` cut has
    agents whose head is broken, the first perhaps without its word AGENT.
    """
    agents: list[AgentText] = []
    lines = [*_lines(text, _misspelt(text) if loose else ())]
    if loose and not lines:
        lines = [*_lines(text, headless=True)]
    for (start, is_agent), (end, is_last) in pairwise([*lines, (len(text), True)]):
        begin = start
        if is_agent:
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
    if agents and not _END(text, first(text), begin):
        if not loose:
            return None
        agents.insert(0, AgentText(first(text), begin, close=begin, broken=True))
    return agents or None


def _agent(text: str, start: int, end: int, *, loose: bool) -> AgentText | None:
    head = _HEAD(text, start)
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
    _members(text, found, 0)
    if found.close is not None and (not last or _is_text(text, found.close, len(text))):
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


def _misspelt(text: str) -> list[tuple[int, int, bool]]:
    """Return the lines that begin with a misspelt AGENT, as `_words` does."""
    at_start = _NEARLY.match(text, first(text))
    lines = (_NEARLY_BEHIND_ANY if "\r" in text else _NEARLY_BEHIND_LF)(text)
    found = chain((at_start,) if at_start else (), lines)
    return [(*match.span(1), True) for match in found if is_nearly_agent(match[2])]


def _words(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the lines that begin with the word of an agent or member: start, word, whether of an agent."""
    at_start = _LINE.match(text, first(text))
    lines = (_BEHIND_ANY if "\r" in text else _BEHIND_LF)(text)
    for line in chain((at_start,) if at_start else (), lines):
        yield *line.span(1), line.lastindex == _AGENT


def _lines(
    text: str, misspelt: Sequence[tuple[int, int, bool]] = (), *, headless: bool = False
) -> Iterator[tuple[int, bool]]:
    """Yield where lines begin an agent or a member by their column, and whether it is an agent.

    A `headless` text begins with an agent, whatever its first line says; so do the `misspelt` lines.
    """
    outer, inner = 0 if headless else -1, -1
    if headless:
        yield first(text), True
    words = sorted((*_words(text), *misspelt)) if misspelt else _words(text)
    for begin, end, is_agent in words:
        column = end - begin
        if is_agent:
            if outer < 0 or column <= outer:
                outer, inner = column, -1
                yield end, True
        elif outer >= 0:
            if inner < 0:
                inner = column
            if column == inner:
                yield end, False
