"""What reading a long journal costs, beside the bare hashes of its lines, and what a checkpoint costs."""

import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from agentl import Host, parse_source
from agentl.durable import DurableRun, FileStore, MemoryStore, Store, replay
from agentl.durable.chain import SUFFIX_LENGTH, seal_line
from agentl.durable.journal import read
from agentl.durable.status import glance, status
from agentl.durable.verify import Lines, sound_lines

TICKS = 1_000
LONG, TIMES_LONGER = 20_000, 10
REPLAYED_TICKS = 500
REMEMBERS = """
AGENT diary {
  OBSERVE { meter.level }
  MEMORY { LONG_TERM { log } WRITE { STORE { meter.level } INTO LONG_TERM.log } }
  LOOP { OBSERVE UPDATE_MEMORY }
}
"""
READS = "AGENT reader { OBSERVE { meter.level } }"
Row = tuple[str, str, str]


def cpu_seconds(action: Callable[[], object], times: int = 5) -> float:
    """The least CPU time of a few: what else the machine does is not counted."""

    def once() -> float:
        start = time.process_time()
        action()
        return time.process_time() - start

    return min(once() for _ in range(times))


def reading_host() -> Host:
    host = Host()
    host.sensors["meter.level"] = lambda: 1
    return host


def diary(records: int, store: Store | None = None) -> DurableRun:
    host, level = Host(), [0]

    def read_level() -> int:
        level[0] += 1
        return level[0]

    host.sensors["meter.level"] = read_level
    host.memory = {"LONG_TERM.log": list(range(records))}
    return DurableRun(parse_source(REMEMBERS), host, store=store or MemoryStore(), run_id="bench")


def long_journal(directory: Path, records: int) -> Path:
    """A run whose journal goes on with as many records as it should, of about 250 bytes."""
    diary(0, FileStore(directory)).run(max_ticks=1)
    path = directory / "wal.jsonl"
    lines = path.read_bytes().splitlines()[:2]
    previous = lines[1][-66:-2].decode("ascii")
    for n in range(2, records):
        common = {"n": n, "kind": "read", "agent": "diary", "key": "meter.level", "site": "", "tick": n}
        line, previous = seal_line(previous, {**common, "value": "x" * 80})
        lines.append(line)
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return directory


def verification_rows(run: Path) -> list[Row]:
    """Verify a journal on its bytes, and read it in full, beside nothing but the hashes."""
    store = FileStore(run)
    lines = store.records().splitlines()

    def hashes() -> None:
        link = b""
        for line in lines:
            link = sha256(link + b"\n" + line[:-SUFFIX_LENGTH]).hexdigest().encode()

    def verify() -> None:
        for _ in sound_lines(Lines(store.pieces()), store.name, store.blob):
            pass

    floor = cpu_seconds(hashes)
    readers: list[tuple[str, Callable[[], object]]] = [
        ("journal verified", verify),
        ("journal told by status", lambda: status(run)),
        ("journal read in full", lambda: read(store.records(), store.name, store.blob)),
    ]
    rows: list[Row] = []
    for name, action in readers:
        took = cpu_seconds(action)
        rows.append((name, f"{len(lines) / took:,.0f} /s", f"{took / floor:.1f} × its bare hashes"))
    return rows


def peak(action: Callable[[], object]) -> float:
    tracemalloc.start()
    action()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def length_rows(short: Path, long: Path) -> list[Row]:
    """The same of a journal and of one ten times as long: what is held, and the first screen."""
    held, more = peak(lambda: status(short)), peak(lambda: status(long))
    first, later = cpu_seconds(lambda: glance(short)), cpu_seconds(lambda: glance(long))
    return [
        ("held by status", f"{more:.1f} MB", f"{more / held:.2f} × that of a tenth of the journal"),
        (
            "first look of status",
            f"{later * 1e3:.0f} ms",
            f"{later / first:.2f} × that of a tenth of the journal",
        ),
    ]


def first_screen_row(run: Path) -> Row:
    """The command until its first screen of a long journal stands there: its CPU time, start included."""
    words = [sys.executable, "-m", "agentl", "durable", "status", "--quick", str(run)]

    def spent() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    size = (run / "wal.jsonl").stat().st_size / 1e6
    least = min(spent() for _ in range(5))
    return "agentl durable status --quick", f"{least * 1e3:.0f} ms", f"processor time, {size:.0f} MB"


def replay_row(room: Path) -> Row:
    """What `agentl replay` holds: it prints the trace and keeps none of it."""

    def held(ticks: int) -> float:
        run = DurableRun(parse_source(READS), reading_host(), store=MemoryStore(), run_id="bench")
        run.run(max_ticks=ticks)
        path = room / f"{ticks}.json"
        path.write_text(run.export().text())
        del run
        return peak(lambda: replay(path, on_trace=lambda trace: trace.keep_none()))

    held(1)  # what is loaded by the first is held by none
    short, long = held(REPLAYED_TICKS), held(REPLAYED_TICKS * TIMES_LONGER)
    return "held by replay", f"{long:.1f} MB", f"{long / short:.2f} × that of a tenth of the journal"


def checkpoint_row() -> Row:
    """A tick that stores one record, in a small memory and in a large one."""

    def tick(records: int) -> float:
        few, many = (cpu_seconds(lambda n=n: diary(records).run(max_ticks=n), 3) for n in (1, TICKS))
        return (many - few) / (TICKS - 1)

    small, large = tick(100), tick(100_000)
    return (
        "tick, 100,000 memory records",
        f"{large * 1e6:.0f} µs",
        f"{large / small:.2f} × one with 100; its checkpoint included",
    )


def journal_rows(room: Path) -> list[Row]:
    """The rows of the table."""
    short = long_journal(room / "short", LONG)
    long = long_journal(room / "long", LONG * TIMES_LONGER)
    return [
        *verification_rows(short),
        *length_rows(short, long),
        first_screen_row(long),
        replay_row(room),
        checkpoint_row(),
    ]
