"""What an effect costs in each store, beside two bare commits of the same bytes in the same run."""

import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from agentl import Host, parse_source
from agentl.durable import DurableRun, FileStore, PostgresStore, SQLiteStore, Store
from agentl.durable import run as durable_run
from agentl.durable.chain import seal_line
from agentl.durable.stores.sqlite import journal_mode
from agentl.interpreter.crossings import Invoke, Read

sys.path.append(str(Path(__file__).parents[1] / "support"))
import postgres_server  # its folder is on the path by now

EFFECTS = 300
PROGRAM = """
AGENT counter {
  OBSERVE { meter.level }
  TOOL add { INPUT { amount: Number }  OUTPUT { total: Number }  SIDE_EFFECT { total } }
  POLICY { DEFAULT ALLOW  NEVER add WHEN tools.add.in_doubt == true }
  PLAN count WHEN run.resumes >= 0 { add(amount = meter.level) }
  LOOP { OBSERVE SELECT_PLAN EXECUTE }
}
"""
Row = tuple[str, str, str]
DurableDriver = durable_run.DurableDriver
Commit = Callable[[list[tuple[int, bytes]]], object]


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def counter_host() -> Host:
    host, reads, total = Host(), [0], [0]

    def level() -> int:
        reads[0] += 1
        return reads[0]

    def add(amount: float) -> dict[str, float]:
        total[0] += amount
        return {"total": total[0]}

    host.sensors["meter.level"] = level
    host.tool("add", idempotent=True)(add)
    return host


def middle(times: list[float]) -> float:
    """The mean of the middle half: other work on the machine makes the rest."""
    ordered = sorted(times)
    half = ordered[len(ordered) // 4 : -(len(ordered) // 4)]
    return sum(half) / len(half)


@contextmanager
def watching(
    kind: type, before: Callable[[], object] = lambda: None, after: Callable[[], object] = lambda: None
) -> Iterator[list[float]]:
    """Note how long each crossing of a kind takes, from question to answer; do other things around it."""
    answer, times = DurableDriver.answer, list[float]()

    def timed(driver: DurableDriver, crossing: Any) -> Any:
        if not isinstance(crossing, kind):
            return answer(driver, crossing)
        before()
        start = time.perf_counter()
        outcome = answer(driver, crossing)
        times.append(time.perf_counter() - start)
        after()
        return outcome

    DurableDriver.answer = timed
    try:
        yield times
    finally:
        DurableDriver.answer = answer


def bare_file(room: Path) -> Commit:
    descriptor = os.open(room / "bare", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)

    def commit(rows: list[tuple[int, bytes]]) -> None:
        os.write(descriptor, b"".join(line + b"\n" for _, line in rows))
        os.fsync(descriptor)

    return commit


def bare_sqlite(room: Path) -> Commit:
    connection = sqlite3.connect(room / "bare.db", isolation_level=None)
    connection.execute(f"PRAGMA journal_mode = {journal_mode()}")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE bare (n INTEGER PRIMARY KEY, line BLOB)")

    def commit(rows: list[tuple[int, bytes]]) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO bare VALUES (?, ?)", rows)
        connection.execute("COMMIT")

    return commit


def bare_postgres(dsn: str) -> Commit:
    connection = psycopg.connect(dsn, autocommit=True)
    connection.execute("CREATE TABLE bare (n bigint PRIMARY KEY, line bytea)")
    cursor = connection.cursor()  # one, as the store has: a new one takes longer

    def commit(rows: list[tuple[int, bytes]]) -> None:
        numbers, lines = [n for n, _ in rows], [line for _, line in rows]
        cursor.execute("INSERT INTO bare SELECT * FROM unnest(%s::bigint[], %b::bytea[])", (numbers, lines))

    return commit


def effect_row(name: str, store: Store, commit: Commit) -> Row:
    """Time effects, and beside each of them two bare commits of the records of one, on the same disk.

    A disk that rested while a tick was computed takes longer for what is synced first, whatever that is. So
    the bare commits come first in every second tick.
    """
    run = DurableRun(parse_source(PROGRAM), counter_host(), store=store, run_id="bench")
    bare: list[float] = []
    lines: list[bytes] = []
    numbers, done = count(), [0]

    def commit_the_same() -> None:
        if len(effects) % 2 == 1:
            rows = list(zip(numbers, lines))  # noqa: B905  # numbers never end
            bare.append(seconds(lambda: (commit(rows[:-1]), commit(rows[-1:]))))

    def note_and_commit() -> None:
        lines[:] = store.records(done[0]).splitlines()
        done[0] += len(lines)
        commit_the_same()

    with watching(Invoke, commit_the_same, note_and_commit) as effects:
        run.run(max_ticks=EFFECTS)
    effect, floor = middle(effects), middle(bare)
    note = f"{effect / floor:.2f} × two bare commits ({floor * 1e6:,.0f} µs)"
    return f"effect in {name}", f"{effect * 1e6:,.0f} µs", note


def read_row(room: Path) -> Row:
    run = DurableRun(parse_source(PROGRAM), counter_host(), store=FileStore(room / "reads"), run_id="bench")
    with watching(Read) as reads:
        run.run(max_ticks=EFFECTS)
    return (
        "read, journaled in a file",
        f"{middle(reads) * 1e6:.0f} µs",
        "the next synced record takes it along",
    )


def postgres_rows() -> list[Row]:
    if postgres_server.programs() is None:
        return [("effect in PostgreSQL", "left out", "no PostgreSQL here: sudo make setup")]
    server = postgres_server.start()
    try:
        return [effect_row("PostgreSQL", PostgresStore(server.dsn(), "bench"), bare_postgres(server.dsn()))]
    finally:
        server.stop()


def large_journal_row(room: Path, records: int = 100_000) -> Row:
    """Read back a journal of many rows from SQLite, page by page."""
    store, previous, lines = SQLiteStore(room / "many.db", "bench"), "", list[tuple[int, str, bytes]]()
    for n in range(records):
        line, h = seal_line(previous, {"n": n, "kind": "test", "value": "x" * 200})
        lines.append((n, previous, line))
        previous = h
    store.open(write=True)
    for n, before, line in lines:
        store.append(n, before, line, sync=n % 1000 == 0)
    store.close()
    took = seconds(store.records)
    return "records read from SQLite", f"{records / took:,.0f} /s", f"{records:,} records, in pages"


def store_rows(room: Path) -> list[Row]:
    """The rows of the table."""
    return [
        effect_row("a file", FileStore(room / "effects"), bare_file(room)),
        effect_row("SQLite", SQLiteStore(room / "effects.db", "bench"), bare_sqlite(room)),
        *postgres_rows(),
        read_row(room),
        large_journal_row(room),
    ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="agentl-bench-") as directory:
        for row in store_rows(Path(directory)):
            print(*row, sep="  ")
