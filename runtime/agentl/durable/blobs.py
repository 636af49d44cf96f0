"""Values too large for a line, kept beside the journal under their digest (durability.md §4, §5 "Blobs").

A value whose JSON is longer than LIMIT bytes leaves `{"$blob": digest}` in its line; the blob is the JSON. It
is on the disk before the record that names it. Who reads a journal gets the value back in its place, or a
refusal; what no record names is never looked at.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from agentl.codec import dump, load
from agentl.durable import refusals

LIMIT = 64 * 1024
"""Bytes of JSON that a value in a line may have."""
MARK = b'{"$blob":"'
"""What a line holds that names a blob; no value of a program or a host is encoded to that."""
Blobs: TypeAlias = Callable[[str], bytes | None]
"""Returns the blob of a digest, None when there is none."""
_VALUES = ("args", "value", "reads", "memory")
_DIGEST = re.compile("[0-9a-f]{64}")


def set_aside(fields: Mapping[str, Any], put: Callable[[str, bytes], None]) -> dict[str, Any]:
    """Return the fields of a record with a name in the place of every large value, which `put` has kept."""

    def aside(value: Any) -> Any:
        text = dump(value).encode("ascii")
        if len(text) <= LIMIT:
            return value
        digest = hashlib.sha256(text).hexdigest()
        put(digest, text)
        return {"$blob": digest}

    return _changed(fields, aside)


def restored(fields: Mapping[str, Any], blobs: Blobs, name: str, number: int) -> dict[str, Any]:
    """Return the fields of record `number` with its values in their places. Raises DurableError R206."""

    def value_of(value: Any) -> Any:
        digest = _named(value)
        if digest is None:
            return value
        text = blobs(digest)
        if text is None:
            raise refusals.no_blob(name, number, digest, altered=False)
        if hashlib.sha256(text).hexdigest() != digest:
            raise refusals.no_blob(name, number, digest, altered=True)
        try:
            return load(text)
        except ValueError as error:
            raise refusals.unreadable(name, number) from error

    return _changed(fields, value_of)


def named(fields: Mapping[str, Any]) -> set[str]:
    """Return the digests of the blobs that the fields of a record name."""
    found: set[str] = set()

    def note(value: Any) -> Any:
        digest = _named(value)
        if digest is not None:
            found.add(digest)
        return value

    _changed(fields, note)
    return found


def _changed(fields: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Change the values of a record; those of a `drain` are the payloads of its events, whose ids stay."""
    if fields.get("kind") == "drain" and isinstance(fields.get("value"), list):
        return {**fields, "value": [_event(event, change) for event in fields["value"]]}
    return {**fields, **{field: change(fields[field]) for field in _VALUES if field in fields}}


def _event(event: Any, change: Callable[[Any], Any]) -> Any:
    if not isinstance(event, dict) or "payload" not in event:
        return event  # pyright: ignore[reportUnknownVariableType]  # the model refuses it
    known = cast("dict[str, Any]", event)
    return {**known, "payload": change(known["payload"])}


def _named(value: Any) -> str | None:
    if not isinstance(value, dict) or list(cast("dict[Any, Any]", value)) != ["$blob"]:
        return None
    digest = cast("dict[str, Any]", value)["$blob"]
    return digest if isinstance(digest, str) and _DIGEST.fullmatch(digest) else None
