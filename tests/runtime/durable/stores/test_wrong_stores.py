"""Stores that do one thing wrong, each with the check that notices it; what they derive from passes all."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agentl.codec import dump, load
from agentl.durable import DurableError, FileStore, MemoryStore, Store, StoreFailure, refusals
from agentl.durable.chain import stated_link
from agentl.durable.lock import Holder
from agentl.durable.testing import CHECKS

_BY_NAME = {check.__name__: check for check in CHECKS}
_LEASE = "a_run_is_held_by_one_process_among_all"
_COMPARED = "number_and_link_are_compared_always_and_as_a_whole"
_READERS = "a_reader_neither_takes_the_run_nor_frees_it"
_WRITERS = "only_the_holder_writes"
_LONG = "a_long_journal_is_read_whole"
_INBOX = "entries_from_many_processes_are_all_kept"


class Right(MemoryStore):
    """A run in memory; each object on it has to hold it by itself."""

    def __init__(self, shared: dict[str, Any]) -> None:
        if not shared:
            super().__init__()
            shared |= {**self.__dict__, "owner": None, "synced": 0}
        self.__dict__ = shared

    def open(self, *, write: bool) -> None:
        super().open(write=write)
        if write:
            self.owner = self

    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        super().append(n, previous, line, sync=sync)
        self.synced = len(self._data) if sync else self.synced

    def _must_hold(self) -> None:
        if self.owner is not self:
            raise refusals.store_failed(self.name, None)
        super()._must_hold()

    def close(self) -> None:
        if self.owner is self:
            self.owner = None
            super().close()

    @property
    def count(self) -> int:
        return self._data.count(b"\n")

    @property
    def head(self) -> str:
        lines = bytes(self._data).split(b"\n")
        return (stated_link(lines[-2]) or "") if len(lines) > 1 else ""


class FirstAfterOpenNotCompared(Right):
    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        self._due = self._due or (n, previous)
        super().append(n, previous, line, sync=sync)


class LinkNotCompared(Right):
    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        super().append(n, self.head, line, sync=sync)


class NumberNotCompared(Right):
    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        super().append(self.count, previous, line, sync=sync)


class BeginningOfLinkCompared(Right):
    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        same = previous[:1] == self.head[:1]
        super().append(n, self.head if same else previous, line, sync=sync)


class UnsyncedNotCompared(Right):
    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        self._due = self._due if sync else (n, previous)
        super().append(n, previous, line, sync=sync)


class SameNumberIgnored(Right):
    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        if n >= self.count:
            super().append(n, previous, line, sync=sync)


class SameNumberOverwrites(Right):
    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        if 0 < n == self.count - 1:
            self._data = bytearray(b"".join(self._data.splitlines(keepends=True)[:-1]))
            self._due = None
        super().append(n, previous, line, sync=sync)


class FirstOfAllNotCompared(Right):
    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        super().append(n, previous if self.count else "", line, sync=sync)


class PiecesOfABeginning(Right):
    def pieces(self) -> Iterator[bytes]:
        yield b"".join(self.records().splitlines(keepends=True)[:1000])


class TailOfTheBeginning(Right):
    def tail(self) -> bytes:
        return b"".join(self.records().splitlines(keepends=True)[:50])


class TailWithinALine(Right):
    def tail(self) -> bytes:
        return self.records()[-100_000:]


class EntriesOfABeginning(Right):
    def entries(self, after: int = 0) -> Sequence[Mapping[str, Any]]:
        return super().entries()[:100][after:]


class LargeValuesCut(Right):
    def put_blob(self, digest: str, data: bytes) -> None:
        super().put_blob(digest, data[: 1 << 20])


class WaitingDropped(Right):
    def keep(self, length: int, *, finish: bool) -> None:
        super().keep(min(length, self.synced), finish=finish)


class PinsWithoutLock(Right):
    def pin(self, digest: str, text: str) -> None:
        self._programs[digest] = text


class KeepsWithoutLock(Right):
    def keep(self, length: int, *, finish: bool) -> None:
        self._data = self._data[:length]
        self._due = None


class LargeValuesWithoutLock(Right):
    def put_blob(self, digest: str, data: bytes) -> None:
        self._blobs[digest] = data


class RemovedWithoutLock(Right):
    def remove(self) -> None:
        owner, holder = self.owner, self._holder
        self.owner, self._holder = self, Holder(os.getpid(), None)
        super().remove()
        self.owner, self._holder = owner, holder


class ReadersSteal(Right):
    def open(self, *, write: bool) -> None:
        if not write:
            self._holder = self.owner = None
        super().open(write=write)


class ReadersRefused(Right):
    def open(self, *, write: bool) -> None:
        if self._holder is not None:
            raise refusals.locked(self.name, self._holder.pid, self._holder.since)
        super().open(write=write)


class ReadersFree(Right):
    def close(self) -> None:
        self.owner = self
        super().close()


class ChangeOutlastsRun(Right):
    def remove(self) -> None:
        changed = self._changed
        super().remove()
        self._changed = changed


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_what_they_derive_from_passes(check: Callable[[Callable[[], Store]], None]) -> None:
    shared: dict[str, Any] = {}
    check(lambda: Right(shared))


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        (FirstAfterOpenNotCompared, _COMPARED),
        (LinkNotCompared, _COMPARED),
        (NumberNotCompared, _COMPARED),
        (BeginningOfLinkCompared, _COMPARED),
        (UnsyncedNotCompared, _COMPARED),
        (SameNumberIgnored, _COMPARED),
        (SameNumberOverwrites, _COMPARED),
        (FirstOfAllNotCompared, "the_first_record_is_number_0_after_nothing"),
        (PiecesOfABeginning, _LONG),
        (TailOfTheBeginning, _LONG),
        (TailWithinALine, _LONG),
        (EntriesOfABeginning, "many_entries_are_all_told"),
        (LargeValuesCut, "large_values_are_kept_by_digest"),
        (WaitingDropped, "what_waits_counts_when_records_are_dropped"),
        (PinsWithoutLock, _WRITERS),
        (KeepsWithoutLock, _WRITERS),
        (LargeValuesWithoutLock, _WRITERS),
        (RemovedWithoutLock, _WRITERS),
        (ReadersSteal, _READERS),
        (ReadersRefused, _READERS),
        (ReadersFree, _READERS),
        (ChangeOutlastsRun, "nothing_is_left_of_a_removed_run"),
    ],
)
def test_a_wrong_store_in_memory_is_noticed(kind: type[Right], check: str) -> None:
    shared: dict[str, Any] = {}
    with pytest.raises((AssertionError, DurableError, StoreFailure)):
        _BY_NAME[check](lambda: kind(shared))


# --------------------------------------------------------------------------------- between processes


class HeldInThisProcess(FileStore):
    """Its lock is known to this process alone."""

    holders: dict[Path, Holder] = {}  # noqa: RUF012  # that is the mistake

    def open(self, *, write: bool) -> None:
        if write and self.directory in self.holders:
            raise refusals.locked(self.name, None, None)
        super().open(write=write)

    def holder(self) -> Holder | None:
        return self.holders.get(self.directory)


class LockOfThisProcess:
    """Stands in for a RunLock."""

    def __init__(self, store: HeldInThisProcess) -> None:
        self.store, self.held = store, False

    def acquire(self) -> bool:
        self.held = True
        self.store.holders[self.store.directory] = Holder(os.getpid(), None)
        return True

    def release(self) -> None:
        if self.held:
            del self.store.holders[self.store.directory]
        self.held = False


class InboxOfOneSender(FileStore):
    """Reads the inbox, then writes it: who does so at the same time is lost."""

    @property
    def _path(self) -> Path:
        return self.directory / "inbox.jsonl"

    def put_in(self, entry: Mapping[str, Any]) -> bool:
        before = self.entries()
        if any(known["id"] == entry["id"] for known in before):
            return False
        time.sleep(0.01)
        new = self._path.with_name(f"{os.getpid()}.new")
        new.write_text("".join(dump(each) + "\n" for each in (*before, entry)))
        new.replace(self._path)
        return True

    def entries(self, after: int = 0) -> Sequence[Mapping[str, Any]]:
        lines = self._path.read_bytes().splitlines() if self._path.exists() else []
        return [load(line) for line in lines][after:]


def held_in_this_process(directory: Path) -> Store:
    store = HeldInThisProcess(directory)
    store._lock = LockOfThisProcess(store)
    return store


@pytest.mark.parametrize(
    ("make", "check"), [(held_in_this_process, _LEASE), (InboxOfOneSender, _INBOX)], ids=["lock", "inbox"]
)
def test_a_store_for_one_process_only_is_noticed(make, check: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        _BY_NAME[check](lambda: make(tmp_path / "run"))


def test_a_store_for_one_process_only_passes_the_checks_within_it(tmp_path: Path) -> None:
    for number, check in enumerate(("one_process_holds_a_run", _READERS, _WRITERS)):
        _BY_NAME[check](lambda number=number: held_in_this_process(tmp_path / f"{number}"))
