"""The numbers, printed in one run: `make bench`. Nothing here passes or fails."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench_checks import check_rows
from bench_grammar import grammar_rows
from bench_journals import journal_rows
from bench_runtime import runtime_rows
from bench_scenarios import scenario_rows
from bench_server import server_rows
from bench_stores import store_rows
from rich.console import Console
from rich.table import Table

from agentl import Host, parse_source
from agentl.durable import DurableRun, FileStore

ROOT = Path(__file__).parents[2]
EFFECTS = 500
STARTS = 7
SYNCED_KINDS = (b'"kind":"intent"', b'"kind":"invoke"')

COUNTER = """
AGENT counter {
  TOOL add { INPUT { amount: Number }  OUTPUT { total: Number }  SIDE_EFFECT { total }  RISK LOW }
  POLICY { DEFAULT ALLOW  NEVER add WHEN tools.add.in_doubt == true }
  PLAN count WHEN run.resumes >= 0 { add(amount = 1) }
  LOOP { SELECT_PLAN EXECUTE }
}
"""


def counter_host() -> Host:
    host = Host()
    total = [0]

    @host.tool("add", idempotent=True)
    def add(amount: float) -> dict[str, float]:
        total[0] += amount
        return {"total": total[0]}

    return host


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def durable_counter(directory: Path) -> DurableRun:
    return DurableRun(parse_source(COUNTER).agents, counter_host(), store=FileStore(directory))


def write_and_sync(path: Path, chunks: list[bytes]) -> None:
    """The floor: as many writes and syncs, of the same bytes, by nothing but the system."""
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    for chunk in chunks:
        os.write(descriptor, chunk)
        os.fsync(descriptor)
    os.close(descriptor)


def synced_chunks(journal: Path) -> list[bytes]:
    """The bytes between two syncs: unsynced records travel with the next intent or result."""
    chunks: list[bytes] = []
    waiting = b""
    for line in journal.read_bytes().splitlines(keepends=True):
        waiting += line
        if any(kind in line for kind in SYNCED_KINDS):
            chunks.append(waiting)
            waiting = b""
    return chunks


def measure_effects(table: Table, room: Path) -> None:
    run = durable_counter(room / "counter")
    seconds = timed(lambda: run.run(max_ticks=EFFECTS))
    journal = room / "counter" / "wal.jsonl"
    chunks = synced_chunks(journal)
    bare = timed(lambda: write_and_sync(room / "bare", chunks))
    table.add_row(
        "effects, journaled",
        f"{EFFECTS / seconds:,.0f} /s",
        f"{len(chunks)} syncs, {journal.stat().st_size:,} bytes",
    )
    table.add_row(
        "two bare write+fsync of the same bytes",
        f"{EFFECTS / bare:,.0f} /s",
        f"a whole tick takes {seconds / bare:.2f} × as long",
    )


def measure_derivation(table: Table, room: Path) -> None:
    records = len((room / "counter" / "wal.jsonl").read_bytes().splitlines())
    run = durable_counter(room / "counter")
    seconds = timed(run.run)
    table.add_row("records re-derived", f"{records / seconds:,.0f} /s", f"{records} records, an ended run")


def process(*words: str) -> float:
    def once() -> None:
        subprocess.run(
            [sys.executable, *words], check=True, capture_output=True, cwd=ROOT / "docs" / "examples"
        )

    once()
    return statistics.median(timed(once) for _ in range(STARTS)) * 1000


def measure_starts(table: Table, room: Path) -> None:
    note = f"median of {STARTS}"
    table.add_row("python -c pass", f"{process('-c', 'pass'):.0f} ms", note)
    table.add_row("agentl --version", f"{process('-m', 'agentl', '--version'):.0f} ms", note)
    table.add_row(
        "agentl run thermostat.agent", f"{process('-m', 'agentl', 'run', 'thermostat.agent'):.0f} ms", note
    )
    runs = (str(room / f"start-{number}") for number in range(STARTS + 1))
    table.add_row(
        "agentl run thermostat.agent --durable",
        f"{statistics.median(timed(lambda: durable_start(next(runs))) for _ in range(STARTS)) * 1000:.0f} ms",
        note,
    )


def durable_start(directory: str) -> None:
    words = [sys.executable, "-m", "agentl", "run", "thermostat.agent", "--durable", directory]
    subprocess.run(words, check=True, capture_output=True, cwd=ROOT / "docs" / "examples")


def main() -> None:
    table = Table(title="agentl, measured here and now", title_justify="left")
    for head, justify in (("what", "left"), ("measured", "right"), ("note", "left")):
        table.add_column(head, justify=justify, no_wrap=True)
    with tempfile.TemporaryDirectory(prefix="agentl-bench-") as directory:
        room = Path(directory)
        measure_effects(table, room)
        measure_derivation(table, room)
        measure_starts(table, room)
        for row in [*store_rows(room), *journal_rows(room), *server_rows(room)]:
            table.add_row(*row)
    for row in (*runtime_rows(), *scenario_rows(), *grammar_rows(), *check_rows()):
        table.add_row(*row)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
