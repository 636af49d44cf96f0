"""What the names in the text of an agent mean, which no data from outside changes (language.md §3.8, I3, I4).

One answer for the runtime, which binds no such name, and for W143, which tells where a program counts on it.
What a member says is worked out alone, and joined with that of the others.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

from agentl_grammar.checks.naming import expected_of, parameters_of, prefixes, rank
from agentl_grammar.checks.parts import Facts
from agentl_grammar.tree import (
    Ask,
    Assign,
    BeliefEntry,
    Binary,
    CallStatement,
    Delegate,
    EffectEntry,
    ForEach,
    InputField,
    ListExpression,
    Memory,
    Node,
    Observation,
    OnUnknown,
    Path,
    PayloadEntry,
    ProduceField,
    Question,
    Rule,
    Tool,
)

_WORDS = frozenset({"yes", "no", "true", "false", "on", "off", "null", "no_answer"})
_COMPARING = frozenset({"==", "!=", "IN", "<", "<=", ">", ">="})
_FACTS = re.compile(
    r"last_action\.(blocked|in_doubt)|reason\.(degraded|missing)|still_failed|planner\.exhausted"
    r"|(tools|sensors|run|budget|goals?)\..+"
)
BOOLEAN, NUMBER = "boolean", "number"
_KINDS_OF_FACTS = {
    BOOLEAN: re.compile(
        r"last_action\.(blocked|in_doubt)|tools\..+\.(in_doubt|available)|sensors\..+\.available"
        r"|reason\.degraded|run\.resumed|planner\.exhausted|goal\.satisfied|still_failed"
    ),
    NUMBER: re.compile(
        r"tools\..+\.failures|reason\.missing|run\.(resumes|age_s)|goal\.score|goals\..+\.score"
        r"|budget\..+\.(used|left)"
    ),
}
_EVERY_TARGET = "*"
_DEFINING = (Observation, BeliefEntry, EffectEntry, Assign, ForEach, ProduceField, Question, Memory)
_HANDING = (
    CallStatement,
    Assign,
    BeliefEntry,
    EffectEntry,
    PayloadEntry,
    Ask,
    ProduceField,
    Question,
    OnUnknown,
)
_N = TypeVar("_N", bound=Node)
_V = TypeVar("_V")


def kind_of_fact(path: str) -> str | None:
    """Return what a fact of the runtime is, BOOLEAN or NUMBER; None when the runtime tells nothing there."""
    return next((kind for kind, paths in _KINDS_OF_FACTS.items() if paths.fullmatch(path)), None)


def is_word(name: str) -> bool:
    """Tell whether `name` says something by itself: yes, off, CRITICAL."""
    return name.lower() in _WORDS or rank(name) is not None


def is_fact(path: str) -> bool:
    """Tell whether the runtime itself tells what is at `path`."""
    return _FACTS.fullmatch(path) is not None


@dataclass(frozen=True, slots=True)
class GuardWords:
    """The single words of a guard of POLICY on `target` (`*`: on all), or of a REQUIRES ("").

    `constants` are those of them that stand where a constant does.
    """

    target: str
    words: frozenset[str]
    constants: frozenset[str]


@dataclass(frozen=True, slots=True)
class Said:
    """What one member says of names.

    `own` get a value from the program or from a model that it asks, `answers` are who answers what, `roots`
    begin a dotted path, `given` are what calls are given, of which tool or sub-agent, `parameters` those of
    tools, `constants` stand right of a comparison or in a list outside of guards, `passed` are handed over as
    they are.
    """

    observed: frozenset[str]
    own: frozenset[str]
    answers: frozenset[tuple[str, str]]
    roots: frozenset[str]
    given: frozenset[tuple[str, str]]
    parameters: frozenset[str]
    constants: frozenset[str]
    passed: frozenset[str]
    guards: tuple[GuardWords, ...]


def said_by(facts: Facts) -> Said:
    """Return what a member says of names, from what is collected of it."""
    guards = [guard for node in _of(facts, Tool, Rule) for guard in _guards(node)]
    in_guards = [(target, facts.inside(guard)) for target, guard in guards]
    inside = {id(node) for _, within in in_guards for node in _of(within, Binary, ListExpression)}
    compared = [node for node in _of(facts, Binary, ListExpression) if id(node) not in inside]
    paths = (*facts.named, *facts.all(Path))
    return Said(
        frozenset(node.path.text for node in facts.all(Observation)),
        _told_by(_defined, _of(facts, *_DEFINING)),
        _told_by(_answers, _of(facts, Tool, Delegate)),
        frozenset(path.segments[0].text for path in paths if len(path.segments) > 1),
        _told_by(_given, _of(facts, Tool, Delegate)),
        frozenset(node.name.text for node in facts.all(InputField)),
        _words(_compared(compared)),
        _words(each for node in _of(facts, *_HANDING) for each in _passed(node)),
        tuple(_guard_words(target, within) for target, within in in_guards),
    )


def _of(facts: Facts, *kinds: type[_N]) -> list[_N]:
    nodes: Any = facts.nodes
    return [node for kind in kinds if kind in nodes for node in nodes[kind]]


def _told_by(tell: Callable[[Node], Iterable[_V]], nodes: list[Node]) -> frozenset[_V]:
    return frozenset(each for node in nodes for each in tell(node)) if nodes else frozenset()


def _guard_words(target: str, facts: Facts) -> GuardWords:
    words = _words((*facts.named, *facts.all(Path)))
    return GuardWords(target, words, _words(_compared(_of(facts, Binary, ListExpression))))


Respect = Literal["own", "roots", "constants", "answered_or_guarded", "produced", "above"]


class Names(ABC):
    """What the names of an agent mean, by what its members say of them all together."""

    @abstractmethod
    def is_observed(self, path: str) -> bool:
        """Tell whether a sensor answers for `path`, for what holds it, or for a part of it.

        Nothing that comes from outside takes such a name, also not while the sensor is mute (I4 of §6.5).
        """

    @abstractmethod
    def told(self, respect: Respect) -> AbstractSet[str]:
        """Return the names of which something is so; the properties of `Meanings` say what."""

    def keeps(self, path: str, *, is_dict: bool) -> bool:
        """Tell whether `path` keeps its meaning although an answer, or a part of an element, has that name.

        So do sensors, facts of the runtime, words of the language, and what tools and sub-agents answer; and
        a dict stands above no path that the program defines.
        """
        if self.is_observed(path) or is_word(path) or is_fact(path):
            return True
        return path in self.told("produced") or (is_dict and path in self.told("above"))

    def admits_answer(self, key: str) -> bool:
        """Tell whether what a tool or a sub-agent answers as `key` is also read under that bare name.

        Not a dotted one, nor one that begins a dotted path or is a constant somewhere: `T.key` reads it.
        """
        return not (
            "." in key
            or self.is_observed(key)
            or is_word(key)
            or key in self.told("roots")
            or key in self.told("constants")
        )

    def admits_payload(self, key: str) -> bool:
        """Tell whether the payload key `key` is also read under that bare name.

        Only where the program gives the name no meaning at all, also not in a guard: `payload.key` reads it.
        """
        return (
            self.admits_answer(key)
            and key not in self.told("own")
            and key not in self.told("answered_or_guarded")
        )


class Meanings(Names):
    """What all members of an agent say together; SCENARIO is to be left out."""

    def __init__(self, members: Iterable[Said]) -> None:
        self._members = tuple(members)
        self._observed = frozenset[str]().union(*(said.observed for said in self._members))
        self._above_observed = frozenset(above for path in self._observed for above in prefixes(path))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Meanings) and self._members == other._members

    def __hash__(self) -> int:
        return hash(self._members)

    def is_observed(self, path: str) -> bool:
        """Tell whether a sensor answers for `path`, for what holds it, or for a part of it."""
        return path in self._above_observed or any(above in self._observed for above in prefixes(path))

    def told(self, respect: Respect) -> AbstractSet[str]:
        """Return the names of which something is so."""
        return getattr(self, respect)

    @cached_property
    def own(self) -> frozenset[str]:
        """The names that the program itself, or a model that it asks, gives a value."""
        return frozenset[str]().union(*(said.own for said in self._members))

    @cached_property
    def _answers(self) -> frozenset[tuple[str, str]]:
        return frozenset[tuple[str, str]]().union(*(said.answers for said in self._members))

    @cached_property
    def _keys(self) -> frozenset[str]:
        return frozenset(key for _, key in self._answers)

    @cached_property
    def produced(self) -> frozenset[str]:
        """The paths at which tools and sub-agents answer."""
        return frozenset(f"{producer}.{key}" for producer, key in self._answers)

    @cached_property
    def above(self) -> frozenset[str]:
        """The paths above one that the program defines, or at which is answered."""
        return frozenset(above for path in self.own | self.produced for above in prefixes(path)[1:])

    @cached_property
    def roots(self) -> frozenset[str]:
        """The words that begin a dotted path."""
        return frozenset[str]().union(*(said.roots for said in self._members))

    @cached_property
    def answered_or_guarded(self) -> frozenset[str]:
        """The keys of answers, and the words of guards that are no arguments there."""
        return self._keys.union(*(guard.words - seen for guard, seen in self._guards))

    @cached_property
    def constants(self) -> frozenset[str]:
        """The words that nothing gives a value and that stand where a constant does."""
        inputs = frozenset[str]().union(*(said.parameters for said in self._members))
        compared = frozenset[str]().union(*(said.constants for said in self._members))
        passed = frozenset[str]().union(*(said.passed for said in self._members))
        in_guards = (guard.constants - seen for guard, seen in self._guards)
        return frozenset(compared.union(*in_guards) | (passed - self._keys - inputs)) - self.own

    @cached_property
    def _guards(self) -> list[tuple[GuardWords, frozenset[str]]]:
        """Every guard, with the names that are arguments in it."""
        given: dict[str, set[str]] = {}
        for said in self._members:
            for target, name in said.given:
                given.setdefault(target, set()).add(name)
        seen = {target: frozenset(names) for target, names in given.items()}
        seen[_EVERY_TARGET] = frozenset[str]().union(*seen.values())
        nothing = frozenset[str]()
        return [(guard, seen.get(guard.target, nothing)) for said in self._members for guard in said.guards]


def _guards(node: Node) -> Iterator[tuple[str, Node]]:
    if isinstance(node, Tool) and node.requires is not None:
        yield "", node.requires
    elif isinstance(node, Rule) and node.guard is not None:
        yield _EVERY_TARGET if node.target is None else node.target.text, node.guard.condition


def _given(node: Node) -> Iterator[tuple[str, str]]:
    """Yield the names of arguments: of which tool or sub-agent, and the name."""
    if isinstance(node, Tool):
        for name in parameters_of(node):
            yield node.name.text, name
    elif isinstance(node, Delegate) and node.inputs is not None:
        for path in node.inputs.paths:
            yield node.target.text, path.text


def _defined(node: Node) -> Iterator[str]:
    """Yield the names to which the program itself, or a model that it asks, gives a value in `node`."""
    match node:
        case Observation() | BeliefEntry() | EffectEntry():
            yield node.path.text
        case Assign():
            yield node.target.text
        case ForEach():
            yield node.variable.text
        case ProduceField() | Question():
            yield node.name.text
        case Memory():
            for path in (*node.short_term, *node.long_term, *node.knowledge):
                yield path.text
        case _:
            pass


def _answers(node: Node) -> Iterator[tuple[str, str]]:
    """Yield who answers what: a tool its outputs, a sub-agent the keys of EXPECT."""
    if isinstance(node, Tool):
        for field in node.outputs:
            yield node.name.text, field.name.text
    elif isinstance(node, Delegate):
        for key in expected_of(node):
            yield node.target.text, key


def constant_places(facts: Facts) -> frozenset[int]:
    """Return the identities of the nodes of a member that are constants if they are words without a value."""
    compared = _compared(_of(facts, Binary, ListExpression))
    handed = (each for node in _of(facts, *_HANDING) for each in _passed(node))
    return frozenset(id(node) for node in (*compared, *handed))


def _words(nodes: Iterable[Node | None]) -> frozenset[str]:
    """Return the single words among these nodes."""
    return frozenset([node.text for node in nodes if type(node) is Path and len(node.segments) == 1])


def _compared(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield what stands on the right of comparisons and in lists."""
    for node in nodes:
        if isinstance(node, Binary) and node.operator.text in _COMPARING:
            yield node.right
        elif isinstance(node, ListExpression):
            yield from node.items


def _passed(node: Node) -> Iterator[Node | None]:
    """Yield what is handed over as it is: to a call, a name, a message, a DEFAULT."""
    match node:
        case CallStatement():
            yield from (argument.value for argument in node.arguments)
        case Assign() | BeliefEntry() | EffectEntry() | PayloadEntry():
            yield node.value
        case Ask() | ProduceField() | Question():
            yield node.default
        case OnUnknown():
            yield node.fallback
        case _:
            pass
