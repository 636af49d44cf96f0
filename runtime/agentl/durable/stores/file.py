"""A run in a directory (durability.md §4)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentl.durable import refusals
from agentl.durable.files import make_directory, read_plain, sync_directory, write_private
from agentl.durable.inbox import Inbox
from agentl.durable.lock import Holder, RunLock, holder
from agentl.durable.stores.journal_file import JournalFile
from agentl.durable.stores.removal import LOCK, delete_removed, removed_name
from agentl.errors import DurableError
from agentl_grammar.problems import Message, message_id

JOURNAL = "wal.jsonl"
PROGRAMS = "programs"
INBOX = "inbox.jsonl"
INBOX_HEAD = "inbox.head"
BLOBS = "blobs"
OURS = frozenset({JOURNAL, PROGRAMS, LOCK, INBOX, INBOX_HEAD, BLOBS, "cache"})


class FileStore:
    """One run in one directory, which is made when the run begins.

    Args:
        directory: where the run lies; nothing in it depends on that place.
    """

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        self._lock = RunLock(self.directory / LOCK)
        self._inbox = Inbox(self.directory / INBOX, self.directory / INBOX_HEAD)
        self._journal = JournalFile(self.directory / JOURNAL)
        self._blobs_kept: set[str] = set()
        self._refuse = refusals.not_a_run

    @property
    def name(self) -> str:
        """The directory, as it was named."""
        return str(self.directory)

    @property
    def journal_name(self) -> str:
        """The path of the journal, as the directory was named."""
        return str(self.directory / JOURNAL)

    @property
    def run_id(self) -> str | None:
        """See Store: a directory may hold a run of any name."""
        return None

    @property
    def base(self) -> Path | None:
        """The directory itself."""
        return self.directory

    @property
    def home(self) -> str | None:
        """The directory as a path from the root."""
        return os.fsdecode(self.directory.resolve())

    def open(self, *, write: bool) -> None:
        """See Store. Makes the directory and takes the lock if `write`; else refuses what is no run's."""
        self._refuse = refusals.not_a_run if write else refusals.no_run_there
        try:
            if write:
                make_directory(self.directory)
            self._refuse_strangers()
            if write and not self._lock.acquire():
                found = self.holder() or Holder(None, None)
                raise refusals.locked(self.name, found.pid, found.since)
        except OSError as error:
            raise self._not_a_run(error) from error

    def _refuse_strangers(self) -> None:
        present = {entry.name for entry in self.directory.iterdir()}
        if JOURNAL not in present and (strangers := sorted(present - OURS)):
            why = Message(message_id("it holds other things ({name})"), {"name": strangers[0]})
            raise self._refuse(self.name, why)
        for name in sorted(present & {JOURNAL, LOCK, INBOX}):
            if not stat.S_ISREG((self.directory / name).lstat().st_mode):
                why = Message(message_id("{name} is not a plain file"), {"name": name})
                raise self._refuse(self.name, why)

    def _not_a_run(self, error: OSError) -> DurableError:
        reason = error.strerror or type(error).__name__
        return self._refuse(self.name, Message("{reason}", {"reason": reason}))

    def records(self, after: int = -1) -> bytes:
        """See Store."""
        try:
            if not self.directory.exists():
                return b""
            self._refuse_strangers()
            data = self._journal.read()
        except OSError as error:
            raise self._not_a_run(error) from error
        parts = data.split(b"\n", after + 1)
        return parts[-1] if len(parts) == after + 2 else b""

    def pieces(self) -> Iterator[bytes]:
        """See Store. Raises DurableError R602."""
        try:
            if self.directory.exists():
                self._refuse_strangers()
                yield from self._journal.pieces()
        except OSError as error:
            raise self._not_a_run(error) from error

    def tail(self) -> bytes:
        """See Store."""
        try:
            return self._journal.tail()
        except OSError as error:
            raise self._not_a_run(error) from error

    def keep(self, length: int, *, finish: bool) -> None:
        """See Store."""
        self._must_hold()
        self._journal.keep(length, finish=finish)

    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        """See Store."""
        self._must_hold()
        self._journal.append(n, previous, line, sync=sync)
        if n == 0:
            self._lasting(lambda: sync_directory(self.directory))

    def _must_hold(self) -> None:
        # A child forked by a tool shares this object, but not the lock.
        if not self._lock.held:
            raise refusals.store_failed(self.name, Message(message_id("this process does not hold the run")))

    def _lasting(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as error:
            self._journal.poison()
            raise refusals.store_failed(self.name, error) from error

    def pin(self, digest: str, text: str) -> None:
        """See Store. The name is made of a digest alone, so that no text leads out of the directory."""
        self._must_hold()
        self._lasting(lambda: self._write_program(digest, text.encode("utf-8", "surrogatepass")))

    def _write_program(self, digest: str, data: bytes) -> None:
        path = self._program(digest)
        make_directory(path.parent)
        write_private(path, data)
        sync_directory(path.parent)

    def _program(self, digest: str) -> Path:
        return self.directory / PROGRAMS / f"{digest}.agent"

    def pinned(self, digest: str) -> str | None:
        """See Store."""
        try:
            return read_plain(self._program(digest)).decode("utf-8", "surrogatepass")
        except (OSError, UnicodeDecodeError):
            return None

    def put_blob(self, digest: str, data: bytes) -> None:
        """See Store. Written beside and renamed: under a digest stands a whole value, or none."""
        self._must_hold()
        if digest not in self._blobs_kept:
            self._lasting(lambda: self._write_blob(digest, data))
            self._blobs_kept.add(digest)

    def _write_blob(self, digest: str, data: bytes) -> None:
        path = self.directory / BLOBS / digest
        make_directory(path.parent)
        new = path.with_name(f"{digest}.new")
        write_private(new, data)
        new.replace(path)
        sync_directory(path.parent)

    def blob(self, digest: str) -> bytes | None:
        """See Store."""
        try:
            return read_plain(self.directory / BLOBS / digest)
        except OSError:
            return None

    def put_in(self, entry: Mapping[str, Any]) -> bool:
        """See Store. Raises StoreFailure when the entry cannot be made to last."""
        try:
            return self._inbox.put_in(entry)
        except OSError as error:
            raise refusals.store_failed(self.name, error) from error

    def entries(self, after: int = 0) -> Sequence[Mapping[str, Any]]:
        """See Store."""
        try:
            return self._inbox.entries(after)
        except OSError as error:
            raise self._not_a_run(error) from error

    def grown(self, since: int) -> bool:
        """See Store."""
        return self._inbox.grown(since)

    def changed(self) -> float:
        """See Store."""
        files = (self.directory / name for name in (JOURNAL, INBOX))
        return max((path.stat().st_mtime for path in files if path.exists()), default=0.0)

    def holder(self) -> Holder | None:
        """See Store."""
        try:
            return holder(self.directory / LOCK)
        except OSError as error:
            raise self._not_a_run(error) from error

    def remove(self) -> None:
        """See Store. Renamed first: a crash leaves no half of a run at its place."""
        self._must_hold()
        self._blobs_kept.clear()
        aside = removed_name(self.directory)
        self._lasting(lambda: self._remove_through(aside))

    def _remove_through(self, aside: Path) -> None:
        self.directory.rename(aside)
        sync_directory(aside.parent)
        delete_removed(aside)
        sync_directory(aside.parent)

    def close(self) -> None:
        """See Store."""
        self._blobs_kept.clear()
        self._journal.close()
        self._lock.release()
