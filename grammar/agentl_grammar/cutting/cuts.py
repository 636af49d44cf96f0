"""Where the agents of a text and their members begin, found without reading them.

One cut follows the braces, texts and comments; it is right for every program whose braces match. The other
follows the layout (`layout`): a member's word at the start of a line, in the column of the agent's members,
begins a member, whatever is open before it. Both take what an earlier cut found (`cutter.Cutter` keeps it),
and look only at what changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from agentl_grammar.lexer import BYTE_ORDER_MARK, COMMENT, GAP, STRING, followed_by_unknown

MEMBERS = (
    "VERSION|DESCRIPTION|GOAL|BELIEF|OBSERVE|MEMORY|TOOL|POLICY|PLAN|EVENT|ON|DECIDE|HYPOTHESIS|PLANNER|UTILITY|"
    "LOOP|SCENARIO"
)
_MEMBER_WORDS = frozenset(MEMBERS.split("|"))
_NAMING = frozenset(("TOOL", "PLAN", "HYPOTHESIS", "SCENARIO", "MESSAGE"))
WORD = r"[A-Za-z_][A-Za-z0-9_]*+"
HEAD = re.compile(rf"{GAP}(AGENT(?![A-Za-z0-9_]){GAP}(?:{WORD}|[0-9]+(?:\.[0-9]+)?|{STRING}){GAP}\{{)").match
_END = re.compile(rf"{GAP}\Z").match
# A text that is not closed ends with its line, a comment that is not closed ends with the text.
_NOT_CLOSED = r'("[^\r\n]*+|/\*(?s:.*+))'
# A backslash takes a quote behind it: all that stand behind a text without end are such, and none of them is
# looked at up to the end of the text again.
_OTHER = rf'{STRING}|{COMMENT}|/(?!\*)|\\"?+'
_NO_BRACE = rf'[^{{}}"#/\\]++|{_OTHER}'
# Blocks that hold no deeper ones than these are passed over in one step.
_BLOCK = rf"\{{(?:{_NO_BRACE}|\{{(?:{_NO_BRACE})*+\}})*+\}}"
_BRACE = re.compile(rf"(?:{_NO_BRACE}|{_BLOCK})*+(?:([{{}}])|{_NOT_CLOSED}|\Z)").match
# At the level of members: up to the next word that is no field behind a dot, or brace.
_STEP = re.compile(
    rf'(?:[^{{}}"#/\\A-Za-z_.]++|{_OTHER}|\.{GAP}(?:{WORD})?+)*+'
    rf"(?:({WORD})|([{{}}])|{_NOT_CLOSED}|\Z)"
).match
_NAME = re.compile(GAP + WORD).match
_CLOSED = re.compile(rf'(?:[^"#/\\]++|{_OTHER})*+\Z').match


def is_open(text: str) -> bool:
    """Tell whether an odd quote leaves a text open: it, or a comment, goes on to the end.

    All texts behind it are turned inside out then; no cut that reads them can be right.
    """
    odd = text.count('"') % 2 == 1 or ("\\" in text and '\\"' in text)
    return odd and not _CLOSED(text)


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
            head = HEAD(text, position)
            if not head:
                return None
            agents.append(AgentText(head.start(1), head.end(1)))
            position = agents[-1].head_end
        agent = agents[-1]
        joint = cut_members(text, agent, position, joints)
        if joint:
            return joint
        if agent.close is None:
            return None
        position = agent.close


def cut_members(
    text: str, agent: AgentText, begin: int, joints: Joints = NO_JOINTS
) -> tuple[int, int] | None:
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
        if word and offset > start and is_text(text, start, offset):
            agent.members.append((start, offset))
        start = offset if word else start
    if start < closing and is_text(text, start, closing):
        agent.members.append((start, closing))
    return joint


def is_text(text: str, start: int, end: int) -> bool:
    """Tell whether more than space and comments stands between two places."""
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
