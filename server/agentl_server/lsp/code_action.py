"""textDocument/codeAction: the fixes of the diagnostics in a range, and all fixes of a text at once."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types as t
from pygls.uris import from_fs_path

from agentl.messages import translate
from agentl_grammar.problems import Fix, Message, message_id
from agentl_grammar.source import Source
from agentl_server.documents import Document
from agentl_server.ide.allowing import allowing
from agentl_server.ide.findings import findings
from agentl_server.ide.fixing import fixing
from agentl_server.lsp.convert import range_of, span_of
from agentl_server.lsp.diagnostics import diagnostic_of
from agentl_server.session import AgentServer

FIX_ALL = "source.fixAll.agentl"


def handle(server: AgentServer, params: t.CodeActionParams) -> list[t.CodeAction]:
    """Return a quick fix for each problem that touches the range and has one, and the ways to allow it.

    All fixes at once are an action of its own, for clients that ask: it looks at the text many times.
    """
    document = server.documents.get(params.text_document.uri)
    if document is None or not server.enabled("codeAction"):
        return []
    only = _kinds(params.context.only)
    every = _fix_all(document) if only is not None and _wants(only, FIX_ALL) else []
    quick = _quick_fixes(server, document, params.range) if only is None or _wants(only, "quickfix") else []
    return [*quick, *every]


def _kinds(only: object) -> list[str] | None:
    return [str(getattr(kind, "value", kind)) for kind in only] if isinstance(only, list | tuple) else None  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]


def _wants(only: list[str], kind: str) -> bool:
    return any(f"{kind}.".startswith(f"{wanted}.") for wanted in only if wanted)


def _fix_all(document: Document) -> list[t.CodeAction]:
    source, encoding = document.parsed.source, document.text.encoding
    edits = [
        t.TextEdit(range=range_of(span, source, encoding), new_text=new)
        for span, new in fixing(source.text, document.look)
    ]
    if not edits:
        return []
    title = translate(Message(message_id("Fix all that has one fix")))
    return [t.CodeAction(title=title, kind=FIX_ALL, edit=t.WorkspaceEdit(changes={document.uri: edits}))]


def _quick_fixes(server: AgentServer, document: Document, chosen_range: t.Range) -> list[t.CodeAction]:
    page = server.page(document)
    encoding = document.text.encoding
    chosen = span_of(chosen_range, page.source, encoding)
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
