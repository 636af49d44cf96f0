"""Problems as a terminal shows them: place, message, the line with carets, the next step."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping

from agentl_grammar.problems import Message, Problem
from agentl_grammar.source import Source, Span

_WIDTH = 100
_CONTEXT = 20
_ELLIPSIS = "…"


def excerpt(source: Source, span: Span) -> str:
    """Return the line where `span` starts, with its number, and carets under what the span covers.

    Tabs stay tabs, in the line and under it, so that the carets stand right at any tab width. Of a line
    longer than 100 characters only the surroundings of the span are shown. An empty span gets one caret.
    """
    position = source.position(span.start)
    line = source.line(position.line)
    length = max(1, min(span.end - span.start, len(line) - position.column))
    shown, column = _clip(line, position.column)
    length = min(length, max(1, len(shown) - column))
    gutter = str(position.line + 1)
    blank = " " * len(gutter)
    padding = "".join(map(_blank, shown[:column]))
    carets = "^" * max(1, sum(map(_columns, shown[column : column + length])))
    return f"{gutter} | {visible(shown)}\n{blank} | {padding}{carets}"


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _blank(character: str) -> str:
    return "\t" if character == "\t" else " " * _columns(character)


def _clip(line: str, column: int) -> tuple[str, int]:
    if len(line) <= _WIDTH:
        return line, column
    start = max(0, min(column - _CONTEXT, len(line) - _WIDTH))
    clipped = line[start : start + _WIDTH]
    if start + _WIDTH < len(line):
        clipped += _ELLIPSIS
    return (_ELLIPSIS + clipped, column - start + 1) if start else (clipped, column)


def visible(line: str) -> str:
    """Return `line` with every character replaced that a terminal would obey or that cannot be encoded."""
    return "".join(
        character if character == "\t" or character.isprintable() or character == "\u00a0" else "\ufffd"
        for character in line
    )


def render(
    problem: Problem,
    source: Source,
    translate: Callable[[str], str] = str,
    others: Mapping[str, Source] | None = None,
) -> str:
    """Return a problem as text: `name:line:column: error S101: message`, excerpt, related places, next step.

    Lines and columns count from 1, columns in code points. `translate` turns a message template into the
    reader's language. `others` are the texts of related places in other files, by name: where there is
    none, only the name of the file is told.
    """

    def said(message: Message) -> str:
        return visible(message.translated(translate))

    severity = translate(problem.severity)
    place = _place(source, problem.span)
    lines = [f"{place}: {severity} {problem.code}: {said(problem.message)}", excerpt(source, problem.span)]
    for related in problem.related:
        text = source if related.name is None else (others or {}).get(related.name)
        place = _place(text, related.span) if text else related.name
        lines.append(f"{place}: {translate('note')}: {said(related.message)}")
        if text:
            lines.append(excerpt(text, related.span))
    if problem.hint:
        lines.append(f"{translate('help')}: {said(problem.hint)}")
    return "\n".join(lines)


def _place(source: Source, span: Span) -> str:
    line, column = source.position(span.start)
    return f"{source.name}:{line + 1}:{column + 1}"
