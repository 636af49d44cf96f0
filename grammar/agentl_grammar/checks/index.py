"""What an agent declares, reads and does, computed once for all rules (language.md §2, §3.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import cast, get_args

from agentl_grammar.checks.asking import fact
from agentl_grammar.checks.contents import Contents, Joined, OracleUse, shows_all
from agentl_grammar.checks.insertion import Layout, PolicyText
from agentl_grammar.checks.meanings import Meanings, Names, Respect, constant_places, said_by
from agentl_grammar.checks.naming import (
    LOCALS,
    expected_of,
    prefixes,
    related_paths,
)
from agentl_grammar.checks.parts import Facts, Part, Places, facts_of
from agentl_grammar.problems import Message, Related
from agentl_grammar.source import Span
from agentl_grammar.tree import (
    Agent,
    Assign,
    BeliefEntry,
    Delegate,
    GivenEvent,
    GivenMessage,
    Judge,
    Member,
    Node,
    Path,
    Policy,
    Reason,
    Tool,
)
from agentl_grammar.tree.shift import as_read


class Index(Contents):
    """What is known of the paths and words of an agent."""

    @fact
    def switches(self) -> AbstractSet[str]:
        """The beliefs that are `true` or `false` from the start, and that only SET changes, to either."""
        values: dict[str, set[str]] = {path: set() for path in self.beliefs}
        for _, node in (*self.all(BeliefEntry), *self.all(Assign)):
            path = node.path if isinstance(node, BeliefEntry) else node.target
            if path.text in values:
                values[path.text].add(node.value.text if isinstance(node.value, Path) else "")
        others = {*self.observed, *self.effects, *self.outputs, *self.explained}
        return {
            path
            for path, found in values.items()
            if found <= {"true", "false"} and not any(related_paths(path, other) for other in others)
        }

    @fact
    def carried(self) -> Mapping[str, OracleUse]:
        """The paths that SET takes from a field of a model and from nowhere else, with that field.

        A belief counts by what is SET later; what a sensor, a tool or an EFFECT writes as well does not.
        """
        others = {*self.observed, *self.effects, *self.outputs, *self.explained}
        found: dict[str, OracleUse] = {}
        open_paths = [path for path in self.sets if self.oracle_fields and path not in others]
        grew = True
        while grew:
            grew = False
            for path in open_paths:
                uses = [self._source_of(part, node.value, found) for part, node in self.sets[path]]
                if path not in found and uses and None not in uses:
                    found[path], grew = cast("OracleUse", uses[0]), True
        return found

    def _source_of(self, part: Part, value: Node, carried: Mapping[str, OracleUse]) -> OracleUse | None:
        uses = (self.oracle_field(text) or _above(carried, text) for text in part.reads(value))
        return next((use for use in uses if use), None)

    @fact
    def reads(self) -> Mapping[str, list[tuple[Part, Node]]]:
        """Where each path is read, scenarios left out."""
        found: dict[str, list[tuple[Part, Node]]] = {}
        for part in self.parts:
            for text, path in part.facts.reads:
                found.setdefault(text, []).append((part, path))
        return found

    @fact
    def read_paths(self) -> AbstractSet[str]:
        """Every path that is read, scenarios left out."""
        return self.ask(_READ_PATHS)

    @fact
    def read_and_above(self) -> AbstractSet[str]:
        """Every path that is read, and every path above one."""
        return frozenset[str]().union(*map(prefixes, self.read_paths))

    def is_read(self, path: str) -> bool:
        """Tell whether a path is read: itself, something below it, or all that is above it."""
        return path in self.read_and_above or any(above in self.read_paths for above in prefixes(path))

    @fact
    def model_sees_all(self) -> bool:
        """Whether a model is shown every belief: a REASON or JUDGE that lists nothing in USING."""
        return any(shows_all(reason) for kind in (Reason, Judge) for _, reason in self.all(kind))

    @fact
    def refreshed(self) -> AbstractSet[str]:
        """Every path that can get another value while the program runs."""
        oracle = self.oracle_fields
        delegates = [(node.target.text, name) for _, node in self.all(Delegate) for name in expected_of(node)]
        return {
            *self.observed,
            *self.effects,
            *self.sets,
            *self.outputs,
            *self.explained,
            *oracle,
            *(f"reason.{name}" for name in oracle),
            *(name for _, name in delegates),
            *(f"{target}.{name}" for target, name in delegates),
        }

    @fact
    def refreshed_and_above(self) -> AbstractSet[str]:
        """Every path that can get another value, and every path above one."""
        return frozenset[str]().union(*map(prefixes, self.refreshed))

    def is_refreshed(self, path: str) -> bool:
        """Tell whether a path can get another value: itself, something below it, or all that is above it."""
        return path in self.refreshed_and_above or any(above in self.refreshed for above in prefixes(path))

    @fact
    def defined(self) -> AbstractSet[str]:
        """Every path that something in the program gives a value."""
        return {*self.refreshed, *self.beliefs, *self.buckets}

    @fact
    def defined_and_above(self) -> AbstractSet[str]:
        """Every path that is defined, and every path above one."""
        return frozenset[str]().union(*map(prefixes, self.defined))

    def is_defined(self, path: str) -> bool:
        """Tell whether something in the program gives `path` a value, or something above or below it."""
        return path in self.defined_and_above or any(above in self.defined for above in prefixes(path))

    @fact
    def words(self) -> AbstractSet[str]:
        """Every single word that something, or the runtime, gives a value: what is a word with a meaning."""
        known = {*self.defined_and_above, *self.loop_variables, *self.hypotheses}
        return frozenset(name for name in known if "." not in name) | LOCALS

    @fact
    def layout(self) -> Layout:
        """How the agent's text is laid out, for fixes that add something."""
        policies = [  # what is added goes into the last one
            PolicyText(part.at(node), tuple(part.at(rule) for rule in node.rules))
            for part, node in self.all(Policy)[-1:]
        ]
        tools = Places(self.homes(Tool))
        return Layout(
            self.source, self.agent.span, Places(self.members), policies, tools[-1] if tools else None
        )

    @fact
    def payload_keys(self) -> AbstractSet[str]:
        """The keys of payloads that messages to this agent and events of its scenarios carry."""
        entries = [key for _, key in self.received]
        given = [
            effect.path.text
            for part, _ in self.scenarios
            for kind in (GivenEvent, GivenMessage)
            for node in part.all(kind)
            for effect in node.payload
        ]
        return {*entries, *given}

    @property
    def meanings(self) -> Names:
        """What the names of the agent mean, which no data from outside changes."""
        return _AskedNames(self)

    def takes_no_payload(self, key: str) -> bool:
        """Tell whether a payload key is not bound to its name, which the program gives no value either."""
        known = key in self.meanings.told("own") or key in self.outputs
        return not known and not self.meanings.admits_payload(key)

    def takes_no_answer(self, key: str) -> bool:
        """Tell whether an output is not bound to its bare name, which the program gives no value either."""
        own = key in self.meanings.told("own") and key not in self.observed
        return "." not in key and not own and not self.meanings.admits_answer(key)

    def is_read_alone(self, word: str) -> bool:
        """Tell whether a word is read where it is no constant, no argument and no sensor's name."""
        if word in self.observed or word in self.parameters:
            return False
        return any(
            id(path) not in part.keep_of_all(constant_places) for part, path in self.reads.get(word, ())
        )

    def oracle_field(self, path: str, parameters: Iterable[str] = ()) -> OracleUse | None:
        """Return the field that a path reads: `reason.f`, `judge.f…`, or a bare `f` that is nothing else.

        `parameters` are names that hide a bare one: the arguments of the action that a guard sees (§5.6).
        """
        first, _, rest = path.partition(".")
        if first in ("reason", "judge") and rest:
            name = rest.partition(".")[0]
        elif rest or first in parameters or first in self.observed or first in self.beliefs:
            return None
        else:
            name = first
        found = self.oracle_fields.get(name)
        return found[-1] if found else None

    def oracle_source(self, path: str, parameters: Iterable[str] = ()) -> OracleUse | None:
        """Return the field that a path reads, also behind SETs that carry it on."""
        if path.split(".", maxsplit=1)[0] in parameters:
            return None
        return self.oracle_field(path, parameters) or _above(self.carried, path)


