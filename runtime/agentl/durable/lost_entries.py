"""What the entries were that damage took from an inbox (durability.md §10).

A cancelled run never goes on. So a lost entry that cancelled it still does; of one that may have, somebody
has to say whether it did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from agentl.durable.entries import CANCEL, EventEntry, SettleEntry
from agentl.durable.lost import fields_of

_OTHERS = {"event": EventEntry, "settle": SettleEntry}


@dataclass(frozen=True, slots=True)
class LostEntry:
    """A line of an inbox that would go: its number, and what can be read of it.

    `subject` is the event or the action that it names. `cancels` tells whether it cancelled the run:
    None where that cannot be read.
    """

    number: int
    kind: str
    subject: str
    who: str
    cancels: bool | None


def lost_entry(number: int, line: bytes) -> LostEntry:
    """Return what can be read of a line of an inbox."""
    fields = fields_of(line)
    subject = fields.get("source", fields.get("action", ""))
    return LostEntry(
        number, str(fields.get("kind", "")), f"{subject}", str(fields.get("who") or ""), _cancels(fields)
    )


def _cancels(fields: Mapping[str, Any]) -> bool | None:
    if CANCEL in (fields.get("kind"), fields.get("id")):
        return True
    model = _OTHERS.get(str(fields.get("kind")))
    if model is None:
        return None
    try:
        model.model_validate(dict(fields))
    except ValidationError:
        return None
    return False
