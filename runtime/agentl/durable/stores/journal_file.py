"""The file of a journal: one unbuffered write a record (durability.md §5 "Writing").

A short write is finished once, else the partial line is cut off; a failed sync is final and nothing more is
touched. Either way the file is poisoned: what the disk holds is not known then, and every later call fails.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NoReturn

from agentl.durable import refusals
from agentl.durable.chain import START, stated_link
from agentl.durable.files import open_private, sync_directory, write_all, write_private
from agentl.durable.files import sync as sync_file

_PIECE = 512 * 1024
"""Bytes read at once."""
_NUMBER = re.compile(rb'\{"n":(\d+),')


def replace_journal(path: Path, data: bytes, aside: Path) -> None:
    """Keep a journal as `aside` and put `data` in its place, so that at any moment one of the two is there.

    Only for the holder of the run's lock, while nobody writes. Raises OSError.
    """
    write_private(aside, path.read_bytes() if path.exists() else b"")
    new = path.with_name(f"{path.name}.new")
    write_private(new, data)
    new.replace(path)
    sync_directory(path.parent)


class JournalFile:
    """`wal.jsonl`, written by the one process that holds the run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._end = 0
        self._absolute = ""
        self._identity = (0, 0)
        self._due: tuple[int, str] | None = None
        self._poisoned = False

    def read(self) -> bytes:
        """Return all bytes, none when there is no file. Raises OSError."""
        with contextlib.suppress(FileNotFoundError), self._opened() as journal:
            return journal.read()
        return b""

    def pieces(self) -> Iterator[bytes]:
        """Yield all bytes, some at a time, none when there is no file. Raises OSError."""
        with contextlib.suppress(FileNotFoundError), self._opened() as journal:
            while piece := journal.read(_PIECE):
                yield piece

    def tail(self) -> bytes:
        """Return the last lines, whole from the first on. Raises OSError."""
        with contextlib.suppress(FileNotFoundError), self._opened() as journal:
            begin = journal.seek(0, os.SEEK_END) - _PIECE
            journal.seek(max(0, begin))
            data = journal.read()
            return data if begin <= 0 else data.partition(b"\n")[2]
        return b""

    def _opened(self) -> BinaryIO:
        descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        return os.fdopen(descriptor, "rb")

    def keep(self, length: int, *, finish: bool) -> None:
        """Drop what follows the first `length` bytes, then write an LF if `finish`. Raises StoreFailure."""
        descriptor = self._writable()
        try:
            dropped = os.fstat(descriptor).st_size > length
            if dropped:
                os.ftruncate(descriptor, length)
            self._end, self._due = length, None
            if finish:
                self._write(descriptor, b"\n")
            if dropped or finish:
                sync_file(descriptor)
        except OSError as error:
            self._fail(error)

    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        """Write line `n` after the record whose h is `previous`. Raises StoreFailure."""
        descriptor = self._writable()
        try:
            if (n, previous) != (self._due or self._after_last_line(descriptor)):
                self._poisoned = True
                raise refusals.fenced(str(self._path.parent))
            if not sync:
                self._refuse_moved()
            self._due = n + 1, stated_link(line) or ""
            self._write(descriptor, line + b"\n")
            if sync:
                sync_file(descriptor)
        except OSError as error:
            self._fail(error)

    def _refuse_moved(self) -> None:
        """Raise R601 when the file is not there any more: nobody would find what people put in beside it.

        Before each intent stands a record that is not synced. What is synced may tell of an effect that has
        happened, and is kept wherever the file lies now.
        """
        try:
            found = os.stat(self._absolute)  # noqa: PTH116  # a Path takes twice as long
        except FileNotFoundError:
            found = None
        if found is None or (found.st_dev, found.st_ino) != self._identity:
            self._poisoned = True
            raise refusals.moved_away(str(self._path.parent))

    def _after_last_line(self, descriptor: int) -> tuple[int, str]:
        """Return number and link that the next record must have; nothing follows a line that is not whole."""
        begin, last = self._end, b""
        while begin and b"\n" not in last[:-1]:
            begin = max(0, begin - _PIECE)
            last = os.pread(descriptor, self._end - begin, begin)
        last = last[last.rfind(b"\n", 0, -1) + 1 :]
        number, link = _NUMBER.match(last), stated_link(last.removesuffix(b"\n"))
        if not last:
            return 0, START
        return (-1, "") if number is None or not last.endswith(b"\n") else (int(number[1]) + 1, link or "")

    def _write(self, descriptor: int, data: bytes) -> None:
        try:
            write_all(descriptor, data)
        except OSError:
            self._drop_partial_line(descriptor)
            raise
        self._end += len(data)

    def _drop_partial_line(self, descriptor: int) -> None:
        try:
            os.ftruncate(descriptor, self._end)
        except OSError:
            # An unfinished line stays: the next process that holds the run drops it.
            return

    def _writable(self) -> int:
        if self._poisoned:
            raise refusals.store_failed(str(self._path.parent), None)
        if self._descriptor is not None:
            return self._descriptor
        try:
            self._descriptor = open_private(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
            opened = os.fstat(self._descriptor)
            self._end, self._identity = opened.st_size, (opened.st_dev, opened.st_ino)
            self._absolute = os.path.abspath(self._path)  # noqa: PTH100  # a host may leave the directory it began in
        except OSError as error:
            self._fail(error)
        return self._descriptor

    def poison(self) -> None:
        """Let every later write fail."""
        self._poisoned = True

    def _fail(self, error: OSError) -> NoReturn:
        self._poisoned = True
        raise refusals.store_failed(str(self._path.parent), error) from error

    def close(self) -> None:
        """Close the file; the next write opens it anew."""
        descriptor, self._descriptor = self._descriptor, None
        self._due = None
        if descriptor is not None:
            with contextlib.suppress(OSError):  # all that counts was synced before
                os.close(descriptor)
