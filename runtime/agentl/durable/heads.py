"""How far the runs of this person were seen, and where: `$XDG_STATE_HOME/agentl/runs.jsonl` (§8).

A run is told by the h of its header, which no other run has; a copy of it has the same. Best effort: it helps
to notice an older copy and lets an editor find runs; nothing else depends on it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from agentl.codec import dump, load
from agentl.durable.files import open_private, write_all
from agentl.durable.lock import RunLock
from agentl.durable.records import Record

_PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Head:
    """A record that was seen on the disk at a place: its number and its h."""

    path: str
    n: int
    h: str


def heads_file() -> Path:
    """Return the path of the file; it need not exist."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "agentl" / "runs.jsonl"


@contextlib.contextmanager
def together() -> Generator[None]:
    """Let nobody else change the file meanwhile; a process that hangs here holds up others for a while."""
    lock = None
    with contextlib.suppress(OSError, RuntimeError):
        path = heads_file()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = RunLock(path.with_name("runs.lock"))
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not lock.acquire() and time.monotonic() < deadline:
            time.sleep(0.005)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def note_head(home: str, records: Sequence[Record]) -> None:
    """Note how far the run at `home` is on the disk. What goes wrong here is not the run's business."""
    last = next(record for record in reversed(records) if record.synced)
    if Head(home, last.n, last.h) in seen(records):
        return
    with contextlib.suppress(OSError, RuntimeError):
        path = heads_file()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        head = {"run": records[0].key, "path": home, "n": last.n, "h": last.h, "begin": records[0].h}
        descriptor = open_private(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            write_all(descriptor, _line_end(descriptor) + dump(head).encode("ascii") + b"\n")
        finally:
            os.close(descriptor)


def _line_end(descriptor: int) -> bytes:
    """Return what a process that died in the middle of its line has left out."""
    size = os.fstat(descriptor).st_size
    return b"\n" if size and os.pread(descriptor, 1, size - 1) != b"\n" else b""


def seen(records: Sequence[Record]) -> list[Head]:
    """Return what was seen of the very run that has these records, at whatever place."""
    begin = records[0].h
    return [
        Head(str(head.get("path")), head["n"], str(head.get("h")))
        for head in _heads(begin.encode("ascii"))
        if head.get("begin") == begin
    ]


def forget(goes: Callable[[str, str], bool]) -> None:
    """Drop what is known of places and runs: `goes(path, begin)` tells which. Raises nothing: see above."""
    with together(), contextlib.suppress(OSError, RuntimeError):
        path = heads_file()
        kept = [
            dump(head) + "\n" for head in _heads() if not goes(str(head.get("path")), str(head.get("begin")))
        ]
        new = path.with_name(f"{path.name}.{os.getpid()}")
        descriptor = open_private(new, os.O_WRONLY | os.O_CREAT)
        try:
            os.ftruncate(descriptor, 0)
            write_all(descriptor, "".join(kept).encode("ascii"))
        finally:
            os.close(descriptor)
        new.replace(path)


def _heads(part: bytes = b"") -> Iterator[Mapping[str, Any]]:
    """Yield what was noted on the lines that hold `part`; a line that cannot be read says nothing."""
    try:
        data = heads_file().read_bytes()
    except (OSError, RuntimeError):
        return
    for line in data.split(b"\n"):
        if part not in line:
            continue
        with contextlib.suppress(ValueError, TypeError):
            head = load(line)
            if isinstance(head, dict) and isinstance(cast("dict[str, Any]", head).get("n"), int):
                yield cast("dict[str, Any]", head)
