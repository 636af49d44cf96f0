"""`agentl.resume`: go on with a run."""

from __future__ import annotations

from agentl.durable import refusals
from agentl_grammar.problems import Message, message_id
from agentl_server.commands.launch import launch, saved_program
from agentl_server.protocol import ResumeArguments, Started
from agentl_server.runs import run_directory
from agentl_server.session import AgentServer


async def perform(server: AgentServer, arguments: ResumeArguments) -> Started:
    """Start the same command again on the run's directory; the journal says what is left to do.

    Raises DurableError R602 when the directory holds no run: going on never begins a new one.
    """
    program = saved_program(server, arguments.uri)
    directory = run_directory(arguments.directory)
    view = await server.runs.read(directory)
    if view is None or view.history.header is None:
        raise refusals.not_a_run(arguments.directory, Message(message_id("it holds no journal")))
    return await launch(server, program, directory)
