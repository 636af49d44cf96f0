"""Where a run lies, in one word: a directory, `file.db#run`, or a PostgreSQL URL and `#run`."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from agentl.durable import refusals
from agentl.durable.stores import Store
from agentl.durable.stores.dsn import is_dsn, scheme_of, shown
from agentl.durable.stores.file import JOURNAL, FileStore
from agentl.durable.stores.postgres import CONNECT_SECONDS, PostgresStore
from agentl.durable.stores.sqlite import SQLiteStore
from agentl.errors import DurableError, UsageError
from agentl.files import refuse_inside_run, refuse_overwriting
from agentl_grammar.problems import Message, message_id

_DATABASES = frozenset({".db", ".sqlite", ".sqlite3"})
_MAGIC = b"SQLite format 3\0"
_SKIPPED = frozenset({"node_modules", "__pycache__"})


def store_at(address: str | Path, *, connect_seconds: int = CONNECT_SECONDS) -> Store:
    """Return the store that an address names; nothing is opened.

    `connect_seconds` is how long a server may take to let us in.

    A `#` counts where a database stands before it: an existing file, a new one that ends in .db, .sqlite or
    .sqlite3, or a URL. Raises DurableError R602 for a database without a run and for another URL, UsageError
    U110 for a name that no run can have.
    """
    text = os.fspath(address)
    _refuse_other_scheme(text)
    before, mark, run = text.rpartition("#")
    if is_dsn(text):
        if not mark or not run:
            raise _without_run(shown(text.removesuffix("#")))
        return PostgresStore(before, run, connect_seconds=connect_seconds)
    if mark and (Path(before).is_file() or Path(before).suffix in _DATABASES) and not Path(text).is_dir():
        return SQLiteStore(before, run)
    if is_database(Path(text)):
        raise _without_run(text)
    return FileStore(text)


def directory_of(address: str | Path) -> Path | None:
    """Return the run directory that an address names, None when it names a run in a database."""
    store = store_at(address)
    return store.directory if isinstance(store, FileStore) else None


def refuse_output_over(address: str | Path, output: Path) -> None:
    """Refuse to write into the directory of a run, or over its database. Raises UsageError U111."""
    store = store_at(address)
    if isinstance(store, FileStore):
        refuse_inside_run(output, store.directory)
    elif isinstance(store, SQLiteStore):
        refuse_overwriting(output, store.path)


def _without_run(name: str) -> DurableError:
    return refusals.no_such_run(name, Message(message_id("a run in a database is named behind a #")))


def _refuse_other_scheme(text: str) -> None:
    """Raise R602 for a URL that is not PostgreSQL's, and show no more of it: it may hold a password."""
    scheme = scheme_of(text)
    if scheme is not None and not is_dsn(text):
        why = Message(message_id("runs lie in no place that begins with {scheme}://"), {"scheme": scheme})
        raise refusals.no_such_run(f"{scheme}://…", why)


def is_database(path: Path) -> bool:
    """Tell whether a plain file is a SQLite database. Waits for no pipe."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return False
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def addresses(place: str | Path) -> Iterator[str]:
    """Yield the addresses of the runs in a directory (at any depth), a database file or a DSN.

    Of a run that is named in its database, that of this one. Raises DurableError R602 when the place cannot
    be read.
    """
    text = os.fspath(place)
    _refuse_other_scheme(text)
    named = _run_in_database(text)
    if named is not None:
        with contextlib.closing(named):
            named.open(write=False)
        yield text
    elif is_dsn(text):
        for run in PostgresStore.runs(text):
            yield f"{text}#{run}"
    elif is_database(Path(text)):
        for run in SQLiteStore.runs(text):
            yield f"{text}#{run}"
    else:
        yield from _directories(Path(text))


def _run_in_database(text: str) -> Store | None:
    with contextlib.suppress(DurableError, UsageError):
        store = store_at(text)
        return None if isinstance(store, FileStore) else store
    return None


def _directories(place: Path) -> Iterator[str]:
    """Walk down to run directories and databases, past links and hidden directories.

    A directory that may not be read is yielded too, for it may be that of a run. A database of something else
    is passed by.
    """
    if not place.is_dir():
        raise refusals.nothing_to_list(str(place))
    closed: list[str] = []

    def note(error: OSError) -> None:
        if isinstance(error, PermissionError):
            closed.append(os.fsdecode(error.filename))

    for path, names, files in os.walk(place, onerror=note):
        names[:] = sorted(name for name in names if not name.startswith(".") and name not in _SKIPPED)
        if JOURNAL in files:
            names.clear()
            yield path
            continue
        for name in sorted(files):
            with contextlib.suppress(DurableError):
                if Path(name).suffix in _DATABASES:
                    yield from [f"{Path(path, name)}#{run}" for run in SQLiteStore.runs(Path(path, name))]
    yield from closed
