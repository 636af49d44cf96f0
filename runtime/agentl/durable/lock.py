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


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a run, as far as its lock file tells: None when it does not."""

    pid: int | None
    since: str | None


class RunLock:
    """An exclusive lock on one file. `held` is false again in a forked child."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Tell whether this process holds the lock through this object."""
        return self._descriptor is not None

    def acquire(self) -> bool:
        """Take the lock if it is free, without waiting. Raises OSError when the file cannot be used."""
        while True:
            descriptor = open_private(self._path, os.O_RDWR | os.O_CREAT)
            if not _try_lock(descriptor):
                os.close(descriptor)
                return False
            if _same_file(descriptor, self._path):
                break
            # The file was renamed away between open and lock: this is the lock of a run that is being pruned.
            os.close(descriptor)
        self._descriptor = descriptor
        _held.add(self)
        text = json.dumps({"pid": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds")})
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode("ascii") + b"\n", 0)
        return True

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        descriptor, self._descriptor = self._descriptor, None
        _held.discard(self)
        if descriptor is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
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


def holder(path: Path) -> Holder | None:
    """Return who holds the lock, or None when nobody does. Takes nothing and writes nothing."""
    deadline = time.monotonic() + _PUBLISHING_SECONDS
    while _is_locked(path):
        found = _published(path)
        if found is not None or time.monotonic() > deadline:
            return found or Holder(None, None)
        # Between lock and text the holder is unknown, or the text is that of a dead one.
        time.sleep(0.01)
    return None


def _published(path: Path) -> Holder | None:
    try:
        data = cast("dict[str, Any]", json.loads(path.read_bytes()))
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
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLKW, _whole_file(fcntl.F_WRLCK))
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _whole_file(kind: int) -> bytes:
    return struct.pack(_FLOCK_LAYOUT, kind, os.SEEK_SET, 0, 0, 0)


def _try_lock(descriptor: int) -> bool:
    try:
        if _HAS_OFD:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _whole_file(fcntl.F_WRLCK))
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


def _is_locked(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        if _HAS_OFD:
            answer = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _whole_file(fcntl.F_WRLCK))
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
