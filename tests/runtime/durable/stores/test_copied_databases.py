"""A database that was copied on its server: the copies of its runs do not go on where these went further."""

import socket

import psycopg
import pytest

from agentl.durable import DurableError, FileStore, PostgresStore
from agentl.durable.heads import note_head, together

pytestmark = pytest.mark.needs("postgres")


@pytest.fixture
def copy(server, database):
    """Return what makes a copy of the database and returns its address."""

    def make() -> str:
        name = database.rpartition("/")[2]
        with psycopg.connect(server.dsn(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}_copy TEMPLATE {name}")
        return f"{database}_copy"

    return make


def test_a_copy_is_refused_once_the_run_went_on(durable, bank, crash, database, copy) -> None:
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host("none"), store=PostgresStore(database, "run1")).run()
    copied = copy()
    durable(bank.host("none"), store=PostgresStore(database, "run1")).run()
    with pytest.raises(DurableError) as refusal:
        durable(bank.host("none"), store=PostgresStore(copied, "run1")).run()
    assert refusal.value.code == "R207"
    assert len(bank.calls) == 1


def test_one_database_by_two_names_is_no_copy(durable, bank, crash, database) -> None:
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host("none"), store=PostgresStore(database, "run1")).run()
    other = database.replace("127.0.0.1", "localhost")
    durable(bank.host("none"), store=PostgresStore(other, "run1")).run()
    durable(bank.host("none"), store=PostgresStore(database, "run1")).run()


@pytest.fixture
def silent(monkeypatch):
    """The address of a server that lets nobody in and sends nobody away, and how long it is waited for."""
    connect, seconds = psycopg.connect, []

    def noted(dsn: str, **options) -> psycopg.Connection:
        seconds.append(options["connect_timeout"])
        return connect(dsn, **options)

    monkeypatch.setattr(psycopg, "connect", noted)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"postgresql://agentl@127.0.0.1:{listening.getsockname()[1]}/runs", seconds


def test_a_place_that_does_not_answer_is_asked_once_and_not_for_long(
    durable, bank, crash, tmp_path, silent
) -> None:
    (address, seconds), store = silent, FileStore(tmp_path / "run")
    bank.after = [crash()]
    run = durable(bank.host(), store=store)
    with pytest.raises(crash):
        run.run()
    with together() as alone:
        note_head(f"{address}#run1", run.journal.records, alone=alone)
    again = durable(bank.host(), store=store)
    again.run()
    assert again.status.state == "completed"
    assert seconds == [2]


def test_an_address_says_how_long_to_wait_for_its_server(silent) -> None:
    address, seconds = silent
    with pytest.raises(DurableError) as refusal:
        PostgresStore(f"{address}?connect_timeout=2", "run1").records()
    assert refusal.value.code == "R602"
    assert seconds == ["2"]
