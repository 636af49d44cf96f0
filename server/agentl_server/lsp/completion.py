"""textDocument/completion."""

from __future__ import annotations

from lsprotocol import types as t

from agentl_server.ide.completion import completion
from agentl_server.lsp.convert import offset_of, range_of
from agentl_server.session import AgentServer

_KINDS = {
    "keyword": t.CompletionItemKind.Keyword,
    "tool": t.CompletionItemKind.Function,
    "plan": t.CompletionItemKind.Method,
    "path": t.CompletionItemKind.Variable,
}


def handle(server: AgentServer, params: t.CompletionParams) -> list[t.CompletionItem]:
    """Return what may be typed at a position."""
    document = server.documents.get(params.text_document.uri)
    if document is None or not server.enabled("completion"):
        return []
    page = server.page(document)
    encoding = document.text.encoding
    return [
        t.CompletionItem(
            label=candidate.label,
            kind=_KINDS[candidate.kind],
            detail=candidate.detail or None,
            documentation=_markdown(candidate.documentation),
            text_edit=t.TextEdit(
                range=range_of(candidate.span, page.source, encoding), new_text=candidate.text
            ),
        )
        for candidate in completion(page, offset_of(params.position, page.source, encoding))
    ]


def _markdown(text: str) -> t.MarkupContent | None:
    return t.MarkupContent(kind=t.MarkupKind.Markdown, value=text) if text else None
