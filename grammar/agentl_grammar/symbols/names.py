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


@dataclass(frozen=True, slots=True)
class Use:
    """One place of a name; `declares` tells whether it comes into being there.

    The scope is the agent's name; of what belongs to a tool, `agent/tool`; of a step, `agent/plan`; of a key
    of a payload, its message or event; of a variable, its loop in its member; of what all share, nothing.
    """

    kind: Kind
    name: str
    scope: str
    span: Span
    declares: bool


def message_scope(message: str) -> str:
    """Return the scope of the keys of a message's payload: whoever sends it, they are the same."""
    return f"message {message}"


def event_scope(agent: str, source: str) -> str:
    """Return the scope of the keys of an event's payload."""
    return f"{agent}/event {source}"
