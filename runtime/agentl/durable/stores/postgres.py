"""Runs in a PostgreSQL database, on any machine that reaches it (durability.md §11).

The lease of a run is a session advisory lock on the very connection that appends. When its process dies, the
socket closes and the lease is free; when it freezes, the server ends the session after
`idle_session_timeout`, and with it every later append. Whoever goes on, compare-and-swap keeps one history.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from agentl.durable import refusals
from agentl.durable.inbox import InboxHead, seal_entry
from agentl.durable.lock import Holder
from agentl.durable.stores import statements
from agentl.durable.stores.dsn import shown, spelled
from agentl.durable.stores.heartbeat import Heartbeat
from agentl.durable.stores.rows import FETCHED, Fenced, Row, RowStore, inbox_of
from agentl.errors import DurableError, StoreFailure, UsageError
from agentl_grammar.problems import Message, message_id

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

LEASE_SECONDS = 30.0
CONNECT_SECONDS = 10
_CREATING = 0x6167656E746C
"""The advisory lock under which the tables are made: two first runs may begin at once."""


class PostgresStore(RowStore):
    """One run of those in a database. The first run makes the tables, in the current schema.

    Needs the extra `agentl[postgres]`, PostgreSQL 14 or newer, and a connection of its own: a pool that lends
    a connection for one transaction would lose the lease.

    Args:
        dsn: the URL, or the keywords, of the database. Its password is never shown.
        run_id: the name of the run in it.
        lease_seconds: how long a process that stands still keeps the run.
        connect_seconds: how long a server may take to let us in; `connect_timeout` in the dsn goes before.
    """

    def __init__(
        self,
        dsn: str,
        run_id: str,
        *,
        lease_seconds: float = LEASE_SECONDS,
        connect_seconds: int = CONNECT_SECONDS,
    ) -> None:
        super().__init__(run_id)
        self._dsn = spelled(dsn)
        self._lease_seconds = lease_seconds
        self._connect_seconds = connect_seconds
        self._connection: Connection | None = None
        self._heartbeat: Heartbeat | None = None
        self._appends: psycopg.Cursor[tuple[Any, ...]] | None = None

    @classmethod
    def runs(cls, dsn: str) -> list[str]:
        """Return the names of the runs in a database, oldest first. Raises DurableError R602."""
        store = cls(dsn, "-")
        return [row[0] for row in store._read("SELECT run FROM agentl_runs ORDER BY id")]  # its own

    @property
    def name(self) -> str:
        """The address without its password, `#`, and the run, as every command takes it."""
        return f"{shown(self._dsn)}#{self._run}"

    @property
    def home(self) -> str | None:
        """The name: it says the same everywhere."""
        return self.name

    # ------------------------------------------------------------------------------------------ opening

    def open(self, *, write: bool) -> None:
        """See Store. Makes tables and run, and takes the lease, if `write`; else refuses what is no run."""
        if not write:
            if not self._read("SELECT 1 FROM agentl_runs WHERE run = %s", (self._run,)):
                raise self._no_run(Message(message_id("it holds no run of this name")))
            return
        with self._refusing():
            connection = self._connect()
            try:
                self._prepare(connection)
                self._take(connection)
            except BaseException:
                connection.close()
                raise
        self._connection = connection
        self._heartbeat = Heartbeat(lambda: connection.execute("SELECT 1"), self._lease_seconds / 3)

    def _connect(self) -> Connection:
        driver = _driver()
        try:
            told = driver.conninfo.conninfo_to_dict(self._dsn)
        except driver.ProgrammingError:
            # What the driver says of it may quote the password.
            raise self._no_run(Message(message_id("its address cannot be read"))) from None
        return driver.connect(
            self._dsn,
            autocommit=True,
            connect_timeout=told.get("connect_timeout", self._connect_seconds),
            application_name=f"agentl {os.getpid()}",
        )

    def _prepare(self, connection: Connection) -> None:
        if connection.execute("SELECT to_regclass('agentl_blobs')").fetchone() == (None,):
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_CREATING,))
                connection.execute(statements.SCHEMA)
        connection.execute("INSERT INTO agentl_runs (run) VALUES (%s) ON CONFLICT DO NOTHING", (self._run,))

    def _take(self, connection: Connection) -> None:
        connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false)"
            " WHERE current_setting('synchronous_commit') IN ('off', 'local')"
        )
        milliseconds = str(int(self._lease_seconds * 1000))
        connection.execute("SELECT set_config('idle_session_timeout', %s, false)", (milliseconds,))
        key = self._lease_key(connection)
        if connection.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchone() != (True,):
            found = self._holder(connection) or Holder(None, None)
            raise refusals.locked(self.name, found.pid, found.since)

    def _lease_key(self, connection: Connection) -> int:
        """Return the number of the lease: of this run in this table, wherever a search path leads."""
        (table,) = cast("tuple[int]", connection.execute("SELECT 'agentl_records'::regclass::oid").fetchone())
        digest = hashlib.sha256(f"{table}:{self._run}".encode("ascii")).digest()
        return int.from_bytes(digest[:8], "big", signed=True)

    @contextlib.contextmanager
    def _session(self) -> Generator[Connection]:
        """Lend the connection that is held while the run is, or a passing one."""
        with self._threads:
            if self._connection is not None:
                yield self._connection
                return
            with contextlib.closing(self._connect()) as connection:
                yield connection

    @contextlib.contextmanager
    def _refusing(self) -> Generator[None]:
        driver = _driver()
        try:
            yield
        except driver.Error as error:
            raise self._no_run(self._reason(error)) from error

    # ------------------------------------------------------------------------------------------ reading

    def _read(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; none where the tables are not made yet."""
        undefined = _driver().errors.UndefinedTable
        with self._refusing(), self._session() as connection:
            try:
                return connection.execute(query.encode("ascii"), values, binary=True).fetchall()
            except undefined:
                return []

    def _page(self, after: int) -> Sequence[tuple[int, bytes]]:
        query = "SELECT n, line FROM agentl_records WHERE run = %s AND n > %s ORDER BY n LIMIT %s"
        return self._read(query, (self._run, after, FETCHED))

    def _last_number(self) -> int:
        query = "SELECT coalesce(max(n), -1) FROM agentl_records WHERE run = %s"
        rows = self._read(query, (self._run,))
        return int(rows[0][0]) if rows else -1

    def _rows(self, after: int) -> Iterator[tuple[int, bytes]]:
        if self._connection is not None:
            yield from super()._rows(after)
            return
        # One connection for all pages: to connect costs more than to read.
        with self._refusing(), self._session() as connection:
            self._connection = connection
            try:
                yield from super()._rows(after)
            finally:
                self._connection = None

    def _entries_after(self, sequence: int) -> tuple[InboxHead, Sequence[tuple[int, bytes]]]:
        return inbox_of(self._read(statements.ENTRIES, (sequence, self._run)))

    def changed(self) -> float:
        """See Store."""
        rows = self._read(statements.CHANGED, (self._run, self._run))
        return float(rows[0][0] or 0) if rows else 0.0

    def pinned(self, digest: str) -> str | None:
        """See Store."""
        rows = self._read(
            "SELECT text FROM agentl_programs WHERE run = %s AND digest = %s", (self._run, digest)
        )
        return rows[0][0].decode("utf-8", "surrogatepass") if rows else None

    def holder(self) -> Holder | None:
        """See Store. Who it is remains unknown to a role that may not see the sessions of the other."""
        undefined = _driver().errors.UndefinedTable
        with self._refusing(), self._session() as connection:
            try:
                return self._holder(connection)
            except undefined:
                return None

    def _holder(self, connection: Connection) -> Holder | None:
        key = self._lease_key(connection) % 2**64
        found = connection.execute(statements.HOLDER, (key >> 32, key % 2**32)).fetchone()
        if found is None:
            return None
        (word, _, pid), since = str(found[0]).partition(" "), found[1]
        if word != "agentl" or not pid.isdecimal() or since is None:
            return Holder(None, None)
        return Holder(int(pid), since.isoformat(timespec="seconds"))

    # ------------------------------------------------------------------------------------------ writing

    def _holds(self) -> bool:
        return self._connection is not None and self._heartbeat is not None

    def _commit(self, previous: str, rows: Sequence[Row]) -> int:
        statement, values = statements.append(self._run, previous, rows)
        with self._session() as connection:
            if self._appends is None:
                # One for all appends: a new one would find out anew how to send each value.
                self._appends = connection.cursor()
            try:
                added = self._appends.execute(statement, values, prepare=True).fetchall()
            except _driver().errors.UniqueViolation:
                raise Fenced from None
        if len(added) != len(rows):
            raise Fenced
        return added[0][0]

    def _delete_from(self, n: int) -> None:
        with self._session() as connection:
            connection.execute("DELETE FROM agentl_records WHERE run = %s AND n >= %s", (self._run, n))

    def _remove_run(self) -> None:
        with self._session() as connection, connection.transaction():
            for statement in (
                "DELETE FROM agentl_records WHERE run = %s",
                "DELETE FROM agentl_programs WHERE run = %s",
                "DELETE FROM agentl_blobs WHERE run = %s",
                "DELETE FROM agentl_inbox WHERE run = %s",
                "DELETE FROM agentl_runs WHERE run = %s",
            ):
                connection.execute(statement, (self._run,))

    def pin(self, digest: str, text: str) -> None:
        """See Store."""
        self._must_hold()
        self._lasting(lambda: self._write_program(digest, text.encode("utf-8", "surrogatepass")))

    def _write_program(self, digest: str, data: bytes) -> None:
        statement = (
            "INSERT INTO agentl_programs (run, digest, text) VALUES (%s, %s, %s)"
            " ON CONFLICT (run, digest) DO UPDATE SET text = excluded.text"
        )
        with self._session() as connection:
            connection.execute(statement, (self._run, digest, data))

    def put_blob(self, digest: str, data: bytes) -> None:
        """See Store."""
        self._must_hold()
        self._lasting(lambda: self._write_blob(digest, data))

    def _write_blob(self, digest: str, data: bytes) -> None:
        statement = (
            "INSERT INTO agentl_blobs (run, digest, data) VALUES (%s, %s, %s)"
            " ON CONFLICT (run, digest) DO UPDATE SET data = excluded.data"
        )
        with self._session() as connection:
            connection.execute(statement, (self._run, digest, data))

    def blob(self, digest: str) -> bytes | None:
        """See Store."""
        rows = self._read("SELECT data FROM agentl_blobs WHERE run = %s AND digest = %s", (self._run, digest))
        return rows[0][0] if rows else None

    def put_in(self, entry: Mapping[str, Any]) -> bool:
        """See Store. Raises StoreFailure when the entry cannot be made to last."""
        driver = _driver()
        try:
            with self._session() as connection, connection.transaction():
                # One after the other: what is committed later must not get an earlier place.
                known = "SELECT entries, entry_h FROM agentl_runs WHERE run = %s FOR UPDATE"
                if (found := connection.execute(known, (self._run,)).fetchone()) is None:
                    raise self._no_run(Message(message_id("it holds no run of this name")))
                connection.execute("SET LOCAL synchronous_commit = on")
                return self._insert_entry(connection, InboxHead(*found), entry)
        except driver.errors.UndefinedTable:
            raise self._no_run(Message(message_id("it holds no run of this name"))) from None
        except driver.Error as error:
            raise refusals.store_failed(self.name, self._reason(error)) from error

    def _insert_entry(self, connection: Connection, head: InboxHead, entry: Mapping[str, Any]) -> bool:
        line, new = seal_entry(head, entry)
        values = {"run": self._run, "n": new.n, "id": entry["id"], "entry": line}
        if connection.execute(statements.PUT_IN, values).rowcount != 1:
            return False
        connection.execute(
            "UPDATE agentl_runs SET entries = %s, entry_h = %s WHERE run = %s", (new.n, new.h, self._run)
        )
        return True

    # ------------------------------------------------------------------------------------------ leaving

    def _failure(self, error: Exception) -> StoreFailure | None:
        return (
            refusals.store_failed(self.name, self._reason(error))
            if isinstance(error, _driver().Error)
            else None
        )

    def _reason(self, error: Exception) -> Message:
        """Return the first line of an error, without a password that it may quote."""
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        password = _driver().conninfo.conninfo_to_dict(self._dsn).get("password")
        return Message("{reason}", {"reason": text.replace(str(password), "***") if password else text})

    def _no_run(self, why: Message) -> DurableError:
        return refusals.no_such_run(self.name, why)

    def _leave(self) -> None:
        heartbeat, self._heartbeat = self._heartbeat, None
        self._appends = None
        connection, self._connection = self._connection, None
        if heartbeat is not None:
            heartbeat.stop()
        if connection is not None:
            with contextlib.suppress(_driver().Error):  # a session ends a moment after its connection
                connection.execute("SELECT pg_advisory_unlock_all()")
            connection.close()

    def _disown(self) -> None:
        """Leave the parent its socket: a goodbye through it would end the parent's session."""
        connection, self._connection, self._heartbeat, self._appends = self._connection, None, None, None
        if connection is not None:
            nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            os.dup2(nowhere, connection.fileno(), inheritable=False)
            os.close(nowhere)
            _of_parents.append(connection)


_of_parents: list[Connection] = []
"""Connections that a forked child must neither use nor close."""


def _driver() -> Any:
    """Return psycopg. Raises UsageError U117 when the extra is not installed."""
    try:
        import psycopg  # noqa: PLC0415  # an extra: only who keeps runs in PostgreSQL has it
    except ImportError as error:
        raise UsageError(
            "U117",
            Message(message_id("PostgreSQL needs the extra agentl[postgres]")),
            action=Message(message_id("install it: pip install 'agentl[postgres]'")),
        ) from error
    return psycopg
