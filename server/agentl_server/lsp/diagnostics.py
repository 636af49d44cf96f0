"""textDocument/publishDiagnostics: pushed, with the version of the text that was looked at."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types as t
from pygls.uris import from_fs_path

from agentl.cli.explaining import pages
from agentl.messages import translate
from agentl_grammar.checks import UNNECESSARY
from agentl_grammar.problems import Problem, Related
from agentl_grammar.source import Encoding, Source
from agentl_server.documents import Document
from agentl_server.ide.findings import Findings, findings
from agentl_server.lsp.convert import SEVERITIES, range_of
from agentl_server.session import AgentServer


def publish(server: AgentServer, document: Document) -> None:
    """Send the diagnostics of an open text, unless they are what was sent last for this version."""
    diagnostics = diagnostics_of(server, document)
    sent = (document.text.version, tuple(diagnostics))
    if document.published != sent:
        document.published = sent
        server.text_document_publish_diagnostics(
            t.PublishDiagnosticsParams(
                uri=document.uri, version=document.text.version, diagnostics=diagnostics
            )
        )


def clear(server: AgentServer, uri: str) -> None:
    """Take back what was said about a text that is closed."""
    server.text_document_publish_diagnostics(t.PublishDiagnosticsParams(uri=uri, diagnostics=[]))


def diagnostics_of(server: AgentServer, document: Document) -> list[t.Diagnostic]:
    """Return the diagnostics of an open text as it is now."""
    page = server.page(document)
    found = findings(page, server.enabled)
    encoding = document.text.encoding
    return [diagnostic_of(problem, found, page.source, document.uri, encoding) for problem in found.problems]


def diagnostic_of(
    problem: Problem, found: Findings, source: Source, uri: str, encoding: Encoding
) -> t.Diagnostic:
    """Return one problem in the words of the protocol."""
    said = translate(problem.message)
    related = [
        made
        for item in problem.related
        if (made := _related(item, found.sources, source, uri, encoding)) is not None
    ]
    return t.Diagnostic(
        range=range_of(problem.span, source, encoding),
        severity=SEVERITIES[problem.severity],
        code=problem.code,
        code_description=_page_of(problem.code),
        tags=[t.DiagnosticTag.Unnecessary] if problem.code in UNNECESSARY else None,
        source="agentl",
        message=f"{said}\n{translate(problem.hint)}" if problem.hint else said,
        related_information=related or None,
    )


def _page_of(code: str) -> t.CodeDescription | None:
    """Return the link to the page of a code."""
    page = pages().get(code)
    place = from_fs_path(str(page)) if page else None
    return t.CodeDescription(href=place) if place else None


def _related(
    item: Related, sources: Mapping[str, Source], source: Source, uri: str, encoding: Encoding
) -> t.DiagnosticRelatedInformation | None:
    elsewhere = sources.get(item.name) if item.name else source
    place = from_fs_path(item.name) if item.name else uri
    if elsewhere is None or place is None:
        return None
    location = t.Location(uri=place, range=range_of(item.span, elsewhere, encoding))
    return t.DiagnosticRelatedInformation(location=location, message=translate(item.message))
