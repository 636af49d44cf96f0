"""Every Python from 3.11 on that is at hand: on the PATH, of the system, of pyenv. Run it to see which."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_NAME = re.compile(r"python3(\.\d+)?")
_ASK = "import sqlite3, sys; print(*sys.version_info[:3], sys._base_executable)"
_LEAST = (3, 11)


def found() -> dict[str, str]:
    """Return the path of each interpreter and its version; one that does not answer is none."""
    known: dict[str, str] = {}
    for path in _candidates():
        asked = subprocess.run(
            [path, "-c", _ASK], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
        if asked.returncode:
            continue
        *version, executable = asked.stdout.strip().split(" ", 3)
        if tuple(map(int, version[:2])) >= _LEAST:
            known[str(Path(executable).resolve())] = ".".join(version)
    return known


def _candidates() -> Iterator[Path]:
    rooms = [Path(room) for room in os.get_exec_path()]
    rooms += sorted((Path.home() / ".pyenv" / "versions").glob("*/bin"))
    rooms += sorted(Path("/opt").glob("python*/bin"))
    yield Path(sys.executable)
    for room in rooms:
        if room.is_dir():
            yield from sorted(path for path in room.iterdir() if _NAME.fullmatch(path.name))


if __name__ == "__main__":
    for path, version in found().items():
        print(f"Python {version}: {path}")
