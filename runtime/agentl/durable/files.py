"""Files and directories of a run: for their owner alone, and made to last (durability.md §4)."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from pathlib import Path

_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)
"""Of macOS, where fsync leaves the data in the cache of the disk."""


def open_private(path: Path, flags: int) -> int:
    """Open a file of ours: for its owner alone from creation, whatever the umask. Raises OSError."""
    # Nobody waits for the other end of a pipe that lies where a file should.
    flags |= os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    if not flags & os.O_CREAT:
        return os.open(path, flags)
    try:
        descriptor = os.open(path, flags | os.O_EXCL, 0o600)
    except FileExistsError:
        return os.open(path, flags & ~os.O_CREAT)
    os.fchmod(descriptor, 0o600)
    return descriptor


def read_plain(path: Path) -> bytes:
    """Return the bytes of a plain file. Raises OSError for anything else, without waiting for it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
        return file.read()


def write_all(descriptor: int, data: bytes) -> None:
    """Write `data` at the end of a file: a short write is finished once. Raises OSError."""
    written = os.write(descriptor, data)
    if written < len(data) and os.write(descriptor, data[written:]) < len(data) - written:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def sync(descriptor: int) -> None:
    """Make what was written to an open file last. Raises OSError; it must not be tried again then."""
    if _FULL_SYNC is None:
        os.fsync(descriptor)
    else:
        fcntl.fcntl(descriptor, _FULL_SYNC)


def sync_directory(path: Path) -> None:
    """Make the entries of a directory last. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_directory(path: Path) -> None:
    """Make a directory and those above it that are missing, each synced into its parent. Raises OSError."""
    if path.is_dir():
        return
    make_directory(path.parent)
    try:
        path.mkdir(mode=0o700)
        path.chmod(0o700)
    except FileExistsError:
        if not path.is_dir():
            raise
    sync_directory(path.parent)


def write_private(path: Path, data: bytes) -> None:
    """Write a whole small file and sync it; the caller syncs the directory. Raises OSError."""
    descriptor = open_private(path, os.O_WRONLY | os.O_CREAT)
    try:
        os.ftruncate(descriptor, 0)
        write_all(descriptor, data)
        sync(descriptor)
    finally:
        os.close(descriptor)
