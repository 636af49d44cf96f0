"""`agentl.resume`: go on with a run."""

from __future__ import annotations

from agentl_server.commands.launch import launch
from agentl_server.protocol import ResumeArguments, Started
from agentl_server.runs import run_directory
from agentl_server.session import AgentServer


async def perform(server: AgentServer, arguments: ResumeArguments) -> Started:
    """Start the same command again on the run's directory; the journal says what is left to do."""
    return await launch(server, arguments.uri, run_directory(arguments.directory))
