"""The journal of a run: read, verified, and appended to (durability.md §5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from agentl.codec import load
from agentl.durable import refusals
from agentl.durable.blobs import LIMIT, MARK, Blobs, restored, set_aside
from agentl.durable.chain import START, seal_line, verified_link
from agentl.durable.records import (
    FORMAT,
    KINDS,
    SEMANTICS,
    DrainRecord,
    Header,
    IntentRecord,
    Record,
    ResolutionRecord,
    ResultRecord,
    record_from,
    record_made,
)
from agentl.durable.stores import Store
from agentl.errors import DurableError

_BEGINNING = b'{"n":0,"kind":"header",'
"""How every journal begins: what begins otherwise is no torn header of ours, and is left alone."""


@dataclass(frozen=True, slots=True)
class Tail:
    """What follows the last LF: kept when it is a whole record (but no intent), else dropped (§5 "Tail")."""

    length: int
    keep: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A verified journal. `length` are the bytes of `data` that count, `tail` tells of an unfinished line."""

    data: bytes
    records: tuple[Record, ...]
    length: int
    tail: Tail | None

    @property
    def header(self) -> Header | None:
        """Record 0, or None when the run has not begun."""
        return cast("Header", self.records[0]) if self.records else None


def read(data: bytes, name: str, blobs: Blobs) -> Reading:
    """Read and verify the bytes of a journal, and the blobs it names. Raises DurableError R201 to R206."""
    *lines, rest = data.split(b"\n")
    records: list[Record] = []
    for line in lines:
        records.append(next_record(records, line, name, blobs))
    length = len(data) - len(rest)
    tail = None
    if rest:
        last = tail_record(Before.of(records), rest, name, blobs)
        tail = Tail(len(rest), keep=last is not None)
        if last is not None:
            records.append(last)
            length = len(data)
    return Reading(data, tuple(records), length, tail)


def read_prefix(data: bytes, name: str, blobs: Blobs) -> tuple[Record, ...]:
    """Return the records before the first damage, be it of a line or of a blob."""
    records: list[Record] = []
    try:
        for line in data.split(b"\n")[:-1]:
            records.append(next_record(records, line, name, blobs))
    except DurableError:
        pass
    return tuple(records)


@dataclass(frozen=True, slots=True)
class Before:
    """What stands before a line: how many records, the h of the last, and whether it ended the run."""

    count: int = 0
    h: str = START
    ended: bool = False

    @classmethod
    def of(cls, records: Sequence[Record]) -> Before:
        """Return what stands after these records."""
        if not records:
            return cls()
        return cls(len(records), records[-1].h, records[-1].kind == "ended")


def tail_record(before: Before, rest: bytes, name: str, blobs: Blobs) -> Record | None:
    """Return the record that follows the last LF; None when it is unfinished, or an intent (§5 "Tail").

    Raises DurableError R203 to R206, R303.
    """
    if not before.count and rest[: len(_BEGINNING)] != _BEGINNING[: len(rest)]:
        raise refusals.no_header(name)
    if verified_link(before.h, rest) is None:
        return None
    record = record_after(before, rest, name, blobs)
    return None if isinstance(record, IntentRecord) else record


def next_record(before: Sequence[Record], line: bytes, name: str, blobs: Blobs) -> Record:
    """Return the record of a whole line that follows `before`, as `record_after` does."""
    return record_after(Before.of(before), line, name, blobs)


def record_after(before: Before, line: bytes, name: str, blobs: Blobs) -> Record:
    """Return the record of a whole line, its large values in their places.

    Raises DurableError R201 to R206, R303.
    """
    number = before.count
    data = _object(line, number, name)
    if number == 0:
        _refuse_no_header(data, name)
    if verified_link(before.h, line) is None:
        _refuse_sequence(data, number, name)
        raise refusals.chain_broken(name, number)
    _refuse_sequence(data, number, name)
    if data.get("kind") not in KINDS:
        raise refusals.unknown_format(name, number, f"{data.get('kind')}")
    if before.ended:
        raise refusals.ended(name, number)
    return record_of(line, data, name, blobs)


def record_of(line: bytes, data: Mapping[str, Any], name: str, blobs: Blobs) -> Record:
    """Return the record of a line whose chain was verified and whose JSON is `data`. Raises R203, R206."""
    number = data["n"]
    if MARK in line:
        data = restored(data, blobs, name, number)
    try:
        return record_from(data)
    except ValidationError as error:
        raise refusals.unreadable(name, number) from error


def _object(line: bytes, number: int, name: str) -> dict[str, Any]:
    try:
        data = load(line)
    except ValueError as error:
        raise refusals.unreadable(name, number) from error
    if not isinstance(data, dict):
        raise refusals.unreadable(name, number)
    return cast("dict[str, Any]", data)


def _refuse_no_header(data: Mapping[str, Any], name: str) -> None:
    if data.get("kind") != "header":
        raise refusals.no_header(name)
    if data.get("format") != FORMAT:
        raise refusals.unknown_format(name, 0, f"{data.get('format')}")
    if data.get("semantics") != SEMANTICS:
        raise refusals.unknown_format(name, 0, f"semantics {data.get('semantics')}")


