"""textDocument/codeAction: the fixes of the diagnostics in a range."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types as t
from pygls.uris import from_fs_path

from agentl.messages import translate
from agentl_grammar.problems import Fix
from agentl_grammar.source import Source
from agentl_server.documents import Document
from agentl_server.ide.allowing import allowing
from agentl_server.ide.findings import findings
from agentl_server.lsp.convert import range_of, span_of
from agentl_server.lsp.diagnostics import diagnostic_of
from agentl_server.session import AgentServer


def handle(server: AgentServer, params: t.CodeActionParams) -> list[t.CodeAction]:
    """Return a quick fix for each problem that touches the range and has one, and the ways to allow it."""
    document = server.documents.get(params.text_document.uri)
    if document is None or not server.enabled("codeAction") or not _wanted(params.context.only):
        return []
    page = server.page(document)
    encoding = document.text.encoding
    chosen = span_of(params.range, page.source, encoding)
    found = findings(page, server.enabled)
    touched = [
        problem
        for problem in found.problems
        if problem.span.start <= chosen.end and chosen.start <= problem.span.end
    ]
    allowed = allowing(page.source, touched)
    offers = [(problem, fix) for problem in touched for fix in problem.fixes]
    offers += [(problem, allowed.pop(problem.code)) for problem in touched if problem.code in allowed]
    diagnostics = {
        id(problem): diagnostic_of(problem, found, page.source, document.uri, encoding) for problem in touched
    }
    actions: list[t.CodeAction] = []
    for problem, fix in offers:
        edit = _edit(fix, document, page.source, found.sources)
        if edit is not None:
            preferred = fix in problem.fixes[:1]
            actions.append(_action(fix, edit, diagnostics[id(problem)], preferred=preferred))
    return actions


def _wanted(only: object) -> bool:
    kinds = [str(getattr(kind, "value", kind)) for kind in only] if isinstance(only, list | tuple) else None  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]
    return kinds is None or any("quickfix".startswith(kind) for kind in kinds)


def _edit(
    fix: Fix, document: Document, source: Source, others: Mapping[str, Source]
) -> t.WorkspaceEdit | None:
    """Return the edit of a fix, in this text or in the file that it names; None when that is not known."""
    text = source if fix.name is None else others.get(fix.name)
    uri = document.uri if fix.name is None else from_fs_path(fix.name)
    if text is None or uri is None:
        return None
    encoding = document.text.encoding
    edits = [t.TextEdit(range=range_of(span, text, encoding), new_text=new) for span, new in fix.replacements]
    return t.WorkspaceEdit(changes={uri: edits})


def _action(fix: Fix, edit: t.WorkspaceEdit, diagnostic: t.Diagnostic, *, preferred: bool) -> t.CodeAction:
    return t.CodeAction(
        title=translate(fix.title),
        kind=t.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        is_preferred=preferred,
        edit=edit,
    )
