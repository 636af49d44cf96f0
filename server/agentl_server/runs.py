"""The run directories of the workspace: found, watched, and indexed from the new bytes of their journals.

Reading and probing are done in a worker thread (`Scanner`); what was read is put into the index on the loop
(`RunIndex`), so that features never see a history that changes under them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from agentl.durable.records import Header
from agentl.durable.stores.file import PROGRAMS, FileStore
from agentl_grammar.parser import parse
from agentl_server.discovery import Discovery
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.run_view import History, Pinned, RunView
from agentl_server.journal_tail import JournalTail, Reading


@dataclass(frozen=True, slots=True)
class Change:
    """A run that is another than before; `view` is None when its directory is gone."""

    directory: Path
    view: RunView | None


def run_directory(directory: str) -> Path:
    """Return a run directory in the one form in which it is known here."""
    return Path(directory).resolve()


class RunIndex:
    """The runs that are known, as features see them."""

    def __init__(self) -> None:
        self.discovery = Discovery()
        self._views: dict[Path, RunView] = {}
        self._tails: dict[Path, JournalTail] = {}
        self._reading = asyncio.Lock()
        self._untold: dict[Path, Change] = {}

    def view(self, directory: Path) -> RunView | None:
        """Return a run by its directory."""
        return self._views.get(directory)

    def all(self) -> list[RunView]:
        """Return every run that is known."""
        return list(self._views.values())

    def watch(self, directory: Path) -> None:
        """Follow a directory from now on, whether it holds a journal yet or not."""
        self._tails.setdefault(directory, JournalTail(directory))

    def of_program(self, path: Path | None, anatomy: Anatomy | None) -> list[RunView]:
        """Return the runs of one program, the newest first."""
        own = [view for view in self._views.values() if _is_of(view, path, anatomy)]
        return sorted(own, key=_created, reverse=True)

    async def read(self, directory: Path) -> RunView | None:
        """Return a run as it is now; None when the directory holds none. It is followed from now on."""
        self.watch(directory)
        # the watcher tells the client of it at its next look
        self._untold.update({change.directory: change for change in await self.refresh([directory])})
        return self.view(directory)

    async def refresh(self, directories: Iterable[Path] | None = None) -> list[Change]:
        """Read what is new in the given directories, or in all, and return the runs that changed."""
        async with self._reading:
            if directories is None:
                for directory in await asyncio.to_thread(self.discovery.look, set(self._tails)):
                    self.watch(directory)
            chosen = list(self._tails if directories is None else directories)
            tails = [self._tails[directory] for directory in chosen if directory in self._tails]
            readings = await asyncio.to_thread(lambda: [tail.read() for tail in tails])
            changes = [self._take(reading) for reading in readings if reading is not None]
            found = {change.directory: change for change in changes if change is not None}
            if directories is None:
                found, self._untold = self._untold | found, {}
        return list(found.values())

    def _take(self, reading: Reading) -> Change | None:
        directory = reading.directory
        if reading.gone:
            known = self._views.pop(directory, None)
            return Change(directory, None) if known else None
        before = None if reading.anew else self._views.get(directory)
        history = before.history if before else History()
        for record in reading.records:
            if isinstance(record, Header):
                history.pin(_pinned(directory, record))
            history.feed(record)
        if history.header is None and reading.problem is None:
            return None
        view = RunView(
            directory,
            reading.state,
            history,
            tuple(call for call in history.calls if call.outcome == "in doubt"),
            tuple(call for call in history.calls if call.outcome == "open"),
            reading.problem,
            reading.changed,
        )
        self._views[directory] = view
        return Change(directory, view)


def _pinned(directory: Path, header: Header) -> Pinned | None:
    text = FileStore(directory).pinned(header.program)
    if text is None:
        return None
    path = directory / PROGRAMS / f"{header.program}.agent"
    parsed = parse(text, str(path))
    return (
        Pinned(path, Anatomy(parsed.program, parsed.source)) if parsed.program and parsed.complete else None
    )


def _is_of(view: RunView, path: Path | None, anatomy: Anatomy | None) -> bool:
    """Match by source path; a run whose source is gone, by its agents and digest (editor.md)."""
    header = view.history.header
    if header is None:
        return False
    source = program_of(view)
    if source is not None and source.exists():
        return source == path
    if anatomy is None:
        return False
    names = [agent.name.text for agent in anatomy.program.agents]
    return header.agents == names and header.program == anatomy.digest


def program_of(view: RunView) -> Path | None:
    """Return the file that a run was started from, as far as its header says."""
    header = view.history.header
    if header is None or header.source is None:
        return None
    return (view.directory / header.source).resolve()


def _created(view: RunView) -> tuple[str, str]:
    return (view.history.header.created if view.history.header else "", str(view.directory))
