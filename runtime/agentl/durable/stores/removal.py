"""The directory of a run that is removed: renamed, then deleted; a crash in between leaves it for `prune`."""

from __future__ import annotations

import re
import secrets
import shutil
import stat
from pathlib import Path

from agentl.durable.lock import holder

LOCK = "run.lock"
_NAME = re.compile(r"\..*\.pruned-[0-9a-f]{8}", re.DOTALL)


def removed_name(directory: Path) -> Path:
    """Return a name, beside a run, for what is left of it while it is deleted."""
    return directory.with_name(f".{directory.name}.pruned-{secrets.token_hex(4)}")


def is_removed(directory: Path) -> bool:
    """Tell whether this is what is left of a run whose removal was cut short. Raises OSError.

    Its name says so, and in it is the lock of a run, which nobody holds, or nothing at all.
    """
    if not _NAME.fullmatch(directory.name) or not stat.S_ISDIR(directory.lstat().st_mode):
        return False
    lock = directory / LOCK
    if lock.is_symlink() or not lock.is_file():
        return not any(directory.iterdir())
    return holder(lock) is None


def delete_removed(directory: Path) -> None:
    """Delete a directory that was a run, its lock last: that tells what is left. Raises OSError."""
    for entry in directory.iterdir():
        if stat.S_ISDIR(entry.lstat().st_mode):
            shutil.rmtree(entry)
        elif entry.name != LOCK:
            entry.unlink()
    (directory / LOCK).unlink(missing_ok=True)
    directory.rmdir()
