"""Cells of the crash grids: a run directory, a bank, and processes that die where they are told to."""

from __future__ import annotations

import itertools
import json
import os
import queue
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import crash_table
import pytest
import till_cells

SERVER = Path(__file__).with_name("forkserver.py")
SAMPLES_SERVER = Path(__file__).with_name("samples_server.py")
GOLDEN = Path(__file__).with_name("golden")
SERVERS = 2
KILLED = -9


class ForkServer:
    """A process that has everything imported and forks a child for every attempt."""

    def __init__(self, environment: dict[str, str], script: Path = SERVER) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def run(self, attempt: dict[str, Any]) -> int:
        """Return the exit code of a child that made this attempt; negative: the signal that killed it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(attempt), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())

    def stop(self) -> None:
        self._process.communicate()


@dataclass
class Cell:
    """One run and its bank, and the attempts that were made to finish it."""

    directory: Path
    server: ForkServer
    promise: str
    exits: list[int] = field(default_factory=list)

    @property
    def run(self) -> Path:
        return self.directory / "run"

    @property
    def bank(self) -> Path:
        return self.directory / "bank.sqlite"

    def continue_from(self, other: Cell) -> None:
        """Take over run and bank of another cell as they are: nothing in them depends on where they lie."""
        shutil.copytree(other.run, self.run)
        for file in other.directory.glob("bank.sqlite*"):
            shutil.copy(file, self.directory)

    def spec(self, fault: dict[str, Any] | None = None, promise: str | None = None) -> dict[str, Any]:
        """Return what forkserver.py is told of one attempt."""
        return {
            "run": str(self.run),
            "bank": str(self.bank),
            "promise": promise or self.promise,
            "fault": fault,
            "output": str(self.directory / "told.json"),
        }

    def attempt(self, fault: dict[str, Any] | None = None, promise: str | None = None) -> bool:
        """Start or resume; tell whether the fault fired, proved by the signal that the kernel reports."""
        attempt = self.spec(fault, promise)
        code = self.server.run(attempt)
        assert code in {0, KILLED}, code
        assert fault is not None or code == 0
        self.exits.append(code)
        return code == KILLED

    @property
    def told(self) -> dict[str, Any]:
        return json.loads((self.directory / "told.json").read_text())

    def count(self, table: str, where: str = "1") -> int:
        """How many entries the bank has: it is the only witness."""
        connection = sqlite3.connect(self.bank)
        try:
            return connection.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0]  # noqa: S608
        finally:
            connection.close()


@dataclass
class SampleCell(Cell):
    """One run of a program of tests/programs, and the witness of its effects."""

    program: str = ""

    @property
    def witness(self) -> Path:
        return self.directory / "witness.sqlite"

    def spec(self, fault: dict[str, Any] | None = None, promise: str | None = None) -> dict[str, Any]:
        """Return what samples_server.py is told of one attempt."""
        told = super().spec(fault, promise)
        return {**told, "program": self.program, "witness": str(self.witness)}

    def effects(self) -> list[tuple[str, str, str]]:
        """Key, tool and arguments of everything that really happened, in order."""
        if not self.witness.exists():
            return []
        connection = sqlite3.connect(self.witness)
        try:
            return connection.execute("SELECT key, tool, arguments FROM effects ORDER BY entry").fetchall()
        finally:
            connection.close()


class Grid:
    """Makes cells and runs many of them, two at a time."""

    def __init__(self, directory: Path, servers: list[ForkServer], cell: type[Cell] = Cell) -> None:
        self._directory = directory
        self._cell = cell
        self._numbers = itertools.count()
        self._free: queue.Queue[ForkServer] = queue.Queue()
        for server in servers:
            self._free.put(server)

    def map(self, work: Callable[[Cell, Any], Any], specs: list[Any], promise: str) -> list[Any]:
        """Call `work(cell, spec)` with a fresh cell for every spec."""

        def one(spec: Any) -> Any:
            directory = self._directory / str(next(self._numbers))
            directory.mkdir()
            server = self._free.get()
            try:
                return work(self._cell(directory, server, promise), spec)
            finally:
                self._free.put(server)

        with ThreadPoolExecutor(SERVERS) as pool:
            return list(pool.map(one, specs))

    def one(self, work: Callable[[Cell], Any], promise: str) -> Any:
        return self.map(lambda cell, _: work(cell), [None], promise)[0]


def _environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "XDG_STATE_HOME": str(tmp_path_factory.mktemp("state")),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.fixture(scope="module")
def fork_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ForkServer]]:
    environment = _environment(tmp_path_factory)
    servers = [ForkServer(environment) for _ in range(SERVERS)]
    yield servers
    for server in servers:
        server.stop()


@pytest.fixture(scope="module")
def sample_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ForkServer]]:
    environment = _environment(tmp_path_factory)
    servers = [ForkServer(environment, SAMPLES_SERVER) for _ in range(SERVERS)]
    yield servers
    for server in servers:
        server.stop()


@pytest.fixture
def sample_grid(tmp_path: Path, sample_servers: list[ForkServer]) -> Iterator[Grid]:
    """A grid of sample programs, in memory where there is such a place."""
    memory = Path("/dev/shm")  # noqa: S108  # mkdtemp makes a name of its own in it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as directory:
        yield Grid(Path(directory), sample_servers, SampleCell)


@pytest.fixture
def grid(tmp_path: Path, fork_servers: list[ForkServer]) -> Grid:
    return Grid(tmp_path, fork_servers)


@pytest.fixture
def fast_grid(tmp_path: Path, fork_servers: list[ForkServer]) -> Iterator[Grid]:
    """A grid in memory where there is such a place: SIGKILL loses nothing there either."""
    memory = Path("/dev/shm")  # noqa: S108  # mkdtemp makes a name of its own in it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as directory:
        yield Grid(Path(directory), fork_servers)


@pytest.fixture
def golden() -> str:
    """The trace of an undisturbed run, written by hand."""
    return (GOLDEN / "payments.trace").read_text("utf-8")


_TABLE = crash_table.Table()


@pytest.fixture
def proof() -> Callable[..., None]:
    """Return a function that takes down how the cells of a grid, or of a part, ended: fewer is a failure."""

    def note(grid: str, ends: list[str], part: str = "") -> None:
        _TABLE.note(grid, ends, part, everything=till_cells.EVERYTHING)

    return note


def pytest_sessionfinish(exitstatus: int) -> None:
    """Write the page after a whole run in which nothing failed."""
    extent = os.environ.get("AGENTL_CRASH", "")
    if extent in crash_table.WRITTEN and not exitstatus and _TABLE:
        _TABLE.write(extent)


@pytest.fixture(scope="module")
def till_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[till_cells.Server]]:
    with till_cells.served(tmp_path_factory.mktemp("state")) as running:
        yield running


@pytest.fixture
def till_grid(tmp_path: Path, till_servers: list[till_cells.Server]) -> Iterator[till_cells.Tills]:
    with till_cells.tills(tmp_path, till_servers) as made:
        yield made
