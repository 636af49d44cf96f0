"""Starting the process of a run, for `agentl.run` and `agentl.resume`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path

from agentl.errors import DurableError, UsageError
from agentl.messages import language
from agentl_grammar.digest import program_digest
from agentl_grammar.parser import parse
from agentl_grammar.problems import Message, message_id
from agentl_server.documents import path_of
from agentl_server.follow import follow
from agentl_server.processes import Process, leave_if_empty
from agentl_server.protocol import Started
from agentl_server.session import AgentServer

_WAIT_SECONDS = 10.0
_STEP_SECONDS = 0.02
_SHOWN_CHARACTERS = 2000


async def launch(server: AgentServer, program: Path, directory: Path, ticks: int | None = None) -> Started:
    """Start `agentl run` on a program and return when its journal has begun or gone on.

    Only a client that cancels its request stops the process: one that goes away leaves it alone.
    Raises UsageError U202 when the process cannot be started, or ends without having run.
    """
    before = server.runs.view(directory)
    entries = before.entries if before else -1
    try:
        process = server.processes.start(_command(server, program, directory, ticks), program, directory)
    except OSError as error:
        leave_if_empty(directory)
        raise did_not_start(error) from error
    server.runs.watch(directory)
    follow(server, process)
    try:
        await _begun(server, process, entries)
        view = await server.runs.read(directory)
    except asyncio.CancelledError:
        if server.protocol.cancelled_by_client():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGINT)
        raise
    return Started(directory=str(directory), run_id=view.run_id or None if view else None, pid=process.pid)


def _command(server: AgentServer, program: Path, directory: Path, ticks: int | None) -> list[str]:
    python = server.options.interpreter or sys.executable
    # -P keeps the folder of the program off the module path: nothing in it can stand in for agentl
    command = [python, "-P", "-m", "agentl", "run", str(program), "--durable", str(directory)]
    command += ["--lang", language()]
    return command + (["--ticks", str(ticks)] if ticks is not None else [])


def saved_program(server: AgentServer, uri: str) -> Path:
    """Return the file of a program. What runs is the file, so a text that says something else is refused.

    Raises UsageError U201 when there is no file, or the open text is not saved.
    """
    path = path_of(uri)
    if path is None or not path.is_file():
        raise _refused("U201", message_id("{name} is not a file"), name=uri)
    document = server.documents.get(uri)
    if document is not None:
        saved = path.read_text(encoding="utf-8", errors="surrogateescape")
        if document.text.text_source.text != saved and not _same_meaning(
            document.text.text_source.text, saved
        ):
            raise _refused(
                "U201", message_id("{name} has changes that are not saved; save it, then run"), name=path.name
            )
    return path


def _same_meaning(one: str, other: str) -> bool:
    first, second = parse(one), parse(other)
    if not (first.program and second.program and first.complete and second.complete):
        return False
    return program_digest(first.program) == program_digest(second.program)


async def _begun(server: AgentServer, process: Process, entries: int) -> None:
    """Wait until this very process has taken the run further, or ends; one that ends refused is a refusal."""
    deadline = asyncio.get_running_loop().time() + _WAIT_SECONDS
    while asyncio.get_running_loop().time() < deadline:
        if (code := process.exit_code) is not None:
            await _ended(server, process, code, entries)
            return
        view = server.runs.view(process.directory)
        if view is not None and view.entries > entries and await asyncio.to_thread(process.holds_its_run):
            return
        await asyncio.sleep(_STEP_SECONDS)


async def _ended(server: AgentServer, process: Process, code: int, entries: int) -> None:
    view = await server.runs.read(process.directory)
    went_on = view is not None and view.entries > entries
    # what grew beside a refused process was written by another one
    if code == 0 or (went_on and code != DurableError.exit_code):
        return
    process.output()
    said = "".join(process.printed).strip()[-_SHOWN_CHARACTERS:]
    raise did_not_start(said or f"exit code {code}")


def did_not_start(said: object) -> UsageError:
    """Return the refusal U202, with what the process or the system said."""
    if isinstance(said, OSError):
        said = said.strerror or type(said).__name__
    return _refused("U202", message_id("the run did not start: {said}"), said=said)


def _refused(code: str, template: str, **arguments: object) -> UsageError:
    return UsageError(code, Message(template, arguments))
