"""How a run stands: computed from lock and journal by readers that change no byte (durability.md §7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from agentl.durable import header as head
from agentl.durable.journal import Reading, doubts, open_intents, read, read_prefix
from agentl.durable.lock import Holder
from agentl.durable.records import EndedRecord, IntentRecord, Record, ResolutionRecord
from agentl.durable.stores import Store
from agentl.durable.stores.file import FileStore
from agentl.errors import DurableError
from agentl_grammar.tree import Program

State = Literal["new", "running", "interrupted", "completed", "corrupt"]


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How a run stands. Numbers of records leave the header out.

    `in_doubt` are the settlements that left an action in doubt, `open_intents` the actions without a result,
    which a resume will settle, `settlements` all that were settled. `problem` says why a run is corrupt,
    `repairable` that records before the damage can be kept. `changed` tells whether the given program means
    something else than the run's, None when none was given.
    """

    place: str
    state: State
    run_id: str | None = None
    agents: tuple[str, ...] = ()
    created: str | None = None
    length: int | None = None
    entries: int = 0
    kinds: dict[str, int] = field(default_factory=dict[str, int])
    tick: int = 0
    in_doubt: tuple[ResolutionRecord, ...] = ()
    open_intents: tuple[IntentRecord, ...] = ()
    settlements: tuple[ResolutionRecord, ...] = ()
    holder: Holder | None = None
    head: str | None = None
    problem: DurableError | None = None
    repairable: bool = False
    changed: bool | None = None


def store_of(place: Store | str | Path) -> Store:
    """Return the store at a place: a store as it is, a directory as a FileStore."""
    return FileStore(place) if isinstance(place, str | Path) else place


def read_run(place: Store | str | Path) -> Reading:
    """Return the verified journal of a run. Raises DurableError R201 to R205, R303, R602."""
    store = store_of(place)
    store.open(write=False)
    return read(store.records(), store.name)


def read_records(place: Store | str | Path) -> list[Record]:
    """Return the records of a run after its header. Raises DurableError R201 to R205, R303, R602."""
    return list(read_run(place).records[1:])


def status(place: Store | str | Path, program: Program | None = None) -> RunStatus:
    """Return how a run stands; a damaged one is `corrupt`. Raises DurableError R602 when there is no run."""
    store = store_of(place)
    store.open(write=False)
    # The lock is asked first: a run that ends in between is then told as running, not as interrupted.
    holder = store.holder()
    data = store.records()
    try:
        reading = read(data, store.name)
    except DurableError as problem:
        damaged = RunStatus(store.name, "corrupt", holder=holder, problem=problem)
        return _with_records(damaged, read_prefix(data, store.name), program)
    sound = RunStatus(store.name, state_of(reading.records, holder), holder=holder)
    return _with_records(sound, reading.records, program)


def state_of(records: Sequence[Record], holder: Holder | None) -> State:
    """Return the state of a run whose journal is sound, from its records and who holds its lock."""
    if holder is not None:
        return "running"
    if not records:
        return "new"
    return "completed" if isinstance(records[-1], EndedRecord) else "interrupted"


def _with_records(bare: RunStatus, records: Sequence[Record], program: Program | None) -> RunStatus:
    if not records:
        return bare
    header, entries = head.of(records), records[1:]
    return replace(
        bare,
        run_id=header.key,
        agents=tuple(header.agents),
        created=header.created,
        length=header.length,
        entries=len(entries),
        kinds=dict(Counter(record.kind for record in entries)),
        tick=max((record.tick for record in entries), default=0),
        in_doubt=tuple(doubts(records)),
        open_intents=tuple(open_intents(records)),
        settlements=tuple(record for record in records if isinstance(record, ResolutionRecord)),
        head=records[-1].h,
        repairable=bare.problem is not None,
        changed=None if program is None else head.changed(header, program),
    )
