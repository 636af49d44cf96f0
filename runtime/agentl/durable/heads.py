"""Where the runs of this person are and how far they were seen: `$XDG_STATE_HOME/agentl/runs.jsonl` (§8).

Best effort: it helps to notice an older copy and lets an editor find runs; nothing depends on it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from agentl.codec import dump, load
from agentl.durable.files import open_private, write_all
from agentl.durable.records import Record


def heads_file() -> Path:
    """Return the path of the file; it need not exist."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "agentl" / "runs.jsonl"


def note_head(run_id: str, home: str, records: Sequence[Record]) -> None:
    """Append how far the run at `home` is on the disk. What goes wrong here is not the run's business."""
    last = next(record for record in reversed(records) if record.synced)
    with contextlib.suppress(OSError, RuntimeError):
        path = heads_file()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        head = {"run": run_id, "path": home, "n": last.n, "h": last.h, "begin": records[0].h}
        line = dump(head) + "\n"
        descriptor = open_private(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            write_all(descriptor, line.encode("ascii"))
        finally:
            os.close(descriptor)


def seen(home: str, records: Sequence[Record]) -> tuple[int, str] | None:
    """Return number and h of the last record that was seen of the very run that lies at `home`."""
    heads = [
        (int(head["n"]), str(head["h"]))
        for head in _heads()
        if head.get("path") == home and head.get("begin") == records[0].h
    ]
    return max(heads, default=None)


def forget(home: str) -> None:
    """Drop what is known of the runs at `home`. Raises nothing: see above."""
    with contextlib.suppress(OSError, RuntimeError):
        path = heads_file()
        kept = [dump(head) + "\n" for head in _heads() if head.get("path") != home]
        new = path.with_name(f"{path.name}.{os.getpid()}")
        descriptor = open_private(new, os.O_WRONLY | os.O_CREAT)
        try:
            os.ftruncate(descriptor, 0)
            write_all(descriptor, "".join(kept).encode("ascii"))
        finally:
            os.close(descriptor)
        new.replace(path)


def _heads() -> Iterator[Mapping[str, Any]]:
    """Yield what was noted; a line that cannot be read says nothing."""
    try:
        data = heads_file().read_bytes()
    except (OSError, RuntimeError):
        return
    for line in data.split(b"\n"):
        with contextlib.suppress(ValueError, TypeError):
            head = load(line)
            if isinstance(head, dict) and isinstance(cast("dict[str, Any]", head).get("n"), int):
                yield cast("dict[str, Any]", head)
