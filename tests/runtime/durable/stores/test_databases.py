"""What is particular to SQLite and PostgreSQL (durability.md §11)."""

import re
import sqlite3
import sys
import threading
import time
from pathlib import Path

import psycopg
import pytest
from store_kinds import POSTGRES

from agentl.durable import DurableError, PostgresStore, SQLiteStore, StoreFailure, status
from agentl.durable.sending import cancel_run
from agentl.durable.stores.dsn import shown
from agentl.durable.stores.sqlite import journal_mode
from agentl.durable.testing import chained
from agentl.errors import UsageError

DATABASES = ["sqlite", POSTGRES]


@pytest.mark.parametrize(
    ("version", "mode"),
    [((3, 40, 1), "truncate"), ((3, 51, 2), "truncate"), ((3, 51, 3), "wal"), ((4, 0, 0), "wal")],
)
def test_sqlite_uses_wal_mode_only_where_it_cannot_corrupt(version: tuple[int, ...], mode: str) -> None:
    assert journal_mode(version) == mode


def test_a_sqlite_store_syncs_every_commit(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "runs.db", "run1")
    store.open(write=True)
    with store._session() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == (journal_mode(),)
    store.close()


def test_a_sqlite_database_and_its_lock_are_for_their_owner_alone(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "deep" / "runs.db", "run1")
    store.open(write=True)
    store.close()
    assert {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "deep").iterdir()}.items() >= {
        "runs.db": 0o600,
        "runs.db.lock": 0o600,
    }.items()
    assert (tmp_path / "deep").stat().st_mode & 0o777 == 0o700


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letters.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE letters (text)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(DurableError, match="letters") as refusal:
        SQLiteStore(path, "run1").open(write=True)
    assert refusal.value.code == "R602"
    assert path.read_bytes() == before


