"""What the rules may know of a host script."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What is known of the host without running it; names of tools and of sub-agents alike.

    `unpromised` are registered, certainly neither idempotent nor reconcilable. `compensated` have a
    compensation. `complete` is False when the host registers things in a way that only running it would tell.
    """

    unpromised: frozenset[str] = frozenset()
    compensated: frozenset[str] = frozenset()
    complete: bool = True
