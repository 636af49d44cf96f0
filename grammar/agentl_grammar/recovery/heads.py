"""Repairs of a head that cannot be read, of a member or a statement: what stands in its braces is kept."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.lexer import Token
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Fix
from agentl_grammar.source import Source
from agentl_grammar.syntax_errors.expectations import EXPRESSION, STATEMENT
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, CLOSERS, Place

UNNAMED = "unnamed"
"""What stands in the tree for a declaration's name that is missing."""
_LONGEST = 400
# Of several blocks that fit, these say the least.
_PLAINEST = frozenset(("_THEN", "_PLAN"))
# What goes on behind a block in other languages.
_GOING_ON = ("ELSE", "ELSEIF", "ELSIF", "ELIF", "CATCH", "EXCEPT", "RESCUE", "FINALLY", "OTHERWISE")
_JOINING = ("_THEN", "_ELSE", "_AND", "_OR", "_NOT", "_IN")
Repair = tuple[int, list[Token], int]
"""The first token that changes, the new tokens, how many of them stand behind the change."""


def mended_agent(tokens: list[Token], start: int) -> list[Token]:
    """Return the head of an agent that begins at `start`, from one that cannot be read."""
    place = start, start
    named = [token.type for token in tokens[:2]] == ["_AGENT", "NAME"]
    label = tokens[1] if named else Token("NAME", UNNAMED, *place)
    return [Token("_AGENT", "AGENT", *place), label, Token("_LBRACE", "{", label.end, label.end)]


def begins_anew(source: Source, tokens: list[Token], at: int) -> bool:
    """Tell whether token `at` is the first of its line, or stands behind a block."""
    if not at or tokens[at - 1].type == "_RBRACE":
        return True
    return source.line_number(tokens[at - 1].start) < source.line_number(tokens[at].start)


def goes_on(tokens: list[Token], at: int) -> bool:
    """Tell whether token `at` goes on behind the `}` before it, as `} else {` does in other languages."""
    word, behind = tokens[at], tokens[at + 1 : at + 2]
    follows_block = at > 0 and tokens[at - 1].type == "_RBRACE" and word.type == "NAME"
    opens = bool(behind) and behind[0].type != "_DOT"
    return follows_block and opens and word.text.upper() in _GOING_ON


def behind_name(place: Place) -> list[str]:
    """Return what must be readable behind a name that is missing at the place, and the sign there."""
    return [] if place.token.type == "_LBRACE" or not place.following else [place.following.type]


