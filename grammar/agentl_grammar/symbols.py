"""What a program declares and where it is meant: declarations, references, scopes (language.md §2, §8.4).

A symbol is a name of one kind in one scope; the scope of an agent's names is the agent. Agents, and the
facts that the runtime publishes by itself, belong to the whole program.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agentl_grammar.source import Span
from agentl_grammar.tree import (
    Agent,
    Assign,
    BeliefEntry,
    CallStatement,
    Delegate,
    EventHandler,
    ExpectTrace,
    ForEach,
    FunctionCall,
    GivenEvent,
    GivenMessage,
    Goal,
    Hypothesis,
    Memory,
    MemoryWrite,
    Message,
    MessageHandler,
    Node,
    Observation,
    Path,
    Plan,
    PriorFrom,
    ProduceField,
    Program,
    Question,
    Rule,
    Scenario,
    SharedPath,
    Step,
    Tool,
    Trigger,
    children,
)


class Kind(StrEnum):
    """What a name stands for."""

    AGENT = "agent"
    TOOL = "tool"
    PLAN = "plan"
    STEP = "step"
    GOAL = "goal"
    BELIEF = "belief"
    PATH = "path"
    HYPOTHESIS = "hypothesis"
    SCENARIO = "scenario"
    MESSAGE = "message"
    EVENT = "event"
    BUCKET = "bucket"
    FACT = "fact"


@dataclass(frozen=True, slots=True)
class Use:
    """One place of a name; `declares` tells whether it comes into being there."""

    kind: Kind
    name: str
    scope: str
    span: Span
    declares: bool


_FACTS = frozenset(
    [
        "goal",
        "goals",
        "sensors",
        "tools",
        "result",
        "last_action",
        "planner",
        "hypothesis",
        "hypotheses",
        "reason",
        "judge",
        "confidence",
        "answer",
        "payload",
        "event",
        "message",
        "still_failed",
        "shared",
        "run",
        "action",
        "operator",
    ]
)
"""First words of the facts that the runtime publishes (§8.4)."""
_Name = tuple[Kind, str, Span, bool]
_Told = tuple[list[_Name], tuple[Node, ...]]
_Telling = Callable[["_Names", Any], _Told]


class Symbols:
    """Every use of every name of one program."""

    def __init__(self, program: Program) -> None:
        self.uses: list[Use] = []
        for agent in program.agents:
            scope = agent.name.text
            self.uses.append(Use(Kind.AGENT, scope, "", agent.name.span, declares=True))
            names = _Names(agent)
            for member in agent.members:
                for kind, name, span, declares in names.below(member):
                    owner = "" if kind in (Kind.AGENT, Kind.FACT) else scope
                    self.uses.append(Use(kind, name, owner, span, declares))
        self._by_name: dict[tuple[Kind, str, str], list[Use]] = defaultdict(list)
        for use in self.uses:
            self._by_name[use.kind, use.name, use.scope].append(use)

    def at(self, offset: int) -> Use | None:
        """Return the use that touches `offset`; of several, the shortest."""
        found = [use for use in self.uses if use.span.contains(offset)]
        return min(found, key=lambda use: use.span.end - use.span.start, default=None)

    def same(self, use: Use) -> list[Use]:
        """Return every use of the same symbol, in the order of the text."""
        return sorted(self._by_name[use.kind, use.name, use.scope], key=lambda other: other.span.start)

    def declarations(self, use: Use) -> list[Use]:
        """Return the places where the symbol of `use` is declared; none for facts and unknown names."""
        return [other for other in self.same(use) if other.declares]


class _Names:
    """Finds the names in one agent; plans and tools tell what a bare path or a call means."""

    def __init__(self, agent: Agent) -> None:
        self._tools = {tool.name.text for tool in agent.tools}
        self._plans = {plan.name.text for plan in agent.of(Plan)}
        self._hypotheses = {hypothesis.name.text for hypothesis in agent.of(Hypothesis)}
        self._beliefs = {
            node.path.text
            for member in agent.members
            for node in children(member)
            if isinstance(node, BeliefEntry)
        }

    def below(self, node: Node) -> Iterator[_Name]:
        """Yield the names of `node` and of all that is in it."""
        own, taken = self._own(node)
        yield from own
        for child in children(node):
            if not any(child is part for part in taken):
                yield from self.below(child)

    def _own(self, node: Node) -> _Told:
        """Return the names that `node` itself says, and the parts of it that are told with them."""
        tell = _TELLING.get(type(node))
        return tell(self, node) if tell else ([], ())

    def action(self, path: Path) -> _Name:
        """Return what a call, trigger or rule names."""
        is_plan = path.text in self._plans and path.text not in self._tools
        return (Kind.PLAN if is_plan else Kind.TOOL), path.text, path.span, False

    def path(self, path: Path) -> _Name:
        """Return what a path reads or writes."""
        first = path.segments[0].text
        if path.text in self._beliefs:
            return Kind.BELIEF, path.text, path.span, False
        if first in self._hypotheses:
            return Kind.HYPOTHESIS, first, path.segments[0].span, False
        kind = Kind.FACT if first in _FACTS else Kind.PATH
        return kind, path.text, path.span, False


def _bucket(path: Path, *, declares: bool) -> _Name:
    return Kind.BUCKET, path.text, path.span, declares


def _buckets(memory: Memory) -> _Told:
    kinds = ("SHORT_TERM", "LONG_TERM", "KNOWLEDGE", "SHARED")
    groups = (memory.short_term, memory.long_term, memory.knowledge, memory.shared)
    found = [
        (Kind.BUCKET, f"{word}.{path.text}", path.span, True)
        for word, paths in zip(kinds, groups, strict=True)
        for path in paths
    ]
    return found, tuple(path for paths in groups for path in paths)


def _named(kind: Kind, *, declares: bool = True) -> _Telling:
    """Return how a node whose `name` is a symbol tells it."""
    return lambda _, node: ([(kind, node.name.text, node.name.span, declares)], ()) if node.name else ([], ())


def _trace(_: _Names, node: ExpectTrace) -> _Told:
    if node.target is None:
        return [], ()
    kind = Kind.EVENT if node.kind == "EVENT" else Kind.TOOL
    return [(kind, node.target.text, node.target.span, False)], (node.target,)


def _write(names: _Names, path: Path) -> _Told:
    kind, name, span, _ = names.path(path)
    return [(kind, name, span, True)], (path,)


_TELLING: dict[type[Node], _Telling] = {
    Path: lambda names, node: ([names.path(node)], ()),
    SharedPath: lambda _, node: ([(Kind.BUCKET, f"SHARED.{node.segments[0].text}", node.span, False)], ()),
    Tool: _named(Kind.TOOL),
    Plan: _named(Kind.PLAN),
    Step: _named(Kind.STEP),
    Goal: _named(Kind.GOAL),
    Hypothesis: _named(Kind.HYPOTHESIS),
    Scenario: _named(Kind.SCENARIO),
    MessageHandler: _named(Kind.MESSAGE),
    Message: _named(Kind.MESSAGE, declares=False),
    GivenMessage: lambda _, node: ([(Kind.MESSAGE, node.name.text, node.name.span, False)], (node.name,)),
    ProduceField: _named(Kind.PATH),
    Question: _named(Kind.PATH),
    BeliefEntry: lambda _, node: ([(Kind.BELIEF, node.path.text, node.path.span, True)], (node.path,)),
    Observation: lambda names, node: _write(names, node.path),
    Assign: lambda names, node: _write(names, node.target),
    EventHandler: lambda _, node: ([(Kind.EVENT, node.source.text, node.source.span, True)], (node.source,)),
    GivenEvent: lambda _, node: ([(Kind.EVENT, node.source.text, node.source.span, False)], (node.source,)),
    CallStatement: lambda names, node: ([names.action(node.target)], (node.target,)),
    Trigger: lambda names, node: ([names.action(node.plan)], (node.plan,)),
    Rule: lambda names, node: ([names.action(node.target)], (node.target,)) if node.target else ([], ()),
    FunctionCall: lambda _, node: ([], (node.function,)),
    ForEach: lambda _, node: ([(Kind.PATH, node.variable.text, node.variable.span, True)], ()),
    Delegate: lambda _, node: ([(Kind.AGENT, node.target.text, node.target.span, False)], ()),
    Memory: lambda _, node: _buckets(node),
    MemoryWrite: lambda _, node: (
        ([_bucket(node.into, declares=True)], (node.into,)) if node.into else ([], ())
    ),
    PriorFrom: lambda _, node: ([_bucket(node.bucket, declares=False)], (node.bucket,)),
    ExpectTrace: _trace,
}
