"""Real processes of the command line, that know nothing of the person who runs the tests."""

import os
import subprocess
import sys
from pathlib import Path


def clean_environment(room: Path, changes: dict[str, str]) -> dict[str, str]:
    """Nothing of the person who runs the tests: their language, their bank, their list of runs."""
    ours = {
        "LANG": "C.UTF-8",
        "PYTHONWARNINGS": "error",
        "AGENTL_BANK": str(room / "bank.sqlite"),
        "XDG_STATE_HOME": str(room / "state"),
    }
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AGENTL_", "PAYMENTS_", "LC_"))
    }
    return kept | ours | changes


def start(
    room: Path, words: tuple[str | Path, ...], environment: dict[str, str], prefix: tuple[str, ...] = ()
):
    return subprocess.run(
        [*prefix, sys.executable, "-m", "agentl", *map(str, words)],
        cwd=room,
        env=clean_environment(room, environment),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=180,
        stdin=subprocess.DEVNULL,
    )
