"""Where a host prints: to stderr, which it may use and not close (architecture.md)."""

from __future__ import annotations

import os
import sys
from typing import Any, Self, cast

_kept_error: list[int] = []


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


class lent_streams:  # noqa: N801  # used as a function; a generator would cost a call of a host twice as much
    """Let what is printed inside this block go to stderr, and keep our own streams open."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = sys.stdout, sys.stderr
        lent = sys.stderr
        if lent is not None and type(lent) is not Borrowed:
            lent = Borrowed(lent)
        sys.stdout = sys.stderr = cast("Any", lent)

    def __exit__(self, *_: object) -> None:
        sys.stdout, sys.stderr = self._before
        try:
            os.get_inheritable(1)
            os.get_inheritable(2)
        except OSError:
            fill_closed_numbers(1, 2)


def keep_standard_error() -> None:
    """Keep a way to standard error that nobody closes by its number, and fill closed numbers with it."""
    _kept_error[:] = [os.dup(2)]


def fill_closed_numbers(*numbers: int) -> None:
    """Fill numbers of standard streams that are closed: with standard error if it was kept, or with nothing.

    Else the next file that is opened, the journal say, would get one, and what is printed would go there.
    """
    for number in numbers:
        try:
            os.get_inheritable(number)
        except OSError:
            _fill(number)


def _fill(number: int) -> None:
    source = os.dup(_kept_error[0]) if _kept_error and number else os.open(os.devnull, os.O_RDWR)
    if source != number:
        os.dup2(source, number)
        os.close(source)
    os.set_inheritable(number, True)  # else the processes that a host starts would have it closed
