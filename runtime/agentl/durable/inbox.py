"""The inbox of a run: what events put in, each synced before the sender goes on (durability.md §10).

Entries are never removed. An entry is consumed by the journal record that names its id, so an event that was
put in is delivered exactly once, whatever dies in between. Entries are chained like records, from number 1;
how many there are, and the h of the last, stands beside them: one that is altered or gone is noticed.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from agentl.codec import dump, load
from agentl.durable import refusals
from agentl.durable.chain import START, seal_line, stated_link, verified_link
from agentl.durable.files import open_private, read_plain, sync, sync_directory, write_all
from agentl.durable.lock import wait_for

_HEAD_BYTES = 100


class InboxHead(NamedTuple):
    """How many entries were put in, and the h of the last."""

    n: int
    h: str


EMPTY = InboxHead(0, START)


def seal_entry(head: InboxHead, entry: Mapping[str, Any]) -> tuple[bytes, InboxHead]:
    """Return the line of the entry that follows `head`, without its LF, and the new head."""
    line, h = seal_line(head.h, {"n": head.n + 1, **entry})
    return line, InboxHead(head.n + 1, h)


def read_entry(head: InboxHead, line: bytes, name: str) -> tuple[dict[str, Any], InboxHead]:
    """Return the entry that follows `head`, and the new head. Raises DurableError R201 to R203."""
    number = head.n + 1
    entry = _entry(line)
    if entry is None:
        raise refusals.unreadable_entry(name, number)
    found = entry.pop("n", None)
    h = verified_link(head.h, line)
    if h is None and isinstance(found, int) and found > number:
        raise refusals.entry_missing(name, number)
    if h is None or found != number:
        raise refusals.entry_altered(name, number)
    del entry["h"]
    return entry, InboxHead(number, h)


def refuse_shorter(said: InboxHead, links: Sequence[str], name: str) -> None:
    """Raise DurableError R201 or R202 unless entries with these h are all that were put in."""
    if said.n > len(links):
        raise refusals.entry_missing(name, len(links) + 1)
    if said.n and links[said.n - 1] != said.h:
        raise refusals.entry_altered(name, said.n)


def sound_entries(data: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the entries of an inbox that follow the line before them, with the numbers of their lines."""
    previous: str | None = START
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        entry = _entry(line)
        if entry is not None and previous is not None and verified_link(previous, line) is not None:
            yield number, {name: value for name, value in entry.items() if name not in {"n", "h"}}
        previous = stated_link(line)


def sealed(entries: Iterable[Mapping[str, Any]]) -> tuple[bytes, InboxHead]:
    """Return the file of an inbox that holds these entries, and its head."""
    head, lines = EMPTY, list[bytes]()
    for entry in entries:
        line, head = seal_entry(head, entry)
        lines.append(line + b"\n")
    return b"".join(lines), head


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = load(line)
    except ValueError:
        return None
    if isinstance(entry, dict) and isinstance(cast("dict[str, Any]", entry).get("id"), str):
        return cast("dict[str, Any]", entry)
    return None


def read_head(path: Path) -> InboxHead:
    """Return what stands beside an inbox; EMPTY when nothing does that can be read."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        data = load(read_plain(path))
        return InboxHead(int(data["n"]), str(data["h"]))
    return EMPTY


def write_head(path: Path, head: InboxHead) -> None:
    """Write beside an inbox how far it goes. Never ahead of it: so it need not be synced, nor succeed."""
    with contextlib.suppress(OSError):
        descriptor = open_private(path, os.O_WRONLY | os.O_CREAT)
        try:
            os.pwrite(descriptor, dump(head._asdict()).encode("ascii").ljust(_HEAD_BYTES), 0)
        finally:
            os.close(descriptor)


class Inbox:
    """One `inbox.jsonl`, appended under its own lock by any process; its head stands in `head`."""

    def __init__(self, path: Path, head: Path) -> None:
        self._path = path
        self._head_path = head
        self._file, self._head_file = os.fspath(path), os.fspath(head)
        self._threads = threading.Lock()
        self._entries: list[Mapping[str, Any]] = []
        self._ids: set[str] = set()
        self._links: list[str] = []
        self._read = 0

    def put_in(self, entry: Mapping[str, Any]) -> bool:
        """Append an entry unless its id is there.

        Raises OSError when it cannot be made to last, DurableError R201 to R203 when the inbox is damaged.
        """
        with self._threads:
            created = not self._path.exists()
            descriptor = open_private(self._path, os.O_RDWR | os.O_CREAT)
            try:
                wait_for(descriptor)
                self._catch_up(descriptor, read_head(self._head_path))
                if entry["id"] in self._ids:
                    return False
                line, head = seal_entry(self._head, entry)
                self._append(descriptor, line + b"\n")
                write_head(self._head_path, head)
            finally:
                os.close(descriptor)
            if created:
                sync_directory(self._path.parent)
        return True

    def entries(self, after: int = 0) -> Sequence[Mapping[str, Any]]:
        """Return the entries after the first `after`; an unfinished last line is left out."""
        with self._threads:
            # The head is read first: what is put in meanwhile is no gap.
            head = read_head(self._head_path)
            try:
                descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            except FileNotFoundError:
                refuse_shorter(head, (), self._name)
                return ()
            try:
                self._catch_up(descriptor, head)
            finally:
                os.close(descriptor)
            return tuple(self._entries[after:])

    def grown(self, since: int) -> bool:
        """Tell whether more than the first `since` entries are there, or the file was written since."""
        # Mostly nobody put anything in. To ask for a file that is not there takes half as long as to open it.
        if not (self._read or os.access(self._file, os.F_OK) or os.access(self._head_file, os.F_OK)):
            return False
        try:
            size = os.stat(self._file).st_size  # noqa: PTH116  # a Path takes twice as long
        except OSError:
            return True
        return size != self._read or len(self._entries) > since

    @property
    def _head(self) -> InboxHead:
        return InboxHead(len(self._links), self._links[-1]) if self._links else EMPTY

    @property
    def _name(self) -> str:
        return str(self._path.parent)

    def _catch_up(self, descriptor: int, head: InboxHead) -> None:
        size = os.fstat(descriptor).st_size
        if size < self._read:
            raise refusals.entry_missing(self._name, len(self._links))
        data = os.pread(descriptor, size - self._read, self._read)
        whole = data[: data.rfind(b"\n") + 1]
        for line in whole.split(b"\n")[:-1]:
            self._take(line)
        refuse_shorter(head, self._links, self._name)

    def _take(self, line: bytes) -> None:
        entry, head = read_entry(self._head, line, self._name)
        self._links.append(head.h)
        self._read += len(line) + 1
        if entry["id"] not in self._ids:
            self._ids.add(entry["id"])
            self._entries.append(entry)

    def _append(self, descriptor: int, line: bytes) -> None:
        # A sender that died in the middle of its line was never told that the entry is in.
        os.ftruncate(descriptor, self._read)
        os.lseek(descriptor, 0, os.SEEK_END)
        try:
            write_all(descriptor, line)
        except OSError:
            os.ftruncate(descriptor, self._read)
            raise
        sync(descriptor)
