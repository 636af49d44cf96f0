"""textDocument/didOpen, didChange and didClose."""

from __future__ import annotations

import asyncio

from lsprotocol import types as t

from agentl_server.documents import Document
from agentl_server.lsp.diagnostics import clear, publish
from agentl_server.memory import settle
from agentl_server.session import AgentServer

_PAUSE_SECONDS = 0.05


def did_open(server: AgentServer, params: t.DidOpenTextDocumentParams) -> None:
    """Look at a text that was opened."""
    publish(server, server.documents.opened(params.text_document.uri))
    settle()


def did_change(server: AgentServer, params: t.DidChangeTextDocumentParams) -> None:
    """Look at a text again once the typing pauses; requests see the newest text at once."""
    document = server.documents.get(params.text_document.uri)
    if document is None:
        return
    if document.pending is not None:
        document.pending.cancel()
    document.pending = asyncio.get_running_loop().call_later(_PAUSE_SECONDS, _look, server, document)


def _look(server: AgentServer, document: Document) -> None:
    document.pending = None
    publish(server, document)


def did_close(server: AgentServer, params: t.DidCloseTextDocumentParams) -> None:
    """Forget a text, and what was said about it."""
    document = server.documents.get(params.text_document.uri)
    if document is not None and document.pending is not None:
        document.pending.cancel()
    server.documents.closed(params.text_document.uri)
    clear(server, params.text_document.uri)
