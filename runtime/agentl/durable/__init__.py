"""Durable runs: a process may die at any moment, and no effect happens twice (durability.md §12).

What runs a program is loaded when it is first used: the drivers below it read the records of this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentl.durable.export import Export, export_run
from agentl.durable.journal import Journal
from agentl.durable.records import Record
from agentl.durable.send import cancel_run, send
from agentl.durable.settle import Word, settle
from agentl.durable.show import Line, show
from agentl.durable.status import RunStatus, read_records, status
from agentl.durable.stores import Store
from agentl.durable.stores.file import FileStore
from agentl.durable.stores.memory import MemoryStore
from agentl.durable.stores.postgres import PostgresStore
from agentl.durable.stores.sqlite import SQLiteStore
from agentl.errors import DurableError, ReplayDivergence, StoreFailure
from agentl.on_first_use import on_first_use

if TYPE_CHECKING:
    from agentl.durable.replay_file import ReplayResult, replay
    from agentl.durable.run import DurableRun

__all__ = [
    "DurableError",
    "DurableRun",
    "Export",
    "FileStore",
    "Journal",
    "Line",
    "MemoryStore",
    "PostgresStore",
    "Record",
    "ReplayDivergence",
    "ReplayResult",
    "RunStatus",
    "SQLiteStore",
    "Store",
    "StoreFailure",
    "Word",
    "cancel_run",
    "export_run",
    "read_records",
    "replay",
    "send",
    "settle",
    "show",
    "status",
]

_HOMES = {
    "agentl.durable.replay_file": ("ReplayResult", "replay"),
    "agentl.durable.run": ("DurableRun",),
}
__getattr__, __dir__ = on_first_use(globals(), _HOMES)
