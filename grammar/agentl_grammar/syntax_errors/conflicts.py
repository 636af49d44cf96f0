"""Merge conflicts that were left in a text: one problem for each, and the text as the first side has it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agentl_grammar.lexer import lex
from agentl_grammar.problems import Message, Problem, Severity, message_id
from agentl_grammar.source import Span

_CONFLICT = message_id("a merge conflict is left here")
_HINT = message_id(
    "keep what is right of its two sides, and remove the lines `<<<<<<<`, `=======`, `>>>>>>>`"
)
_MARKERS = re.compile(
    r"^(?:<<<<<<<|\|\|\|\|\|\|\||=======|>>>>>>>)(?![^ \r\n])[^\r\n]*", re.MULTILINE
).finditer
_VISIBLE = re.compile(r"[^\r\n]")
_BEGIN, _END = "<>"


@dataclass(frozen=True, slots=True)
class Merged:
    """A text without its conflicts, character for character at the same place, and what is said of them."""

    text: str
    problems: tuple[Problem, ...]


def merged(text: str) -> Merged | None:
    """Return `text` with blanks for its conflicts but their first side; None when there is none."""
    markers = [Span(*found.span()) for found in _MARKERS(text)] if "<<<<<<<" in text else []
    if not markers or not (markers := _outside(text, markers)):
        return None
    problems = [_problem(marker) for marker in markers if text[marker.start] == _BEGIN]
    left = _left_out(text, markers) if problems else []
    parts, end = list[str](), 0
    for span in left:
        parts += [text[end : span.start], _VISIBLE.sub(" ", text[span.start : span.end])]
        end = span.end
    return Merged("".join((*parts, text[end:])), tuple(problems)) if problems else None


def _outside(text: str, markers: list[Span]) -> list[Span]:
    """Return the markers that stand in no text and in no comment."""
    lexed = lex(text)
    closed = [token for token in (*lexed.tokens, *lexed.comments) if "\n" in token.text]
    ends = iter(sorted((token.start, token.end) for token in closed))
    within, outside = next(ends, None), list[Span]()
    for marker in markers:
        while within and within[1] <= marker.start:
            within = next(ends, None)
        if within is None or marker.start < within[0]:
            outside.append(marker)
    return outside


def _left_out(text: str, markers: list[Span]) -> list[Span]:
    """Return the lines of the markers, and all between the first side of a conflict and its end."""
    found, begun, middle = list[Span](), False, -1
    for marker in markers:
        sign = text[marker.start]
        if sign == _BEGIN:
            begun, middle = True, -1
        elif not begun:
            continue
        elif sign == _END:
            begun = False
        elif middle < 0:
            middle = len(found)
        found.append(marker)
        if sign == _END and middle >= 0:
            found[middle:] = [found[middle].to(marker)]
    return found


def _problem(marker: Span) -> Problem:
    return Problem("S105", Severity.ERROR, marker, Message(_CONFLICT), Message(_HINT))
