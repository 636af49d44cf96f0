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
from agentl.durable.files import open_private, sync_directory, write_all, write_private
from agentl.durable.lock import RunLock
from agentl.durable.records import Record

_PATIENCE_SECONDS = 5.0
_STEP = 16 * 1024
"""Bytes: the file is looked through for lines that nobody needs whenever it has grown by so many."""


@dataclass(frozen=True, slots=True)
class Head:
    """A record that was seen on the disk at a place: its number and its h, and the name of its run."""

    path: str
    n: int
    h: str
    run: str


def heads_file() -> Path:
    """Return the path of the file; it need not exist."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "agentl" / "runs.jsonl"


@contextlib.contextmanager
def together() -> Generator[bool]:
    """Let nobody else change the file meanwhile; yield whether nobody does.

    A process that hangs here holds up others for a while. They then go on, and may add lines.
    """
    lock = None
    with contextlib.suppress(OSError, RuntimeError):
        path = heads_file()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = RunLock(path.with_name("runs.lock"))
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not lock.acquire() and time.monotonic() < deadline:
            time.sleep(0.005)
    try:
        yield lock is not None and lock.held
    finally:
        if lock is not None:
            lock.release()


def note_head(home: str, records: Sequence[Record], *, alone: bool) -> None:
    """Note how far the run at `home` is on the disk; within `together`, which says whether we are alone.

    What goes wrong here is not the run's business.
    """
    last = next(record for record in reversed(records) if record.synced)
    head = Head(home, last.n, last.h, records[0].key)
    if head in seen(records[0].h):
        return
    with contextlib.suppress(OSError, RuntimeError):
        path = heads_file()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        told = {"run": head.run, "path": head.path, "n": head.n, "h": head.h, "begin": records[0].h}
        before, after = _append(path, told)
        if alone and before // _STEP != after // _STEP:
            _compact(path)


def _append(path: Path, head: Mapping[str, Any]) -> tuple[int, int]:
    """Append a line; return how long the file was, and is."""
    descriptor = open_private(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        line = _line_end(descriptor) + _line(head)
        write_all(descriptor, line)
        after = os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)
    return after - len(line), after


def _line(head: Mapping[str, Any]) -> bytes:
    return dump(head).encode("ascii") + b"\n"


def _line_end(descriptor: int) -> bytes:
    """Return what a process that died in the middle of its line has left out."""
    size = os.fstat(descriptor).st_size
    return b"\n" if size and os.pread(descriptor, 1, size - 1) != b"\n" else b""


def seen(begin: str) -> list[Head]:
    """Return what was seen of the very run whose header has this h, at whatever place."""
    return [_head(head) for head in _heads(begin) if head.get("begin") == begin]


def seen_at(home: str) -> list[Head]:
    """Return what was seen of any run at this place."""
    return [_head(head) for head in _heads(home) if head.get("path") == home]


@dataclass(frozen=True, slots=True)
class Register:
    """What a reader asks of the list of runs that were seen: `seen`, and `seen_at`."""

    of: Callable[[str], Sequence[Head]] = seen
    at: Callable[[str], Sequence[Head]] = seen_at


def read_register() -> Register:
    """Return the list as it is now, for who asks of many runs: the file is read once."""
    of: dict[str, list[Head]] = {}
    at: dict[str, list[Head]] = {}
    for head in _heads():
        of.setdefault(str(head.get("begin")), []).append(_head(head))
        at.setdefault(str(head.get("path")), []).append(_head(head))
    return Register(lambda begin: of.get(begin, ()), lambda home: at.get(home, ()))


def _head(head: Mapping[str, Any]) -> Head:
    return Head(str(head.get("path")), head["n"], str(head.get("h")), str(head.get("run")))


def forget(goes: Callable[[str, str], bool]) -> None:
    """Drop what is known of places and runs: `goes(path, begin)` tells which. Raises nothing: see above."""
    with together() as alone, contextlib.suppress(OSError, RuntimeError):
        path = heads_file()
        if alone and path.exists():
            kept = [head for head in _heads() if not goes(str(head.get("path")), str(head.get("begin")))]
            _replace(path, kept)


def _compact(path: Path) -> None:
    """Drop the lines that follow from others, once they are more than half of all. Raises OSError.

    Of a run at a place the furthest line is enough: it stands for those before it, as every h does.
    """
    heads = list(_heads())
    furthest: dict[tuple[Any, Any], int] = {}
    for head in heads:
        of = (head.get("path"), head.get("begin"))
        furthest[of] = max(furthest.get(of, 0), head["n"])
    if len(heads) > 2 * len(furthest):
        _replace(path, [head for head in heads if head["n"] == furthest[head.get("path"), head.get("begin")]])


def _replace(path: Path, heads: Sequence[Mapping[str, Any]]) -> None:
    """Put these lines in the place of all: whenever the process dies, the old ones are there or the new."""
    new = path.with_name(f"{path.name}.new")
    write_private(new, b"".join(map(_line, heads)))
    new.replace(path)
    sync_directory(path.parent)


def _heads(about: str | None = None) -> Iterator[Mapping[str, Any]]:
    """Yield what was noted on the lines that quote `about`; a line that cannot be read says nothing."""
    try:
        path = heads_file()
        data = path.read_bytes() if path.is_file() else b""
    except (OSError, RuntimeError):
        return
    part = b"" if about is None else dump(about).encode("ascii")
    for line in data.split(b"\n") if part in data else ():
        if part not in line:
            continue
        with contextlib.suppress(ValueError, TypeError):
            head = load(line)
            if isinstance(head, dict) and _is_number(cast("dict[str, Any]", head).get("n")):
                yield cast("dict[str, Any]", head)


def _is_number(n: object) -> bool:
    return isinstance(n, int) and n >= 0
