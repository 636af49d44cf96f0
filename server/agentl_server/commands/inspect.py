"""`agentl.inspect`: the journal of a run as a document."""

from __future__ import annotations

from pathlib import Path

from agentl.errors import UsageError
from agentl_grammar.problems import Message, message_id
from agentl_server.ide.inspection import journal_document, journal_title
from agentl_server.protocol import InspectArguments, Inspection
from agentl_server.session import AgentServer


async def perform(server: AgentServer, arguments: InspectArguments) -> Inspection:
    """Return the journal, tick by tick. Raises UsageError U203 when there is no run."""
    view = await server.runs.read(Path(arguments.directory).resolve())
    if view is None:
        raise UsageError(
            "U203", Message(message_id("{directory} holds no run"), {"directory": arguments.directory})
        )
    return Inspection(title=journal_title(view), text=journal_document(view))
