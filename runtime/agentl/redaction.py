"""NEVER SEND: what neither a model nor a reader of a screen may see (language.md §5.12, durability.md §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agentl.values import Value
from agentl_grammar.tree import Agent, Redaction

PLACEHOLDER = "[redacted]"


def protected_paths(agent: Agent) -> tuple[str, ...]:
    """Return the paths that NEVER SEND names, in order."""
    found = [path.text for rule in agent.policy_rules if isinstance(rule, Redaction) for path in rule.paths]
    return tuple(dict.fromkeys(found))


@dataclass(slots=True)
class Redactor:
    """Replaces protected values. `hidden` collects the paths whose value, or part of it, was replaced."""

    protected: Sequence[str]
    hidden: list[str] = field(default_factory=list[str])

    def clean(self, path: str, value: Value) -> Value:
        """Return `value`, read at `path`, without what is protected in it; segment-wise."""
        if any(path == secret or path.startswith(f"{secret}.") for secret in self.protected):
            self.hidden.append(path)
            return PLACEHOLDER
        leaves = [secret[len(path) + 1 :] for secret in self.protected if secret.startswith(f"{path}.")]
        for leaf in leaves:
            value = self._without(value, leaf.split("."), path)
        return value

    def _without(self, value: Value, segments: Sequence[str], path: str) -> Value:
        if not segments:
            self.hidden.append(path)
            return PLACEHOLDER
        if isinstance(value, list | tuple):
            return [self._without(item, segments, path) for item in value]  # pyright: ignore[reportUnknownVariableType]
        if isinstance(value, dict):
            first, rest = segments[0], segments[1:]
            inner: dict[Value, Value] = dict(value)  # pyright: ignore[reportUnknownArgumentType]
            if first in inner:
                inner[first] = self._without(inner[first], rest, f"{path}.{first}")
            return inner
        self.hidden.append(path)
        return PLACEHOLDER
