"""A run in this process's memory: for tests, and for runs that need not outlive it (durability.md §11)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agentl.codec import dump, load
from agentl.durable import refusals
from agentl.durable.chain import START, stated_link
from agentl.durable.lock import Holder
from agentl_grammar.problems import Message, message_id


class MemoryStore:
    """One run in memory. A second run on the same object resumes it."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._programs: dict[str, str] = {}
        self._blobs: dict[str, bytes] = {}
        self._inbox: list[Mapping[str, Any]] = []
        self._ids: set[str] = set()
        self._threads = threading.Lock()
        self._holder: Holder | None = None
        self._due: tuple[int, str] | None = None
        self._poisoned = False
        self._changed = 0.0

    @property
    def name(self) -> str:
        """What a person calls this place."""
        return "memory"

    @property
    def journal_name(self) -> str:
        """What a person calls the journal itself."""
        return self.name

    @property
    def run_id(self) -> str | None:
        """See Store: it may hold a run of any name."""
        return None

    @property
    def base(self) -> Path | None:
        """See Store: it lies nowhere."""
        return None

    @property
    def home(self) -> str | None:
        """See Store: it does not outlive this process."""
        return None

    def open(self, *, write: bool) -> None:
        """See Store."""
        if not write:
            return
        if self._holder is not None:
            raise refusals.locked(self.name, self._holder.pid, self._holder.since)
        self._holder = Holder(os.getpid(), datetime.now(UTC).isoformat(timespec="seconds"))

    def records(self, after: int = -1) -> bytes:
        """See Store."""
        parts = self._data.split(b"\n", after + 1)
        return bytes(parts[-1]) if len(parts) == after + 2 else b""

    def pieces(self) -> Iterator[bytes]:
        """See Store. It is held already."""
        yield self.records()

    def tail(self) -> bytes:
        """See Store. It is held already."""
        return self.records()

    def keep(self, length: int, *, finish: bool) -> None:
        """See Store."""
        self._must_hold()
        self._data = bytearray(self._data[:length] + (b"\n" if finish else b""))
        self._due = None

    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:  # noqa: ARG002  # all that is written is kept at once
        """See Store."""
        self._must_hold()
        if self._due is None:
            last = self._data[self._data.rfind(b"\n", 0, -1) + 1 : -1]
            self._due = self._data.count(b"\n"), stated_link(bytes(last)) or START
        if (n, previous) != self._due:
            self._poisoned = True
            raise refusals.fenced(self.name)
        self._data += line + b"\n"
        self._changed = time.time()
        self._due = n + 1, stated_link(line) or ""

    def _must_hold(self) -> None:
        if self._holder is None or self._holder.pid != os.getpid():
            raise refusals.store_failed(self.name, Message(message_id("this process does not hold the run")))
        if self._poisoned:
            raise refusals.store_failed(self.name, None)

    def pin(self, digest: str, text: str) -> None:
        """See Store."""
        self._must_hold()
        self._programs[digest] = text

    def pinned(self, digest: str) -> str | None:
        """See Store."""
        return self._programs.get(digest)

    def put_blob(self, digest: str, data: bytes) -> None:
        """See Store."""
        self._must_hold()
        self._blobs[digest] = data

    def blob(self, digest: str) -> bytes | None:
        """See Store."""
        return self._blobs.get(digest)

    def put_in(self, entry: Mapping[str, Any]) -> bool:
        """See Store."""
        with self._threads:
            if entry["id"] in self._ids:
                return False
            self._ids.add(entry["id"])
            self._changed = time.time()
            self._inbox.append(load(dump(entry).encode("ascii")))
            return True

    def entries(self, after: int = 0) -> Sequence[Mapping[str, Any]]:
        """See Store."""
        return tuple(self._inbox[after:])

    def grown(self, since: int) -> bool:
        """See Store."""
        return len(self._inbox) > since

    def changed(self) -> float:
        """See Store."""
        return self._changed

    def holder(self) -> Holder | None:
        """See Store."""
        return self._holder

    def remove(self) -> None:
        """See Store."""
        self._must_hold()
        self._data, self._due, self._changed = bytearray(), None, 0.0
        self._programs, self._blobs, self._inbox, self._ids = {}, {}, [], set()

    def close(self) -> None:
        """See Store."""
        self._holder = None
        self._due = None
        self._poisoned = False
