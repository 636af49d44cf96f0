"""Runs started from the editor: processes of their own, whose output is followed from files.

Closing the editor neither kills such a run nor breaks its pipes: it has its own session and writes to files
under `$XDG_STATE_HOME/agentl/output`.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentl.durable.lock import Holder
from agentl.durable.stores.file import LOCK, FileStore
from agentl.errors import DurableError

_CHUNK = 64 * 1024


class Tail:
    """A file that grows, read as text from where the last reading ended."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offset = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def read(self) -> Iterator[str]:
        """Yield what was added."""
        with self.path.open("rb") as file:
            file.seek(self._offset)
            while data := file.read(_CHUNK):
                self._offset += len(data)
                if text := self._decoder.decode(data):
                    yield text


@dataclass(slots=True)
class Process:
    """One started run."""

    directory: Path
    program: Path
    child: subprocess.Popen[bytes]
    tail: Tail
    token: str | None = None
    said: str = ""
    stopping: bool = False
    printed: list[str] = field(default_factory=list[str])

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self.child.pid

    @property
    def exit_code(self) -> int | None:
        """Its exit code; None while it runs. A process ended by a signal has minus its number."""
        return self.child.poll()

    def holds_its_run(self) -> bool:
        """Tell whether the run is held by this process, or by one that it started."""
        holder = holder_of(self.directory)
        if holder is None or holder.pid is None:
            return False
        with contextlib.suppress(ProcessLookupError):
            # the interpreter of the settings may be a script: what it starts stays in the session
            return os.getsid(holder.pid) == self.pid
        return False

    def output(self) -> str:
        """Return what it printed since the last time, notices and trace in the order they came."""
        found = "".join(self.tail.read())
        self.printed.append(found)
        return found


class Processes:
    """The runs that this server started and that have not ended yet."""

    def __init__(self) -> None:
        self.running: list[Process] = []

    def start(self, command: Sequence[str], program: Path, directory: Path) -> Process:
        """Start `command` beside `program`. Raises OSError when it cannot be started."""
        folder = output_folder()
        moment = f"{time.strftime('%Y%m%dT%H%M%S')}-{time.monotonic_ns() % 1_000_000:06}"
        path = folder / f"{directory.name}-{moment}.log"
        with _private(path) as log:
            child = subprocess.Popen(  # noqa: S603  # the interpreter is the server's own or the person's setting
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=program.parent,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )
        process = Process(directory, program, child, Tail(path))
        self.running.append(process)
        return process

    def forget(self, process: Process) -> None:
        """Take a process that ended off the list, and a directory away that was made for it in vain."""
        self.running.remove(process)
        leave_if_empty(process.directory)


def interrupt(directory: Path) -> bool:
    """Send SIGINT to the process that holds a run; tell whether there was one."""
    holder = holder_of(directory)
    if holder is None or holder.pid is None:
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(holder.pid, signal.SIGINT)
        return True
    return False


def leave_if_empty(directory: Path) -> None:
    """Take the directory of a run away that never began."""
    with contextlib.suppress(OSError):
        directory.rmdir()


def holder_of(directory: Path) -> Holder | None:
    """Return who holds a run; None when nobody does, or that cannot be told."""
    try:
        return FileStore(directory).holder() if (directory / LOCK).is_file() else None
    except DurableError:
        return None


def output_folder() -> Path:
    """Return the folder of the output files, made for its owner alone."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    folder = Path(state) / "agentl" / "output"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _private(path: Path):  # noqa: ANN202  # BufferedWriter of a file with mode 0600
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
