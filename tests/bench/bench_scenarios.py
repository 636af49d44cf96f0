"""What a hundred scenarios cost: one `agentl test` over the sample programs, with its start."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agentl import parse_file
from agentl_grammar.tree import Scenario

PROGRAMS = Path(__file__).parents[1] / "programs"
WANTED = 100
Row = tuple[str, str, str]


def copies(room: Path) -> list[Path]:
    """Copy sample programs into `room` until they hold a hundred scenarios."""
    samples = sorted(PROGRAMS.glob("*.agent"))
    files: list[Path] = []
    count = 0
    while count < WANTED:
        sample = samples[len(files) % len(samples)]
        files.append(room / f"{len(files)}-{sample.name}")
        files[-1].write_text(sample.read_text(encoding="utf-8"), encoding="utf-8")
        count += len(parse_file(sample).agents[0].of(Scenario))
    return files


def scenario_rows() -> list[Row]:
    """The row of the table."""
    with tempfile.TemporaryDirectory(prefix="agentl-bench-") as room:
        files = copies(Path(room))
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "agentl", "test", *map(str, files)], capture_output=True, check=True
        )
        seconds = time.perf_counter() - start
    count = done.stdout.decode().count("✓")
    return [(f"agentl test, {count} scenarios", f"{seconds:.2f} s", f"{len(files)} programs, one process")]


if __name__ == "__main__":
    for row in scenario_rows():
        print(*row, sep="  ")
