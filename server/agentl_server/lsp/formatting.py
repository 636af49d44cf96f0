"""textDocument/formatting and textDocument/rangeFormatting.

The layout is that of `agentl fmt`: tab sizes and other options of the editor are not asked for.
"""

from __future__ import annotations

from lsprotocol import types as t

from agentl_grammar.source import Span
from agentl_server.ide.layout import layout
from agentl_server.lsp.convert import range_of, span_of
from agentl_server.session import AgentServer


def whole(server: AgentServer, params: t.DocumentFormattingParams) -> list[t.TextEdit] | None:
    """Return the edits that lay a text out."""
    return _edits(server, params.text_document.uri, None)


def lines(server: AgentServer, params: t.DocumentRangeFormattingParams) -> list[t.TextEdit] | None:
    """Return the edits that lay the lines of a range out."""
    return _edits(server, params.text_document.uri, params.range)


def _edits(server: AgentServer, uri: str, chosen: t.Range | None) -> list[t.TextEdit] | None:
    document = server.documents.get(uri)
    if document is None or not server.enabled("formatting"):
        return None
    parsed, encoding = document.parsed, document.text.encoding
    span: Span | None = span_of(chosen, parsed.source, encoding) if chosen else None
    return [
        t.TextEdit(range_of(each.span, parsed.source, encoding), each.text) for each in layout(parsed, span)
    ]
