"""`agentl.run`: a new run of a program, in a directory of its own beside it."""

from __future__ import annotations

import re
from pathlib import Path

from agentl_server.commands.launch import launch
from agentl_server.documents import path_of
from agentl_server.protocol import RunArguments, Started
from agentl_server.session import AgentServer


async def perform(server: AgentServer, arguments: RunArguments) -> Started:
    """Start the run in `runs/<agent>`, or `runs/<agent>-2` and so on when that one is taken."""
    path = path_of(arguments.uri)
    document = server.documents.get(arguments.uri)
    program = document.parsed.program if document else None
    name = program.agents[0].name.text if program else path.stem if path else "run"
    folder = (path.parent if path else Path.cwd()) / "runs"
    return await launch(server, arguments.uri, free_directory(folder, name), arguments.ticks)


def free_directory(folder: Path, agent: str) -> Path:
    """Return the first directory of that name which holds nothing yet."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", agent).strip(".-") or "run"
    candidate, number = folder / name, 1
    while candidate.exists() and (not candidate.is_dir() or any(candidate.iterdir())):
        number += 1
        candidate = folder / f"{name}-{number}"
    return candidate
