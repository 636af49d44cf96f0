"""What one member brings into being, whatever stands elsewhere; and what an agent knows by it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from agentl_grammar.symbols.names import Kind, event_scope, message_scope
from agentl_grammar.tree import (
    Ask,
    Assign,
    BeliefEntry,
    Delegate,
    EffectEntry,
    EventHandler,
    ForEach,
    GivenEvent,
    GivenMessage,
    Goal,
    Hypothesis,
    Memory,
    Message,
    MessageHandler,
    Node,
    Observation,
    Path,
    Plan,
    ProduceField,
    Question,
    Tool,
    children,
)

Declaration = tuple[Kind, str, str]
"""A kind, a scope (a tool or bucket; what arrives with a payload; else empty) and a name."""
BUCKETS = ("SHORT_TERM", "LONG_TERM", "KNOWLEDGE")
"""Where a key of the memory is looked for when it is read by name alone; SHARED has a path of its own."""
_Found = Iterable[Declaration]


def declarations_of(member: Node, agent: str) -> frozenset[Declaration]:
    """Return what `member` of `agent` declares."""
    found: set[Declaration] = set()
    for node, variables in _walk(member):
        if isinstance(node, Assign) and node.target.segments[0].text in variables:
            continue
        tell = _DECLARING.get(type(node))
        if tell:
            found.update(tell(node))
        elif isinstance(node, GivenEvent):
            found.update(_payload(event_scope(agent, node.source.text), node.payload))
        elif isinstance(node, EventHandler):
            found.add((Kind.EVENT, event_scope(agent, node.source.text), node.source.text))
    return frozenset(found)


def _walk(member: Node) -> Iterator[tuple[Node, frozenset[str]]]:
    """Yield every node in `member`, with the variables of the loops around it."""
    pending = [(member, frozenset[str]())]
    while pending:
        node, variables = pending.pop()
        yield node, variables
        if isinstance(node, ForEach):
            variables |= {node.variable.text}
        pending.extend((child, variables) for child in children(node))


def _of_tool(tool: Tool) -> _Found:
    name = tool.name.text
    yield Kind.TOOL, "", name
    yield from ((Kind.PARAMETER, name, field.name.text) for field in tool.inputs)
    yield from ((Kind.OUTPUT, name, field.name.text) for field in tool.outputs)
    yield from ((Kind.OUTCOME, name, outcome.name.text) for outcome in tool.outcomes)
    yield from _paths(tool.side_effects)
    yield from _paths(entry.path for entry in tool.effects)
    yield from _paths(entry.path for outcome in tool.outcomes for entry in outcome.effects)


def _paths(paths: Iterable[Path]) -> _Found:
    yield from ((Kind.PATH, "", path.text) for path in paths)


def _payload(scope: str, entries: Iterable[EffectEntry]) -> _Found:
    yield from ((Kind.PAYLOAD, scope, entry.path.text) for entry in entries)


def _of_hypothesis(node: Hypothesis) -> _Found:
    yield Kind.HYPOTHESIS, "", node.name.text
    yield from _paths([node.explains.path] if node.explains else [])


def _of_delegate(node: Delegate) -> _Found:
    name = node.target.text
    yield Kind.SUBAGENT, "", name
    yield from ((Kind.OUTPUT, name, path.text) for path in (node.expects.paths if node.expects else ()))


def _of_message(node: Message) -> _Found:
    scope = message_scope(node.name.text)
    return ((Kind.PAYLOAD, scope, entry.key.text) for entry in node.payload)


def _of_memory(node: Memory) -> _Found:
    """Yield the keys that are read by name alone, which WRITE has too; those of SHARED are not."""
    for write in node.writes:
        bucket, _, key = write.into.text.partition(".") if write.into else ("LONG_TERM", "", "")
        if bucket.upper() in BUCKETS:
            yield Kind.BUCKET, bucket.upper(), key or "records"
    for bucket, paths in zip(BUCKETS, (node.short_term, node.long_term, node.knowledge), strict=True):
        yield from ((Kind.BUCKET, bucket, path.text) for path in paths)


def _one(kind: Kind, name: str) -> _Found:
    return ((kind, "", name),)


_DECLARING: dict[type[Node], Callable[[Any], _Found]] = {
    Tool: _of_tool,
    Plan: lambda node: _one(Kind.PLAN, node.name.text),
    Goal: lambda node: _one(Kind.GOAL, node.name.text if node.name else "main"),
    Hypothesis: _of_hypothesis,
    BeliefEntry: lambda node: _one(Kind.BELIEF, node.path.text),
    Observation: lambda node: _one(Kind.PATH, node.path.text),
    Assign: lambda node: _one(Kind.PATH, node.target.text),
    ProduceField: lambda node: _one(Kind.FIELD, node.name.text),
    Question: lambda node: _one(Kind.FIELD, node.name.text),
    ForEach: lambda node: _one(Kind.VARIABLE, node.variable.text),
    Delegate: _of_delegate,
    Ask: lambda node: _one(Kind.ADDRESSEE, node.addressee.text),
    Memory: _of_memory,
    Message: _of_message,
    MessageHandler: lambda node: ((Kind.MESSAGE, message_scope(node.name.text), node.name.text),),
    GivenMessage: lambda node: _payload(message_scope(node.name.text), node.payload),
}


class Known:
    """What the members of one agent declare; `shared` is what the whole program does."""

    def __init__(self, declarations: frozenset[Declaration], shared: Known | None = None) -> None:
        self.declarations = declarations
        self.shared = shared
        self._names: dict[tuple[Kind, str], set[str]] = defaultdict(set)
        for kind, scope, name in declarations:
            self._names[kind, scope].add(name)

    def has(self, kind: Kind, name: str, scope: str = "") -> bool:
        """Tell whether a name of a kind is declared."""
        own = name in self._names.get((kind, scope), ())
        return own or (self.shared is not None and self.shared.has(kind, name, scope))

    @cached_property
    def longest(self) -> int:
        """How many segments the longest name has."""
        own = 1 + max((name.count(".") for _, _, name in self.declarations), default=0)
        return max(own, self.shared.longest) if self.shared else own

    def bucket_of(self, key: str) -> str | None:
        """Return the first bucket that declares a key of the memory, None when there is none."""
        return next((bucket for bucket in BUCKETS if self.has(Kind.BUCKET, key, bucket)), None)

    def agent_called(self, name: str) -> str:
        """Return the agent that a message to `name` reaches, whatever its case; `name` when there is none."""
        everywhere = self.shared or self
        return everywhere._agents.get(name.lower(), name)  # noqa: SLF001 (another of this class)

    @cached_property
    def _agents(self) -> dict[str, str]:
        return {name.lower(): name for kind, _, name in self.declarations if kind is Kind.AGENT}

    def owners(self, kind: Kind, name: str) -> list[str]:
        """Return the tools and sub-agents that have a parameter or an output of a name."""
        return self._owners.get((kind, name), [])

    @cached_property
    def _owners(self) -> dict[tuple[Kind, str], list[str]]:
        found: dict[tuple[Kind, str], list[str]] = defaultdict(list)
        for kind, scope, name in self.declarations:
            if kind in (Kind.PARAMETER, Kind.OUTPUT):
                found[kind, name].append(scope)
        return found

    def payload_with(self, key: str) -> str | None:
        """Return the scope of the one payload with `key` that the agent handles; None of none, or several."""
        scopes = self._payloads.get(key, [])
        return scopes[0] if len(scopes) == 1 else None

    @cached_property
    def _payloads(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        everywhere = self.shared or self
        for scope in {scope for kind, scope, _ in self.declarations if kind in (Kind.EVENT, Kind.MESSAGE)}:
            for key in everywhere._names.get((Kind.PAYLOAD, scope), ()):  # noqa: SLF001 (another of this class)
                found[key].append(scope)
        return found
