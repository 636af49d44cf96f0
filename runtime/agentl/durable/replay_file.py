"""Replaying an exported run: derived anew from its journal alone, without a host (durability.md §1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from agentl.codec import load
from agentl.drivers.driving import drive
from agentl.drivers.replay import JournalEnded, ReplayDriver
from agentl.durable import refusals
from agentl.durable.export_file import ExportFile
from agentl.durable.journal import record_of
from agentl.durable.pinned import text_digest
from agentl.durable.records import Header, Record
from agentl.durable.verify import Lines, sound_lines
from agentl.errors import ReplayDivergence
from agentl.interpreter.machine import Machine
from agentl.trace import Trace
from agentl_grammar.digest import program_digest
from agentl_grammar.parser import parse
from agentl_grammar.problems import Message, message_id
from agentl_grammar.tree import Program


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What came of a replay.

    `conforming`: the program asked for every crossing, in order, and reached every checkpoint. `partial`: the
    same, up to where the journal of an unfinished run ends. `cancelled`: up to where the run was cancelled.
    `diverged`: `divergence` says where.
    """

    outcome: Literal["conforming", "partial", "cancelled", "diverged"]
    run_id: str
    entries: int
    runtime: Machine
    divergence: ReplayDivergence | None = None


def replay(path: str | Path, on_trace: Callable[[Trace], None] | None = None) -> ReplayResult:
    """Replay the export at `path`; `on_trace` is given the trace before its first event.

    The journal is verified as a whole first, then read record by record.

    Raises DurableError: R101 (the source is not the run's), R201 to R206 (the journal, or no export).
    """
    name = str(path)
    export = ExportFile(Path(path), name)
    journal = _verified(export, name)
    if journal.header is None:
        raise refusals.no_header(name)
    _refuse_altered(export, journal, name)
    machine = _machine(export, journal.header, name)
    if not export.is_sealed():
        raise refusals.not_an_export(name, Message(message_id("it was altered after it was written")))
    if journal.header.text not in {None, text_digest(export.source)}:
        raise refusals.other_source(name)
    if on_trace is not None:
        on_trace(machine.trace)
    return _derive(machine, _records(export, name), journal, name)


@dataclass(frozen=True, slots=True)
class _Journal:
    """What a look through the whole journal of an export told: each line in its place, each blob right."""

    header: Header | None
    entries: int
    ended: bool


def _verified(export: ExportFile, name: str) -> _Journal:
    """Verify the journal. Raises DurableError R201 to R206, R303."""
    header: Header | None = None
    entries, last = -1, ""
    for kind, line in sound_lines(Lines(export.pieces()), name, export.blob):
        if header is None:
            header = cast("Header", record_of(line, load(line), name, export.blob))
        entries, last = entries + 1, kind
    return _Journal(header, entries, last == "ended")


def _records(export: ExportFile, name: str) -> Iterator[Record]:
    """Yield the records of a verified journal, one at a time. Raises DurableError R203."""
    for line in Lines(export.pieces()):
        yield record_of(line, load(line), name, export.blob)


def _refuse_altered(export: ExportFile, journal: _Journal, name: str) -> None:
    """Raise R203 when the file says something else of its records than they do."""
    header = cast("Header", journal.header)
    held = {"run": header.key, "partial": not journal.ended, "program": header.program}
    for field, value in held.items():
        if getattr(export, field) != value:
            text = message_id("its field {field} is not what its records say ({value})")
            raise refusals.not_an_export(name, Message(text, {"field": field, "value": value}))


def _derive(machine: Machine, records: Iterator[Record], journal: _Journal, name: str) -> ReplayResult:
    driver = ReplayDriver(records, name)
    run_id, entries = cast("Header", journal.header).key, journal.entries
    try:
        drive(machine, driver)
        driver.finish()
    except JournalEnded:
        return ReplayResult("cancelled" if driver.cancelled else "partial", run_id, entries, machine)
    except ReplayDivergence as divergence:
        return ReplayResult("diverged", run_id, entries, machine, divergence)
    return ReplayResult("conforming" if driver.ended else "partial", run_id, entries, machine)


def _machine(export: ExportFile, header: Header, name: str) -> Machine:
    program = _program(export.source)
    if program is None or program_digest(program) != header.program:
        raise refusals.other_source(name)
    return Machine(program, program.agents[0], run_id=header.key, length=header.length)


def _program(source: str) -> Program | None:
    result = parse(source)
    return result.program if result.complete else None
