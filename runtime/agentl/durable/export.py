"""A run as one file: its lines as they stand, with the source they began with (durability.md §1)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from agentl.codec import load
from agentl.durable import refusals
from agentl.durable.blobs import MARK, named
from agentl.durable.chain import stated_link
from agentl.durable.copies import refuse_unbegun
from agentl.durable.pinned import pinned_text
from agentl.durable.records import Header
from agentl.durable.status import store_of
from agentl.durable.stores import Store
from agentl.durable.summary import first_record
from agentl.durable.verify import Lines, sound_lines

EXPORT_FORMAT = "agentl.replay/1-draft"
_PLAIN = ("format", "run", "partial", "program", "source")
_SEALED = ("format", "partial", "program", "records", "run", "source")
"""The fields behind `blobs` in the order in which the seal has them."""
Said = Mapping[str, str | bool]


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
        return seal_of(self._said(), self.records, sorted(self.blobs.items()))

    def blob(self, digest: str) -> bytes | None:
        """Return a large value as `Store.blob` does."""
        text = self.blobs.get(digest)
        return None if text is None else text.encode("ascii", "replace")

    def text(self) -> str:
        """Return the file: ASCII JSON that ends in a line end."""
        return "".join(_file(self._said(), self.records, self.blobs.items(), self.seal))

    def _said(self) -> Said:
        return self.model_dump(include=set(_PLAIN))


@dataclass(frozen=True, slots=True)
class Exporter:
    """A run that can be exported: its journal was verified up to record `last`, whose h is `head`.

    What is held does not grow with the journal, which is read anew for each use.
    """

    store: Store
    header: Header
    source: str
    partial: bool
    last: int
    head: str
    blobs: tuple[str, ...]

    def pieces(self) -> Iterator[str]:
        """Yield the file, as `Export.text` returns it. Raises DurableError R201 to R206, R303, R603."""
        yield from _file(self._said(), self.records(), self._blobs(self.blobs), self.seal())

    def seal(self) -> str:
        """Return the SHA-256 of all that the file says besides its seal."""
        return seal_of(self._said(), self.records(), self._blobs(sorted(self.blobs)))

    def records(self) -> Iterator[str]:
        """Yield the lines of the journal. Raises DurableError R603 where they are not the same any more."""
        line = b""
        for _, line in islice(_lines(self.store), self.last + 1):
            yield line.decode("ascii")
        if stated_link(line) != self.head:
            raise refusals.changed_meanwhile(self.store.name)

    def whole(self) -> Export:
        """Return all of it at once."""
        blobs = dict(self._blobs(self.blobs))
        rest = {"records": list(self.records()), "blobs": blobs, "seal": self.seal()}
        return Export.model_validate({**self._said(), **rest})

    def _said(self) -> Said:
        return {
            "format": EXPORT_FORMAT,
            "run": self.header.key,
            "partial": self.partial,
            "program": self.header.program,
            "source": self.source,
        }

    def _blobs(self, digests: Iterable[str]) -> Iterator[tuple[str, str]]:
        for digest in digests:
            yield digest, (self.store.blob(digest) or b"").decode("ascii")


def exporter(place: Store | str | Path) -> Exporter:
    """Verify the run at a place for an export. Raises DurableError R107, R201 to R207, R303, R602."""
    store, header = _begun(place)
    number, end, last, blobs = -1, "", b"", dict[str, None]()
    for kind, line in _lines(store):
        number, end, last = number + 1, kind, line
        if MARK in line:
            blobs |= dict.fromkeys(sorted(named(load(line))))
    source = pinned_text(store, header)
    return Exporter(store, header, source, end != "ended", number, stated_link(last) or "", tuple(blobs))


def export_run(place: Store | str | Path) -> Export:
    """Return the run at a place as a replay journal. Raises DurableError R107, R201 to R207, R303, R602."""
    return exporter(place).whole()


def program_text(place: Store | str | Path) -> str:
    """Return the text of the program that a run began with. Raises DurableError R107, R201 to R207, R602."""
    return pinned_text(*_begun(place))


def _begun(place: Store | str | Path) -> tuple[Store, Header]:
    store = store_of(place)
    store.open(write=False)
    header = first_record(store)
    if header is None:
        refuse_unbegun(store)
    return store, header


def _lines(store: Store) -> Iterator[tuple[str, bytes]]:
    return sound_lines(Lines(store.pieces()), store.name, store.blob)


# ------------------------------------------------------------------------------------------------- the file


def seal_of(said: Said, records: Iterable[str], blobs: Iterable[tuple[str, str]]) -> str:
    """Return the SHA-256 of an export but for its seal: its JSON with sorted keys. `blobs` are sorted."""
    sealed = hashlib.sha256()
    for text in _sealed(said, records, blobs):
        sealed.update(text.encode("ascii"))
    return sealed.hexdigest()


def _sealed(said: Said, records: Iterable[str], blobs: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield '{"blobs": {'
    yield from _joined((f"{json.dumps(digest)}: {json.dumps(text)}" for digest, text in blobs), ", ")
    yield "}"
    for field in _SEALED:
        yield f', "{field}": '
        if field == "records":
            yield "["
            yield from _joined(map(json.dumps, records), ", ")
            yield "]"
        else:
            yield json.dumps(said[field])
    yield "}"


def _file(said: Said, records: Iterable[str], blobs: Iterable[tuple[str, str]], seal: str) -> Iterator[str]:
    """Yield JSON as `json.dumps(…, indent=1)` has it."""
    yield "{\n"
    for field in _PLAIN:
        yield f' "{field}": {json.dumps(said[field])},\n'
    yield ' "records": ['
    yield from _indented(map(json.dumps, records))
    yield '],\n "blobs": {'
    yield from _indented(f"{json.dumps(digest)}: {json.dumps(text)}" for digest, text in blobs)
    yield f'}},\n "seal": {json.dumps(seal)}\n}}\n'


def _indented(parts: Iterable[str]) -> Iterator[str]:
    end = ""
    for text in _joined(parts, ",\n  "):
        yield text if end else f"\n  {text}"
        end = "\n "
    yield end


def _joined(parts: Iterable[str], mark: str) -> Iterator[str]:
    for number, part in enumerate(parts):
        yield f"{mark}{part}" if number else part
