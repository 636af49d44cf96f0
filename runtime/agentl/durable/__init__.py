"""Durable runs: a process may die at any moment, and no effect happens twice (durability.md §12).

Names are loaded when they are first used: who looks at a run loads nothing of what runs one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentl.durable.status import RunStatus, read_records, status
from agentl.on_first_use import on_first_use

if TYPE_CHECKING:
    from agentl.durable.export import Export, export_run
    from agentl.durable.journal import Journal
    from agentl.durable.records import Record
    from agentl.durable.replay_file import ReplayResult, replay
    from agentl.durable.run import DurableRun
    from agentl.durable.sending import cancel_run, send
    from agentl.durable.settling import Word, settle
    from agentl.durable.showing import Line, show
    from agentl.durable.stores import Store
    from agentl.durable.stores.file import FileStore
    from agentl.durable.stores.memory import MemoryStore
    from agentl.durable.stores.postgres import PostgresStore
    from agentl.durable.stores.sqlite import SQLiteStore
    from agentl.errors import DurableError, ReplayDivergence, StoreFailure

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
    "agentl.durable.export": ("Export", "export_run"),
    "agentl.durable.journal": ("Journal",),
    "agentl.durable.records": ("Record",),
    "agentl.durable.replay_file": ("ReplayResult", "replay"),
    "agentl.durable.run": ("DurableRun",),
    "agentl.durable.sending": ("cancel_run", "send"),
    "agentl.durable.settling": ("Word", "settle"),
    "agentl.durable.showing": ("Line", "show"),
    "agentl.durable.stores": ("Store",),
    "agentl.durable.stores.file": ("FileStore",),
    "agentl.durable.stores.memory": ("MemoryStore",),
    "agentl.durable.stores.postgres": ("PostgresStore",),
    "agentl.durable.stores.sqlite": ("SQLiteStore",),
    "agentl.errors": ("DurableError", "ReplayDivergence", "StoreFailure"),
}
__getattr__, __dir__ = on_first_use(globals(), _HOMES)
