"""textDocument/completion."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as t

from agentl_server.ide.completion import completion
from agentl_server.lsp.convert import offset_of, range_of
from agentl_server.lsp.markup import markup
from agentl_server.session import AgentServer

_KINDS = {
    "keyword": t.CompletionItemKind.Keyword,
    "tool": t.CompletionItemKind.Function,
    "plan": t.CompletionItemKind.Method,
    "path": t.CompletionItemKind.Variable,
    "argument": t.CompletionItemKind.Property,
    "agent": t.CompletionItemKind.Class,
    "event": t.CompletionItemKind.Event,
}


def handle(server: AgentServer, params: t.CompletionParams) -> list[t.CompletionItem]:
    """Return what may be typed at a position."""
    document = server.documents.get(params.text_document.uri)
    if document is None or not server.enabled("completion"):
        return []
    page = server.page(document)
    encoding, formats = document.text.encoding, _formats(server)
    return [
        t.CompletionItem(
            label=candidate.label,
            kind=_KINDS[candidate.kind],
            detail=candidate.detail or None,
            documentation=_documentation(candidate.documentation, formats),
            text_edit=t.TextEdit(
                range=range_of(candidate.span, page.source, encoding), new_text=candidate.text
            ),
        )
        for candidate in completion(page, offset_of(params.position, page.source, encoding))
    ]


def _documentation(text: str, formats: Sequence[t.MarkupKind] | None) -> str | t.MarkupContent | None:
    return markup(text, formats) if text and formats else text or None


def _formats(server: AgentServer) -> Sequence[t.MarkupKind] | None:
    text = server.client_capabilities.text_document
    item = text.completion.completion_item if text and text.completion else None
    return item.documentation_format if item else None
