"""Where the effects of the sample programs are written down: a SQLite file, synced at every effect.

AGENTL_WITNESS   path of that file (default: beside the host script, with its name)
AGENTL_PROMISE   what the tools promise: idempotent (default), reconcilable, or none
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agentl import NOT_EXECUTED, Host, current_action

SCHEMA = """
CREATE TABLE IF NOT EXISTS effects
  (entry INTEGER PRIMARY KEY, key TEXT NOT NULL, tool TEXT NOT NULL, arguments TEXT NOT NULL)
"""


class Witness:
    """The only witness of what the tools did; the sensors of a sample derive the world from it."""

    def __init__(self, host_script: str) -> None:
        self.path = os.environ.get("AGENTL_WITNESS") or Path(host_script).with_suffix(".sqlite")
        self.promise = os.environ.get("AGENTL_PROMISE", "idempotent")
        with self._transaction() as file:
            file.execute(SCHEMA)

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

    def effects(self, tool: str) -> list[dict[str, Any]]:
        """The arguments of every effect of a tool, in order."""
        with self._transaction() as file:
            rows = file.execute("SELECT arguments FROM effects WHERE tool = ? ORDER BY entry", (tool,))
            return [json.loads(row[0]) for row in rows]

    def find(self, key: str) -> int | None:
        """The entry of the effect with this idempotency key."""
        with self._transaction() as file:
            row = file.execute("SELECT min(entry) FROM effects WHERE key = ?", (key,)).fetchone()
        return row[0]

    def record(self, tool: str, arguments: dict[str, Any]) -> int:
        """Write an effect down; an idempotent tool writes one down for each key."""
        key = current_action().idempotency_key
        known = self.find(key) if self.promise == "idempotent" else None
        if known is not None:
            return known
        text = json.dumps(arguments, default=str, sort_keys=True)
        with self._transaction() as file:
            return (
                file.execute("INSERT INTO effects VALUES (NULL, ?, ?, ?)", (key, tool, text)).lastrowid or 0
            )

    def tool(self, host: Host, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a tool that first writes its effect down, then answers `function(entry, **arguments)`."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            def perform(**arguments: Any) -> Any:
                return function(self.record(name, arguments), **arguments)

            def reconcile(arguments: dict[str, Any], action: Any) -> Any:
                entry = self.find(action.idempotency_key)
                return NOT_EXECUTED if entry is None else function(entry, **arguments)

            host.tool(name, idempotent=self.promise == "idempotent")(perform)
            if self.promise == "reconcilable":
                host.reconciler(name)(reconcile)
            return function

        return register
