"""What people put into a run besides settlements: events, and its end (durability.md §10)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

from agentl.codec import encode
from agentl.durable import header as head
from agentl.durable.cancelling import refuse_over
from agentl.durable.copies import refuse_unbegun
from agentl.durable.entries import CANCEL, CancelEntry, EventEntry
from agentl.durable.pinned import pinned_program
from agentl.durable.records import Record
from agentl.durable.settling import now, operator
from agentl.durable.status import read_run, store_of
from agentl.durable.stores import Store
from agentl.errors import UsageError
from agentl.values import Value
from agentl_grammar.problems import Message, message_id
from agentl_grammar.tree import EventHandler


def send(
    place: Store | str | Path,
    source: str,
    payload: dict[str, Value],
    *,
    who: str | None = None,
    id_: str | None = None,
) -> EventEntry | None:
    """Put an event into the inbox of a run, synced before this returns; it is delivered exactly once.

    `id_` names the event: one that is put in twice under one name is one event, and None is returned.
    Raises UsageError U126 (no EVENT declares it), U127 (its name is empty); DurableError R107, R201 to R207,
    R303, R502, R602; StoreFailure R601.
    """
    if id_ is not None and not id_.strip():
        raise UsageError(
            "U127",
            Message(message_id("the name of an event is empty")),
            action=Message(
                message_id("name it, or leave --id out: of events with one name only the first is taken")
            ),
        )
    store, records = _going_on(place)
    _refuse_undeclared(store, records, source)
    entry = {
        "id": uuid.uuid4().hex if id_ is None else f"sent:{id_}",
        "kind": "event",
        "source": source,
        "payload": encode(payload),
        "who": who or operator(),
        "at": now(),
    }
    return EventEntry.model_validate(entry) if store.put_in(entry) else None


def cancel_run(place: Store | str | Path, *, who: str | None = None) -> CancelEntry:
    """Cancel a run: it counts as cancelled at once, and stops before its next step.

    Of several at one moment the first does it; the others are told who did (R502).
    Raises DurableError R107, R201 to R207, R303, R502, R602; StoreFailure R601.
    """
    store, records = _going_on(place)
    entry = {"id": CANCEL, "kind": CANCEL, "who": who or operator(), "at": now()}
    if not store.put_in(entry):
        refuse_over(store, records)
    return CancelEntry.model_validate(entry)


def _refuse_undeclared(store: Store, records: Sequence[Record], source: str) -> None:
    """Raise U126 for an event that would be taken, and then do nothing."""
    agents = pinned_program(store, head.of(records)).agents
    declared = list(dict.fromkeys(on.source.text for agent in agents for on in agent.of(EventHandler)))
    if source in declared:
        return
    known = message_id("the run takes these: {events}")
    nothing = message_id("declare it as an EVENT in the program of a new run")
    raise UsageError(
        "U126",
        Message(message_id("no EVENT of the program is called {event}"), {"event": source}),
        action=Message(known if declared else nothing, {"events": ", ".join(declared)}),
    )


def _going_on(place: Store | str | Path) -> tuple[Store, Sequence[Record]]:
    """Return store and records of a run that can still take something. Raises R107, R207, R303, R502."""
    store = store_of(place)
    records = read_run(store).records
    if not records:
        refuse_unbegun(store)
    refuse_over(store, records)
    return store, records
