"""Kinds of names, and one use of a name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agentl_grammar.source import Span


class Kind(StrEnum):
    """What a name stands for."""

    AGENT = "agent"
    SUBAGENT = "sub-agent"
    TOOL = "tool"
    PARAMETER = "parameter"
    OUTPUT = "output"
    OUTCOME = "outcome"
    PLAN = "plan"
    STEP = "step"
    GOAL = "goal"
    BELIEF = "belief"
    PATH = "path"
    HYPOTHESIS = "hypothesis"
    SCENARIO = "scenario"
    MESSAGE = "message"
    EVENT = "event"
    PAYLOAD = "payload"
    BUCKET = "bucket"
    FIELD = "field"
    VARIABLE = "variable"
    ADDRESSEE = "addressee"
    FACT = "fact"


EVERYWHERE = frozenset({Kind.AGENT, Kind.SUBAGENT, Kind.MESSAGE})
"""Names that belong to the whole program: their scope is empty."""


ANY = "*"
"""Stands for the tool, or the loop, in the scope of a name that is meant of each that has it."""


@dataclass(frozen=True, slots=True)
class Use:
    """One place of a name; `declares` tells whether it comes into being there.

    The scope is the agent's name; of what belongs to a tool or sub-agent, `agent/tool`, or `agent/*` where
    several have it and each is meant; of a step, `agent/plan`; of a key of the memory, `agent/bucket`, or
    `SHARED`; of a key of a payload, its message or event; of a variable, its loop in its member, or `agent/*`
    where it is named outside, as POLICY may; of what all share, nothing. A path without a declaration may be
    a word that stands for itself.

    Not `written` is a name that is meant without standing in the text: a GOAL without one is `main`. The
    span is that of the word that means it, and no rename may replace that.
    """

    kind: Kind
    name: str
    scope: str
    span: Span
    declares: bool
    written: bool = True


def message_scope(message: str) -> str:
    """Return the scope of the keys of a message's payload: whoever sends it, they are the same."""
    return f"message {message}"


def event_scope(agent: str, source: str) -> str:
    """Return the scope of the keys of an event's payload."""
    return f"{agent}/event {source}"
