"""All that outlives a tick, in one place (durability.md §6)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from agentl.codec import decode, encode
from agentl.event_chain import EventChain
from agentl.fingerprints import fingerprint
from agentl.provenance import (
    DECLARED,
    NOTHING,
    RUNTIME,
    UNKNOWN,
    Label,
    from_data,
    of,
    secrets,
    without_secrets,
)
from agentl.provenance import SHARED as SHARED_SOURCE
from agentl.spaces import Encoded, Space, find, holding_of, locate
from agentl.values import UNDEFINED, Value, equal

METRICS = (
    "ticks",
    "tool_calls",
    "blocked",
    "approvals",
    "verify_pass",
    "verify_fail",
    "llm_calls",
    "domain_clamps",
    "effect_drift",
    "redactions",
    "sensor_unknown",
    "sensor_degraded",
    "tool_failures",
    "tool_contract_failures",
    "tool_output_dropped",
    "circuit_open",
    "reason_degraded",
    "memory_writes",
    "shared_writes",
    "messages_received",
    "judge_abstained",
)
"""The counters of language.md §8.5 that can move by what is executed today."""

OBSERVATION = "observation"
FALLBACK = "fallback"
_CONFIDENCE = ".confidence"
ASSIGNMENT = "assignment"
_NEWER = ("effect:", "hypothesis:", ASSIGNMENT)
"""How the sources of those beliefs begin that no reading of a sensor outdates."""
_SHARED = "SHARED."
_VALUES = ("inbox", "unsettled")
"""The plain fields that hold values of programs; the others are names and numbers."""
_MEMORY = ("short_term", "long_term", "knowledge")
_SORTED = json.JSONEncoder(sort_keys=True).encode
_SPACES = ("facts", "world", "locals", "untrusted", *_MEMORY, "shared", "attested")
_PLAIN = (
    "tick",
    "queue",
    "queue_labels",
    "guarded",
    "metrics",
    "permits",
    "events",
    "doubts",
    "breakers",
    "outages",
    "drift",
    "shared_versions",
    "inbox",
    "unsettled",
    "ended",
)
_NAMES_AND_NUMBERS = tuple(name for name in _PLAIN if name not in _VALUES)
_DIGESTED = (*_SPACES, "beliefs")


@dataclass(frozen=True, slots=True)
class Belief(Encoded):
    """What the agent holds of a path. `updated` is the tick of the last change, 0 for a declaration."""

    value: Value
    confidence: float
    source: str
    updated: int

    def as_data(self) -> list[object]:
        """Return what is encoded of the belief."""
        return [self.value, self.confidence, self.source, self.updated]


@dataclass(slots=True)
class RunState:
    """The state of one agent's run.

    `world`, `locals`, `untrusted` and `beliefs` are the spaces of language.md §3.8; `facts` are those of
    the runtime about its tools and its run, which nothing in a program, host or model can hide; `queue`
    holds the names of the plans to run; `guarded` maps a plan to untrusted sources that decided whether it is
    one of them, as long as that shows; `permits` counts the permits minted; `chain` is the chained digest
    of the trace, and `events` its text;
    `doubts` maps a tool to the ids of its unsettled actions, `unsettled` such an id to what its settlement
    needs (`interpreter.aftermath`); `breakers` maps a tool to [consecutive
    failures, tick of the last]; `outages` are the sensors for which a person was already asked; `drift`
    maps a tool and path, joined by a space, to how often its EFFECT was [confirmed, refuted]; `inbox` holds
    the messages that RECEIVE will deliver, each {name, from, payload}; `ended` is set when LOOP UNTIL came
    true. `protected` are the paths of NEVER SEND, `observed` those of OBSERVE, `owned` these and all others
    that only the runtime fills: of the program, not of the state.
    """

    tick: int = 0
    facts: Space = field(default_factory=Space)
    world: Space = field(default_factory=Space)
    locals: Space = field(default_factory=Space)
    untrusted: Space = field(default_factory=Space)
    beliefs: Space = field(default_factory=Space)
    short_term: Space = field(default_factory=Space)
    long_term: Space = field(default_factory=Space)
    knowledge: Space = field(default_factory=Space)
    shared: Space = field(default_factory=Space)
    attested: Space = field(default_factory=Space)
    queue: list[str] = field(default_factory=list[str])
    queue_labels: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    guarded: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    metrics: dict[str, int] = field(default_factory=lambda: dict.fromkeys(METRICS, 0))
    permits: int = 0
    chain: EventChain = field(default_factory=EventChain)
    doubts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    breakers: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    outages: list[str] = field(default_factory=list[str])
    drift: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    shared_versions: dict[str, int] = field(default_factory=dict[str, int])
    inbox: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    unsettled: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    ended: bool = False
    protected: tuple[str, ...] = field(default=(), compare=False)
    observed: frozenset[str] = field(default=frozenset(), compare=False)
    owned: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def events(self) -> str:
        """The chained digest of the trace so far."""
        return self.chain.digest()

    def get(self, path: str) -> Value:
        """Return the value of `path`; UNDEFINED when nothing answers.

        Facts come first, then the order of language.md §3.8.
        """
        facts = self.facts.plain
        if path in facts:
            return facts[path]
        if path.startswith(_SHARED):
            return self._shared(path.removeprefix(_SHARED))
        home = self._home(path)
        if home is not None:
            return home[2]
        value = self._belief_confidence(path)
        return find(self.untrusted, path, self.owned_to(path)) if value is UNDEFINED else value

    def owned_to(self, path: str) -> int:
        """Return how many characters of `path` a sensor, a belief or the runtime owns; 0 when none does.

        Only what stands under those, or more, answers to it: `SET account = payload` says nothing about an
        observed `account.blocked`, not even while that is mute.
        """
        if "." not in path:
            return 0
        owned, beliefs, held = self.owned, self.beliefs.plain, path
        while held:
            if held in owned or held in beliefs:
                return len(held)
            held = held.rpartition(".")[0]
        return 0

    def label(self, path: str) -> Label:
        """Return where the value of `path` comes from (language.md §6.4).

        UNKNOWN for a dotted path that nothing answers to. A single word that nothing answers to is a constant
        of the program; if a silent model bound it to UNDEFINED, that has its part in the label.
        """
        if self.protected:
            return self._sources(path) | secrets(self.protected, path)
        return self._sources(path)

    def _sources(self, path: str) -> Label:
        if path in self.facts.plain:
            return _RUNTIME | self.facts.labels().get(path, NOTHING)
        if path.startswith(_SHARED):
            return self._shared_label(path.removeprefix(_SHARED))
        found, key, label = self._answering(path)
        if path in self.facts.absent:
            label |= self.facts.absent[path]
        if found is self.locals and key == path:
            return label
        passed = self._passed(path, found, key)
        return passed | label if passed else label

    def _answering(self, path: str) -> tuple[Space | None, str, Label]:
        """Return the space and the key that answer to `path`, if any, and the label of what they answer."""
        home = self._home(path)
        if home is not None:
            return home[0], home[1], home[0].label(home[1])
        name = path.removesuffix(_CONFIDENCE)
        if name != path and name in self.beliefs:
            return self.untrusted, path, _RUNTIME | self.beliefs.label(name)
        key, _ = locate(self.untrusted, path, self.owned_to(path))
        if key:
            return self.untrusted, key, self.untrusted.label(key)
        return None, "", of(UNKNOWN if "." in path else DECLARED)

    def _passed(self, path: str, found: Space | None, key: str) -> Label:
        """Return the sources of all that is asked for `path` before `key` of `found`, and has no such value.

        They decided that it has none: UNDEFINED, nothing at all, or no such part.
        """
        label, holding, beliefs = NOTHING, holding_of(path, self.owned_to(path)), self.beliefs
        for space in (self.locals, beliefs, self.world, *self._memories(path), self.untrusted):
            for held in holding:
                if space is found and held == key:
                    return label
                if held in space.plain:
                    label |= space.label(held)
                elif held in space.absent:
                    label |= space.absent[held]
                if space is beliefs:
                    break  # they answer to their own path alone
        return label

    def _shared_label(self, path: str) -> Label:
        """Return the label of what `_shared` returns: others may write there, what was stored stays known."""
        key, _, form = path.partition(".")
        stored = self.shared.label(key) if key in self.shared else NOTHING
        return _SHARED_LABEL | (without_secrets(stored) if form in {"count", "version"} else stored)

    def stored_label(self, path: str) -> Label:
        """Return the label without what `path` itself says of secrets: what was stored with the value."""
        return self._sources(path)

    def _home(self, path: str) -> tuple[Space, str, Value] | None:
        """Return the space that answers to `path` before beliefs' confidences do, its key and its value."""
        least = self.owned_to(path)
        # Most paths are words, or owned: nothing but their own keys answers to them.
        is_whole = least == len(path) or "." not in path
        if (path in self.locals.plain or not is_whole) and (found := locate(self.locals, path, least))[0]:
            return self.locals, *found
        belief = self.beliefs.plain.get(path)
        if belief is not None and belief.value is not UNDEFINED:
            return self.beliefs, path, belief.value
        if (path in self.world.plain or not is_whole) and (found := locate(self.world, path, least))[0]:
            return self.world, *found
        for space in self._memories(path):
            if (path in space.plain or not is_whole) and (found := locate(space, path, least))[0]:
                return space, *found
        return None

    def _memories(self, path: str) -> tuple[Space, ...]:
        """Return the memories that answer to `path`: none to an observed one, not even while it is mute."""
        return () if path in self.observed else (self.short_term, self.long_term, self.knowledge)

    def is_outdated(self, path: str) -> bool:
        """Tell whether `path` reads a belief that the latest reading of its sensor contradicts.

        So it is until UPDATE_BELIEFS. What an EFFECT, a SET or an inference made of it is newer, or may be.
        """
        belief, reading = self.beliefs.get(path), self.world.get(path, UNDEFINED)
        if belief is None or reading is UNDEFINED or self.locals.get(path, UNDEFINED) is not UNDEFINED:
            return False
        if belief.source.startswith(_NEWER) or equal(belief.value, reading):
            return False
        return fingerprint(belief.value) != fingerprint(reading)  # NaN equals not even itself

    def is_unset(self, path: str) -> bool:
        """Tell whether SET took the value of the belief `path` away, and nothing has given it one since."""
        belief = self.beliefs.plain.get(path)
        return belief is not None and belief.value is UNDEFINED and belief.source == ASSIGNMENT

    def _belief_confidence(self, path: str) -> Value:
        name = path.removesuffix(_CONFIDENCE)
        return self.beliefs[name].confidence if name != path and name in self.beliefs else UNDEFINED

    def _shared(self, path: str) -> Value:
        """Return `k`, `k.count`, `k.version` or `k.last[.field…]` of the SHARED compartment; nothing else."""
        key, _, form = path.partition(".")
        if form == "version":
            return self.shared_versions.get(key, 0)
        if key not in self.shared:
            return UNDEFINED
        if not form:
            return self.shared[key]
        records: list[Value] = self.shared.plain[key]
        word, _, rest = form.partition(".")
        if word == "last" and records:
            return _field(records[-1], rest)
        return len(records) if form == "count" else UNDEFINED

    def assign(self, path: str, value: Value, label: Label = NOTHING) -> None:
        """Write `path` as SET does.

        The belief of that name keeps its confidence, anything else is a local.
        """
        belief = self.beliefs.get(path)
        if belief is None:
            self.locals.put(path, value, label)
        else:
            self.beliefs.put(path, Belief(value, belief.confidence, ASSIGNMENT, self.tick), label)

    def put_fact(self, path: str, value: Value, label: Label = NOTHING) -> None:
        """Write a fact of the runtime that `label` had a part in; those who had one before keep theirs."""
        facts = self.facts
        known = facts.labels().get(path) or facts.absent.get(path, NOTHING)
        facts.put(path, value, known | label)

    def count(self, metric: str, amount: int = 1) -> None:
        """Add to a counter of language.md §8.5."""
        self.metrics[metric] += amount

    def digest(self) -> str:
        """Return the SHA-256, in hexadecimal, of the encoding of the whole state.

        A tick pays for what it changed.
        """
        lines = [
            f"[{', '.join([_written(getattr(self, name)) for name in _NAMES_AND_NUMBERS])}]",
            *(fingerprint(getattr(self, name)) for name in _VALUES),
        ]
        for name in _DIGESTED:
            space: Space = getattr(self, name)
            lines += (name, space.digest())
        return hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()

    def encoded(self) -> dict[str, Any]:
        """Return the state as JSON-able data, from which `decoded` makes an equal one."""
        data = {name: encode(getattr(self, name)) for name in _PLAIN}
        data |= {name: encode(dict(getattr(self, name).plain)) for name in _SPACES}
        data["beliefs"] = encode({path: belief.as_data() for path, belief in self.beliefs.items()})
        data["labels"] = {name: _labels_as_data(getattr(self, name)) for name in (*_SPACES, "beliefs")}
        return data

    @classmethod
    def decoded(cls, data: Mapping[str, Any]) -> RunState:
        """Return the state that `encoded` described.

        Raises Undecodable, KeyError or TypeError on anything else.
        """
        plain: dict[str, Any] = {name: decode(data[name]) for name in _PLAIN}
        labels = data["labels"]
        spaces: dict[str, Any] = {name: _labelled(decode(data[name]), labels[name]) for name in _SPACES}
        beliefs = {path: Belief(*fields) for path, fields in decode(data["beliefs"]).items()}
        chain = EventChain(plain.pop("events"))
        return cls(**plain, chain=chain, **spaces, beliefs=_labelled(beliefs, labels["beliefs"]))


def _written(value: Any) -> str:
    """Return names and numbers as JSON with sorted keys; every tick writes all of them, mostly empty."""
    if type(value) is int:
        return str(value)
    if value == {}:
        return "{}"
    return "[]" if value == [] else _SORTED(value)


_RUNTIME = of(RUNTIME)
_SHARED_LABEL = of(SHARED_SOURCE)


def _field(record: Value, path: str) -> Value:
    if not path:
        return record
    return find(cast("dict[str, Value]", record), path) if isinstance(record, dict) else UNDEFINED


def _labels_as_data(space: Space) -> Any:
    return encode({key: sorted(label) for key, label in (*space.labels().items(), *space.absent.items())})


def _labelled(values: Mapping[str, Value], labels: Any) -> Space:
    space = Space()
    sources: dict[str, list[str]] = decode(labels)
    for key, value in values.items():
        space.put(key, value, from_data(sources.pop(key, ())))
    for key, label in sources.items():
        space.join(key, from_data(label))
    return space
