"""How many actions the lines may have been that damage took from a journal (durability.md §5 "Tail").

Never too few: an effect that is forgotten here is done again. What a line still tells is believed if its link
holds or it is a whole record of its kind; every number that no such line has may have been that of an intent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, cast

from agentl.codec import load
from agentl.durable.blobs import Blobs
from agentl.durable.chain import stated_link, verified_link
from agentl.durable.journal import record_of
from agentl.durable.records import KINDS, IntentRecord, Record, RepairedRecord
from agentl.errors import DurableError

_SHORTEST_INTENT = 300
"""Bytes: where damage took the ends of lines too, a stretch may have held one record for as many."""
_OF_ACTIONS = frozenset({"intent", "resolution", "invoke", "delegate", "compensate"})
_RESULTS = _OF_ACTIONS - {"intent"}


@dataclass(slots=True)
class LostActions:
    """What may have happened: actions that a line names, and others that nothing tells of."""

    named: set[str] = field(default_factory=set[str])
    unnamed: int = 0

    @property
    def count(self) -> int:
        """Return how many actions that may be."""
        return len(self.named) + self.unnamed

    def add(self, kept: Sequence[Record], lines: Sequence[bytes], blobs: Blobs, seen: int = 0) -> None:
        """Take up lines that followed the records `kept` of a journal that had `seen` records at least."""
        told: dict[int, Mapping[str, Any]] = {kept[-1].n: {"kind": kept[-1].kind}}
        expected, link, unread = len(kept), kept[-1].h, 0
        read = [fields_of(line) for line in lines]
        for line, fields, behind in zip(lines, read, [*read[1:], dict[str, Any]()], strict=True):
            chained = verified_link(link, line) is not None
            link = stated_link(line) or ""
            if _is_record(fields, line, blobs, chained=chained):
                number = fields["n"]
                if chained or number == expected or behind.get("n", number + 1) == number + 1:
                    told[number] = fields
                    expected, unread = number + 1, 0
                self._take(fields)
            else:
                unread += 1 + len(line) // _SHORTEST_INTENT
                self._take_repair(fields)
        told.setdefault(max(seen, unread + max(told) + 1), {})
        self.unnamed += sum(_most(told, *pair) for pair in pairwise(sorted(told)) if pair[0] >= kept[-1].n)

    def _take(self, fields: Mapping[str, Any]) -> None:
        if fields["kind"] in _OF_ACTIONS:
            self.named.add(str(fields.get("action")))
        self._take_repair(fields)

    def _take_repair(self, fields: Mapping[str, Any]) -> None:
        """Keep what an earlier repair said: its record may be what is damaged now."""
        actions = fields.get("actions")
        if isinstance(actions, int) and "original" in fields:
            self.unnamed += max(0, actions)


def actions_left(records: Iterable[Record]) -> int:
    """Return how many of the next actions may stand for lost ones: of what repairs say, less those since."""
    left, begun = 0, set[str]()
    for record in records:
        if isinstance(record, RepairedRecord):
            left = max(left, record.actions)
        elif isinstance(record, IntentRecord) and record.action not in begun:
            # One that was sent again, by a promise or an operator, counts once.
            begun.add(record.action)
            left = max(0, left - 1)
    return left


def fields_of(line: bytes) -> dict[str, Any]:
    """Return the fields of a line that is a JSON object, else none."""
    try:
        found = load(line)
    except ValueError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _is_record(fields: Mapping[str, Any], line: bytes, blobs: Blobs, *, chained: bool) -> bool:
    """Tell whether a line says what was written: its link holds, or it has all that its kind needs."""
    if fields.get("kind") not in KINDS or not isinstance(fields.get("n"), int):
        return False
    try:
        record_of(line, fields, "", blobs)
    except DurableError:
        return chained
    return True


def _most(told: Mapping[int, Mapping[str, Any]], before: int, behind: int) -> int:
    """Return how many actions two numbers hide: an intent and a result each, but at the ends."""
    begun, ends = told[before].get("kind") == "intent", told[behind].get("kind") in _RESULTS
    return max(0, behind - before - begun - ends) // 2
