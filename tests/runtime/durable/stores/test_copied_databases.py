"""A database that was copied on its server: the copies of its runs do not go on where these went further."""

import psycopg
import pytest

from agentl.durable import DurableError, PostgresStore

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
