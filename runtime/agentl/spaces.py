"""A flat space of dotted keys.

How a path finds its value in it, and its part of the state digest (language.md §3.8).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, MutableMapping
from typing import cast

from agentl.fingerprints import fingerprint
from agentl.values import UNDEFINED, Value


def find(space: Mapping[str, Value], path: str) -> Value:
    """Return the value of `path`: by its exact key, else by the longest prefix that is a key and holds dicts.

    UNDEFINED when nothing answers, and when the value is UNDEFINED: the next space is then asked.
    """
    if path in space:
        value = space[path]
        if value is not UNDEFINED:
            return value
    end = path.rfind(".")
    while end > 0:
        prefix = path[:end]
        if prefix in space:
            value = _descend(space[prefix], path[end + 1 :])
            if value is not UNDEFINED:
                return value
        end = path.rfind(".", 0, end)
    return UNDEFINED


def _descend(value: Value, rest: str) -> Value:
    for segment in rest.split("."):
        if not isinstance(value, dict) or segment not in value:
            return UNDEFINED
        value = cast("dict[str, Value]", value)[segment]
    return value


class Space(MutableMapping[str, Value]):
    """A space whose digest costs what changed.

    The line of a key is encoded once, until the key is written again.

    A stored value must not be mutated afterwards.
    """

    __slots__ = ("_lines", "_values")

    def __init__(self, values: Mapping[str, Value] | None = None) -> None:
        self._values: dict[str, Value] = dict(values or {})
        self._lines: dict[str, str] = {}

    def __getitem__(self, key: str) -> Value:
        return self._values[key]

    def __setitem__(self, key: str, value: Value) -> None:
        self._values[key] = value
        self._lines.pop(key, None)

    def __delitem__(self, key: str) -> None:
        del self._values[key]
        self._lines.pop(key, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def lines(self) -> Iterator[str]:
        """Yield one line a key, in the order of the keys."""
        for key in sorted(self._values):
            line = self._lines.get(key)
            if line is None:
                line = self._lines[key] = f"{json.dumps(key)}:{fingerprint(_plain(self._values[key]))}"
            yield line


def _plain(value: object) -> object:
    """Return what is encoded of a stored value; an object of the runtime says it by `as_data`."""
    as_data = getattr(value, "as_data", None)
    return as_data() if callable(as_data) else value
