"""textDocument/inlayHint."""

from __future__ import annotations

from lsprotocol import types as t

from agentl_server.ide.hints import hints
from agentl_server.lsp.convert import position_of, span_of
from agentl_server.session import AgentServer


def handle(server: AgentServer, params: t.InlayHintParams) -> list[t.InlayHint]:
    """Return the hints inside a range of a text."""
    document = server.documents.get(params.text_document.uri)
    if document is None or not server.enabled("inlayHint"):
        return []
    page = server.page(document)
    encoding = document.text.encoding
    return [
        t.InlayHint(
            position=position_of(hint.offset, page.source, encoding),
            label=hint.text,
            tooltip=hint.tooltip,
            padding_left=True,
        )
        for hint in hints(page, span_of(params.range, page.source, encoding))
    ]
