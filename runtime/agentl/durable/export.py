"""A run as one file: its lines as they stand, with the source they began with (durability.md §1)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from agentl.codec import load
from agentl.durable import header as head
from agentl.durable.blobs import MARK, named
from agentl.durable.copies import refuse_unbegun
from agentl.durable.journal import Reading
from agentl.durable.pinned import pinned_text
from agentl.durable.records import EndedRecord
from agentl.durable.status import read_run, store_of
from agentl.durable.stores import Store
from agentl.durable.summary import first_record

EXPORT_FORMAT = "agentl.replay/1-draft"


class Export(BaseModel, frozen=True, strict=True, extra="forbid"):
    """A replay journal: `records` are the lines of the journal; `partial`: the run has not ended.

    `blobs` are the large values that the lines name, as their JSON, by digest. `seal` is the digest of the
    rest: the journal is chained, but comments of the source, and where the journal ends, are not.
    """

    format: Literal["agentl.replay/1-draft"]
    run: str
    partial: bool
    program: str
    source: str
    records: list[str]
    blobs: dict[str, str] = {}
    seal: str = ""

    def digest(self) -> str:
        """Return the SHA-256 of all that the file says besides `seal`."""
        said = json.dumps(self.model_dump(exclude={"seal"}), ensure_ascii=True, sort_keys=True)
        return hashlib.sha256(said.encode("ascii")).hexdigest()

    def blob(self, digest: str) -> bytes | None:
        """Return a large value as `Store.blob` does."""
        text = self.blobs.get(digest)
        return None if text is None else text.encode("ascii", "replace")

    def text(self) -> str:
        """Return the file: ASCII JSON that ends in a line end."""
        return json.dumps(self.model_dump(), ensure_ascii=True, indent=1) + "\n"


def export_run(place: Store | str | Path) -> Export:
    """Return the run at a place as a replay journal. Raises DurableError R107, R201 to R207, R303, R602."""
    store = store_of(place)
    reading = read_run(store)
    if reading.header is None:
        refuse_unbegun(store)
    export = Export(
        format=EXPORT_FORMAT,
        run=head.of(reading.records).key,
        partial=not isinstance(reading.records[-1], EndedRecord),
        program=reading.header.program,
        source=pinned_text(store, reading.header),
        records=[line.decode("ascii") for line in reading.lines],
        blobs={digest: text.decode("ascii") for digest, text in _blobs(reading, store)},
    )
    return export.model_copy(update={"seal": export.digest()})


def program_text(place: Store | str | Path) -> str:
    """Return the text of the program that a run began with. Raises DurableError R107, R201 to R207, R602."""
    store = store_of(place)
    store.open(write=False)
    header = first_record(store)
    if header is None:
        refuse_unbegun(store)
    return pinned_text(store, header)


def _blobs(reading: Reading, store: Store) -> Iterator[tuple[str, bytes]]:
    """Yield the large values that the lines of a journal name; `read` has found them right."""
    for line in reading.lines:
        if MARK in line:
            for digest in named(load(line)):
                yield digest, store.blob(digest) or b""
