"""textDocument/hover."""

from __future__ import annotations

from lsprotocol import types as t

from agentl_server.ide.hover import hover
from agentl_server.lsp.convert import offset_of, range_of
from agentl_server.lsp.markup import markup
from agentl_server.session import AgentServer


def handle(server: AgentServer, params: t.HoverParams) -> t.Hover | None:
    """Say what is known of the place under the pointer."""
    document = server.documents.get(params.text_document.uri)
    if document is None or not server.enabled("hover"):
        return None
    page = server.page(document)
    encoding = document.text.encoding
    found = hover(page, offset_of(params.position, page.source, encoding))
    if found is None:
        return None
    text = server.client_capabilities.text_document
    formats = text.hover.content_format if text and text.hover else None
    where = range_of(found.span, page.source, encoding)
    return t.Hover(contents=markup(found.markdown, formats), range=where)
