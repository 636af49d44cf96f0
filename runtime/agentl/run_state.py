"""All that outlives a tick, in one place (durability.md §6)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agentl.codec import decode, encode
from agentl.fingerprints import fingerprint
from agentl.spaces import Space, find
from agentl.values import UNDEFINED, Value

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
)
"""The counters of language.md §8.5 that can move by what is executed today."""

OBSERVATION = "observation"
FALLBACK = "fallback"
_CONFIDENCE = ".confidence"
_SPACES = ("facts", "world", "locals", "untrusted")
_PLAIN = ("tick", "queue", "metrics", "permits", "events", "doubts", "breakers", "outages", "drift", "ended")


@dataclass(frozen=True, slots=True)
class Belief:
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
    holds the names of the plans to run; `permits` counts the permits minted; `events` is the chained digest
    of the trace;
    `doubts` maps a tool to the ids of its unsettled actions; `breakers` maps a tool to [consecutive
    failures, tick of the last]; `outages` are the sensors for which a person was already asked; `drift`
    maps a tool and path, joined by a space, to how often its EFFECT was [confirmed, refuted]; `ended` is
    set when LOOP UNTIL came true.
    """

    tick: int = 0
    facts: Space = field(default_factory=Space)
    world: Space = field(default_factory=Space)
    locals: Space = field(default_factory=Space)
    untrusted: Space = field(default_factory=Space)
    beliefs: Space = field(default_factory=Space)
    queue: list[str] = field(default_factory=list[str])
    metrics: dict[str, int] = field(default_factory=lambda: dict.fromkeys(METRICS, 0))
    permits: int = 0
    events: str = ""
    doubts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    breakers: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    outages: list[str] = field(default_factory=list[str])
    drift: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    ended: bool = False

    def get(self, path: str) -> Value:
        """Return the value of `path`; UNDEFINED when nothing answers.

        Facts come first, then the order of language.md §3.8.
        """
        if path in self.facts:
            return self.facts[path]
        value = find(self.locals, path)
        if value is UNDEFINED and path in self.beliefs:
            value = self.beliefs[path].value
        if value is UNDEFINED:
            value = find(self.world, path)
        if value is UNDEFINED:
            value = self._belief_confidence(path)
        return find(self.untrusted, path) if value is UNDEFINED else value

    def _belief_confidence(self, path: str) -> Value:
        name = path.removesuffix(_CONFIDENCE)
        return self.beliefs[name].confidence if name != path and name in self.beliefs else UNDEFINED

    def assign(self, path: str, value: Value) -> None:
        """Write `path` as SET does.

        The belief of that name keeps its confidence, anything else is a local.
        """
        belief = self.beliefs.get(path)
        if belief is None:
            self.locals[path] = value
        else:
            self.beliefs[path] = Belief(value, belief.confidence, "assignment", self.tick)

    def count(self, metric: str, amount: int = 1) -> None:
        """Add to a counter of language.md §8.5."""
        self.metrics[metric] += amount

    def digest(self) -> str:
        """Return the SHA-256, in hexadecimal, of the encoding of the whole state.

        A tick pays for what it changed.
        """
        lines = [fingerprint({name: getattr(self, name) for name in _PLAIN})]
        for name in (*_SPACES, "beliefs"):
            space: Space = getattr(self, name)
            lines += (name, *space.lines())
        return hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()

    def encoded(self) -> dict[str, Any]:
        """Return the state as JSON-able data, from which `decoded` makes an equal one."""
        data = {name: encode(getattr(self, name)) for name in _PLAIN}
        data |= {name: encode(dict(getattr(self, name))) for name in _SPACES}
        data["beliefs"] = encode({path: belief.as_data() for path, belief in self.beliefs.items()})
        return data

    @classmethod
    def decoded(cls, data: Mapping[str, Any]) -> RunState:
        """Return the state that `encoded` described.

        Raises Undecodable, KeyError or TypeError on anything else.
        """
        plain: dict[str, Any] = {name: decode(data[name]) for name in _PLAIN}
        spaces: dict[str, Any] = {name: Space(decode(data[name])) for name in _SPACES}
        beliefs = {path: Belief(*fields) for path, fields in decode(data["beliefs"]).items()}
        return cls(**plain, **spaces, beliefs=Space(beliefs))
