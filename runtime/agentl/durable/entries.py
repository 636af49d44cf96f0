"""What people put into the inbox of a run, one pydantic model a kind (durability.md §3, §10)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from agentl.codec import dump
from agentl.durable import refusals
from agentl.durable.stores import Store
from agentl.vocabulary import OperatorHow

CANCEL = "cancel"
"""Id and kind of the entry that cancels a run: there is one at most."""


class Entry(BaseModel, frozen=True, strict=True, extra="ignore", defer_build=True):
    """What every entry has. `who` put it in, and when (`at`, UTC): of an event of the host nobody tells."""

    id: str
    kind: str
    who: str | None = None
    at: str | None = None


class EventEntry(Entry, frozen=True):
    """An event; `payload` is data of the codec."""

    kind: Literal["event"]
    source: str
    payload: Any


class SettleEntry(Entry, frozen=True):
    """What an operator says of an action; `value` is its result as data of the codec, if it happened."""

    kind: Literal["settle"]
    action: str
    tool: str
    how: OperatorHow
    value: Any = None


class CancelEntry(Entry, frozen=True):
    """The run is to end here."""

    kind: Literal["cancel"]


_E = TypeVar("_E", bound=Entry)


def events(store: Store, consumed: Collection[str]) -> list[EventEntry]:
    """Return the events that wait, in the order they came. Raises DurableError R203."""
    return list(_of_kind(store, "event", EventEntry, consumed))


def settlements(store: Store, consumed: Collection[str] = ()) -> list[SettleEntry]:
    """Return what operators said and no record has consumed. Raises DurableError R203."""
    return list(_of_kind(store, "settle", SettleEntry, consumed))


def keep_event(store: Store, id_: str, source: str, payload: object) -> None:
    """Put in an event of the host, unless it is there: a repeated action emits it again, word for word (§10).

    What the action emits instead of it when it is repeated is another event and gets an id of its own.
    Raises StoreFailure R601, DurableError R201 to R203.
    """
    said = {"kind": "event", "source": source, "payload": payload}
    wanted, number = id_, 1
    while not store.put_in({"id": wanted, **said}):
        known = next(entry for entry in store.entries() if entry["id"] == wanted)
        if dump({key: known.get(key) for key in said}) == dump(said):
            return
        number += 1
        wanted = f"{id_}~{number}"


def cancellation(store: Store) -> CancelEntry | None:
    """Return what cancels the run, if anybody did. Raises DurableError R203."""
    return next(_of_kind(store, "cancel", CancelEntry, ()), None)


class CancelWatch:
    """Looks for what cancels a run, again and again, at no more than it must."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen = 0

    def found(self) -> CancelEntry | None:
        """Return what cancels the run, as of the last synced append at least. Raises DurableError R203."""
        if not self._store.grown(self._seen):
            return None
        news = self._store.entries(self._seen)
        self._seen += len(news)
        return cancellation(self._store) if any(entry.get("kind") == "cancel" for entry in news) else None


def _of_kind(store: Store, kind: str, model: type[_E], consumed: Collection[str]) -> Iterator[_E]:
    entries: Sequence[Mapping[str, Any]] = store.entries()
    for number, entry in enumerate(entries, 1):
        if entry.get("kind") != kind or entry["id"] in consumed:
            continue
        try:
            yield model.model_validate(dict(entry))
        except ValidationError as error:
            raise refusals.unreadable_entry(store.name, number) from error
