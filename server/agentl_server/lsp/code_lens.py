"""textDocument/codeLens."""

from __future__ import annotations

from lsprotocol import types as t

from agentl_server.ide.lenses import lenses
from agentl_server.lsp.convert import range_of
from agentl_server.session import AgentServer


def handle(server: AgentServer, params: t.CodeLensParams) -> list[t.CodeLens]:
    """Return the lenses of a text."""
    document = server.documents.get(params.text_document.uri)
    if document is None or not server.enabled("codeLens"):
        return []
    page = server.page(document)
    return [
        t.CodeLens(
            range=range_of(lens.span, page.source, document.text.encoding),
            command=t.Command(title=lens.title, command=lens.command, arguments=[dict(lens.argument)]),
        )
        for lens in lenses(page, document.uri)
    ]
