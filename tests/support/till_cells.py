"""Cells around tests/crash/till_server.py: a run, its ledger, and attempts that break where they are told."""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from agentl.durable import read_records, status
from agentl_grammar.digest import program_digest

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "tests" / "crash" / "till_server.py"
SERVERS = 2
KILLED = -9
EVERYTHING = os.environ.get("AGENTL_CRASH") == "all"
"""`make crash`: every cell; else a bounded selection, always the same."""
TRACE = """\
[t1] TICK        tick 1
[t1] OBSERVE     queue.pending = 1
[t1] EVENT       till.opened {}
[t1] PLAN        pay is queued
[t1] PLAN        pay starts
[t1] STEP        pay / once
[t1] TOOL        book(amount=10) → {entry: 1}
[t1] PLAN        pay is done
[t2] TICK        tick 2
[t2] OBSERVE     queue.pending = 0
[t2] EVENT       money.moved {amount: 10}
[t3] TICK        tick 3
[t3] OBSERVE     queue.pending = 0
"""
"""The trace of an undisturbed run, written by hand."""


class Server:
    """A process that has everything imported and forks a child for every attempt."""

    def __init__(self, state: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PATH": os.environ["PATH"], "XDG_STATE_HOME": str(state), "PYTHONDONTWRITEBYTECODE": "1"},
        )

    def run(self, cell: dict[str, Any]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(cell), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())

    def stop(self) -> None:
        self._process.communicate()


class Till:
    """One run and its ledger."""

    def __init__(self, directory: Path, server: Server, promise: str) -> None:
        self.directory = directory
        self.promise = promise
        self.wide = False
        self._server = server

    @property
    def run(self) -> Path:
        return self.directory / "run"

    @property
    def journal(self) -> Path:
        return self.run / "wal.jsonl"

    def paths(self) -> list[str]:
        """The files of the run, and no other: faults hit nothing else."""
        names = ("wal.jsonl", "run.lock", "inbox.jsonl", "programs", f"programs/{PROGRAM}.agent")
        return [str(self.run), *(str(self.run / name) for name in names)]

    def blob_paths(self) -> list[str]:
        """The files of the large value that the event of a wide till brings, and no other."""
        names = ("blobs", f"blobs/{WIDE}", f"blobs/{WIDE}.new")
        return [str(self.run / name) for name in names]

    def attempt(self, inject: str | None = None, **options: Any) -> int:
        """Start or resume, perhaps with a fault, and return the exit code."""
        return self._server.run(
            {
                "run": str(self.run),
                "ledger": str(self.directory / "ledger"),
                "promise": self.promise,
                "wide": self.wide,
                "output": str(self.directory / "told.json"),
                "inject": inject,
                "paths": self.blob_paths() if self.wide else self.paths(),
                "trace": str(self.directory / "trace") if inject else None,
                **options,
            }
        )

    def broken(self, inject: str) -> None:
        """Make an attempt whose fault fires, as strace proves. It is killed, or ends in good order."""
        code = self.attempt(inject)
        seen = (self.directory / "trace").read_text()
        if "signal=SIGKILL" in inject:
            assert (code, "+++ killed by SIGKILL +++" in seen) == (KILLED, True), inject
        else:
            assert (code, seen.count("(INJECTED)")) == (0, 1), (inject, code)

    def calls(self, **options: Any) -> Counter[str]:
        """Make an undisturbed attempt and count its system calls on the files of the run."""
        trace = str(self.directory / "trace")
        assert self.attempt(trace=trace, **options) == 0
        return Counter(re.findall(r"^\d+ +(\w+)\(", Path(trace).read_text(), re.MULTILINE))

    @property
    def told(self) -> dict[str, Any]:
        return json.loads((self.directory / "told.json").read_text())

    @property
    def ledger(self) -> list[str]:
        path = self.directory / "ledger"
        return path.read_text().splitlines() if path.exists() else []

    def finished(self) -> str:
        """Resume until the run is done, and judge it by its ledger: `same` or `doubt`."""
        for _ in range(3):
            assert self.attempt() == 0
            if "refused" not in self.told:
                break
        told, ledger = self.told, self.ledger
        assert "refused" not in told, told
        assert len(ledger) == len(set(ledger)) <= 1
        assert not self.wide or hashlib.sha256((self.run / "blobs" / WIDE).read_bytes()).hexdigest() == WIDE
        found = status(self.run)
        assert (found.state, found.open_intents) == ("completed", ())
        assert bool(found.in_doubt) is told["in_doubt"] is ("in_doubt" in told["how"])
        assert told["in_doubt"] is ("may have happened" in told["trace"])
        events = [
            event["id"]
            for record in read_records(self.run)
            if record.kind == "drain"
            for event in record.value
        ]
        assert events.count("build:0") == 1
        assert len(events) == len(set(events))
        if told["in_doubt"]:
            assert self.promise == "none"
            return "doubt"
        assert len(ledger) == 1
        if self.promise == "idempotent":  # its tool was run to its end, and its event was delivered
            trace = re.sub(r'opened \{note: "x+….*', "opened {}", told["trace"])
            assert (trace, told["heard"]) == (TRACE, 11)
        return "same"


class Tills:
    """Makes cells and runs many of them, two at a time."""

    def __init__(self, directory: Path, servers: list[Server]) -> None:
        self._directory = directory
        self._numbers = itertools.count()
        self._free: queue.Queue[Server] = queue.Queue()
        for server in servers:
            self._free.put(server)

    def map(self, work: Callable[[Till, Any], Any], specs: list[tuple[str, Any]]) -> list[Any]:
        """Call `work(till, spec)` with a fresh till for every (promise, spec)."""

        def one(spec: tuple[str, Any]) -> Any:
            directory = self._directory / str(next(self._numbers))
            directory.mkdir()
            server = self._free.get()
            try:
                return work(Till(directory, server, spec[0]), spec[1])
            except BaseException as error:
                error.add_note(f"in the cell {spec}")
                raise
            finally:
                self._free.put(server)

        with ThreadPoolExecutor(SERVERS) as pool:
            return list(pool.map(one, specs))

    def one(self, work: Callable[[Till], Any], promise: str = "idempotent") -> Any:
        return self.map(lambda till, _: work(till), [(promise, None)])[0]


@contextmanager
def served(state: Path) -> Iterator[list[Server]]:
    servers = [Server(state) for _ in range(SERVERS)]
    try:
        yield servers
    finally:
        for server in servers:
            server.stop()


@contextmanager
def tills(directory: Path, servers: list[Server]) -> Iterator[Tills]:
    """A grid in memory where there is such a place: no fault of these loses more there."""
    memory = Path("/dev/shm")  # noqa: S108  # mkdtemp makes a name of its own in it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else directory) as room:
        yield Tills(Path(room), servers)


def _load_till() -> ModuleType:
    spec = importlib.util.spec_from_file_location("till_server", SERVER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TILL = _load_till()
"""The till itself, for attempts in this process."""
PROGRAM = program_digest(TILL.PROGRAM)
WIDE = hashlib.sha256(json.dumps(TILL.NOTE, separators=(",", ":")).encode()).hexdigest()
"""The digest of what the first event of a wide till brings."""
