"""No copy of a run goes on where another one went further (durability.md §8, R207).

What the journal of the other copy holds has happened: whoever goes on without it does it again. Every place
where a run was seen is noted (`heads.py`). A run may be moved. Of equal copies the first to go on wins.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from agentl.durable import refusals
from agentl.durable.addressing import store_at
from agentl.durable.heads import forget, note_head, seen, seen_at, together
from agentl.durable.journal import read_prefix
from agentl.durable.records import EndedRecord, Record
from agentl.durable.stores import Store
from agentl.durable.stores.file import PROGRAMS, FileStore
from agentl.durable.stores.sqlite import SQLiteStore
from agentl.errors import AgentlError

_LOOKING_SECONDS = 2
"""How long a server where a run was may take to answer: it may be gone for ever, and a run waits for it."""


def go_on(store: Store, records: Sequence[Record]) -> None:
    """Note that the run goes on at the place of `store`, whose lock is held.

    Raises DurableError R207 when more of it was seen, here or elsewhere, or when it goes on elsewhere now.
    """
    home = store.home
    if home is None or not records:
        return
    with together() as alone:
        known = seen(records)
        for head in known:
            if head.n >= len(records) or records[head.n].h != head.h:
                raise refusals.older(
                    store.name, records[-1].n, head.n, None if head.path == home else head.path
                )
        if isinstance(records[-1], EndedRecord):
            return
        for place in dict.fromkeys(head.path for head in known):
            if place != home and _went_on(place, store, records):
                raise refusals.older(store.name, records[-1].n, None, place)
        note_head(home, records, alone=alone)


def refuse_lost(store: Store, run: str | None) -> None:
    """Raise DurableError R207 where a new run would begin in the place of one whose journal is lost.

    That is one of the same name, whose keys would be minted again, or one that left something there.
    """
    known = [] if store.home is None else seen_at(store.home)
    lost = [head for head in known if head.run == run or _has_remains(store)]
    if lost:
        raise refusals.lost(
            store.name, lost[-1].run, max(head.n for head in lost if head.run == lost[-1].run)
        )


def refuse_unbegun(store: Store) -> NoReturn:
    """Raise DurableError R207 for a place whose journal is lost, R107 for one where no run has begun."""
    refuse_lost(store, store.run_id)
    raise refusals.not_begun(store.name)


def _has_remains(store: Store) -> bool:
    return isinstance(store, FileStore) and (store.directory / PROGRAMS).exists()


def _went_on(place: str, store: Store, records: Sequence[Record]) -> bool:
    """Tell whether the run at another place is ahead, or is being run; not when it is there no more."""
    try:
        other = store_at(place, connect_seconds=_LOOKING_SECONDS)
        # The lock is asked first: what its holder wrote until it let go is then read.
        holder = other.holder()
        prefix, lines = _read(other)
    except (AgentlError, OSError):
        return False
    if not prefix or prefix[0].h != records[0].h or _same_place(other, store):
        return False
    if holder is not None:
        # A database that goes by two names is held by this very process.
        return holder.pid != os.getpid()
    return lines > len(records) or records[len(prefix) - 1].h != prefix[-1].h


def _read(store: Store) -> tuple[Sequence[Record], int]:
    """Return the sound records of a journal, and how many lines it has."""
    data = store.records()
    return read_prefix(data, store.name, store.blob), data.count(b"\n")


def _same_place(one: Store, other: Store) -> bool:
    """Tell whether two names are of one file or directory, as a mount can make them."""
    first, second = _file(one), _file(other)
    if first is None or second is None or one.run_id != other.run_id:
        return False
    return first.exists() and second.exists() and first.samefile(second)


def _file(store: Store) -> Path | None:
    if isinstance(store, FileStore):
        return store.directory
    return store.path if isinstance(store, SQLiteStore) else None


def note(store: Store, records: Sequence[Record]) -> None:
    """Note how far the run is on the disk."""
    if store.home is not None and records:
        with together() as alone:
            note_head(store.home, records, alone=alone)


def forget_run(home: str, begin: str | None) -> None:
    """Forget what was seen of a run at `home`, and where it was before it moved; its copies stay known."""
    there: dict[str, bool] = {}

    def goes(path: str, of: str) -> bool:
        if path == home:
            return True
        if of != begin:
            return False
        if path not in there:
            there[path] = _is_there(path, of)
        return not there[path]

    forget(goes)


def _is_there(place: str, begin: str) -> bool:
    try:
        prefix, _ = _read(store_at(place, connect_seconds=_LOOKING_SECONDS))
    except (AgentlError, OSError):
        return False
    return bool(prefix) and prefix[0].h == begin
