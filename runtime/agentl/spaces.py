"""A flat space of dotted keys, each value with its label.

How a path finds its value in it, and its part of the state digest (language.md §3.8, §6.4).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, MutableMapping
from functools import lru_cache
from hashlib import sha256
from typing import cast

from agentl.fingerprints import GrowingDigest, fingerprint
from agentl.provenance import NO_LABEL, NOTHING, Label
from agentl.values import UNDEFINED, Value

_DIGEST_MODULUS = 1 << 256
_ABSENT = object()


def find(space: Mapping[str, Value], path: str, least: int = 0) -> Value:
    """Return the value of `path`: by its exact key, else by the longest prefix that is a key and holds dicts.

    UNDEFINED when nothing answers, and when the value is UNDEFINED: the next space is then asked. A prefix of
    fewer than `least` characters does not answer.
    """
    return locate(space, path, least)[1]


def locate(space: Mapping[str, Value], path: str, least: int = 0) -> tuple[str, Value]:
    """Return the key that answers to `path`, and what `find` returns; the key is empty when nothing does."""
    values = space.plain if type(space) is Space else space
    value = values.get(path, UNDEFINED)
    if value is not UNDEFINED:
        # A space takes note of who reads a list: it may add to one that nobody holds.
        return path, space[path] if type(value) is list else value
    end = path.rfind(".") if values and least < len(path) else 0
    while end > 0 and end >= least:
        prefix = path[:end]
        if prefix in values:
            value = _descend(values[prefix], path[end + 1 :])
            if value is not UNDEFINED:
                return prefix, value
        end = path.rfind(".", 0, end)
    return "", UNDEFINED


def holding_of(path: str, least: int) -> list[str]:
    """Return `path` and the prefixes of it that `locate` asks, in its order."""
    held, end = [path], path.rfind(".") if least < len(path) else 0
    while end > 0 and end >= least:
        held.append(path[:end])
        end = path.rfind(".", 0, end)
    return held


def _descend(value: Value, rest: str) -> Value:
    for segment in rest.split("."):
        if not isinstance(value, dict) or segment not in value:
            return UNDEFINED
        value = cast("dict[str, Value]", value)[segment]
    return value


class Space(MutableMapping[str, Value]):
    """A space whose digest costs what changed: the digests of its keys are added up.

    A stored value must not be mutated afterwards. A list to which the space itself adds is copied before,
    once, when somebody has read it since the last copy: what was read never changes.
    """

    __slots__ = (
        "_changed",
        "_digest",
        "_growing",
        "_labels",
        "_own",
        "_parts",
        "_sum",
        "_values",
        "absent",
        "plain",
    )
    absent: dict[str, Label]
    """The sources of a key's having no value, where something decided that; to look at."""
    plain: Mapping[str, Value]
    """The values by key, to look at: a question to it is one call less than one to the space.

    A list that is found here may grow; whoever keeps one asks the space for it.
    """

    def __init__(self, values: Mapping[str, Value] | None = None) -> None:
        self.plain = self._values = dict(values or {})
        self._labels: dict[str, Label] = {}
        self.absent = {}
        self._parts: dict[str, int] = {}
        self._sum = 0
        self._digest = "0" * 64
        self._changed: set[str] = set(self._values)
        self._own: set[str] = set()
        self._growing: dict[str, GrowingDigest] = {}

    def __getitem__(self, key: str) -> Value:
        if self._own:
            self._own.discard(key)
        return self._values[key]

    def get(self, key: str, default: Value = None) -> Value:
        """Return the value of a key, else `default`."""
        return self[key] if key in self._values else default

    def __setitem__(self, key: str, value: Value) -> None:
        """Store a value without a label: it counts as untrusted."""
        self.put(key, value, NOTHING)

    def __delitem__(self, key: str) -> None:
        del self._values[key]
        self._labels.pop(key, None)
        self._changed.add(key)
        self._forget_list(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def put(self, key: str, value: Value, label: Label) -> None:
        """Store a value with the label of where it came from."""
        values, labels = self._values, self._labels
        if values.get(key, _ABSENT) is value and labels.get(key, NOTHING) == label:
            return  # facts are told again every tick, and mostly say the same
        values[key] = value
        self._changed.add(key)
        if self._growing:
            self._forget_list(key)
        if self.absent:
            self.absent.pop(key, None)
        if label:
            labels[key] = label
        else:
            labels.pop(key, None)

    def forget(self, key: str, label: Label) -> None:
        """Take the value of a key away, if it has one; `label` decided that it has none now."""
        self.pop(key, None)
        if self.absent.pop(key, NOTHING) != label:
            self._changed.add(key)
        if label:
            self.absent[key] = label

    def append(self, key: str, item: Value, label: Label) -> None:
        """Add an item to the list under a key, which then has this label.

        It costs what one item costs, unless the list was read before.
        """
        if key not in self._own:
            self._values[key] = [*self._values.get(key, ())]
            self._own.add(key)
        if key not in self._growing:
            self._growing[key] = GrowingDigest(_key_text(key))
        self._values[key].append(item)
        self._labels[key] = label or NO_LABEL
        self.absent.pop(key, None)
        self._changed.add(key)

    def _forget_list(self, key: str) -> None:
        self._own.discard(key)
        self._growing.pop(key, None)

    def join(self, key: str, label: Label) -> None:
        """Count `label` into the sources of a key: it decided that the key has this value, or none."""
        if key in self._values:
            known = self._labels.get(key)
            if known is None or not label <= known:
                self.put(key, self._values[key], (known or NO_LABEL) | label)
        elif not label <= (known := self.absent.get(key, NOTHING)):
            self.absent[key] = known | label
            self._changed.add(key)

    def label(self, key: str) -> Label:
        """Return the label of a key; UNKNOWN when it was stored without one, or is not there."""
        return self._labels.get(key, NO_LABEL)

    def labels(self) -> Mapping[str, Label]:
        """Return the label of every key that was stored with one."""
        return self._labels

    def digest(self) -> str:
        """Return a digest over every key with its value and label, in hexadecimal, whatever their order.

        A key without a value counts where its having none has a label.
        """
        if self._changed:
            for key in self._changed:
                self._sum -= self._parts.pop(key, 0)
                if key in self._values or key in self.absent:
                    self._parts[key] = part = self._part(key)
                    self._sum += part
            self._changed.clear()
            self._sum %= _DIGEST_MODULUS
            self._digest = f"{self._sum:064x}"
        return self._digest

    def _part(self, key: str) -> int:
        if self.absent and key in self.absent:
            text = f"{_key_text(key)}-:{_label_text(self.absent[key])}"
            return int.from_bytes(sha256(text.encode("ascii")).digest(), "big")
        value, label = self._values[key], _label_text(self._labels.get(key, NOTHING))
        if key in self._growing:
            digest = self._growing[key].digest(value, f":{label}")
        else:
            data = value.as_data() if isinstance(value, Encoded) else value
            digest = sha256(f"{_key_text(key)}{fingerprint(data)}:{label}".encode("ascii")).digest()
        return int.from_bytes(digest, "big")


class Encoded:
    """An object of the runtime that is stored in a space: it says itself what is encoded of it."""

    __slots__ = ()

    def as_data(self) -> object:
        """Return what is encoded."""
        raise NotImplementedError


@lru_cache(4096)  # the same keys change every tick
def _key_text(key: str) -> str:
    return f"{fingerprint(key)}:"


@lru_cache(1024)
def _label_text(label: Label) -> str:
    return ",".join(map(json.dumps, sorted(label)))