def _refuse_sequence(data: Mapping[str, Any], number: int, name: str) -> None:
    if data.get("n") != number:
        raise refusals.out_of_sequence(name, number, data.get("n"))


# --------------------------------------------------------------------------------------------- what it holds


def open_intents(records: Sequence[Record]) -> list[IntentRecord]:
    """Return the intents without a result that nothing has settled, in order."""
    found: dict[str, IntentRecord] = {}
    for record in records:
        if isinstance(record, IntentRecord):
            found[record.action] = record
        elif isinstance(record, ResultRecord | ResolutionRecord) and _settles(record):
            found.pop(record.action, None)
    return list(found.values())


def doubts(records: Sequence[Record]) -> list[ResolutionRecord]:
    """Return the actions that are in doubt: settled as such, and by no operator since, nor sent again."""
    found: dict[str, ResolutionRecord] = {}
    for record in records:
        if isinstance(record, ResolutionRecord) and record.how == "in_doubt":
            found[record.action] = record
        elif isinstance(record, IntentRecord) or (isinstance(record, ResolutionRecord) and _settles(record)):
            found.pop(record.action, None)
    return list(found.values())


_FINAL = frozenset({"in_doubt", "operator_happened", "operator_not"})


def _settles(record: ResultRecord | ResolutionRecord) -> bool:
    return isinstance(record, ResultRecord) or record.how in _FINAL


def delivered(records: Sequence[Record]) -> set[str]:
    """Return the ids of the inbox entries that were consumed."""
    drains = [record for record in records if isinstance(record, DrainRecord)]
    events = {event["id"] for drain in drains for event in drain.value or ()}
    return events | {
        record.entry for record in records if isinstance(record, ResolutionRecord) and record.entry
    }


class Sealed(NamedTuple):
    """A record, the h of the one before it, and its line: ready to be written."""

    record: Record
    previous: str
    line: bytes


@dataclass
class Journal:
    """The journal of one run, in step with its store."""

    store: Store
    records: list[Record] = field(default_factory=list[Record])
    reading: Reading | None = None

    @classmethod
    def load(cls, store: Store, known: Reading | None = None) -> Journal:
        """Read and verify what the store holds; writes nothing. `known` serves again if no byte has changed.

        Raises DurableError R201 to R206, R303.
        """
        data = store.records()
        reading = known if known is not None and known.data == data else read(data, store.name, store.blob)
        return cls(store, list(reading.records), reading)

    @property
    def header(self) -> Header | None:
        """Record 0, or None when the run has not begun."""
        return cast("Header", self.records[0]) if self.records else None

    @property
    def entries(self) -> list[Record]:
        """The records after the header."""
        return self.records[1:]

    @property
    def ended(self) -> bool:
        """Tell whether nothing can follow."""
        return bool(self.records) and self.records[-1].kind == "ended"

    def pending(self) -> list[dict[str, str]]:
        """Return the open intents: [{tool, action_id, key}] (durability.md §12)."""
        return [
            {"tool": intent.key, "action_id": intent.action, "key": intent.idempotency_key}
            for intent in open_intents(self.records)
        ]

    @property
    def resolutions(self) -> list[dict[str, Any]]:
        """How interrupted actions were settled: {tool, action_id, does, how, attempt} (durability.md §12)."""
        does = {record.action: record.does for record in self.records if isinstance(record, IntentRecord)}
        return [
            {
                "tool": record.key,
                "action_id": record.action,
                "does": does.get(record.action, "invoke"),  # a repair may have lost its intent
                "how": record.how,
                "attempt": record.attempt,
            }
            for record in self.records
            if isinstance(record, ResolutionRecord)
        ]

    def append(self, kind: str, **fields: Any) -> Record:
        """Append one record and return it, as `seal` and `write` do one after the other."""
        return self.write(self.seal(kind, **fields))

    def seal(self, kind: str, **fields: Any) -> Sealed:
        """Return the next record with its line, which `write` appends; its large values are kept by then.

        What can be done with a record before it is written costs half: after a sync the caches are cold.
        Raises DurableError R303 after the end, StoreFailure R601.
        """
        number = len(self.records)
        if self.ended:
            raise refusals.ended(self.store.name, number)
        previous = self.records[-1].h if self.records else START
        data = {"n": number, "kind": kind, "agent": "", "key": "", "site": "", "tick": 0, **fields}
        line, h = seal_line(previous, data)
        if len(line) > LIMIT:
            line, h = seal_line(previous, set_aside(data, self.store.put_blob))
        data["h"] = h
        return Sealed(record_made(data), previous, line)

    def write(self, sealed: Sealed) -> Record:
        """Append a record and return it; on the disk before this returns if its kind is a synced one.

        Raises StoreFailure R601: also for one that does not follow the last record.
        """
        record, previous, line = sealed
        if self.reading is not None:
            self._mend_tail(self.reading)
        self.store.append(record.n, previous, line, sync=record.synced)
        self.records.append(record)
        return record

    def _mend_tail(self, reading: Reading) -> None:
        """Before the first append, finish or drop the line that a crash left unfinished (§5 "Tail")."""
        self.reading = None
        if reading.tail is not None:
            self.store.keep(reading.length, finish=reading.tail.keep)
