"""The world of payments.agent: a company with one open order, and the bank that pays it.

The bank is a SQLite file. Its tables `ledger` and `notices` are the only witnesses of what happened.

    AGENTL_BANK        path of that file (default: bank.sqlite beside this script)
    PAYMENTS_PROMISE   what the bank promises: idempotent (default), reconcilable, or none
    PAYMENTS_DELAY     seconds the bank takes to confirm after the money moved (default 0)
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentl import NOT_EXECUTED, Host, current_action

PROMISES = ("idempotent", "reconcilable", "none")

SCHEMA = """
CREATE TABLE orders  (id TEXT PRIMARY KEY, account TEXT, amount REAL, paid INTEGER NOT NULL DEFAULT 0);
CREATE TABLE ledger  (entry INTEGER PRIMARY KEY, key TEXT NOT NULL, "order" TEXT, account TEXT, amount REAL);
CREATE TABLE notices (entry INTEGER PRIMARY KEY, key TEXT NOT NULL, recipient TEXT, text TEXT);
INSERT INTO orders (id, account, amount) VALUES ('order-7', 'NL-0042', 250);
"""


class Bank:
    """Books transfers and notices. With `by_key`, a key that was booked before is not booked again."""

    def __init__(self, path: str | Path, *, by_key: bool, delay: float = 0) -> None:
        self.path = path
        self.by_key = by_key
        self.delay = delay
        with self._transaction() as bank:
            if not bank.execute("SELECT name FROM sqlite_master").fetchone():
                for statement in SCHEMA.strip().splitlines():
                    bank.execute(statement)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self.path, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        finally:
            connection.close()

    def _one(self, query: str, *values: object) -> tuple | None:
        with self._transaction() as bank:
            return bank.execute(query, values).fetchone()

    def pending(self) -> int:
        """How many orders the bank has not confirmed yet."""
        return self._one("SELECT count(*) FROM orders WHERE NOT paid")[0]

    def next_order(self) -> dict | None:
        """The oldest of them."""
        row = self._one("SELECT id, account, amount FROM orders WHERE NOT paid ORDER BY id")
        return row and dict(zip(("id", "account", "amount"), row, strict=True))

    def booked(self, table: str, key: str) -> int | None:
        """The entry in `table` that was booked under this key."""
        row = self._one(f"SELECT entry FROM {table} WHERE key = ?", key)
        return row and row[0]

    def _book(self, table: str, key: str, *values: object) -> int:
        with self._transaction() as bank:
            row = self.by_key and bank.execute(f"SELECT entry FROM {table} WHERE key = ?", (key,)).fetchone()
            marks = ", ".join("?" for _ in values)
            return (
                row[0]
                if row
                else bank.execute(f"INSERT INTO {table} VALUES (NULL, ?, {marks})", (key, *values)).lastrowid
            )

    def transfer(self, key: str, order: str, account: str, amount: float) -> dict:
        """Move the money, take some time, confirm. Between the first and the last a process can die."""
        entry = self._book("ledger", key, order, account, amount)
        time.sleep(self.delay)
        return self.confirm(order, entry)

    def confirm(self, order: str, entry: int) -> dict:
        """Strike the order from the queue and return the receipt."""
        with self._transaction() as bank:
            bank.execute("UPDATE orders SET paid = 1 WHERE id = ?", (order,))
        return {"order": order, "reference": f"entry-{entry}"}

    def notify(self, key: str, recipient: str, text: str) -> dict:
        """Put a notice into the outbox."""
        return {"notice": f"notice-{self._book('notices', key, recipient, text)}"}


def build() -> Host:
    """Return the host; PAYMENTS_PROMISE decides which of the three banks it is."""
    promise = os.environ.get("PAYMENTS_PROMISE", "idempotent")
    if promise not in PROMISES:
        raise ValueError(f"PAYMENTS_PROMISE is {promise!r}; it must be one of {', '.join(PROMISES)}")
    bank = Bank(
        os.environ.get("AGENTL_BANK") or Path(__file__).parent / "bank.sqlite",
        by_key=promise == "idempotent",
        delay=float(os.environ.get("PAYMENTS_DELAY", "0")),
    )
    host = Host()
    host.sensors["queue.pending"] = bank.pending
    host.sensors["queue.next"] = bank.next_order

    @host.tool("transfer", idempotent=promise == "idempotent")
    def transfer(order: str, account: str, amount: float) -> dict:
        return bank.transfer(current_action().idempotency_key, order, account, amount)

    @host.tool("notify", idempotent=promise == "idempotent")
    def notify(recipient: str, text: str) -> dict:
        return bank.notify(current_action().idempotency_key, recipient, text)

    if promise == "reconcilable":
        add_reconcilers(host, bank)
    return host


def add_reconcilers(host: Host, bank: Bank) -> None:
    """Let the bank be asked, after a crash, whether an action of ours was booked."""

    @host.reconciler("transfer")
    def find_transfer(args: dict, action: object) -> object:
        entry = bank.booked("ledger", action.idempotency_key)
        return NOT_EXECUTED if entry is None else bank.confirm(args["order"], entry)

    @host.reconciler("notify")
    def find_notice(args: dict, action: object) -> object:
        entry = bank.booked("notices", action.idempotency_key)
        return NOT_EXECUTED if entry is None else {"notice": f"notice-{entry}"}
