"""A damaged run made readable again, and the original kept beside it (durability.md §5 "Tail").

What is lost may be the record of an effect. So the `repaired` record says how many actions it may have been,
and as many are settled, not performed, when the run goes on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentl.durable import refusals
from agentl.durable.chain import seal_line
from agentl.durable.copies import forget_run, note
from agentl.durable.entries import CANCEL
from agentl.durable.heads import seen
from agentl.durable.inbox import read_head, sealed, sound_entries, write_head
from agentl.durable.journal import read, read_prefix
from agentl.durable.lost import LostActions, fields_of
from agentl.durable.lost_entries import LostEntry, lost_entry
from agentl.durable.records import EndedRecord, Record, RepairedRecord
from agentl.durable.settling import now, operator
from agentl.durable.stores.file import INBOX, INBOX_HEAD, JOURNAL, FileStore
from agentl.durable.stores.journal_file import replace_journal
from agentl.errors import DurableError, UsageError
from agentl_grammar.problems import Message, message_id

_REPAIRABLE = frozenset({"R201", "R202", "R203", "R206", "R303"})


@dataclass(frozen=True, slots=True)
class LostLine:
    """A line that would go: its number, and what can be read of it."""

    number: int
    kind: str
    subject: str
    action: str


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair would do: keep the first `kept` records (the header left out), and drop `lost`.

    `actions` is how many actions the lost lines may have been; `entries` are the lines of the inbox that
    would go, `missing` is how many are gone. `cancels` tells whether one of these cancelled the run, which
    then stays cancelled. None where nobody can tell: who repairs it has to say.
    """

    directory: Path
    kept: int
    lost: tuple[LostLine, ...]
    actions: int
    entries: tuple[LostEntry, ...]
    missing: int
    cancels: bool | None

    @property
    def needed(self) -> bool:
        """Tell whether there is anything to repair."""
        return bool(self.lost or self.entries or self.missing)


def plan_repair(directory: Path) -> Repair:
    """Return what a repair of a run would do; nothing is changed.

    Raises DurableError: R204, R205 or R602, which no repair mends.
    """
    store = FileStore(directory)
    store.open(write=False)
    data = store.records()
    kept = _sound(data, store)
    if kept is None:
        sound = read_prefix(data, store.name, store.blob)
        return Repair(directory, max(0, len(sound) - 1), (), 0, *_lost_entries(directory, sound))
    lost = _rest(data, len(kept))
    return Repair(
        directory,
        len(kept) - 1,
        tuple(_lost_line(number, line) for number, line in enumerate(lost, len(kept))),
        _lost_actions(store, kept, lost),
        *_lost_entries(directory, kept),
    )


def repair(plan: Repair, who: str | None = None, *, cancelled: bool | None = None) -> list[Path]:
    """Do what was planned, under the lock of the run; return the originals, kept beside.

    `cancelled` says whether a lost entry of the inbox had cancelled the run, whatever the plan tells.
    Raises UsageError U125 (neither tells); DurableError R304 (somebody runs it), R603 (the run is another
    than was planned for); OSError.
    """
    cancels = plan.cancels if cancelled is None else cancelled
    if cancels is None:
        raise _unsaid()
    who = who or operator()
    store = FileStore(plan.directory)
    store.open(write=True)
    try:
        if plan_repair(plan.directory) != plan:
            raise refusals.changed_meanwhile(store.name)
        return [*_repair_journal(store, plan, who), *_repair_inbox(plan, who, cancels=cancels)]
    finally:
        store.close()


def _unsaid() -> UsageError:
    return UsageError(
        "U125",
        Message(message_id("nothing was changed")),
        action=Message(
            message_id(
                "say whether an entry that is lost had cancelled the run: --cancelled or --not-cancelled"
            )
        ),
    )


def _sound(data: bytes, store: FileStore) -> tuple[Record, ...] | None:
    """Return the records before the damage; None when there is none. Raises what no repair mends."""
    try:
        read(data, store.name, store.blob)
    except DurableError as problem:
        kept = read_prefix(data, store.name, store.blob)
        if problem.code not in _REPAIRABLE or not kept:
            raise
        return kept
    return None


