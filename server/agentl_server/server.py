"""Wiring, and nothing else: which method is handled by which function.

What a handler needs is loaded when it is first called: `initialize` is answered before the grammar, the
durable runner and pydantic are there, and they are loaded right behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from lsprotocol import types as t

from agentl_server import names
from agentl_server.session import AgentServer

_HANDLERS: dict[str, tuple[str, Any]] = {
    t.INITIALIZED: ("life:initialized", None),
    t.TEXT_DOCUMENT_DID_OPEN: ("texts:did_open", None),
    t.TEXT_DOCUMENT_DID_CHANGE: ("texts:did_change", None),
    t.TEXT_DOCUMENT_DID_CLOSE: ("texts:did_close", None),
    t.TEXT_DOCUMENT_HOVER: ("hover:handle", None),
    t.TEXT_DOCUMENT_COMPLETION: ("completion:handle", t.CompletionOptions(trigger_characters=["."])),
    t.TEXT_DOCUMENT_CODE_LENS: ("code_lens:handle", None),
    t.TEXT_DOCUMENT_INLAY_HINT: ("inlay_hint:handle", None),
    t.TEXT_DOCUMENT_FORMATTING: ("formatting:whole", None),
    t.TEXT_DOCUMENT_RANGE_FORMATTING: ("formatting:lines", None),
    t.TEXT_DOCUMENT_CODE_ACTION: (
        "code_action:handle",
        t.CodeActionOptions(code_action_kinds=[t.CodeActionKind.QuickFix, "source.fixAll.agentl"]),
    ),
}


def make_server() -> AgentServer:
    """Return a server that is ready to be given a wire."""
    server = AgentServer()
    for method, (place, options) in _HANDLERS.items():
        server.feature(method, options)(_handler(server, place))
    server.carry_out = lambda params: import_module("agentl_server.commands").perform(server, params)
    for name in names.COMMANDS:
        # pygls only advertises them: the wire lets the server carry them out
        server.command(name)(_advertised)
    return server


def _handler(server: AgentServer, place: str) -> Callable[[Any], Any]:
    module, _, function = place.partition(":")

    def handle(params: Any) -> Any:
        return getattr(import_module(f"agentl_server.lsp.{module}"), function)(server, params)

    return handle


def _advertised(_: object) -> None:
    raise NotImplementedError
