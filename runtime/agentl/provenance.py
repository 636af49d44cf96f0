"""Where a value came from: labels that travel with it, and only grow (language.md §6.4)."""

from __future__ import annotations

from collections.abc import Iterable
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
"""The sources of a value. An empty one says nothing, and counts as untrusted."""

NOTHING: Label = frozenset()
NO_LABEL: Label = frozenset({UNKNOWN})
"""The label of a value that was stored without one."""


def of(*sources: str) -> Label:
    """Return the label of these sources."""
    return frozenset(sources)


def union(*labels: Label) -> Label:
    """Return all sources of all `labels`."""
    return NOTHING.union(*labels)


def is_untrusted(label: Label) -> bool:
    """Tell whether `label` holds an untrusted source, or says nothing."""
    return not label or not label <= TRUSTED_SOURCES


def is_model_made(label: Label) -> bool:
    """Tell whether a model had a part in the value."""
    return LLM in label


def as_symbols(label: Label) -> list[Symbol]:
    """Return the sources in alphabetical order, as ORIGIN gives them to a program."""
    return [Symbol(source) for source in sorted(label)]


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
    """Return the result of a tool without marks, and the keys whose value, or part of it, was marked."""
    whole = isinstance(result, Untrusted)
    inner: Value = result.value if whole else result
    if not isinstance(inner, dict):
        return unmarked(inner)[0], set()
    fields = {key: unmarked(item) for key, item in cast("dict[str, Value]", inner).items()}
    return {key: item for key, (item, _) in fields.items()}, {
        key for key, (_, mark) in fields.items() if whole or mark
    }
