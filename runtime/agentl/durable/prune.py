"""Runs that are over, deleted with all that is left of them (durability.md §4 "Lock")."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentl.durable import refusals
from agentl.durable.addressing import addresses, directory_of, store_at
from agentl.durable.copies import forget_run
from agentl.durable.journal import read_prefix
from agentl.durable.lock import Holder
from agentl.durable.status import RunStatus, status
from agentl.durable.stores.file import JOURNAL
from agentl.durable.stores.removal import is_removed
from agentl.errors import DurableError
from agentl_grammar.problems import Message, message_id

OVER = frozenset({"completed", "cancelled"})
"""What is pruned unless something else is wanted."""
IN_DOUBT = "in_doubt"
_NOT_A_RUN = "R602"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A run, and why it stays: None when it goes."""

    place: str
    found: RunStatus
    stays: Message | None

    @property
    def unreadable(self) -> bool:
        """Tell whether nobody here may know what it is: it is not deleted, whatever was wanted."""
        return _is_unreadable(self.found)


def _is_unreadable(found: RunStatus) -> bool:
    return found.problem is not None and found.problem.code == _NOT_A_RUN


def candidates(
    places: Sequence[str], states: Collection[str] = OVER, older_than: float = 0.0
) -> list[Candidate]:
    """Return the runs at `places`, each with what becomes of it; nothing is changed.

    A run goes when its state is one of `states`, nothing of it is in doubt (unless `in_doubt` is one of them
    too), and nothing in it has changed for `older_than` seconds. A run that is named itself, and does not go
    for its state, is refused: R105, R106, R304; R602 when nothing is there.
    """
    found: list[Candidate] = []
    for place in places:
        for address in addresses(place):
            candidate = _candidate(address, states, older_than)
            if candidate.stays is not None and Path(address) == Path(place):
                _refuse(candidate.found, states)
            found.append(candidate)
    return found


def _candidate(address: str, states: Collection[str], older_than: float) -> Candidate:
    try:
        found = status(address)
    except DurableError as problem:
        found = RunStatus(store_at(address).name, "corrupt", problem=problem)
    return Candidate(address, found, _stays(address, found, states, older_than))


def _stays(address: str, found: RunStatus, states: Collection[str], older_than: float) -> Message | None:
    if found.problem is not None and _is_unreadable(found):
        return found.problem.message
    if found.state not in states:
        return Message(message_id("it is {state}"), {"state": found.state})
    if found.unsettled and IN_DOUBT not in states:
        return Message(message_id("it has actions in doubt"))
    if older_than and time.time() - store_at(address).changed() < older_than:
        return Message(message_id("it is not that old"))
    return None


def _refuse(found: RunStatus, states: Collection[str]) -> None:
    """Raise what keeps a run that was named itself."""
    if found.state == "running":
        holder = found.holder or Holder(None, None)
        raise refusals.locked(found.place, holder.pid, holder.since)
    corrupt = found.state == "corrupt" and "corrupt" not in states
    if found.problem is not None and (corrupt or _is_unreadable(found)):
        raise found.problem
    if found.state == "interrupted" and "interrupted" not in states:
        raise refusals.interrupted(found.place)
    if found.unsettled and IN_DOUBT not in states:
        raise refusals.in_doubt(found.place, found.unsettled, ended=found.state in OVER)


def prune(candidate: Candidate) -> None:
    """Delete a run, and what is known of it elsewhere, unless it has gone on since.

    Raises DurableError R304 (somebody runs it), R603 (it has changed); StoreFailure R601.
    """
    directory = directory_of(candidate.place)
    store = store_at(candidate.place if directory is None else directory.resolve())
    store.open(write=True)
    try:
        # The lock is ours, so the run is told as running: what must not have changed is its journal.
        if status(store).head != candidate.found.head:
            raise refusals.changed_meanwhile(candidate.found.place)
        records = read_prefix(store.records(), store.name, store.blob)
        if store.home is not None:
            # Before the run itself goes: whoever dies in between leaves a run that can be pruned again.
            forget_run(store.home, records[0].h if records else None)
        store.remove()
    finally:
        store.close()


def leftovers(places: Sequence[str]) -> Iterator[Path]:
    """Yield what prunes that were killed have left: renamed, and not yet deleted."""
    for place in places:
        for path, names, files in os.walk(place):
            for name in sorted(names):
                with contextlib.suppress(OSError):
                    if is_removed(Path(path, name)):
                        yield Path(path, name)
            names[:] = [name for name in names if not name.startswith(".") and JOURNAL not in files]