def test_to_read_a_sqlite_run_changes_no_byte(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    store = SQLiteStore(path, "run1")
    store.open(write=True)
    for n, previous, line in chained(3):
        store.append(n, previous, line, sync=True)
    store.close()
    before = path.read_bytes()
    reader = SQLiteStore(path, "run1")
    reader.open(write=False)
    assert reader.records().count(b"\n") == 3
    assert (list(reader.entries()), reader.pinned("a" * 64), reader.holder()) == ([], None, None)
    assert path.read_bytes() == before


def test_a_writer_waits_for_another_process_that_holds_the_database(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    store = SQLiteStore(path, "run1")
    store.open(write=True)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.5, lambda: other.execute("COMMIT")).start()
    for n, previous, line in chained(1):
        store.append(n, previous, line, sync=True)
    store.close()
    other.close()
    assert SQLiteStore(path, "run1").records() != b""


def test_a_removed_run_leaves_no_byte_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    for run, secret in (("run1", "tulip"), ("run2", "orchid")):
        store = SQLiteStore(path, run)
        store.open(write=True)
        store.pin("a" * 64, secret * 1000)
        store.put_in({"id": secret})
        store.close()
    store.close()
    gone = SQLiteStore(path, "run1")
    gone.open(write=True)
    gone.remove()
    gone.close()
    assert SQLiteStore.runs(path) == ["run2"]
    assert b"tulip" not in path.read_bytes()
    assert b"orchid" in path.read_bytes()


def store_in(kind: str, request: pytest.FixtureRequest, run: str) -> SQLiteStore | PostgresStore:
    if kind == "postgres":
        return PostgresStore(request.getfixturevalue("one_database"), run)
    return SQLiteStore(request.getfixturevalue("tmp_path") / "runs.db", run)


@pytest.fixture
def one_database(database: str) -> str:
    return database


@pytest.mark.parametrize("kind", DATABASES)
def test_runs_of_one_database_know_nothing_of_each_other(kind: str, request: pytest.FixtureRequest) -> None:
    stores = [store_in(kind, request, run) for run in ("a", "b")]
    for count, store in enumerate(stores, 1):
        store.open(write=True)
        store.put_in({"id": "same"})
        for n, previous, line in chained(count):
            store.append(n, previous, line, sync=True)
    for count, store in enumerate(stores, 1):
        assert store.records().count(b"\n") == count
        assert list(store.entries()) == [{"id": "same"}]
        assert store.holder() is not None
        store.close()
    place = stores[0].path if isinstance(stores[0], SQLiteStore) else request.getfixturevalue("one_database")
    assert type(stores[0]).runs(place) == ["a", "b"]


@pytest.mark.parametrize("count", [2, 40], ids=["a-record", "many-records"])
@pytest.mark.parametrize("kind", DATABASES)
def test_a_holder_whose_run_another_one_has_gone_on_with_is_fenced(
    kind: str, count: int, request: pytest.FixtureRequest
) -> None:
    store, zombie = store_in(kind, request, "a"), store_in(kind, request, "a")
    first, *waiting, last = chained(count)
    store.open(write=True)
    store.append(*first, sync=True)
    with store._session() as connection:
        zombie._connection = connection  # as if the lease had not kept it out
        zombie._holds = lambda: True
        for record in waiting:
            zombie.append(*record, sync=False)
        zombie.append(*last, sync=True)
        zombie._connection = None
    for record in waiting:
        store.append(*record, sync=False)
    with pytest.raises(StoreFailure, match="another process has gone on"):
        store.append(*last, sync=True)
    with pytest.raises(StoreFailure, match="an earlier write failed"):
        store.append(*last, sync=True)
    store.close()
    assert store.records().count(b"\n") == count


@pytest.mark.parametrize("count", [1, 40], ids=["a-record", "many-records"])
def test_nothing_is_added_behind_a_record_that_is_gone(count: int, database: str) -> None:
    store = PostgresStore(database, "a")
    first, second, *waiting, last = chained(count + 2)
    store.open(write=True)
    store.append(*first, sync=True)
    store.append(*second, sync=True)
    store._delete_from(1)
    for record in waiting:
        store.append(*record, sync=False)
    with pytest.raises(StoreFailure, match="another process has gone on"):
        store.append(*last, sync=True)
    store.close()
    assert store.records().count(b"\n") == 1


# ------------------------------------------------------------------------------------------ PostgreSQL alone


@pytest.mark.parametrize(
    ("dsn", "seen"),
    [
        ("postgresql://ann:tulip@db:5432/runs", "postgresql://ann@db:5432/runs"),
        ("postgres://ann:tu/li?p@tulip@db/runs?sslmode=require", "postgres://ann@db/runs"),
        ("postgresql://db/runs?password=tulip&user=ann", "postgresql://db/runs?user=ann"),
        ("postgresql:///runs?host=/run/pg&sslpassword=tulip", "postgresql:///runs?host=/run/pg"),
        ("postgresql://db/runs?password=tulip&user=a@b", "postgresql://b"),
        ("host=db password=tulip dbname=runs", "host=db dbname=runs"),
        ("host=db password = 'tu lip' dbname=runs", "host=db dbname=runs"),
    ],
)
def test_an_address_is_shown_without_its_password(dsn: str, seen: str) -> None:
    assert shown(dsn) == seen
    assert "tulip" not in PostgresStore(dsn, "run1").name


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://ann:tulip@127.0.0.1:1/runs",
        "postgresql://ann:tu/tulip@127.0.0.1:1/runs",
        "postgresql://ann:tulip@127.0.0.1:tulip/runs",
        "host=127.0.0.1 port=1 password=tulip nonsense",
    ],
)
def test_no_refusal_quotes_a_password(dsn: str) -> None:
    with pytest.raises(DurableError) as refusal:
        PostgresStore(dsn, "run1").open(write=True)
    assert refusal.value.code == "R602"
    assert "ann:tulip" not in f"{refusal.value} {refusal.value.place} {refusal.value.action}"
    assert "password" not in str(refusal.value)


def test_without_the_extra_a_postgres_run_is_refused_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UsageError) as refusal:
        PostgresStore("postgresql://db/runs", "run1").open(write=True)
    assert refusal.value.code == "U117"
    assert "pip install 'agentl[postgres]'" in str(refusal.value.action)


@pytest.mark.needs("postgres")
def test_a_database_that_does_not_sync_its_commits_does_so_for_a_journal(database: str) -> None:
    name = database.rpartition("/")[2]
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
    store = PostgresStore(database, "run1")
    store.open(write=True)
    with store._session() as connection:
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
        assert connection.execute("SHOW idle_session_timeout").fetchone() == ("30s",)
    store.close()


@pytest.mark.needs("postgres")
def test_an_idle_holder_keeps_its_lease_by_its_heartbeat(database: str) -> None:
    store = PostgresStore(database, "run1", lease_seconds=4)
    store.open(write=True)
    time.sleep(6)
    for n, previous, line in chained(1):
        store.append(n, previous, line, sync=True)
    store.close()


@pytest.mark.needs("postgres")
def test_a_holder_whose_session_the_server_ended_is_refused(database: str) -> None:
    store = PostgresStore(database, "run1")
    store.open(write=True)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'agentl %'"
        )
    (first,) = chained(1)
    with pytest.raises(StoreFailure) as refusal:
        store.append(*first, sync=True)
    assert refusal.value.code == "R601"
    store.close()
    assert store.records() == b""


