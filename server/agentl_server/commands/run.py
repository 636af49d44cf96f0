"""`agentl.run`: a new run of a program, in a directory of its own beside it."""

from __future__ import annotations

import re
from pathlib import Path

from agentl.durable.files import make_directory, sync_directory
from agentl_server.commands.launch import did_not_start, launch, saved_program
from agentl_server.protocol import RunArguments, Started
from agentl_server.session import AgentServer

_NAME_CHARACTERS = 100


async def perform(server: AgentServer, arguments: RunArguments) -> Started:
    """Start the run in `runs/<agent>`, or `runs/<agent>-2` and so on when that one is taken."""
    path = saved_program(server, arguments.uri)
    document = server.documents.get(arguments.uri)
    program = document.parsed.program if document else None
    name = program.agents[0].name.text if program else path.stem
    try:
        directory = claimed_directory(path.parent / "runs", name)
    except OSError as error:
        raise did_not_start(error) from error
    return await launch(server, path, directory, arguments.ticks)


def claimed_directory(folder: Path, agent: str) -> Path:
    """Make the first directory of that name that is not there: no two runs get one. Raises OSError."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", agent).strip(".-")[:_NAME_CHARACTERS] or "run"
    make_directory(folder)
    candidate, number = folder / name, 1
    while not _made(candidate):
        number += 1
        candidate = folder / f"{name}-{number}"
    sync_directory(folder)
    return candidate


def _made(directory: Path) -> bool:
    try:
        directory.mkdir(mode=0o700)
    except FileExistsError:
        return False
    return True
