"""The grids in which runs are broken: how many cells each must have, and the page about how they ended."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "crash-proof.md"
HEAD = ROOT / "tests" / "crash" / "golden" / "crash-proof-head.md"
TAIL = ROOT / "tests" / "crash" / "golden" / "crash-proof-tail.md"
WRITTEN = {"all": "every cell", "bounded": "the bounded part that `make test` runs, too"}
"""What AGENTL_CRASH may say: how much is run, and the page written."""
ENDS = ("same", "doubt", "refused", "derived anew")
"""How a cell may end, in the order of the page's columns."""
PROMISES = ("idempotent", "reconcilable", "none")
Counts = tuple[int, int]
"""The least number of cells in the bounded part, and of all."""
EXPECTED: dict[str, dict[str, Counts]] = {
    "SIGKILL at every system call": {"": (258, 258)},
    "EIO at every system call": {"": (172, 258)},
    "ENOSPC at every system call": {"": (112, 168)},
    "SIGKILL, EIO, ENOSPC at every system call that keeps a large value": {"": (36, 108)},
    "SIGKILL at every system call of the recovery": {
        "idempotent": (68, 68),
        "reconcilable": (60, 60),
        "none": (64, 64),
    },
    "SIGKILL three times, twice while it recovers": {
        "idempotent": (43, 249),
        "reconcilable": (38, 217),
        "none": (39, 233),
    },
    "SIGKILL before and after every write, and in each tool": dict.fromkeys(PROMISES, (38, 38)),
    "SIGKILL twice, the second time while it recovers": {
        "idempotent": (115, 115),
        "reconcilable": (109, 109),
        "none": (105, 105),
        "every pair": (829, 829),
    },
    "SIGKILL at every write and effect of six programs": {
        "idempotent": (513, 513),
        "reconcilable": (77, 77),
        "none": (77, 77),
        "twice": (42, 42),
    },
    "a damaged journal (cut, flip, NUL-fill, swap, delete, duplicate)": {
        "idempotent": (195, 11_800),
        "reconcilable": (195, 2_350),
    },
    "a file that may not grow (RLIMIT_FSIZE)": dict.fromkeys(PROMISES, (80, 350)),
    "a small disk (tmpfs), page by page": {"": (12, 12)},
    "another promise of the host when it is resumed": {
        f"{then}, then {now}": (1, 1) for then in PROMISES for now in PROMISES
    },
    "eight processes behind a barrier": {"": (5, 25)},
    "another hash seed, locale, time zone, directory, Python": {
        "payments": (1, 1),
        "samples": (12, 12),
        "samples, resumed": (6, 6),
        "pythons": (6, 6),
    },
}


class Table:
    """How the cells of the grids ended."""

    def __init__(self) -> None:
        self._ends: dict[str, dict[str, list[str]]] = {}

    def note(self, grid: str, ends: list[str], part: str, *, everything: bool) -> None:
        """Take down a part of a grid. Raises AssertionError when it has fewer cells than expected."""
        least = EXPECTED[grid][part][everything]
        assert len(ends) >= least, f"{grid} {part}: {len(ends)} cells, {least} expected"
        assert set(ends) <= set(ENDS), ends
        self._ends.setdefault(grid, {})[part] = ends

    def __bool__(self) -> bool:
        return bool(self._ends)

    def write(self, extent: str) -> None:
        """Write the page. Raises AssertionError when a part of a grid did not run."""
        everything = extent == "all"
        for grid, parts in EXPECTED.items():
            assert self._ends.get(grid, {}).keys() == parts.keys(), f"{grid}: a part did not run"
        total: list[str] = []
        rows: list[str] = []
        for grid, parts in EXPECTED.items():
            ends = [end for part in parts for end in self._ends[grid][part]]
            least = sum(counts[everything] for counts in parts.values())
            rows.append(_row(grid, least, ends))
            total += ends
        least = sum(counts[everything] for parts in EXPECTED.values() for counts in parts.values())
        rows.append(_row("**all**", least, total))
        version = ".".join(map(str, sys.version_info[:3]))
        system = f"{platform.system()} {platform.release().split('-')[0]}"
        written = f"\nWritten by {WRITTEN[extent]}, with Python {version} on {system}.\n"
        text = HEAD.read_text("utf-8") + "".join(rows) + written + TAIL.read_text("utf-8")
        PAGE.write_text(text, encoding="utf-8")


def _row(name: str, least: int, ends: list[str]) -> str:
    counts = " | ".join(str(ends.count(end)) for end in ENDS)
    return f"| {name} | {least} | {len(ends)} | {counts} |\n"
