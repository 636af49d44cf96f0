"""Offsets, spans and severities of ours as those of the protocol."""

from __future__ import annotations

from lsprotocol import types as t

from agentl_grammar.problems import Severity
from agentl_grammar.source import Encoding, Position, Source, Span

SEVERITIES = {
    Severity.ERROR: t.DiagnosticSeverity.Error,
    Severity.WARNING: t.DiagnosticSeverity.Warning,
    Severity.INFORMATION: t.DiagnosticSeverity.Information,
    Severity.HINT: t.DiagnosticSeverity.Hint,
}


def position_of(offset: int, source: Source, encoding: Encoding) -> t.Position:
    """Return an offset as line and column in the client's unit."""
    found = source.position(offset, encoding)
    return t.Position(line=found.line, character=found.column)


def range_of(span: Span, source: Source, encoding: Encoding) -> t.Range:
    """Return a span as a range in the client's unit."""
    return t.Range(
        start=position_of(span.start, source, encoding), end=position_of(span.end, source, encoding)
    )


def offset_of(position: t.Position, source: Source, encoding: Encoding) -> int:
    """Return a position of the client as an offset, clamped to the text."""
    return source.offset(Position(position.line, position.character), encoding)


def span_of(found: t.Range, source: Source, encoding: Encoding) -> Span:
    """Return a range of the client as a span."""
    return Span(offset_of(found.start, source, encoding), offset_of(found.end, source, encoding))
