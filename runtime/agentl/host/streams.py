"""Where a host prints: to stderr, which it may use and not close (architecture.md)."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Self, cast


class Borrowed:
    """A stream that is lent out: all of it works, but to close it leaves it open."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Any:
        return iter(self._stream)

    @property
    def buffer(self) -> Any:
        """Return the stream of bytes below, lent out as well."""
        return Borrowed(self._stream.buffer)

    def detach(self) -> Any:
        """Return what `detach` would, without taking it from its owner."""
        return self.buffer

    def close(self) -> None:
        """Write what waits; the stream stays open, as its owner goes on with it."""
        self._stream.flush()


@contextmanager
def lent_streams() -> Generator[None]:
    """Let what is printed inside this block go to stderr, and keep our own streams open."""
    before = sys.stdout, sys.stderr
    lent = sys.stderr if isinstance(sys.stderr, Borrowed | None) else Borrowed(sys.stderr)
    sys.stdout = sys.stderr = cast("Any", lent)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
