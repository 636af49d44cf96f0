"""Where the runs of this person are and how far they were seen: `$XDG_STATE_HOME/agentl/runs.jsonl` (§8).

Best effort: it helps to notice an older copy and lets an editor find runs; nothing depends on it.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from agentl.codec import dump
from agentl.durable.files import open_private, write_all


def heads_file() -> Path:
    """Return the path of the file; it need not exist."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "agentl" / "runs.jsonl"


def note_head(run_id: str, directory: Path, n: int, h: str) -> None:
    """Append how far a run was seen. What goes wrong here is not the run's business."""
    with contextlib.suppress(OSError, RuntimeError):
        path = heads_file()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        line = dump({"run": run_id, "path": os.fsdecode(directory.resolve()), "n": n, "h": h}) + "\n"
        descriptor = open_private(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            write_all(descriptor, line.encode("ascii"))
        finally:
            os.close(descriptor)
