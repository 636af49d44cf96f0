"""One place for each kind of store; PostgreSQL is real, one server for each process of the tests."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import postgres_server
import psycopg
import pytest

from agentl.durable import FileStore, MemoryStore, PostgresStore, SQLiteStore, Store

_numbers = itertools.count()


@pytest.fixture(scope="session")
def server() -> Iterator[postgres_server.Server]:
    running = postgres_server.start()
    yield running
    running.stop()


@pytest.fixture
def database(server: postgres_server.Server) -> str:
    """The address of a database that nobody used."""
    name = f"test{next(_numbers)}"
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.dsn(name)


@pytest.fixture
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Return the address of the run `run1` in a store of a kind."""

    def make(kind: str) -> str:
        if kind == "postgres":
            return request.getfixturevalue("database") + "#run1"
        return str(tmp_path / "run") if kind == "file" else f"{tmp_path / 'runs.db'}#run1"

    return make


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Callable[[], Store]]:
    """Return, for a kind, what opens the same place anew."""

    def make(kind: str) -> Callable[[], Store]:
        if kind == "memory":
            memory = MemoryStore()
            return lambda: memory
        if kind == "postgres":
            dsn = request.getfixturevalue("database")
            return lambda: PostgresStore(dsn, "run1")
        if kind == "sqlite":
            return lambda: SQLiteStore(tmp_path / "runs.db", "run1")
        return lambda: FileStore(tmp_path / "run")

    return make
