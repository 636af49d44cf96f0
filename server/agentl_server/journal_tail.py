"""One journal, followed: the new bytes, verified and read; and who holds the run now. Never writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agentl.durable.journal import next_record
from agentl.durable.records import Record
from agentl.durable.status import state_of
from agentl.durable.stores.file import JOURNAL, FileStore
from agentl.errors import DurableError

_FINAL = ("completed", "cancelled")


@dataclass(frozen=True, slots=True)
class Reading:
    """What one look at a run found; `anew` when it is not the journal of the look before."""

    directory: Path
    state: str = ""
    records: tuple[Record, ...] = ()
    problem: str | None = None
    anew: bool = False
    gone: bool = False


class JournalTail:
    """A run directory and how far its journal was read."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._store = FileStore(directory)
        self._begin()

    def _begin(self) -> None:
        self._records: list[Record] = []
        self._identity: int | None = None
        self._offset = 0
        self._seen_size = -1
        self._state = ""
        self._problem: str | None = None

    def read(self) -> Reading | None:
        """Look once; None when nothing is new. A journal that was replaced or cut is read from its start."""
        try:
            found = (self.directory / JOURNAL).stat()
        except OSError:
            if self._identity is None:
                return None
            self._begin()
            return Reading(self.directory, gone=True)
        anew = self._identity is not None and (self._identity != found.st_ino or found.st_size < self._offset)
        if anew:
            self._begin()
        self._identity = found.st_ino
        records = self._new_records() if found.st_size != self._seen_size else ()
        self._seen_size = found.st_size
        state = self._now()
        if not records and not anew and state == self._state:
            return None
        self._state = state
        return Reading(self.directory, state, records, self._problem, anew)

    def _new_records(self) -> tuple[Record, ...]:
        if self._problem is not None:
            return ()
        with (self.directory / JOURNAL).open("rb") as journal:
            journal.seek(self._offset)
            data = journal.read()
        # what follows the last LF is not a record yet
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        first = len(self._records)
        try:
            for line in whole.split(b"\n")[:-1]:
                self._records.append(next_record(self._records, line, str(self.directory)))
        except DurableError as error:
            self._problem = f"{error.code}: {error.message}"
        return tuple(self._records[first:])

    def _now(self) -> str:
        """Return the state of durability.md §7, from the lock and what was read of the journal."""
        if self._problem is not None:
            return "corrupt"
        if self._state in _FINAL:
            return self._state
        return state_of(self._records, self._store.holder())
