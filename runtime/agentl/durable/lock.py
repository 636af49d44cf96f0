"""The lock of a run: held by the kernel for the life of the running process (durability.md §4).

An open-file-description lock on `run.lock`, or flock where there is none. A process that dies, by whatever
signal, loses it; a child that a tool forks does not inherit it. The text in the file is for people only.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import struct
import sys
import time
import weakref
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from agentl.durable.files import open_private

_HAS_OFD = sys.platform == "linux" and hasattr(fcntl, "F_OFD_SETLK") and struct.calcsize("P") == 8  # noqa: PLR2004
_FLOCK_LAYOUT = "hhqqi0q"
"""struct flock of 64-bit Linux: type, whence, start, length, pid."""
_PUBLISHING_SECONDS = 1.0
SLOT = 128
"""Bytes of a lock file that belong to one run, where several runs share the file."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a run, as far as its lock file tells: None when it does not."""

    pid: int | None
    since: str | None


class RunLock:
    """An exclusive lock on one file, or on the part of it that is `slot`.

    `held` is false again in a forked child. Without locks of open files (macOS) the whole file is locked.
    """

    def __init__(self, path: Path, slot: int | None = None) -> None:
        self._path = path
        self._slot = slot
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Tell whether this process holds the lock through this object."""
        return self._descriptor is not None

    def acquire(self) -> bool:
        """Take the lock if it is free, without waiting. Raises OSError when the file cannot be used."""
        while True:
            descriptor = open_private(self._path, os.O_RDWR | os.O_CREAT)
            if not _try_lock(descriptor, self._slot):
                os.close(descriptor)
                return False
            if _same_file(descriptor, self._path):
                break
            # The file was renamed away between open and lock: this is the lock of a run that is being pruned.
            os.close(descriptor)
        self._descriptor = descriptor
        _held.add(self)
        text = json.dumps({"pid": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds")})
        self._publish(descriptor, text.encode("ascii") + b"\n")
        return True

    def _publish(self, descriptor: int, text: bytes) -> None:
        if self._slot is None:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, text, 0)
        else:
            os.pwrite(descriptor, text.ljust(SLOT), self._slot * SLOT)

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        descriptor, self._descriptor = self._descriptor, None
        _held.discard(self)
        if descriptor is not None:
            with contextlib.suppress(OSError):
                self._publish(descriptor, b"")
            with contextlib.suppress(OSError):  # the kernel lets go in any case
                os.close(descriptor)

    def forget_in_child(self) -> None:
        """Close the descriptor without touching the lock, which belongs to the parent."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


_held: weakref.WeakSet[RunLock] = weakref.WeakSet()


def _forget_in_child() -> None:
    for lock in list(_held):
        lock.forget_in_child()
    _held.clear()


os.register_at_fork(after_in_child=_forget_in_child)


def holder(path: Path, slot: int | None = None) -> Holder | None:
    """Return who holds the lock, or None when nobody does. Takes nothing and writes nothing."""
    deadline = time.monotonic() + _PUBLISHING_SECONDS
    while _is_locked(path, slot):
        found = _published(path, slot)
        if found is not None or time.monotonic() > deadline:
            return found or Holder(None, None)
        # Between lock and text the holder is unknown, or the text is that of a dead one.
        time.sleep(0.01)
    return None


def _published(path: Path, slot: int | None) -> Holder | None:
    try:
        with path.open("rb") as file:
            file.seek((slot or 0) * SLOT)
            data = cast("dict[str, Any]", json.loads(file.read(SLOT)))
        found = Holder(int(data["pid"]), str(data["since"]))
        os.kill(cast("int", found.pid), 0)
    except PermissionError:
        return None if not os.access(path, os.R_OK) else found  # pyright: ignore[reportPossiblyUnboundVariable]
    except (OSError, ValueError, TypeError, KeyError, OverflowError):
        return None
    return found


def wait_for(descriptor: int) -> None:
    """Lock an open file, waiting for it; the lock goes when the descriptor is closed. Raises OSError."""
    if _HAS_OFD:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLKW, _range(fcntl.F_WRLCK, None))
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _range(kind: int, slot: int | None) -> bytes:
    start, length = (0, 0) if slot is None else (slot * SLOT, SLOT)
    return struct.pack(_FLOCK_LAYOUT, kind, os.SEEK_SET, start, length, 0)


def _try_lock(descriptor: int, slot: int | None) -> bool:
    try:
        if _HAS_OFD:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _range(fcntl.F_WRLCK, slot))
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _is_locked(path: Path, slot: int | None) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        if _HAS_OFD:
            answer = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _range(fcntl.F_WRLCK, slot))
            return struct.unpack(_FLOCK_LAYOUT, answer)[0] != fcntl.F_UNLCK
        # flock cannot be asked: the shared lock is taken for a moment, and goes with the descriptor.
        return not _try_shared(descriptor)
    finally:
        os.close(descriptor)


def _try_shared(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
