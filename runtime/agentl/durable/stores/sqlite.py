"""Runs in one SQLite database (durability.md §11)."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from agentl.durable import refusals
from agentl.durable.chain import START
from agentl.durable.files import make_directory, open_private, sync_directory
from agentl.durable.inbox import InboxHead, seal_entry
from agentl.durable.lock import Holder, RunLock, holder
from agentl.durable.stores.rows import FETCHED, Fenced, Row, RowStore, inbox_of
from agentl.errors import DurableError, StoreFailure
from agentl_grammar.problems import Message, message_id

WAL_SINCE = (3, 51, 3)
"""Older ones can corrupt a database in WAL mode when two processes checkpoint it at once."""
SCHEMA_VERSION = 2
_BUSY_SECONDS = 15.0
# A record is long, and comes last: in a table with row ids a commit writes fewer pages for it.
_SCHEMA = """
CREATE TABLE agentl_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL UNIQUE,
  entries INTEGER NOT NULL DEFAULT 0, entry_h TEXT NOT NULL DEFAULT ''
);
CREATE TABLE agentl_records (
  run INTEGER NOT NULL, n INTEGER NOT NULL, h TEXT NOT NULL, line BLOB NOT NULL,
  at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (run, n)
);
CREATE TABLE agentl_programs (
  run INTEGER NOT NULL, digest TEXT NOT NULL, text BLOB NOT NULL, PRIMARY KEY (run, digest)
) WITHOUT ROWID;
CREATE TABLE agentl_inbox (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, id TEXT NOT NULL, entry BLOB NOT NULL,
  at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, UNIQUE (run, id)
);
"""
_BLOBS = """
CREATE TABLE IF NOT EXISTS agentl_blobs (
  run INTEGER NOT NULL, digest TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (run, digest)
)
"""
"""Not in the schema: databases that were made before it get it with their next run."""


_ENTRIES = """
SELECT r.entries, r.entry_h, i.sequence, i.entry
FROM agentl_runs r LEFT JOIN agentl_inbox i ON i.run = r.id AND i.sequence > ?
WHERE r.id = ? ORDER BY i.sequence
"""
_HEADS = """
SELECT r.entries, coalesce(a.n, -1), coalesce(a.h, '')
FROM agentl_runs r LEFT JOIN agentl_records a ON a.run = r.id WHERE r.id = ? ORDER BY a.n DESC LIMIT 1
"""
"""How far the inbox of a run goes, then its journal."""
_CHANGED = """
SELECT strftime('%s', max(at)) FROM (
  SELECT at FROM (SELECT at FROM agentl_records WHERE run = ? ORDER BY n DESC LIMIT 1)
  UNION ALL SELECT at FROM (SELECT at FROM agentl_inbox WHERE run = ? ORDER BY sequence DESC LIMIT 1)
)
"""


def journal_mode(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> str:
    """Return the journal mode that is safe with a version of SQLite."""
    return "wal" if version >= WAL_SINCE else "truncate"


class SQLiteStore(RowStore):
    """One run of those in a database, which is made when the first run begins.

    Args:
        path: the database; beside it lies `<path>.lock`, in which every run has its own bytes.
        run_id: the name of the run in it.
    """

    def __init__(self, path: str | Path, run_id: str) -> None:
        super().__init__(run_id)
        self.path = Path(path)
        self._number: int | None = None
        self._lock: RunLock | None = None
        self._connection: sqlite3.Connection | None = None
        self._known_schema = False

    @classmethod
    def runs(cls, path: str | Path) -> list[str]:
        """Return the names of the runs in a database, oldest first. Raises DurableError R602, R204."""
        store = cls(path, "-")
        return [row[0] for row in store._read("SELECT run FROM agentl_runs ORDER BY id")]  # its own

    @property
    def name(self) -> str:
        """`file.db#run`, as every command takes it."""
        return f"{self.path}#{self._run}"

    @property
    def base(self) -> Path | None:
        """The directory in which the database lies."""
        return self.path.parent

    @property
    def home(self) -> str | None:
        """The name, with the path from the root."""
        return f"{os.fsdecode(self.path.resolve())}#{self._run}"

    # ------------------------------------------------------------------------------------------ opening

    def open(self, *, write: bool) -> None:
        """See Store. Makes database and run, and takes the lock, if `write`; else refuses what is no run."""
        if not write:
            if self._id() is None:
                raise self._not_a_run(Message(message_id("it holds no run of this name")))
            return
        try:
            self._refuse_no_file()
            if not self.path.exists():
                make_directory(self.path.parent)
                os.close(open_private(self.path, os.O_RDWR | os.O_CREAT))
                sync_directory(self.path.parent)
            connection = self._connect(write=True)
            try:
                self._take(connection)
            except BaseException:
                connection.close()
                raise
        except (OSError, sqlite3.Error) as error:
            raise self._not_a_run(_reason(error)) from error
        self._connection = connection

    def _refuse_no_file(self) -> None:
        """Raise R602 for a pipe or a device: nobody waits for its other end."""
        if self.path.exists() and not self.path.is_file():
            why = Message(message_id("{name} is not a plain file"), {"name": self.path.name})
            raise self._not_a_run(why)

    def _take(self, connection: sqlite3.Connection) -> None:
        self._prepare(connection)
        lock = RunLock(self._lock_path, self._register(connection))
        if not lock.acquire():
            found = self.holder() or Holder(None, None)
            raise refusals.locked(self.name, found.pid, found.since)
        self._lock = lock

    @property
    def _lock_path(self) -> Path:
        return self.path.with_name(f"{self.path.name}.lock")

    def _prepare(self, connection: sqlite3.Connection) -> None:
        if not self._has_schema(connection):
            with _transaction(connection):
                if not self._has_schema(connection):
                    for statement in _SCHEMA.split(";"):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute(_BLOBS)

    def _register(self, connection: sqlite3.Connection) -> int:
        if (number := self._id()) is None:
            with _transaction(connection):
                connection.execute("INSERT OR IGNORE INTO agentl_runs (run) VALUES (?)", (self._run,))
            number = cast("int", self._id())
        return number

    def _has_schema(self, connection: sqlite3.Connection) -> bool:
        if self._known_schema:
            return True
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        if not tables:
            return False
        if "agentl_runs" not in tables:
            why = Message(message_id("it holds other things ({name})"), {"name": tables[0]})
            raise self._not_a_run(why)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA_VERSION:
            raise refusals.unknown_format(self.name, 0, f"SQLite schema {version}")
        self._known_schema = True
        return True

    @contextlib.contextmanager
    def _session(self) -> Generator[sqlite3.Connection]:
        """Lend the connection that is held while the run is, or a passing one."""
        with self._threads:
            if self._connection is not None:
                yield self._connection
                return
            connection = self._connect(write=False)
            try:
                yield connection
            finally:
                connection.close()

    def _connect(self, *, write: bool) -> sqlite3.Connection:
        # Not read-only: a reader may have to roll a crashed writer's transaction back before it can read.
        uri = f"{self.path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(
            uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            wanted, (mode,) = journal_mode(), connection.execute("PRAGMA journal_mode").fetchone()
            # To enter WAL mode changes the database, and is for writers; to leave an unsafe one is for all.
            if mode != wanted and (write or wanted != "wal"):
                connection.execute(f"PRAGMA journal_mode = {wanted}")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA fullfsync = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    # ------------------------------------------------------------------------------------------ reading

    def _read(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; none where there is no database yet."""
        self._refuse_no_file()
        if not self.path.exists():
            return []
        try:
            with self._session() as connection:
                if not self._has_schema(connection):
                    return []
                return connection.execute(query, values).fetchall()
        except (OSError, sqlite3.Error) as error:
            raise self._not_a_run(_reason(error)) from error

    def _id(self) -> int | None:
        if self._number is None:
            rows = self._read("SELECT id FROM agentl_runs WHERE run = ?", (self._run,))
            self._number = rows[0][0] if rows else None
        return self._number

    def _page(self, after: int) -> Sequence[tuple[int, bytes]]:
        query = "SELECT n, line FROM agentl_records WHERE run = ? AND n > ? ORDER BY n LIMIT ?"
        return self._read(query, (self._id(), after, FETCHED))

    def _last_number(self) -> int:
        query = "SELECT coalesce(max(n), -1) FROM agentl_records WHERE run = ?"
        rows = self._read(query, (self._id(),))
        return int(rows[0][0]) if rows else -1

    def _entries_after(self, sequence: int) -> tuple[InboxHead, Sequence[tuple[int, bytes]]]:
        return inbox_of(self._read(_ENTRIES, (sequence, self._id())))

    def changed(self) -> float:
        """See Store."""
        rows = self._read(_CHANGED, (self._id(), self._id()))
        return float(rows[0][0] or 0) if rows else 0.0

    def pinned(self, digest: str) -> str | None:
        """See Store."""
        query = "SELECT text FROM agentl_programs WHERE run = ? AND digest = ?"
        rows = self._read(query, (self._id(), digest))
        return rows[0][0].decode("utf-8", "surrogatepass") if rows else None

    def holder(self) -> Holder | None:
        """See Store."""
        number = self._id()
        return None if number is None else holder(self._lock_path, number)

    # ------------------------------------------------------------------------------------------ writing

    def _holds(self) -> bool:
        return self._lock is not None and self._lock.held

    @contextlib.contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        with self._session() as connection, _transaction(connection):
            yield connection

    def _commit(self, previous: str, rows: Sequence[Row]) -> int:
        number = self._id()
        with self._writing() as connection:
            entries, last, h = connection.execute(_HEADS, (number,)).fetchone() or (0, -1, START)
            if (last, h) != (rows[0].n - 1, previous):
                raise Fenced
            connection.executemany(
                "INSERT INTO agentl_records (run, n, h, line) VALUES (?, ?, ?, ?)",
                [(number, *row) for row in rows],
            )
        return entries

    def _delete_from(self, n: int) -> None:
        with self._writing() as connection:
            connection.execute("DELETE FROM agentl_records WHERE run = ? AND n >= ?", (self._id(), n))

    def _remove_run(self) -> None:
        with self._session() as connection:
            # What is deleted is also overwritten: a pruned run leaves nothing in the file.
            connection.execute("PRAGMA secure_delete = ON")
        with self._writing() as connection:
            for table in ("agentl_records", "agentl_programs", "agentl_blobs", "agentl_inbox"):
                connection.execute(f"DELETE FROM {table} WHERE run = ?", (self._id(),))  # noqa: S608  # our own names
            connection.execute("DELETE FROM agentl_runs WHERE id = ?", (self._id(),))
        self._number = None

    def pin(self, digest: str, text: str) -> None:
        """See Store."""
        self._must_hold()
        self._lasting(lambda: self._write_program(digest, text.encode("utf-8", "surrogatepass")))

    def _write_program(self, digest: str, data: bytes) -> None:
        statement = "INSERT OR REPLACE INTO agentl_programs (run, digest, text) VALUES (?, ?, ?)"
        with self._writing() as connection:
            connection.execute(statement, (self._id(), digest, data))

    def put_blob(self, digest: str, data: bytes) -> None:
        """See Store."""
        self._must_hold()
        self._lasting(lambda: self._write_blob(digest, data))

    def _write_blob(self, digest: str, data: bytes) -> None:
        statement = "INSERT OR REPLACE INTO agentl_blobs (run, digest, data) VALUES (?, ?, ?)"
        with self._writing() as connection:
            connection.execute(statement, (self._id(), digest, data))

    def blob(self, digest: str) -> bytes | None:
        """See Store."""
        query = "SELECT data FROM agentl_blobs WHERE run = ? AND digest = ?"
        rows = self._read(query, (self._id(), digest))
        return rows[0][0] if rows else None

    def put_in(self, entry: Mapping[str, Any]) -> bool:
        """See Store. Raises StoreFailure when the entry cannot be made to last."""
        number = self._id()
        if number is None:
            raise self._not_a_run(Message(message_id("it holds no run of this name")))
        try:
            with self._writing() as connection:
                return self._insert_entry(connection, number, entry)
        except sqlite3.Error as error:
            raise refusals.store_failed(self.name, _reason(error)) from error

    def _insert_entry(self, connection: sqlite3.Connection, number: int, entry: Mapping[str, Any]) -> bool:
        head = "SELECT entries, entry_h FROM agentl_runs WHERE id = ?"
        line, new = seal_entry(InboxHead(*connection.execute(head, (number,)).fetchone()), entry)
        statement = "INSERT OR IGNORE INTO agentl_inbox (run, id, entry) VALUES (?, ?, ?)"
        if connection.execute(statement, (number, entry["id"], line)).rowcount != 1:
            return False
        connection.execute(
            "UPDATE agentl_runs SET entries = ?, entry_h = ? WHERE id = ?", (new.n, new.h, number)
        )
        return True

    def _failure(self, error: Exception) -> StoreFailure | None:
        return refusals.store_failed(self.name, _reason(error)) if isinstance(error, sqlite3.Error) else None

    def _not_a_run(self, why: Message) -> DurableError:
        return refusals.no_such_run(self.name, why)

    def _leave(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()

    def _disown(self) -> None:
        _of_parents.append(self._connection)
        self._connection = None


_of_parents: list[sqlite3.Connection | None] = []
"""Connections that a forked child must neither use nor close: SQLite forbids both."""


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Generator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _reason(error: OSError | sqlite3.Error) -> Message:
    text = error.strerror if isinstance(error, OSError) else str(error)
    return Message("{reason}", {"reason": text or type(error).__name__})
