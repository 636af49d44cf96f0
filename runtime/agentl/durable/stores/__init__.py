"""Where a journal lies: the protocol of a store, and what is ours (durability.md §11).

A store is the one thing that writes. `open(write=True)` takes the lock of the run and holds it until `close`;
without it a store only reads, and no byte changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from agentl.durable.lock import Holder


class Store(Protocol):
    """The place of one run's journal, pinned sources, large values and inbox."""

    @property
    def name(self) -> str:
        """What a person calls this place: a path, or `memory`."""
        ...

    @property
    def journal_name(self) -> str:
        """What a person calls the journal itself."""
        ...

    @property
    def run_id(self) -> str | None:
        """The name of the run where the place fixes it; None where it can hold a run of any name."""
        ...

    @property
    def base(self) -> Path | None:
        """The directory from which the header names the source; None where there is none."""
        ...

    @property
    def home(self) -> str | None:
        """The place as any process of this person finds it again; None where it does not outlive this one."""
        ...

    def open(self, *, write: bool) -> None:
        """Begin to use the store. Raises DurableError: R304 (held, also by this object), R602."""
        ...

    def records(self, after: int = -1) -> bytes:
        """Return the lines of the records after number `after`, an unfinished last one included."""
        ...

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of `records()` bit by bit, for who does not want to hold them all."""
        ...

    def tail(self) -> bytes:
        """Return the last lines, whole from the first on, an unfinished last one included.

        Of a long journal not more than is read in a moment; of a short one, all.
        """
        ...

    def keep(self, length: int, *, finish: bool) -> None:
        """Keep the first `length` bytes of the journal, then end its last line with an LF if `finish`."""
        ...

    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        """Write record `n` after one whose h is `previous`; synced before it returns if `sync`.

        Raises StoreFailure (R601), after which the store takes nothing more.
        """
        ...

    def pin(self, digest: str, text: str) -> None:
        """Keep the source of a program, synced."""
        ...

    def pinned(self, digest: str) -> str | None:
        """Return the source that was kept under this digest."""
        ...

    def put_blob(self, digest: str, data: bytes) -> None:
        """Keep a large value under the SHA-256 of its bytes, synced before it returns (durability.md §5)."""
        ...

    def blob(self, digest: str) -> bytes | None:
        """Return the bytes that were kept under this digest; whether they are right is for who asks."""
        ...

    def put_in(self, entry: Mapping[str, Any]) -> bool:
        """Put an entry {id, …} into the inbox, synced; False when its id is already there. Needs no lock."""
        ...

    def entries(self, after: int = 0) -> Sequence[Mapping[str, Any]]:
        """Return the inbox entries after the first `after`, in the order they came."""
        ...

    def grown(self, since: int) -> bool:
        """Tell whether more than the first `since` entries may be there, as of the last synced append.

        Cheap: it is asked before every step. What came after that append may be left out.
        """
        ...

    def changed(self) -> float:
        """Return when anything was last journaled or put in, in seconds since 1970; 0 where nothing was."""
        ...

    def holder(self) -> Holder | None:
        """Return who runs this run now; takes nothing."""
        ...

    def remove(self) -> None:
        """Take the run away, nothing of it is left; for the holder of the lock, who then closes.

        Raises StoreFailure R601 when it cannot be done; a run is there whole, or not at all.
        """
        ...

    def close(self) -> None:
        """Give everything back; harmless when nothing is open."""
        ...
