"""What the stores in databases share: records that wait in memory for the commit of the next synced one.

A database has no torn lines: a transaction is there whole, or not at all (durability.md §5, §11).
"""

from __future__ import annotations

import os
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agentl.durable import refusals
from agentl.durable.chain import START, stated_link
from agentl.durable.inbox import EMPTY, InboxHead, read_entry, refuse_shorter
from agentl.durable.lock import Holder
from agentl.durable.run_names import refuse_run_id
from agentl.errors import StoreFailure
from agentl_grammar.problems import Message, message_id

FETCHED = 2000
"""Rows that one exchange with a database brings."""


class Row(NamedTuple):
    """One record as a database keeps it: its number, its h, and its line without the LF."""

    n: int
    h: str
    line: bytes


class Fenced(Exception):  # noqa: N818  # the term of the field
    """The journal does not end where this process believes: another one has gone on with the run."""


class RowStore(ABC):
    """A run in a database. Subclasses say how to reach it; this says when.

    Args:
        run_id: the name of the run in this database.
    """

    def __init__(self, run_id: str) -> None:
        refuse_run_id(run_id)
        self._run = run_id
        self._pending: list[Row] = []
        self._before = START
        self._poisoned = False
        self._threads = threading.RLock()
        _stores.add(self)
        self._known: list[Mapping[str, Any]] = []
        self._links: list[str] = []
        self._last_entry = 0
        self._told: int | None = None

    @property
    @abstractmethod
    def name(self) -> str:
        """What a person calls this place, and can give to a command."""

    @property
    def journal_name(self) -> str:
        """What a person calls the journal itself."""
        return self.name

    @property
    def run_id(self) -> str | None:
        """The name of the run, which the place fixes."""
        return self._run

    @property
    def base(self) -> Path | None:
        """See Store."""
        return None

    # ------------------------------------------------------------------------------- what a database does

    @abstractmethod
    def _holds(self) -> bool:
        """Tell whether this process holds the run through this object."""

    @abstractmethod
    def _commit(self, previous: str, rows: Sequence[Row]) -> int:
        """Add rows after the record whose h is `previous`, in one synced transaction. Raises Fenced.

        Return how many entries the inbox has then; to ask for that before every step would cost as much.
        """

    @abstractmethod
    def _page(self, after: int) -> Sequence[tuple[int, bytes]]:
        """Return (n, line) of the next committed records after number `after`, FETCHED at most, in order."""

    @abstractmethod
    def _last_number(self) -> int:
        """Return the number of the last committed record, -1 where there is none."""

    @abstractmethod
    def _delete_from(self, n: int) -> None:
        """Delete the records from number `n` on, in one synced transaction."""

    @abstractmethod
    def _remove_run(self) -> None:
        """Delete all of the run in one synced transaction."""

    @abstractmethod
    def _entries_after(self, sequence: int) -> tuple[InboxHead, Sequence[tuple[int, bytes]]]:
        """Return the head of the inbox and (sequence, line) of the entries after one, as they were committed.

        Both are of one moment.
        """

    @abstractmethod
    def _failure(self, error: Exception) -> StoreFailure | None:
        """Return R601 for an error of the database, None for any other."""

    @abstractmethod
    def _leave(self) -> None:
        """Give lock and connection back."""

    @abstractmethod
    def _disown(self) -> None:
        """Let go of the connection that a parent process opened, without a word to the database."""

    def forget_in_child(self) -> None:
        """Begin anew in a forked child: neither lock, connection nor waiting records are its own."""
        self._threads = threading.RLock()
        self._pending = []
        self._disown()

    # ------------------------------------------------------------------------------- what the journal asks

    def records(self, after: int = -1) -> bytes:
        """See Store. Only what is committed: nothing is shown from records that still wait."""
        return b"".join(line + b"\n" for _, line in self._rows(after))

    def pieces(self) -> Iterator[bytes]:
        """See Store."""
        return (line + b"\n" for _, line in self._rows(-1))

    def tail(self) -> bytes:
        """See Store."""
        return self.records(self._last_number() - FETCHED)

    def _rows(self, after: int) -> Iterator[tuple[int, bytes]]:
        # Page by page, each read to its end: a reader that dawdles keeps no writer waiting.
        while page := self._page(after):
            yield from page
            after = page[-1][0]

    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        """See Store. What is not synced waits in memory, and is committed with the next that is."""
        self._must_hold()
        h = stated_link(line)
        due = (self._pending[-1].n + 1, self._pending[-1].h) if self._pending else (n, previous)
        if h is None or (n, previous) != due:
            raise self._poison(refusals.fenced(self.name))
        if not self._pending:
            self._before = previous
        self._pending.append(Row(n, h, line))
        if sync:
            self._flush()

    def _flush(self) -> None:
        rows, self._pending = self._pending, []
        if not rows:
            return
        try:
            self._told = self._commit(self._before, rows)
        except Fenced:
            raise self._poison(refusals.fenced(self.name)) from None
        except Exception as error:
            # Whether a commit that failed is on the disk is not known: nothing more is tried.
            self._poisoned = True
            raise self._failure(error) or error from error

    def keep(self, length: int, *, finish: bool) -> None:  # noqa: ARG002  # no line of a database is unfinished
        """See Store. Whole records are kept."""
        self._must_hold()
        self._flush()
        end = 0
        for n, line in self._rows(-1):
            end += len(line) + 1
            if end > length:
                self._lasting(lambda n=n: self._delete_from(n))
                return

    def remove(self) -> None:
        """See Store."""
        self._must_hold()
        self._pending = []
        self._lasting(self._remove_run)
        self._known, self._links, self._last_entry = [], [], 0

    def _lasting(self, write: Callable[[], None]) -> None:
        try:
            write()
        except Exception as error:
            self._poisoned = True
            raise self._failure(error) or error from error

    def _must_hold(self) -> None:
        if not self._holds():
            raise refusals.store_failed(self.name, Message(message_id("this process does not hold the run")))
        if self._poisoned:
            raise refusals.store_failed(self.name, None)

    def _poison(self, failure: StoreFailure) -> StoreFailure:
        self._poisoned = True
        return failure

    def entries(self, after: int = 0) -> Sequence[Mapping[str, Any]]:
        """See Store."""
        said, rows = self._entries_after(self._last_entry)
        self._told = said.n
        for sequence, line in rows:
            before = InboxHead(len(self._links), self._links[-1]) if self._links else EMPTY
            entry, head = read_entry(before, line, self.name)
            self._known.append(entry)
            self._links.append(head.h)
            self._last_entry = sequence
        refuse_shorter(said, self._links, self.name)
        return tuple(self._known[after:])

    def grown(self, since: int) -> bool:
        """See Store."""
        return not self._holds() or self._told is None or self._told > since

    @abstractmethod
    def changed(self) -> float:
        """See Store."""

    @abstractmethod
    def holder(self) -> Holder | None:
        """See Store."""

    def close(self) -> None:
        """See Store. What waits is committed, as a file would have kept it."""
        try:
            if self._holds() and not self._poisoned:
                self._flush()
        except StoreFailure:
            # Nothing synced is lost, and the error that ends the run, if any, is worth more.
            pass
        finally:
            self._pending = []
            self._poisoned = False
            self._told = None
            self._leave()


_stores: weakref.WeakSet[RowStore] = weakref.WeakSet()


def _forget_in_child() -> None:
    for store in list(_stores):
        store.forget_in_child()


os.register_at_fork(after_in_child=_forget_in_child)


def inbox_of(rows: Sequence[tuple[Any, ...]]) -> tuple[InboxHead, Sequence[tuple[int, bytes]]]:
    """Return head and entries from rows (entries, entry_h, sequence or None, entry or None)."""
    if not rows:
        return EMPTY, ()
    return InboxHead(rows[0][0], rows[0][1]), [(row[2], row[3]) for row in rows if row[2] is not None]
