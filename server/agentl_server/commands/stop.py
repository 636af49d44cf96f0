"""`agentl.stop`: ask the process of a run to stop at its next safe point."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

from agentl.durable.stores.file import FileStore
from agentl_server.protocol import StopArguments, Stopped
from agentl_server.session import AgentServer


async def perform(server: AgentServer, arguments: StopArguments) -> Stopped:  # noqa: ARG001  # commands share one shape
    """Send SIGINT to the process that holds the run's lock, whoever started it."""
    return Stopped(stopped=interrupt(Path(arguments.directory)))


def interrupt(directory: Path) -> bool:
    """Send SIGINT to the holder of a run; tell whether there was one."""
    holder = FileStore(directory).holder()
    if holder is None or holder.pid is None:
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(holder.pid, signal.SIGINT)
        return True
    return False
