"""Replaying an exported run: derived anew from its journal alone, without a host (durability.md §1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from agentl.drivers.driving import drive
from agentl.drivers.replay import JournalEnded, ReplayDriver
from agentl.durable import header as head
from agentl.durable import refusals
from agentl.durable.export import EXPORT_FORMAT, Export
from agentl.durable.journal import Reading, read
from agentl.durable.records import EndedRecord
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

    Raises DurableError: R101 (the source is not the run's), R201 to R206 (the journal, or no export).
    """
    name = str(path)
    export = _load(Path(path), name)
    reading = read(
        "".join(f"{line}\n" for line in export.records).encode("ascii", "replace"), name, export.blob
    )
    if reading.header is None:
        raise refusals.no_header(name)
    _refuse_altered(export, reading, name)
    machine = _machine(export, reading, name)
    if export.seal != export.digest():
        raise refusals.not_an_export(name, Message(message_id("it was altered after it was written")))
    if on_trace is not None:
        on_trace(machine.trace)
    return _derive(machine, reading, name)


def _refuse_altered(export: Export, reading: Reading, name: str) -> None:
    """Raise R203 when the file says something else of its records than they do."""
    header = head.of(reading.records)
    held = {
        "run": header.key,
        "partial": not isinstance(reading.records[-1], EndedRecord),
        "program": header.program,
    }
    for field, value in held.items():
        if getattr(export, field) != value:
            text = message_id("its field {field} is not what its records say ({value})")
            raise refusals.not_an_export(name, Message(text, {"field": field, "value": value}))


def _derive(machine: Machine, reading: Reading, name: str) -> ReplayResult:
    driver = ReplayDriver(reading.records, name)
    run_id, entries = head.of(reading.records).key, len(reading.records) - 1
    try:
        drive(machine, driver)
        driver.finish()
    except JournalEnded:
        return ReplayResult("cancelled" if driver.cancelled else "partial", run_id, entries, machine)
    except ReplayDivergence as divergence:
        return ReplayResult("diverged", run_id, entries, machine, divergence)
    return ReplayResult("conforming" if driver.ended else "partial", run_id, entries, machine)


def _machine(export: Export, reading: Reading, name: str) -> Machine:
    header = head.of(reading.records)
    program = _program(export.source)
    if program is None or program_digest(program) != header.program:
        raise refusals.other_source(name)
    return Machine(program, program.agents[0], run_id=header.key, length=header.length)


def _program(source: str) -> Program | None:
    result = parse(source)
    return result.program if result.complete else None


def _load(path: Path, name: str) -> Export:
    try:
        return Export.model_validate_json(path.read_bytes())
    except OSError as error:
        raise refusals.not_an_export(name, Message("{reason}", {"reason": error.strerror or ""})) from error
    except ValidationError as error:
        raise refusals.not_an_export(
            name, Message(message_id("it is no {format} file"), {"format": EXPORT_FORMAT})
        ) from error
