"""Which names outside data may take: none that means something in the program (language.md §3.8, I3, I4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from agentl.expressions import COMPARISONS
from agentl.values import Symbol, Value, rank
from agentl_grammar.tree import (
    Agent,
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
    Policy,
    ProduceField,
    Question,
    Rule,
    Scenario,
    Tool,
    walk,
)

_WORDS = frozenset({"yes", "no", "true", "false", "on", "off", "null", "no_answer"})
_FACTS = re.compile(
    r"last_action\.(blocked|in_doubt)|reason\.(degraded|missing)|still_failed|planner\.exhausted"
    r"|(tools|sensors|run|budget|goals?)\..+"
)


def is_word(name: str) -> bool:
    """Tell whether `name` says something by itself: yes, off, CRITICAL."""
    return name.lower() in _WORDS or rank(Symbol(name)) is not None


class Names:
    """What the names in the text of an agent mean, which outside data must not change.

    `observed` are the paths of OBSERVE. SCENARIO is left out.
    """

    def __init__(self, agent: Agent, observed: tuple[str, ...]) -> None:
        self._agent = agent
        self._observed = observed

    def is_observed(self, path: str) -> bool:
        """Tell whether a sensor answers for `path`, for what holds it, or for a part of it.

        Nothing that comes from outside takes such a name, also not while the sensor is mute (I4 of §6.5).
        """
        return any(
            path == observed or path.startswith(f"{observed}.") or observed.startswith(f"{path}.")
            for observed in self._observed
        )

    def holds(self, path: str, value: Value) -> bool:
        """Tell whether `path` keeps its meaning although an answer, or a part of an element, has that name.

        So do sensors, facts of the runtime, words of the language, and what tools and sub-agents answer; and
        a dict stands above no path that the program defines.
        """
        if self.is_observed(path) or is_word(path) or _FACTS.fullmatch(path) is not None:
            return True
        return path in self._produced or (isinstance(value, dict) and path in self._above)

    def admits_answer(self, key: str) -> bool:
        """Tell whether what a tool or a sub-agent answers as `key` is also read under that bare name.

        Not a dotted one, nor one that begins a dotted path or is a constant somewhere: `T.key` reads it.
        """
        return not (
            "." in key
            or self.is_observed(key)
            or is_word(key)
            or key in self._roots
            or key in self._constants
        )

    def admits_payload(self, key: str) -> bool:
        """Tell whether the payload key `key` is also read under that bare name.

        Only where the program gives the name no meaning at all, also not in a guard: `payload.key` reads it.
        """
        return self.admits_answer(key) and key not in self._own and key not in self._answered_or_guarded

    # ------------------------------------------------------------------------------------ what there is

    @cached_property
    def _nodes(self) -> tuple[Node, ...]:
        members = (member for member in self._agent.members if not isinstance(member, Scenario))
        return tuple(node for member in members for node in walk(member))

    @cached_property
    def _own(self) -> frozenset[str]:
        return frozenset(name for node in self._nodes for name in _defined(node))

    @cached_property
    def _produced(self) -> frozenset[str]:
        return frozenset(f"{producer}.{key}" for node in self._nodes for producer, key in _answers(node))

    @cached_property
    def _above(self) -> frozenset[str]:
        return frozenset(above for path in self._own | self._produced for above in _prefixes(path))

    @cached_property
    def _roots(self) -> frozenset[str]:
        paths = (node for node in self._nodes if isinstance(node, Path))
        return frozenset(path.segments[0].text for path in paths if len(path.segments) > 1)

    @cached_property
    def _keys(self) -> frozenset[str]:
        return frozenset(key for node in self._nodes for _, key in _answers(node))

    @cached_property
    def _answered_or_guarded(self) -> frozenset[str]:
        guarded = (_words(guard) - parameters for guard, parameters in self._guards)
        return self._keys.union(*guarded)

    @cached_property
    def _constants(self) -> frozenset[str]:
        inputs = {node.name.text for node in self._nodes if isinstance(node, InputField)}
        in_guards = [_compared(walk(guard)) - parameters for guard, parameters in self._guards]
        inside = {id(node) for guard, _ in self._guards for node in walk(guard)}
        elsewhere = _compared(node for node in self._nodes if id(node) not in inside)
        passed = {name for node in self._nodes for name in _passed(node)}
        return frozenset(elsewhere.union(*in_guards) | (passed - self._keys - inputs)) - self._own

    @cached_property
    def _guards(self) -> tuple[tuple[Node, set[str]], ...]:
        """Every guard of a POLICY, and every REQUIRES, with the names that are arguments in it."""
        parameters: dict[str, set[str]] = {}
        for node in self._nodes:
            if isinstance(node, Tool):
                parameters.setdefault(node.name.text, set()).update(field.name.text for field in node.inputs)
            elif isinstance(node, Delegate) and node.inputs is not None:
                given = parameters.setdefault(node.target.text, set())
                given.update(path.text for path in node.inputs.paths)
        everything = set[str]().union(*parameters.values())
        requires = [(tool.requires, set[str]()) for tool in self._agent.tools if tool.requires is not None]
        rules = [rule for policy in self._agent.of(Policy) for rule in policy.rules if isinstance(rule, Rule)]
        targets = ["*" if rule.target is None else rule.target.text for rule in rules]
        guards = [
            (rule.guard, everything if target == "*" else parameters.get(target, set[str]()))
            for rule, target in zip(rules, targets, strict=True)
            if rule.guard is not None
        ]
        return (*requires, *guards)


def _prefixes(path: str) -> Iterator[str]:
    end = path.rfind(".")
    while end > 0:
        yield path[:end]
        end = path.rfind(".", 0, end)


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
    elif isinstance(node, Delegate) and node.expects is not None:
        for path in node.expects.paths:
            yield node.target.text, path.text


def _word(node: Node | None) -> Iterator[str]:
    if isinstance(node, Path) and len(node.segments) == 1:
        yield node.text


def _words(guard: Node) -> set[str]:
    return {word for node in walk(guard) for word in _word(node)}


def _compared(nodes: Iterator[Node]) -> set[str]:
    """Return the single words on the right of comparisons and in lists."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, Binary) and node.operator.text in COMPARISONS:
            found.update(_word(node.right))
        elif isinstance(node, ListExpression):
            found.update(word for item in node.items for word in _word(item))
    return found


def _passed(node: Node) -> Iterator[str]:
    """Yield the single words that are handed over as they are: to a call, a name, a message, a DEFAULT."""
    match node:
        case CallStatement():
            for argument in node.arguments:
                yield from _word(argument.value)
        case Assign() | BeliefEntry() | EffectEntry() | PayloadEntry():
            yield from _word(node.value)
        case Ask() | ProduceField() | Question():
            yield from _word(node.default)
        case OnUnknown():
            yield from _word(node.fallback)
        case _:
            pass