class _AskedNames(Names):
    """What names mean, asked name by name: an edit that gives one a meaning is nothing to the others."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def is_observed(self, path: str) -> bool:
        return self._index.is_observed(path)

    def told(self, respect: Respect) -> AbstractSet[str]:
        return self._index.ask(_TOLD[respect])


def _texts(facts: Facts) -> list[str]:
    return facts.texts


def _told(respect: Respect) -> Callable[[Index], AbstractSet[str]]:
    return lambda index: index.ask(_MEANINGS).told(respect)


_READ_PATHS = Joined(_texts, lambda texts: frozenset[str]().union(*texts))
_MEANINGS = Joined(said_by, Meanings)
_TOLD = {respect: _told(respect) for respect in get_args(Respect)}


def _above(carried: Mapping[str, OracleUse], path: str) -> OracleUse | None:
    return next((carried[above] for above in prefixes(path) if above in carried), None)


def see(part: Part, node: Node | Span, message: Message) -> Related:
    """Return a related place in the program."""
    return Related(part.place(node) if isinstance(node, Span) else part.at(node), message)


def parts_of(agent: Agent, known: dict[int, tuple[Member, Facts]]) -> list[Part]:
    """Return the members of an agent as parts; `known` keeps what was collected of each."""
    parts: list[Part] = []
    for member, distance in as_read(agent.members):
        kept = known.get(id(member))
        if kept is None:
            kept = known[id(member)] = member, facts_of(member)
        parts.append(Part(member, distance, kept[1]))
    return parts