def by_layout(place: Place, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens with braces for blocks that are told by a `:` and deeper lines below it."""
    index = place.index
    if place.token.type != "_COLON" or "_LBRACE" not in place.accepts:
        return
    new: list[Token] = []
    columns: list[int] = []
    for at in range(index, len(tokens)):
        token = tokens[at]
        while at > index and columns and begins_anew(place.source, tokens, at):
            if place.indent(token) > columns[-1]:
                break
            columns.pop()
            new.append(Token("_RBRACE", "}", tokens[at - 1].end, tokens[at - 1].end))
        if at > index and not columns:
            break
        below = tokens[at + 1] if at + 1 < len(tokens) else token
        if token.type == "_COLON" and place.indent(below) > place.indent(token):
            columns.append(place.indent(token))
            token = token._replace(type="_LBRACE", text="{")
        new.append(token)
    else:
        at = len(tokens)
    closers = [Token("_RBRACE", "}", tokens[-1].end, tokens[-1].end) for _ in columns]
    edited = [*tokens[:index], *new, *closers, *tokens[at:]]
    if new[0].type == "_LBRACE":
        yield index, edited, max(0, len(edited) - index - 2)


def exchanged(place: Place, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens with two neighbours exchanged, where all of their line can be read then."""
    index = place.index
    end = index + len(place.rest_of_line())
    if index >= len(tokens):
        return
    for at in (index - 1, index, index - 2):
        if at >= 0 and at + 1 < min(end, len(tokens)) and _may_be_exchanged(place, tokens, at):
            one, other = tokens[at : at + 2]
            first = other._replace(start=one.start, end=one.end)
            pair = [first, one._replace(start=other.start, end=other.end)]
            mended = [*tokens[:at], *pair, *tokens[at + 2 :]]
            if _may_end(place, at, mended[at:end]):
                yield at, mended, max(0, len(tokens) - end - 1)


def _may_end(place: Place, at: int, line: list[Token]) -> bool:
    """Tell whether a line may end, read from token `at` on: it takes nothing from the next one."""
    if place.cursor_at is None or not place.inner or line[-1].type in (*CLOSERS, "_COMMA"):
        return True
    closer = line[-1]._replace(type=place.inner.closer)
    return place.cursor_at(at).refused([*line, closer]) != len(line)


def _may_be_exchanged(place: Place, tokens: list[Token], at: int) -> bool:
    """Tell whether token `at` and the one behind it, on its line, may stand in the wrong order."""
    one, other = tokens[at : at + 2]
    if one.type == other.type or place.line(one) != place.line(other):
        return False
    # A line begins with a word, and a `{` at its end is where it belongs.
    begins = begins_anew(place.source, tokens, at) and not other.text[0].isalpha()
    ends = other.type == "_LBRACE" and begins_anew(place.source, tokens, min(at + 2, len(tokens) - 1))
    return not begins and not ends


def renamed(place: Place, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens with a name for a text, where only a name can stand: EVENT "door opened"."""
    index, names = place.index, frozenset(("NAME",))
    if place.token.type == "STRING" and place.accepts & (EXPRESSION | STATEMENT) == names:
        name = place.token._replace(type="NAME", text=UNNAMED)
        yield index, [*tokens[:index], name, *tokens[index + 1 :]], len(tokens) - index - 1


def reworded(place: Place, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens with the one keyword that makes the line go on, in place of a word or before it.

    Members are told by what stands in their braces, and have a fix where they are meant.
    """
    index, token = place.index, place.token
    if place.head in ("", "AGENT") or index >= len(tokens) or not begins_anew(place.source, tokens, index):
        return
    line = _whole(place.tokens, index, index + len(place.rest_of_line()))
    replaced = _only(place, line[1:]) if token.text[0].isalpha() else None
    if replaced:
        yield index, [*tokens[:index], replaced, *tokens[index + 1 :]], len(tokens) - index - 1
        return
    inserted = _only(place, line)
    if inserted:
        yield index, [*tokens[:index], inserted, *tokens[index:]], len(tokens) - index - 1


def _only(place: Place, line: list[Token]) -> Token | None:
    """Return the only keyword that `line` can stand behind."""
    kinds = [
        kind for kind in place.accepts if kind.startswith("_") and kind[1:] in WORDS and kind not in _JOINING
    ]
    words = [place.token._replace(type=kind, text=kind[1:]) for kind in sorted(kinds)]
    fitting = [word for word in words if place.cursor.refused([word, *line]) is None] if line else []
    return fitting[0] if len(fitting) == 1 else None


def reopened(place: Place, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens with the line that opens a block, where what stands in it tells which is missing.

    The block goes from the place up to a `}` that has no partner; all of it must fit behind the one line.
    """
    index = place.index
    end = _surplus(tokens, index)
    if not end or place.token.type in CLOSER_TEXTS or not begins_anew(place.source, tokens, index):
        return
    block = tokens[index:end]
    read = [(opening, place.cursor.refused([*opening, *block])) for opening in _openings(place)]
    fitting = [opening for opening, refused in read if refused is None]
    words = {opening[0].type for opening in fitting}
    if len(words) == 1 or words & _PLAINEST:
        yield index, [*tokens[:index], *fitting[0], *tokens[index:]], len(tokens) - end
    elif not fitting:
        # A mistake may stand further down in the block.
        line = len(place.rest_of_line())
        plain = [opening for opening, refused in read if opening[0].type in _PLAINEST and refused]
        begun = [
            opening for opening in plain if (place.cursor.refused([*opening, *block[: line + 1]]) is None)
        ]
        yield from (
            (index, [*tokens[:index], *opening, *tokens[index:]], len(tokens) - index - line)
            for opening in begun[:1]
        )


def _surplus(tokens: list[Token], begin: int) -> int:
    """Return the index behind the first `}` from `begin` on that has no partner there; 0 for none."""
    depth = 0
    for at in range(begin, min(len(tokens), begin + _LONGEST)):
        depth += (tokens[at].type == "_LBRACE") - (tokens[at].type == "_RBRACE")
        if depth < 0:
            return at + 1
    return 0


def _openings(place: Place) -> list[list[Token]]:
    """Return the beginnings of blocks that may stand at the place, the plainest first."""
    kinds = [kind for kind in place.accepts if kind[1:] in WORDS and kind not in _JOINING[1:]]
    found: list[list[Token]] = []
    for kind in sorted(kinds, key=lambda kind: (kind not in _PLAINEST, kind)):
        word = place.token._replace(type=kind, text=kind[1:], end=place.token.start)
        for between in ((), (("NAME", "unnamed"),), (("STRING", '""'),)):
            parts = [word._replace(type=part, text=text) for part, text in (*between, ("_LBRACE", "{"))]
            if place.cursor.refused([word, *parts]) is None:
                found.append([word, *parts])
    return found


def _whole(tokens: list[Token], begin: int, end: int) -> list[Token]:
    """Return the tokens of a line, and of the blocks that it opens, with the one behind."""
    depth, at = 0, begin
    while at < len(tokens) and (at < end or depth) and at < begin + _LONGEST:
        depth += (tokens[at].type in CLOSERS) - (tokens[at].type in CLOSER_TEXTS)
        if depth < 0:
            break
        at += 1
    return tokens[begin : at + 1]


def shortened(place: Place, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens without what stands too much before the `{` on the line of the place."""
    if "_LBRACE" in place.accepts and not place.starts_line():
        brace = _brace(place, tokens)
        if brace is not None and brace > place.index:
            yield place.index, tokens[: place.index] + tokens[brace:], len(tokens) - brace - 1


def beheaded(place: Place, tokens: list[Token], least: int) -> Iterator[Repair]:
    """Yield the tokens with the block that opens on the line of the place, but not with its words.

    A name too many goes; a statement's head becomes THEN, which may stand before any block. Nothing before
    token `least` changes.
    """
    index, brace, cursor_at = place.index, _brace(place, tokens), place.cursor_at
    if brace is None or cursor_at is None or not place.inner or place.inner.token.type != "_LBRACE":
        return
    named = brace == index > least + 1 and not place.starts_line() and tokens[index - 1].type == "NAME"
    if named and cursor_at(index - 1).would_accept("_LBRACE"):
        yield index - 1, tokens[: index - 1] + tokens[index:], len(tokens) - index - 1
    start = index
    while start > least and not begins_anew(place.source, tokens, start):
        start -= 1
    first = [token.type for token in tokens[brace + 1 : brace + 2]]
    if start < brace and cursor_at(start).would_accept("_THEN", "_LBRACE", *first):
        then = Token("_THEN", "THEN", tokens[start].start, tokens[start].start)
        yield start, [*tokens[:start], then, *tokens[brace:]], len(tokens) - brace - 1


def is_earlier(fix: Fix, place: Place) -> bool:
    """Tell whether a fix adds a bracket on an earlier line, which leaves the line of the place as it was."""
    span, text = fix.replacements[0]
    line = place.source.line_number(span.end) + 1
    return text.strip() in ("{", ")", "]") and line < place.line(place.token)


def _brace(place: Place, tokens: list[Token]) -> int | None:
    """Return the index of the first `{` from the place on, on its line."""
    for at, token in enumerate(place.rest_of_line(), start=place.index):
        if token.type == "_LBRACE":
            return at if at < len(tokens) else None
    return None
