"""Small questions about names, paths and tools that many rules ask (language.md §3.5, §8.4)."""

from __future__ import annotations

from functools import lru_cache

from agentl_grammar.tree import Delegate, EffectEntry, Tool

_RANKS = {"NONE": 0, "INFO": 1, "LOW": 2, "MODERATE": 3, "MEDIUM": 3, "HIGH": 4, "SEVERE": 5, "CRITICAL": 6}
_RANKS["UNSET"] = 7
LOW, HIGH, UNSET = _RANKS["LOW"], _RANKS["HIGH"], _RANKS["UNSET"]
LOCALS = frozenset(
    {"answer", "confidence", "still_failed", "payload", "event", "message", "result", "action"}
)
"""Bare words that the runtime itself gives a value (§8.4)."""


def rank(word: str) -> int | None:
    """Return where a word stands on the ordinal scale (§3.5), or None."""
    return _RANKS.get(word.upper())


def related_paths(one: str, other: str) -> bool:
    """Tell whether two paths are the same, or one is below the other."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


@lru_cache(maxsize=1 << 14)  # every check asks it of every path of the program
def prefixes(path: str) -> tuple[str, ...]:
    """Return a path and every path above it."""
    segments = path.split(".")
    return tuple(".".join(segments[:count]) for count in range(len(segments), 0, -1))


def effects_of(tool: Tool) -> list[EffectEntry]:
    """Return what a tool predicts, of its EFFECT and of every OUTCOME."""
    return [*tool.effects, *(effect for outcome in tool.outcomes for effect in outcome.effects)]


def expected_of(node: Delegate) -> list[str]:
    """Return the keys that a DELEGATE expects."""
    return [path.text for path in node.expects.paths] if node.expects else []


def parameters_of(tool: Tool) -> list[str]:
    """Return the names of a tool's parameters."""
    return [parameter.name.text for parameter in tool.inputs]


def output_names(tool: str, key: str) -> tuple[str, ...]:
    """Return the names under which a result can be read (§8.4)."""
    return key, f"{tool}.{key}", f"result.{key}", f"result.{tool}.{key}"
