"""The drift ledger as a memory: which tool did what it was to do, kept over runs (language.md §5.3)."""

from __future__ import annotations

from typing import cast

from agentl.interpreter.core import Core
from agentl.provenance import RUNTIME, of
from agentl.values import Symbol, Value
from agentl_grammar.tree import Memory

LEDGER = "effect_drift"


def keep_ledger(core: Core) -> None:
    """Write the whole ledger to LONG_TERM `effect_drift`, if the program declares it."""
    if not _is_declared(core):
        return
    records: list[Value] = []
    for pair, (confirmed, refuted) in core.state.drift.items():
        tool, _, path = pair.partition(" ")
        records.append({"tool": tool, "path": path, "confirmed": confirmed, "refuted": refuted})
    core.state.long_term.put(LEDGER, records, of(RUNTIME))


def load_ledger(core: Core) -> None:
    """Take the ledger over from LONG_TERM `effect_drift`; records of another form are ignored."""
    seeded: Value = core.state.long_term.get(LEDGER) if _is_declared(core) else None
    for record in cast("list[Value]", seeded) if isinstance(seeded, list) else ():
        entry = _entry(record)
        if entry is not None:
            pair, counts = entry
            core.state.drift[pair] = counts


def _entry(record: Value) -> tuple[str, list[int]] | None:
    if not isinstance(record, dict):
        return None
    fields = cast("dict[str, Value]", record)
    names = fields.get("tool"), fields.get("path")
    counts = [fields.get("confirmed"), fields.get("refuted")]
    if not all(isinstance(name, str | Symbol) for name in names) or not all(map(_is_count, counts)):
        return None
    return f"{names[0]} {names[1]}", [int(count) for count in counts if count is not None]


def _is_count(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_declared(core: Core) -> bool:
    memory = core.last(Memory)
    return memory is not None and any(path.text == LEDGER for path in memory.long_term)
