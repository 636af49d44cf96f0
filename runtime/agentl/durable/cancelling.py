"""The end of a run that somebody cancelled (durability.md §7)."""

from __future__ import annotations

from collections.abc import Sequence

from agentl.durable import refusals
from agentl.durable.entries import CancelEntry, cancellation
from agentl.durable.journal import Journal
from agentl.durable.records import EndedRecord, Record
from agentl.durable.stores import Store
from agentl.errors import DurableError


def cancel(journal: Journal, entry: CancelEntry) -> DurableError:
    """Write the end of a cancelled run and return the refusal that says so (R502)."""
    journal.append("ended", how="cancelled", who=entry.who, at=entry.at, entry=entry.id)
    return refusals.cancelled(journal.store.name, len(journal.entries), entry.who, entry.at)


def refuse_cancelled(journal: Journal) -> None:
    """Raise R502 when somebody cancelled the run; its end is written first, by the holder of its lock."""
    last = journal.records[-1] if journal.records else None
    if isinstance(last, EndedRecord) and last.how == "cancelled":
        raise refusals.cancelled(journal.store.name, last.n, last.who, last.at)
    if last is None or journal.ended:
        return
    entry = cancellation(journal.store)
    if entry is not None:
        raise cancel(journal, entry)


def refuse_over(store: Store, records: Sequence[Record]) -> None:
    """Raise what keeps a run that has begun from taking anything more: R303 when it ended, R502 cancelled."""
    last = records[-1]
    cancelled = cancellation(store)
    if cancelled is not None and not (isinstance(last, EndedRecord) and last.how == "completed"):
        raise refusals.cancelled(store.name, last.n, cancelled.who, cancelled.at)
    if isinstance(last, EndedRecord):
        raise refusals.ended(store.name, last.n)
