"""A block written on one line: its `}` belongs on that line too, if what stands below is no deeper."""

from __future__ import annotations

from bisect import bisect_left

from agentl_grammar.syntax_errors.place import Opener, Place, place_of


def cut_block(place: Place, around: Opener) -> tuple[Opener, int] | None:
    """Return the first block in `around`, or that one itself, that lost its `}` at the end of its line.

    With it comes the index of the first token below. What is in the block begins on the line of its `{`.
    """
    begin = bisect_left(place.tokens, around.token.start, key=lambda token: token.start)
    opened: list[int] = []
    for at in range(begin, place.index):
        token, below = place.tokens[at], at + 1
        if token.type == "_LBRACE":
            opened.append(at)
        elif token.type == "_RBRACE" and opened:
            opened.pop()
        ends = below == place.index or place.line(place.tokens[below]) > place.line(token)
        if ends and opened and opened[-1] < at and _is_no_deeper(place, opened[-1], below):
            found = _closing_before(place, opened[-1], below)
            if found:
                return found, below
    return None


def _is_no_deeper(place: Place, opener: int, below: int) -> bool:
    """Tell whether the line of token `below` is no deeper than that of the `{` before it."""
    if below >= len(place.tokens) or place.tokens[below].type == "_RBRACE":
        return False
    brace, token = place.tokens[opener], place.tokens[below]
    on_its_line = place.line(brace) == place.line(place.tokens[below - 1])
    return on_its_line and place.indent(token) <= place.indent(brace)


def _closing_before(place: Place, opener: int, below: int) -> Opener | None:
    """Return the `{` at `opener` as what is open before token `below`, if a `}` may stand there."""
    if place.cursor_at is None:
        return None
    there = place_of(place.source, place.tokens, below, place.cursor_at(below))
    inner = there.inner
    if not inner or inner.token is not place.tokens[opener] or not inner.written:
        return None
    return inner if there.cursor.would_accept(inner.closer, there.token.type) else None