def _rest(data: bytes, kept: int) -> list[bytes]:
    lines = data.split(b"\n", kept)[-1].split(b"\n")
    return lines if lines[-1] else lines[:-1]


def _lost_line(number: int, line: bytes) -> LostLine:
    fields = fields_of(line)
    return LostLine(number, *(str(fields.get(name, "")) for name in ("kind", "key", "action")))


def _lost_actions(store: FileStore, kept: Sequence[Record], lost: Sequence[bytes]) -> int:
    """Return how many actions may have been lost, those included that an earlier repair had counted."""
    actions = LostActions()
    actions.add(kept, lost, store.blob, 1 + max((head.n for head in seen(kept[0].h)), default=-1))
    counted = {record.original for record in kept if isinstance(record, RepairedRecord)}
    for original in sorted(store.directory.glob(f"{JOURNAL}.damaged-*")):
        data = original.read_bytes()
        if hashlib.sha256(data).hexdigest() not in counted:
            actions.add(kept, _rest(data, len(kept)), store.blob)
    return actions.count


def _repair_journal(store: FileStore, plan: Repair, who: str) -> Iterator[Path]:
    if not plan.lost:
        return
    data = store.records()
    kept = read_prefix(data, store.name, store.blob)
    lines = data.split(b"\n")[: len(kept)]
    if not isinstance(kept[-1], EndedRecord):
        lines.append(_repaired(kept, plan, hashlib.sha256(data).hexdigest(), who))
    aside = _aside(plan.directory / JOURNAL)
    if store.home is not None:
        forget_run(store.home, kept[0].h)  # who repairs a run knows that less of it is left than was seen
    replace_journal(plan.directory / JOURNAL, b"".join(line + b"\n" for line in lines), aside)
    note(store, read_prefix(store.records(), store.name, store.blob))
    yield aside


def _repaired(kept: Sequence[Record], plan: Repair, original: str, who: str) -> bytes:
    common = {"n": len(kept), "kind": "repaired", "agent": "", "key": "", "site": "", "tick": 0}
    fields = {"lost": len(plan.lost), "actions": plan.actions, "original": original, "who": who, "at": now()}
    return seal_line(kept[-1].h, {**common, **fields})[0]


def _lost_entries(directory: Path, kept: Sequence[Record]) -> tuple[tuple[LostEntry, ...], int, bool | None]:
    """Return the lines of the inbox that would go, how many are gone, and whether they cancelled the run."""
    data = _inbox_of(directory)
    sound = dict(sound_entries(data))
    lines = data.split(b"\n")[:-1]
    lost = tuple(lost_entry(number, line) for number, line in enumerate(lines, 1) if number not in sound)
    missing = max(0, read_head(directory / INBOX_HEAD).n - len(lines))
    over = isinstance(kept[-1], EndedRecord) if kept else False
    if over or any(entry["id"] == CANCEL for entry in sound.values()):
        return lost, missing, False
    if any(entry.cancels for entry in lost):
        return lost, missing, True
    unknown = missing or any(entry.cancels is None for entry in lost)
    return lost, missing, None if unknown else False


def _inbox_of(directory: Path) -> bytes:
    path = directory / INBOX
    return path.read_bytes() if path.exists() else b""


def _repair_inbox(plan: Repair, who: str, *, cancels: bool) -> Iterator[Path]:
    if not (plan.entries or plan.missing):
        return
    path = plan.directory / INBOX
    aside = _aside(path)
    entries = [entry for _, entry in sound_entries(_inbox_of(plan.directory))]
    if cancels and all(entry["id"] != CANCEL for entry in entries):
        entries.append({"id": CANCEL, "kind": CANCEL, "who": who, "at": now()})
    kept, head = sealed(entries)
    replace_journal(path, kept, aside)
    write_head(plan.directory / INBOX_HEAD, head)
    yield aside


def _aside(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return aside
