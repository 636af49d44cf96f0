"""The events of a trace, and the digest that chains them (durability.md §6)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from agentl.fingerprints import fingerprint


class Event(NamedTuple):
    """One thing that happened.

    `code` is stable and `kind` is one of language.md §8.5; both say nothing in words. `hidden` are the
    arguments of its action of which a NEVER SEND path is a source: they are never shown. `remark` is what its
    text says at the end; like `hidden`, it is not digested.
    """

    tick: int
    kind: str
    code: str
    arguments: Mapping[str, Any]
    hidden: frozenset[str] = frozenset()
    remark: str = ""


class EventChain:
    """The chained SHA-256 over (tick, kind, code, arguments) of all events; empty before the first.

    An event is written and hashed when somebody asks: a journal does so every tick, a run without one never.
    """

    __slots__ = ("_digest", "_waiting")

    def __init__(self, digest: str = "") -> None:
        self._digest = digest
        self._waiting: list[Event] = []

    def add(self, event: Event) -> None:
        """Chain an event to those before; its arguments must not be mutated afterwards."""
        self._waiting.append(event)

    def digest(self) -> str:
        """Return the digest in hexadecimal."""
        for event in self._waiting:
            line = f'[{event.tick},"{event.kind}","{event.code}",{fingerprint(event.arguments)}]'
            self._digest = hashlib.sha256(f"{self._digest}\n{line}".encode("ascii")).hexdigest()
        self._waiting.clear()
        return self._digest

    def __eq__(self, other: object) -> bool:
        return self.digest() == other.digest() if isinstance(other, EventChain) else NotImplemented

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # it changes with every event
