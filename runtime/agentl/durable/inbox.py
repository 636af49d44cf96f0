"""The inbox of a run: what events put in, each synced before the sender goes on (durability.md §10).

Entries are never removed. An entry is consumed by the journal record that names its id, so an event that was
put in is delivered exactly once, whatever dies in between.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from agentl.codec import dump, load
from agentl.durable import refusals
from agentl.durable.files import open_private, sync, sync_directory, write_all
from agentl.durable.lock import wait_for


def sound_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of an inbox that are entries, with their numbers, from 1; an unfinished one is none."""
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        if _entry(line) is not None:
            yield number, line


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = load(line)
    except ValueError:
        return None
    if isinstance(entry, dict) and isinstance(cast("dict[str, Any]", entry).get("id"), str):
        return cast("dict[str, Any]", entry)
    return None


class Inbox:
    """One `inbox.jsonl`, appended under its own lock by any process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = threading.Lock()
        self._entries: list[Mapping[str, Any]] = []
        self._ids: set[str] = set()
        self._read = 0
        self._lines = 0

    def put_in(self, entry: Mapping[str, Any]) -> bool:
        """Append an entry unless its id is there. Raises OSError when it cannot be made to last."""
        with self._threads:
            created = not self._path.exists()
            descriptor = open_private(self._path, os.O_RDWR | os.O_CREAT)
            try:
                wait_for(descriptor)
                self._catch_up(descriptor)
                if entry["id"] in self._ids:
                    return False
                self._append(descriptor, dump(entry).encode("ascii") + b"\n")
            finally:
                os.close(descriptor)
            if created:
                sync_directory(self._path.parent)
        return True

    def entries(self, after: int = 0) -> Sequence[Mapping[str, Any]]:
        """Return the entries after the first `after`; an unfinished last line is left out."""
        with self._threads:
            try:
                descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            except FileNotFoundError:
                return ()
            try:
                self._catch_up(descriptor)
            finally:
                os.close(descriptor)
            return tuple(self._entries[after:])

    def _catch_up(self, descriptor: int) -> None:
        size = os.fstat(descriptor).st_size
        data = os.pread(descriptor, size - self._read, self._read) if size > self._read else b""
        whole = data[: data.rfind(b"\n") + 1]
        for line in whole.split(b"\n")[:-1]:
            self._lines += 1
            entry = self._entry(line)
            if entry["id"] not in self._ids:
                self._ids.add(entry["id"])
                self._entries.append(entry)
        self._read += len(whole)

    def _entry(self, line: bytes) -> dict[str, Any]:
        entry = _entry(line)
        if entry is None:
            raise refusals.unreadable_entry(str(self._path.parent), self._lines)
        return entry

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
