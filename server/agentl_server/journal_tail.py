"""One journal, followed: the new bytes, verified and read; and who holds the run now. Never writes."""

from __future__ import annotations

import logging
import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path

from agentl.durable import refusals
from agentl.durable.journal import next_record
from agentl.durable.records import Record
from agentl.durable.status import state_of
from agentl.durable.stores.file import JOURNAL, LOCK, FileStore
from agentl.errors import DurableError
from agentl_grammar.problems import Message, message_id

_FINAL = ("completed", "cancelled")
log = logging.getLogger("agentl_server")


@dataclass(frozen=True, slots=True)
class Reading:
    """What one look at a run found; `anew` when it is not the journal of the look before.

    `changed` is when the journal last changed, in nanoseconds.
    """

    directory: Path
    state: str = ""
    records: tuple[Record, ...] = ()
    problem: str | None = None
    anew: bool = False
    gone: bool = False
    changed: int = 0


class JournalTail:
    """A run directory and how far its journal was read."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._store = FileStore(directory)
        self._anew = False
        self._begin()

    def _begin(self) -> None:
        self._records: list[Record] = []
        self._told = 0
        self._identity: int | None = None
        self._offset = 0
        self._seen_size = -1
        self._state = ""
        self._problem: str | None = None
        self._unreadable: str | None = None
        self._changed = 0

    def read(self) -> Reading | None:
        """Look once; None when nothing is new. A journal that was replaced or cut is read from its start.

        One that cannot be read is told as corrupt, once, and is read on from where it was when it can.
        """
        try:
            found = self._look()
        except (FileNotFoundError, NotADirectoryError):
            found = self._gone()
        except OSError as error:
            reason = Message("{reason}", {"reason": error.strerror or type(error).__name__})
            found = self._cannot(refusals.not_a_run(str(self.directory), reason))
        except DurableError as error:
            found = self._cannot(error)
        if found is None:
            return None
        found = replace(found, anew=self._anew, changed=self._changed)
        self._anew = False
        return found

    def _look(self) -> Reading | None:
        found = (self.directory / JOURNAL).lstat()
        self._changed = found.st_mtime_ns
        if self._identity is not None and (self._identity != found.st_ino or found.st_size < self._offset):
            self._begin()
            self._anew, self._changed = True, found.st_mtime_ns
        self._identity = found.st_ino
        _must_be_plain(found, self.directory, JOURNAL)
        if found.st_size != self._seen_size:
            self._read_on()
        self._seen_size = found.st_size
        state = self._now()
        records = tuple(self._records[self._told :])
        self._told = len(self._records)
        if not records and not self._anew and state == self._state and self._unreadable is None:
            return None
        self._state, self._unreadable = state, None
        return Reading(self.directory, state, records, self._problem)

    def _gone(self) -> Reading | None:
        if self._identity is None and self._unreadable is None:
            return None
        self._begin()
        return Reading(self.directory, gone=True)

    def _cannot(self, error: DurableError) -> Reading | None:
        why = f"{error.code}: {error.message}"
        if self._unreadable == why:
            return None
        log.warning("%s cannot be read: %s", self.directory, why)
        self._unreadable = why
        return Reading(self.directory, "corrupt", problem=why)

    def _read_on(self) -> None:
        if self._problem is not None:
            return
        data = self._new_bytes()
        # what follows the last LF is not a record yet
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        try:
            for line in whole.split(b"\n")[:-1]:
                self._records.append(next_record(self._records, line, str(self.directory), self._store.blob))
        except DurableError as error:
            self._problem = f"{error.code}: {error.message}"

    def _new_bytes(self) -> bytes:
        # what became a FIFO since it was looked at must not block
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(self.directory / JOURNAL, flags), "rb") as journal:
            _must_be_plain(os.fstat(journal.fileno()), self.directory, JOURNAL)
            journal.seek(self._offset)
            return journal.read()

    def _now(self) -> str:
        """Return the state of durability.md §7, from the lock and what was read of the journal."""
        if self._problem is not None:
            return "corrupt"
        if self._state in _FINAL:
            return self._state
        lock = self.directory / LOCK
        if lock.exists():
            _must_be_plain(lock.lstat(), self.directory, LOCK)
        return state_of(self._records, self._store.holder())


def _must_be_plain(found: os.stat_result, directory: Path, name: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise refusals.not_a_run(
            str(directory), Message(message_id("{name} is not a plain file"), {"name": name})
        )
