"""Which parts of an agent have a name of their own, and what that name is: `payments/tool:transfer`.

Digests and sites are both told by these keys. They are made of words of the program, so they survive every
edit that does not rename: nothing is ever matched by line number (architecture.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from agentl_grammar.tree import (
    Agent,
    Belief,
    Decide,
    Description,
    EventHandler,
    Goal,
    Hypothesis,
    MainLoop,
    Memory,
    MessageHandler,
    Node,
    Observe,
    Plan,
    Planner,
    Policy,
    Program,
    Scenario,
    Tool,
    ToolList,
    Utility,
    VerifyFailHandler,
    Version,
)

_WORDS: dict[type[Node], str] = {
    Version: "version",
    Description: "description",
    Belief: "belief",
    Observe: "observe",
    Memory: "memory",
    Policy: "policy",
    VerifyFailHandler: "verify_fail",
    Decide: "decide",
    Planner: "planner",
    Utility: "utility",
    MainLoop: "loop",
}
_ACCUMULATING = ("belief", "observe", "policy")


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration: its key, and the members that make it up (several for BELIEF, OBSERVE and POLICY)."""

    key: str
    nodes: tuple[Node, ...]


class Numbering:
    """Makes keys unique: the second `a` is `a#2`."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def unique(self, key: str) -> str:
        """Return `key`, numbered when it was asked for before."""
        self._seen[key] += 1
        return key if self._seen[key] == 1 else f"{key}#{self._seen[key]}"


def segment(text: str) -> str:
    """Return a word of a program as a part of a key: `/` and `#`, which have a meaning there, are escaped."""
    return text.replace("%", "%25").replace("/", "%2F").replace("#", "%23")


def agent_keys(program: Program) -> list[tuple[str, Agent]]:
    """Return every agent with its key."""
    numbering = Numbering()
    return [(numbering.unique(segment(agent.name.text)), agent) for agent in program.agents]


def declared(agent: Agent, agent_key: str | None = None) -> list[Declared]:
    """Return the declarations of `agent` in the order of the text; `agent_key` defaults to its name."""
    numbering = Numbering()
    prefix = segment(agent.name.text) if agent_key is None else agent_key
    found: dict[str, list[Node]] = {}
    for word, node in _members(agent):
        key = f"{prefix}/{word}"
        if word not in _ACCUMULATING:
            key = numbering.unique(key)
        found.setdefault(key, []).append(node)
    return [Declared(key, tuple(nodes)) for key, nodes in found.items()]


def _members(agent: Agent) -> Iterator[tuple[str, Node]]:
    for member in agent.members:
        if isinstance(member, ToolList):
            yield from ((f"tool:{segment(tool.name.text)}", tool) for tool in member.tools)
        else:
            yield word_of(member), member


def word_of(member: Node) -> str:
    """Return the last part of the key of a member other than a list of tools: `plan:pay`."""
    return _WORDS.get(type(member)) or _named(member)


def _named(member: Node) -> str:
    if isinstance(member, Goal):
        return f"goal:{segment(member.name.text) if member.name else 'main'}"
    if isinstance(member, EventHandler):
        return f"event:{segment(member.source.text)}"
    names = {
        Tool: "tool",
        Plan: "plan",
        MessageHandler: "message",
        Hypothesis: "hypothesis",
        Scenario: "scenario",
    }
    for kind, word in names.items():
        if isinstance(member, kind):
            return f"{word}:{segment(member.name.text)}"
    raise TypeError(type(member).__name__)
