"""The circuit breaker of a tool (language.md §5.5)."""

from __future__ import annotations

from agentl.run_state import RunState

THRESHOLD = 3
"""Failures in a row that open it."""
COOLDOWN = 5
"""Ticks after the last failure until one probe goes through."""


def rests_until(state: RunState, tool: str) -> int | None:
    """Return the tick until which an open breaker lets no call of `tool` through; None when it lets one."""
    failures, last = state.breakers.get(tool, [0, 0])
    until = last + COOLDOWN
    return until if failures >= THRESHOLD and state.tick < until else None


def note_success(state: RunState, tool: str) -> None:
    """A call went well: the breaker closes."""
    state.breakers.pop(tool, None)
    _publish(state, tool, 0)


def note_failure(state: RunState, tool: str) -> None:
    """A call failed: one more in a row, and the wait starts again."""
    failures = state.breakers.get(tool, [0, 0])[0] + 1
    state.breakers[tool] = [failures, state.tick]
    _publish(state, tool, failures)


def _publish(state: RunState, tool: str, failures: int) -> None:
    state.put_fact(f"tools.{tool}.available", failures < THRESHOLD)
    state.put_fact(f"tools.{tool}.failures", failures)
