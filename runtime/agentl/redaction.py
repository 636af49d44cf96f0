"""NEVER SEND: what neither a model nor a reader of a screen may see (language.md §5.12, durability.md §5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agentl.values import Symbol, Value, show
from agentl.vocabulary import PLACEHOLDER
from agentl_grammar.tree import Agent, Redaction

_SHORTEST_SECRET = 4
"""Shorter texts (`yes`, `no`) stand in too many places to be looked for."""


def protected_paths(agent: Agent) -> tuple[str, ...]:
    """Return the paths that NEVER SEND names, in order."""
    found = [path.text for rule in agent.policy_rules if isinstance(rule, Redaction) for path in rule.paths]
    return tuple(dict.fromkeys(found))


@dataclass(slots=True)
class Redactor:
    """Replaces protected values.

    `hidden` collects the paths whose value, or part of it, was replaced; `secrets` the texts among those
    values, numbers as they are written, so that `scrub` finds them again under another name or inside the
    text of an error; `short` those too short to be looked for, which `is_whole` knows when they stand alone.
    """

    protected: Sequence[str]
    hidden: list[str] = field(default_factory=list[str])
    secrets: set[str] = field(default_factory=set[str])
    short: set[str] = field(default_factory=set[str])

    def covers(self, path: str) -> bool:
        """Tell whether `path` names what is protected: all of it, or something in it."""
        return any(
            path == secret or path.startswith(f"{secret}.") or secret.startswith(f"{path}.")
            for secret in self.protected
        )

    def learn(self, path: str, value: Value) -> None:
        """Take note of the texts of a protected value, so that `scrub` finds them; nothing is replaced."""
        Redactor(self.protected, secrets=self.secrets, short=self.short).clean(path, value)

    def clean(self, path: str, value: Value) -> Value:
        """Return `value`, read at `path`, without what is protected in it; segment-wise."""
        if any(path == secret or path.startswith(f"{secret}.") for secret in self.protected):
            return self.hide(path, value)
        leaves = [secret[len(path) + 1 :] for secret in self.protected if secret.startswith(f"{path}.")]
        for leaf in leaves:
            value = self._without(value, leaf.split("."), path)
        return value

    def _without(self, value: Value, segments: Sequence[str], path: str) -> Value:
        if not segments:
            return self.hide(path, value)
        if isinstance(value, list | tuple):
            return [self._without(item, segments, path) for item in value]  # pyright: ignore[reportUnknownVariableType]
        if isinstance(value, dict):
            first, rest = segments[0], segments[1:]
            inner: dict[Value, Value] = dict(value)  # pyright: ignore[reportUnknownArgumentType]
            if first in inner:
                inner[first] = self._without(inner[first], rest, f"{path}.{first}")
            return inner
        return self.hide(path, value)

    def hide(self, path: str, value: Value) -> Value:
        """Return what stands for all of `value`."""
        self.hidden.append(path)
        for text in _texts(value):
            (self.secrets if len(text) >= _SHORTEST_SECRET else self.short).add(text)
        return PLACEHOLDER

    def is_whole(self, value: Value) -> bool:
        """Tell whether `value` is a short protected text or number met so far; a word as `yes` is none."""
        plain = isinstance(value, str | int | float) and not isinstance(value, bool | Symbol)
        return plain and not self.short.isdisjoint(_texts(value))

    def scrub(self, value: Value) -> Value:
        """Return `value` with every protected text or number met so far replaced, wherever it stands."""
        if not self.secrets:
            return value
        if isinstance(value, str):
            for secret in sorted(self.secrets, key=lambda text: (-len(text), text)):
                value = value.replace(secret, PLACEHOLDER)
            return value
        if isinstance(value, int | float | Symbol):
            return value if self.secrets.isdisjoint(_texts(value)) else PLACEHOLDER
        if isinstance(value, list | tuple):
            return [self.scrub(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        if isinstance(value, dict):
            return {self.scrub(key): self.scrub(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
        return value


def _texts(value: Value) -> Iterator[str]:
    if isinstance(value, str | Symbol):
        yield str(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield show(value, limit=None)
        if isinstance(value, float) and value.is_integer():
            yield show(int(value), limit=None)
    elif isinstance(value, list | tuple):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _texts(item)
    elif isinstance(value, dict):
        for item in value.values():  # pyright: ignore[reportUnknownVariableType]
            yield from _texts(item)
