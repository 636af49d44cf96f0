"""Wiring, and nothing else: which method and which command is handled by which module."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lsprotocol import types as t

from agentl_server.commands import COMMANDS
from agentl_server.lsp import code_action, code_lens, completion, hover, inlay_hint, life, texts
from agentl_server.session import AgentServer

_Handler = Callable[[AgentServer, Any], Any]
_HANDLERS: dict[str, tuple[_Handler, Any]] = {
    t.INITIALIZE: (life.initialize, None),
    t.INITIALIZED: (life.initialized, None),
    t.TEXT_DOCUMENT_DID_OPEN: (texts.did_open, None),
    t.TEXT_DOCUMENT_DID_CHANGE: (texts.did_change, None),
    t.TEXT_DOCUMENT_DID_CLOSE: (texts.did_close, None),
    t.TEXT_DOCUMENT_HOVER: (hover.handle, None),
    t.TEXT_DOCUMENT_COMPLETION: (completion.handle, t.CompletionOptions(trigger_characters=["."])),
    t.TEXT_DOCUMENT_CODE_LENS: (code_lens.handle, None),
    t.TEXT_DOCUMENT_INLAY_HINT: (inlay_hint.handle, None),
    t.TEXT_DOCUMENT_CODE_ACTION: (
        code_action.handle,
        t.CodeActionOptions(code_action_kinds=[t.CodeActionKind.QuickFix]),
    ),
}


def make_server() -> AgentServer:
    """Return a server that is ready to be given a wire."""
    server = AgentServer()
    for method, (handler, options) in _HANDLERS.items():
        server.feature(method, options)(partial(handler, server))
    server.protocol.commands = COMMANDS
    for name, command in COMMANDS.items():
        # pygls only advertises them: the wire performs them itself
        server.command(name)(partial(command.perform, server))
    return server
