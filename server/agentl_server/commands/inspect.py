"""`agentl.inspect`: the journal of a run as a document."""

from __future__ import annotations

from agentl.durable import refusals
from agentl_grammar.problems import Message, message_id
from agentl_server.ide.inspection import journal_document, journal_title
from agentl_server.protocol import InspectArguments, Inspection
from agentl_server.runs import run_directory
from agentl_server.session import AgentServer


async def perform(server: AgentServer, arguments: InspectArguments) -> Inspection:
    """Return the journal, tick by tick. Raises DurableError R602 when there is no run."""
    view = await server.runs.read(run_directory(arguments.directory))
    if view is None:
        raise refusals.not_a_run(arguments.directory, Message(message_id("it holds no journal")))
    return Inspection(title=journal_title(view), text=journal_document(view))
