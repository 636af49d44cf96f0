"""No copy of a run goes on where another one went further (durability.md §8, R207).

What the journal of the other copy holds has happened: whoever goes on without it does it again. Every place
where a run was seen is noted (`heads.py`). A run may be moved. Of equal copies the first to go on wins.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from agentl.durable import refusals
from agentl.durable.addressing import store_at
from agentl.durable.heads import Head, Register, forget, note_head, seen, together
from agentl.durable.records import EndedRecord, Record
from agentl.durable.stores import Store
from agentl.durable.stores.file import PROGRAMS, FileStore
from agentl.durable.stores.sqlite import SQLiteStore
from agentl.durable.summary import Summary, first_record
from agentl.durable.verify import Lines, sound_lines
from agentl.errors import AgentlError, DurableError

_LOOKING_SECONDS = 2
"""How long a server where a run was may take to answer: it may be gone for ever, and a run waits for it."""


@dataclass(frozen=True, slots=True)
class Own:
    """A journal as far as it decides whether its run goes on: `link` returns the h of a record it has."""

    begin: str
    count: int
    ended: bool
    link: Callable[[int], str | None]


def go_on(store: Store, records: Sequence[Record]) -> None:
    """Note that the run goes on at the place of `store`, whose lock is held. Raises DurableError R207."""
    if store.home is None or not records:
        return
    own = Own(records[0].h, len(records), isinstance(records[-1], EndedRecord), lambda n: records[n].h)
    with together() as alone:
        refuse_older(store, own, seen(own.begin))
        if not own.ended:
            note_head(store.home, records, alone=alone)


def refuse_older(store: Store, own: Own, known: Sequence[Head], *, elsewhere: bool = True) -> None:
    """Raise DurableError R207 when more of the run was seen, here or elsewhere, or it goes on elsewhere now.

    Writes nothing and waits for nobody. Other places are looked at only if `elsewhere`.
    """
    home, last = store.home, own.count - 1
    for head in known:
        if head.n > last or own.link(head.n) != head.h:
            raise refusals.older(store.name, last, head.n, None if head.path == home else head.path)
    if own.ended or not elsewhere:
        return
    for place in dict.fromkeys(head.path for head in known):
        if place != home and _went_on(place, store, own):
            raise refusals.older(store.name, last, None, place)


_OF_A_RUN = re.compile(r"(build|.*:t[0-9]+:a[0-9]+):[0-9]+(~[0-9]+)?")
"""The ids of events that a host emitted while it was built, or inside a tool (durability.md §10)."""


def refuse_lost(store: Store, run: str | None, known: Register | None = None) -> None:
    """Refuse to begin a run in the place of one whose journal is lost. Raises DurableError R205, R207.

    That is one of the same name, whose keys would be minted again, or one that left something there.
    """
    if any(_OF_A_RUN.fullmatch(entry["id"]) for entry in store.entries()):
        # Only a run that began lets its host put events in: its journal is lost, its effects are not.
        raise refusals.no_header(store.name)
    found: Sequence[Head] = () if store.home is None else (known or Register()).at(store.home)
    lost = [head for head in found if head.run == run or _has_remains(store)]
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


def _went_on(place: str, store: Store, own: Own) -> bool:
    """Tell whether the run at another place is ahead, or is being run; not when it is there no more."""
    try:
        other = store_at(place, connect_seconds=_LOOKING_SECONDS)
        # The lock is asked first: what its holder wrote until it let go is then read.
        holder = other.holder()
        found, lines = _look(other)
    except (AgentlError, OSError):
        return False
    if not found.begin or found.begin != own.begin or _same_place(other, store):
        return False
    if holder is not None:
        # A database that goes by two names is held by this very process.
        return holder.pid != os.getpid()
    return max(lines, found.entries + 1) > own.count or own.link(found.entries) != found.head


def _look(store: Store) -> tuple[Summary, int]:
    """Return what is sound of a journal, and how many lines it has. Raises DurableError R602."""
    found, lines = Summary(store.name, store.blob), 0

    def counted() -> Iterator[bytes]:
        nonlocal lines
        for piece in store.pieces():
            lines += piece.count(b"\n")
            yield piece

    pieces = counted()
    with contextlib.suppress(DurableError):
        found.take(sound_lines(Lines(pieces), store.name, store.blob))
    for _ in pieces:  # what stands behind a damage counts as well
        pass
    return found, lines


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
        header = first_record(store_at(place, connect_seconds=_LOOKING_SECONDS))
    except (AgentlError, OSError):
        return False
    return header is not None and header.h == begin
