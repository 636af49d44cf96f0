"""`agentl.stop`: ask the process of a run to stop at its next safe point."""

from __future__ import annotations

from agentl_server.processes import interrupt
from agentl_server.protocol import StopArguments, Stopped
from agentl_server.runs import run_directory
from agentl_server.session import AgentServer


async def perform(_: AgentServer, arguments: StopArguments) -> Stopped:
    """Send SIGINT to the process that holds the run's lock, whoever started it."""
    return Stopped(stopped=interrupt(run_directory(arguments.directory)))
