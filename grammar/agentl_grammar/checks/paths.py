"""Which paths an agent can come to know, and which an action of it can produce (language.md §8.4, §10.2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agentl_grammar.checks.naming import expected_of, parameters_of, prefixes
from agentl_grammar.checks.parts import Facts, facts_of
from agentl_grammar.tree import (
    Agent,
    Ask,
    Assign,
    BeliefEntry,
    Delegate,
    Explains,
    ForEach,
    Goal,
    Hypothesis,
    Memory,
    MemoryWrite,
    Node,
    Observation,
    ProduceField,
    Question,
    Scenario,
    Tool,
)

_FACTS = (
    "goal.score",
    "goal.satisfied",
    "last_action.blocked",
    "last_action.in_doubt",
    "planner.exhausted",
    "reason.degraded",
    "reason.missing",
    "still_failed",
    "answer",
    "hypotheses.best",
)
"""Facts that every agent has and that a run changes."""
_GIVEN_FACTS = (
    *(f"run.{fact}" for fact in ("resumed", "resumes", "age_s")),
    *(
        f"budget.{name}.{side}"
        for name in ("actions", "model_calls", "tokens", "cost", "deadline")
        for side in ("used", "left")
    ),
)
_OF_A_HYPOTHESIS = ("prior", "posterior", "supported", "bits", "capped")


@dataclass(frozen=True, slots=True)
class ProgramPaths:
    """What an agent's program says of its paths, scenarios left out.

    `known` are those that something in it observes, believes, produces or computes, `produced` those of them
    that what the agent does can change, `words` the single words that stand for a value and not for
    themselves. `delegates` maps each sub-agent to the keys that are expected of it anywhere.
    """

    known: frozenset[str]
    produced: frozenset[str]
    words: frozenset[str]
    delegates: Mapping[str, tuple[str, ...]]


def program_paths(agent: Agent) -> ProgramPaths:
    """Return the paths of an agent."""
    return joined(
        member_paths(facts_of(member)) for member in agent.members if not isinstance(member, Scenario)
    )


def member_paths(facts: Facts) -> ProgramPaths:
    """Return the paths of one member, from what is collected of it."""
    known: set[str] = set()
    produced: set[str] = set()
    for kind, nodes in facts.nodes.items():
        for paths, tell in ((known, _KNOWN.get(kind)), (produced, _PRODUCERS.get(kind))):
            if tell is not None:
                paths.update(path for node in nodes for path in tell(node))
    words = {name for tool in facts.all(Tool) for name in parameters_of(tool)}
    delegates: dict[str, tuple[str, ...]] = {}
    for node in facts.all(Delegate):
        name = node.target.text
        delegates[name] = (*delegates.get(name, ()), *expected_of(node))
    return _told(known, produced, words, delegates)


def joined(members: Iterable[ProgramPaths]) -> ProgramPaths:
    """Return the paths of an agent from those of its members, in the order of the text."""
    known: set[str] = set(_GIVEN_FACTS)
    produced: set[str] = set(_FACTS)
    words: set[str] = set()
    delegates: dict[str, tuple[str, ...]] = {}
    for paths in members:
        known |= paths.known
        produced |= paths.produced
        words |= paths.words
        for name, keys in paths.delegates.items():
            delegates[name] = (*delegates.get(name, ()), *keys)
    return _told(known, produced, words, delegates)


def _told(
    known: set[str], produced: set[str], words: set[str], delegates: Mapping[str, tuple[str, ...]]
) -> ProgramPaths:
    known |= produced
    single = frozenset(path for path in words | known if "." not in path)
    return ProgramPaths(frozenset(known), frozenset(produced), single, delegates)


def covers(paths: Collection[str], path: str) -> bool:
    """Tell whether `path`, or a path above it, is among `paths`."""
    return any(above in paths for above in prefixes(path))


def touches(paths: Collection[str], path: str) -> bool:
    """Tell whether `path`, or a path above or below it, is among `paths`."""
    return covers(paths, path) or any(other.startswith(f"{path}.") for other in paths)


def _of_tool(tool: Tool) -> Iterator[str]:
    name = tool.name.text
    yield from (effect.path.text for effect in tool.effects)
    yield from (effect.path.text for outcome in tool.outcomes for effect in outcome.effects)
    yield from (f"{path.text}.dirty" for path in tool.side_effects)
    yield from (f"tools.{name}.{fact}" for fact in ("in_doubt", "available", "failures"))
    for field in tool.outputs:
        key = field.name.text
        yield from (key, f"{name}.{key}", f"result.{key}", f"result.{name}.{key}")


def _of_question(question: Question) -> Iterator[str]:
    name = question.name.text
    yield from (name, f"reason.{name}", f"judge.{name}")


def _of_delegate(delegate: Delegate) -> Iterator[str]:
    name = delegate.target.text
    yield f"tools.{name}.in_doubt"
    for path in () if delegate.expects is None else delegate.expects.paths:
        yield from (path.text, f"{name}.{path.text}")


def _of_memory(memory: Memory) -> Iterator[str]:
    for paths in (memory.short_term, memory.long_term, memory.knowledge):
        yield from (path.text for path in paths)
    for path in memory.shared:
        yield from (f"SHARED.{path.text}", f"shared.{path.text}.version")


def _of_write(write: MemoryWrite) -> Iterator[str]:
    if write.into is not None:
        bucket, _, key = write.into.text.partition(".")
        yield f"SHARED.{key}" if bucket.upper() == "SHARED" else key


def _of_hypothesis(hypothesis: Hypothesis) -> Iterator[str]:
    name = hypothesis.name.text
    for field in _OF_A_HYPOTHESIS:
        yield from (f"{name}.{field}", f"hypothesis.{name}.{field}")


_KNOWN: dict[type[Node], Callable[[Any], Iterable[str]]] = {
    Observation: lambda node: (node.path.text, f"sensors.{node.path.text}.available"),
    BeliefEntry: lambda node: (node.path.text, f"{node.path.text}.confidence"),
    ForEach: lambda node: (node.variable.text,),
}
_PRODUCERS: dict[type[Node], Callable[[Any], Iterator[str]]] = {
    Tool: _of_tool,
    Assign: lambda node: iter((node.target.text,)),
    ProduceField: lambda node: iter((node.name.text, f"reason.{node.name.text}")),
    Question: _of_question,
    Delegate: _of_delegate,
    Ask: lambda node: iter((f"answer.{node.addressee.text}",)),
    Explains: lambda node: iter((node.path.text,)),
    Goal: lambda node: iter((f"goals.{'main' if node.name is None else node.name.text}.score",)),
    Hypothesis: _of_hypothesis,
    Memory: _of_memory,
    MemoryWrite: _of_write,
}