@pytest.fixture
def locked(server, database: str) -> str:
    """The address of the database for a role that must give a password, with a wrong one."""
    rules = server.directory / "data" / "pg_hba.conf"
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS locked")
        connection.execute("CREATE ROLE locked LOGIN PASSWORD 'the right one'")
        rules.write_text("host all locked 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
        connection.execute("SELECT pg_reload_conf()")
        wanted = "SELECT count(*) FROM pg_hba_file_rules WHERE user_name = '{locked}'"
        assert connection.execute(wanted).fetchone() != (0,)
    return re.sub(r"//\w+@", "//locked:tulip@", database)


@pytest.mark.needs("postgres")
def test_a_server_that_refuses_a_password_is_told_without_it(locked: str) -> None:
    shut = re.sub(r":\d+/", ":1/", locked)
    keywords = "host=127.0.0.1 port={} dbname={} user=locked password=tulip".format(
        *re.search(r":(\d+)/(\w+)", locked).groups()
    )
    for address, why in (
        (locked, "password authentication failed"),
        (keywords, "password auth"),
        (shut, "refused"),
    ):
        for attempt in (
            lambda address=address: PostgresStore(address, "run1").open(write=True),
            lambda address=address: PostgresStore(address, "run1").open(write=False),
            lambda address=address: PostgresStore.runs(address),
        ):
            with pytest.raises(DurableError, match=why) as refusal:
                attempt()
            assert refusal.value.code == "R602"
            assert "tulip" not in f"{refusal.value} {refusal.value.action} {refusal.value.place}"


@pytest.mark.needs("postgres")
def test_a_scheme_in_large_letters_reaches_the_same_database(database: str) -> None:
    store = PostgresStore(database.replace("postgresql", "POSTGRESQL"), "run1")
    store.open(write=True)
    store.close()
    assert PostgresStore.runs(database) == ["run1"]
    assert store.name == f"{database}#run1"


@pytest.mark.parametrize("kind", DATABASES)
def test_an_action_asks_for_no_cancellation_between_its_records(  # noqa: PLR0913, PLR0917  # all are fixtures
    kind: str, request: pytest.FixtureRequest, durable, bank, payer, monkeypatch
) -> None:
    """The append tells whether anything was put in; a query of its own before every action told the same."""
    asked: list[int] = []
    store = store_in(kind, request, "run1")
    entries = store._entries_after

    def counted(after: int) -> object:
        asked.append(after)
        return entries(after)

    monkeypatch.setattr(store, "_entries_after", counted)
    host, seen = bank.host(), []
    transfer = host.tools["transfer"]
    host.tools["transfer"] = lambda amount: seen.append(len(asked)) or transfer(amount)
    twice = payer.replace("transfer(amount = 10)", "transfer(amount = 10) transfer(amount = 20)")
    durable(host, twice, store=store).run()
    assert len(seen) == 2
    assert seen[0] == seen[1]


@pytest.mark.parametrize("kind", DATABASES)
def test_what_was_cancelled_between_two_appends_is_not_performed(
    kind: str, request: pytest.FixtureRequest, durable, bank
) -> None:
    """A sensor that takes its time: the intent is there when it is noticed, and the money is not moved."""
    host = bank.host("none")
    host.sensors["queue.pending"] = lambda: cancel_run(store_in(kind, request, "run1"), who="ada") and 1
    with pytest.raises(DurableError) as refusal:
        durable(host, store=store_in(kind, request, "run1")).run()
    assert refusal.value.code == "R502"
    assert bank.calls == []
    found = status(store_in(kind, request, "run1"))
    assert (found.state, found.open_intents, found.in_doubt) == ("cancelled", (), ())


@pytest.fixture
def said(monkeypatch) -> list[str]:
    """The first words of what is said to a database, the heartbeat's aside; of SQLite once it is traced."""
    words, execute = [], psycopg.Cursor.execute

    def noted(cursor: psycopg.Cursor, query: str | bytes, *values, **options) -> psycopg.Cursor:
        if query != "SELECT 1":
            text = query.decode("ascii") if isinstance(query, bytes) else query
            words.append(text.split(maxsplit=1)[0])
        return execute(cursor, query, *values, **options)

    monkeypatch.setattr(psycopg.Cursor, "execute", noted)
    return words


@pytest.mark.parametrize("kind", DATABASES)
def test_an_append_says_no_more_than_it_must(kind: str, request: pytest.FixtureRequest, said) -> None:
    """PostgreSQL hears one statement for all rows, in one exchange; SQLite asks where the run stands."""
    store = store_in(kind, request, "run1")
    first, *waiting, last = chained(4)
    store.open(write=True)
    store.append(*first, sync=True)
    said.clear()
    if isinstance(store, SQLiteStore):
        with store._session() as connection:
            connection.set_trace_callback(lambda statement: said.append(statement.split()[0]))
    for record in waiting:
        store.append(*record, sync=False)
    assert said == []
    store.append(*last, sync=True)
    assert said == {"postgres": ["INSERT"], "sqlite": ["BEGIN", "SELECT", *["INSERT"] * 3, "COMMIT"]}[kind]
    store.close()
