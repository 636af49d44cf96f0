"""A run in this process's memory: for tests, and for runs that need not outlive it (durability.md §11)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from agentl.codec import dump, load
from agentl.durable import refusals
from agentl.durable.lock import Holder


class MemoryStore:
    """One run in memory. A second run on the same object resumes it."""

    def __init__(self) -> None:
        self._data = b""
        self._programs: dict[str, str] = {}
        self._inbox: list[Mapping[str, Any]] = []
        self._holder: Holder | None = None

    @property
    def name(self) -> str:
        """What a person calls this place."""
        return "memory"

    @property
    def journal_name(self) -> str:
        """What a person calls the journal itself."""
        return self.name

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
        return parts[-1] if len(parts) == after + 2 else b""

    def keep(self, length: int, *, finish: bool) -> None:
        """See Store."""
        self._data = self._data[:length] + (b"\n" if finish else b"")

    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:  # noqa: ARG002  # all that is written is kept at once
        """See Store."""
        self._data += line + b"\n"

    def pin(self, digest: str, text: str) -> None:
        """See Store."""
        self._programs[digest] = text

    def pinned(self, digest: str) -> str | None:
        """See Store."""
        return self._programs.get(digest)

    def put_in(self, entry: Mapping[str, Any]) -> bool:
        """See Store."""
        if any(known["id"] == entry["id"] for known in self._inbox):
            return False
        self._inbox.append(load(dump(entry).encode("ascii")))
        return True

    def entries(self, after: int = 0) -> Sequence[Mapping[str, Any]]:
        """See Store."""
        return tuple(self._inbox[after:])

    def holder(self) -> Holder | None:
        """See Store."""
        return self._holder

    def close(self) -> None:
        """See Store."""
        self._holder = None
