"""The standard streams of the process: usable whatever they are, and results apart from all else."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from agentl.host.streams import fill_closed_numbers, keep_standard_error

_STANDARD_OUTPUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
_apart: TextIO | None = None


def mend_streams() -> None:
    """Make the standard streams usable: closed ones lead nowhere, and no character is ever refused."""
    fill_closed_numbers(0, 1, 2)
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115  # it stays open, by its number
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def results() -> TextIO:
    """Return the stream for results: standard output, wherever its number leads by now."""
    return _apart or sys.stdout


def keep_results_apart() -> None:
    """Let number 1 lead to standard error from now on, and results alone to where it led.

    A host is about to be called. What the threads and processes print that it leaves behind comes whenever it
    likes, and anybody can close a number. Does nothing where `sys.stdout` is not the one of the process.
    """
    global _apart  # noqa: PLW0603  # a process has one standard output
    shown = sys.stdout
    if _apart is not None or shown is not sys.__stdout__:
        return
    shown.flush()
    number = os.dup(shown.fileno())
    _apart = os.fdopen(number, "w", encoding=shown.encoding, errors=shown.errors, closefd=False)
    keep_standard_error()
    os.dup2(2, 1)


def as_named_before(path: Path) -> Path:
    """Return `path`; where it names standard output by its number, the number that leads there by now."""
    if _apart is None or str(path) not in _STANDARD_OUTPUT:
        return path
    return Path(f"/dev/fd/{_apart.fileno()}")


def leave_streams() -> None:
    """Let what cannot be written go (`agentl … | head`): Python would flush it again at exit, and fail."""
    for stream in (_apart, sys.__stdout__, sys.__stderr__):
        if stream is None:
            continue
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
