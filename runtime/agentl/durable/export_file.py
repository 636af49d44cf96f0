"""An export as it lies in its file, read bit by bit: what is held does not grow (durability.md §1)."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from agentl.durable import refusals
from agentl.durable.export import EXPORT_FORMAT, seal_of
from agentl_grammar.problems import Message, message_id

_PIECE = 1 << 16
_TOKEN = re.compile(rb'[ \t\r\n]*+("(?:[^"\\]++|\\.)*+"|[{}\[\]:,]|[a-z]++)', re.DOTALL)
_TEXTS = ("run", "program", "source")


class ExportFile:
    """An export whose fields stand as `export.Export` has them, whatever its layout.

    Raises DurableError R203 when it is none, or cannot be read.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        self._blobs: dict[str, tuple[int, int]] = {}
        self._records: int | None = None
        try:
            with path.open("rb") as file:
                self._said = self._read(_Tokens(file))
        except OSError as error:
            raise refusals.not_an_export(
                name, Message("{reason}", {"reason": error.strerror or ""})
            ) from error
        except ValueError as error:
            why = Message(message_id("it is no {format} file"), {"format": EXPORT_FORMAT})
            raise refusals.not_an_export(name, why) from error
        self.run, self.program, self.source = (str(self._said[field]) for field in _TEXTS)
        self.partial = bool(self._said["partial"])

    def _read(self, tokens: _Tokens) -> dict[str, Any]:
        said: dict[str, Any] = {"seal": ""}
        seen: set[str] = set()
        tokens.expect(b"{")
        for key in _members(tokens):
            if key in seen:
                raise ValueError("a field is given twice")
            seen.add(key)
            if key == "records":
                self._records = tokens.position
                for _ in _items(tokens):
                    pass
            elif key == "blobs":
                tokens.expect(b"{")
                for digest in _members(tokens):
                    tokens.text()
                    self._blobs[digest] = tokens.span
            else:
                said[key] = json.loads(tokens.next())
        tokens.expect_end()
        _refuse_others(said, seen)
        return said

    def records(self) -> Iterator[str]:
        """Yield the lines of the journal as they stand."""
        with self._path.open("rb") as file:
            file.seek(self._records or 0)
            yield from _items(_Tokens(file))

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of the journal."""
        for line in self.records():
            yield f"{line}\n".encode("ascii", "replace")

    def blob(self, digest: str) -> bytes | None:
        """Return a large value as `Store.blob` does."""
        text = self._blob_text(digest) if digest in self._blobs else None
        return None if text is None else text.encode("ascii", "replace")

    def _blob_text(self, digest: str) -> str:
        begin, end = self._blobs[digest]
        with self._path.open("rb") as file:
            file.seek(begin)
            return json.loads(file.read(end - begin))

    def is_sealed(self) -> bool:
        """Tell whether the seal is `export.Export.digest`: nothing was altered since it was written."""
        blobs = ((digest, self._blob_text(digest)) for digest in sorted(self._blobs))
        return seal_of(self._said, self.records(), blobs) == self._said["seal"]


def _refuse_others(said: dict[str, Any], seen: set[str]) -> None:
    """Raise ValueError unless all fields are there, of their types, and no others."""
    missing = {"records", "partial", "format", *_TEXTS} - seen
    unknown = seen - {"records", "partial", "format", *_TEXTS, "blobs", "seal"}
    texts = all(isinstance(said.get(field), str) for field in (*_TEXTS, "seal"))
    if missing or unknown or not texts or not isinstance(said["partial"], bool):
        raise ValueError("other fields")
    if said["format"] != EXPORT_FORMAT:
        raise ValueError("another format")


# ------------------------------------------------------------------------------------------- JSON, bit by bit


class _Tokens:
    """The tokens of JSON in a file, from where it stands. What is none raises ValueError."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._base = file.tell()
        self._buffer = b""
        self._at = 0
        self.span = (0, 0)

    @property
    def position(self) -> int:
        """Where the next token begins, or the space before it."""
        return self._base + self._at

    def next(self) -> bytes:
        """Return the next token; `span` tells where it stands."""
        size = _PIECE
        while True:
            found = _TOKEN.match(self._buffer, self._at)
            if found is not None and found.end() < len(self._buffer):
                break
            more = self._file.read(size)
            if not more:
                break
            self._base += self._at
            self._buffer = self._buffer[self._at :] + more
            self._at = 0
            size *= 2  # a value of many pieces is not looked through as often
        if found is None:
            raise ValueError("no token of JSON")
        self._at = found.end()
        self.span = (self._base + found.start(1), self._base + found.end())
        return found.group(1)

    def text(self) -> str:
        """Return the next token, a string."""
        token = self.next()
        if token[:1] != b'"':
            raise ValueError("no string")
        return json.loads(token)

    def expect(self, token: bytes) -> None:
        """Take the next token, which is this one."""
        if self.next() != token:
            raise ValueError(f"no {token!r}")

    def expect_end(self) -> None:
        """Check that nothing but space follows."""
        if (self._buffer[self._at :] + self._file.read(_PIECE)).strip():
            raise ValueError("more than one value")


def _members(tokens: _Tokens) -> Generator[str]:
    """Yield the keys of an object whose `{` was taken; who is given one takes its value."""
    for key in _strings(tokens, b"}"):
        tokens.expect(b":")
        yield key


def _items(tokens: _Tokens) -> Generator[str]:
    """Yield the strings of a list."""
    tokens.expect(b"[")
    yield from _strings(tokens, b"]")


def _strings(tokens: _Tokens, end: bytes) -> Generator[str]:
    """Yield strings up to `end`, with a comma between what stands behind each of them and the next."""
    token = tokens.next()
    while token != end:
        if token[:1] != b'"':
            raise ValueError("no string")
        yield json.loads(token)
        token = tokens.next()
        if token == b",":
            token = tokens.next()
            if token == end:
                raise ValueError("nothing behind a comma")
        elif token != end:
            raise ValueError("no comma and no end")
