"""Which values a tool has accepted (language.md §6.4 "Attestation")."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import cast

from agentl.kernel import canonical_json
from agentl.provenance import RUNTIME, of
from agentl.run_state import RunState
from agentl.values import Symbol, Value

_RUNTIME = of(RUNTIME)


def attest(state: RunState, tool: str, values: Iterable[Value]) -> None:
    """Keep that `tool` was called with these values and did not refuse them."""
    for value in values:
        digest = _digest(value)
        state.attested.put(digest, True, _RUNTIME)
        state.attested.put(f"{digest} {tool}", True, _RUNTIME)


def is_attested(state: RunState, value: Value, tool: str | None) -> bool:
    """Tell whether `tool`, or any tool when None, has accepted a value equal to `value`."""
    digest = _digest(value)
    return (digest if tool is None else f"{digest} {tool}") in state.attested


def _digest(value: Value) -> str:
    return hashlib.sha256(canonical_json(_comparable(value)).encode("utf-8", "surrogatepass")).hexdigest()


def _comparable(value: Value) -> Value:
    """Return `value` so that what the language holds equal is the same: a symbol and its text, 1 and 1.0."""
    if isinstance(value, Symbol):
        return value.text
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list | tuple):
        return [_comparable(item) for item in cast("Iterable[Value]", value)]
    if isinstance(value, dict):
        return {key: _comparable(item) for key, item in cast("dict[Value, Value]", value).items()}
    return value
