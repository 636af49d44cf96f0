"""Where a value came from: labels that travel with it, and only grow (language.md §6.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias, cast

from agentl.values import Symbol, Untrusted, Value

DECLARED = "DECLARED"
RUNTIME = "RUNTIME"
OBSERVED = "OBSERVED"
HUMAN = "HUMAN"
EFFECT = "EFFECT"
INFERRED = "INFERRED"
FALLBACK = "FALLBACK"
TOOL = "TOOL"
LLM = "LLM"
MESSAGE = "MESSAGE"
EVENT = "EVENT"
DELEGATE = "DELEGATE"
SHARED = "SHARED"
MEMORY = "MEMORY"
EXTERNAL = "EXTERNAL"
UNKNOWN = "UNKNOWN"

TRUSTED_SOURCES = frozenset({DECLARED, RUNTIME, OBSERVED, HUMAN, EFFECT, INFERRED, FALLBACK})
"""A source that is not listed here is untrusted, also one that nobody has heard of."""

Label: TypeAlias = frozenset[str]
"""The sources of a value. An empty one says nothing, and counts as untrusted.

Beside sources it carries, as `SECRET:<path>`, the NEVER SEND paths whose values went into it: no source,
never part of trust or of ORIGIN, but what keeps a copy of a secret from a model.
"""
_SECRET = "SECRET:"  # noqa: S105  # a prefix, no password

NOTHING: Label = frozenset()
NO_LABEL: Label = frozenset({UNKNOWN})
"""The label of a value that was stored without one."""


def of(*sources: str) -> Label:
    """Return the label of these sources."""
    return frozenset(sources)


def union(*labels: Label) -> Label:
    """Return all sources of all `labels`."""
    return NOTHING.union(*labels)


@lru_cache(1024)  # a run has few labels, and asks this of them with every decision
def is_untrusted(label: Label) -> bool:
    """Tell whether `label` holds an untrusted source, or says nothing."""
    sources = without_secrets(label)
    return not sources or not sources <= TRUSTED_SOURCES


def is_model_made(label: Label) -> bool:
    """Tell whether a model had a part in the value."""
    return LLM in label


def as_symbols(label: Label) -> list[Symbol]:
    """Return the sources in alphabetical order, as ORIGIN gives them to a program."""
    return [Symbol(source) for source in sorted(without_secrets(label))]


def secrets(protected: Sequence[str], path: str) -> Label:
    """Return the part of a label that says which of the `protected` paths `path` reads, whole or in part."""
    return frozenset(
        f"{_SECRET}{secret}"
        for secret in protected
        if path == secret or path.startswith(f"{secret}.") or secret.startswith(f"{path}.")
    )


def secrets_in(label: Label) -> Label:
    """Return the part of a label that says which protected values went into this one."""
    return frozenset(source for source in label if source.startswith(_SECRET)) if label else label


@lru_cache(1024)
def is_secret(label: Label) -> bool:
    """Tell whether a value that NEVER SEND protects went into this one."""
    return bool(secrets_in(label))


@lru_cache(1024)
def without_secrets(label: Label) -> Label:
    """Return the sources alone."""
    return frozenset(source for source in label if not source.startswith(_SECRET)) if label else label


def from_data(sources: Iterable[str]) -> Label:
    """Return the label that `sorted(label)` made data of."""
    return frozenset(sources)


# ------------------------------------------------------------------------------------ marks of the host


def untrusted(value: Value) -> Untrusted:
    """Mark third-party data: what a tool or sensor returns so is EXTERNAL, hence untrusted, in the program.

    A host can lower trust by this, and never raise it. The mark may stand around a whole result or around a
    part of it.
    """
    return value if isinstance(value, Untrusted) else Untrusted(value)


def unmarked(value: Value) -> tuple[Value, bool]:
    """Return `value` without the marks of its host, and whether there was one anywhere in it."""
    if isinstance(value, Untrusted):
        return unmarked(value.value)[0], True
    if isinstance(value, list | tuple):
        items = [unmarked(item) for item in cast("Iterable[Value]", value)]
        kept = [item for item, _ in items]
        return (kept if isinstance(value, list) else tuple(kept)), any(mark for _, mark in items)
    if isinstance(value, dict):
        pairs = {key: unmarked(item) for key, item in cast("dict[Value, Value]", value).items()}
        return {key: item for key, (item, _) in pairs.items()}, any(mark for _, mark in pairs.values())
    return value, False


def unmarked_fields(result: Value) -> tuple[Value, set[str]]:
    """Return the result of a tool without marks, and the keys whose value, or part of it, was marked.

    Of a mark around the whole, or anywhere in what has no keys, the empty key tells.
    """
    whole = isinstance(result, Untrusted)
    inner: Value = result.value if whole else result
    if not isinstance(inner, dict):
        plain, within = unmarked(inner)
        return plain, {""} if whole or within else set()
    fields = {key: unmarked(item) for key, item in cast("dict[str, Value]", inner).items()}
    marked = {key for key, (_, mark) in fields.items() if whole or mark}
    return {key: item for key, (item, _) in fields.items()}, marked | {""} if whole else marked
