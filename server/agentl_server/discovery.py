"""Where runs are: below the workspace's folders, by the globs of the settings."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

_SKIPPED = {"node_modules", "__pycache__", "venv", "site-packages"}
_SHORTEST_PAUSE = 2.0
_SHARE_OF_TIME = 20
"""A full walk may take one part in so many of the time."""


class Discovery:
    """Finds runs: below `roots` now and then, in the `runs` folders beside open programs every time."""

    def __init__(self) -> None:
        self.roots: list[Path] = []
        self.patterns: Sequence[str] = ("**/runs/*/wal.jsonl",)
        self.programs: list[Path] = []
        self._next_walk = 0.0

    def look(self, known: set[Path]) -> list[Path]:
        """Return run directories that are not in `known`."""
        found = {journal.parent for journal in self._beside_programs()}
        if time.monotonic() >= self._next_walk:
            started = time.monotonic()
            found.update(journal.parent for root in self.roots for journal in self._below(root))
            spent = time.monotonic() - started
            self._next_walk = time.monotonic() + max(_SHORTEST_PAUSE, spent * _SHARE_OF_TIME)
        return sorted(found - known)

    def _beside_programs(self) -> Iterator[Path]:
        for folder in {program.parent for program in self.programs}:
            yield from (
                journal for journal in (folder / "runs").glob("*/wal.jsonl") if self._matches(folder, journal)
            )

    def _below(self, root: Path) -> Iterator[Path]:
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name not in _SKIPPED and not name.startswith(".")]
            for name in files:
                journal = Path(folder, name)
                if name.endswith(".jsonl") and self._matches(root, journal):
                    yield journal

    def _matches(self, root: Path, journal: Path) -> bool:
        relative = journal.relative_to(root).as_posix()
        return any(_compiled(pattern).fullmatch(relative) for pattern in self.patterns)


def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a glob as an expression: `**/` any folders, `*` and `?` inside one name."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts))
