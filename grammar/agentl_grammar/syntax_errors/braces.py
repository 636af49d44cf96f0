"""The `{` of a block that is missing, or that an option should stand behind (S101)."""

from __future__ import annotations

from agentl_grammar.lexer import Token
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.brackets import closes_more
from agentl_grammar.syntax_errors.expectations import (
    EXPRESSION,
    OPTIONS,
    PHASES,
    SEPARATORS,
    STATEMENT,
    expected,
)
from agentl_grammar.syntax_errors.next_step import goes_without
from agentl_grammar.syntax_errors.place import (
    CLOSER_TEXTS,
    CLOSERS,
    Place,
    found,
    insert,
    rewrite,
    shown,
)

_MISSING = message_id("expected {expected}, found {found}")
_FAR, _LONGEST = 400, 60
# In their braces any word is a name.
_OF_NAMES = ("INPUT", "OUTPUT", "PRODUCE", "PAYLOAD")
_BRACE = message_id("`{{`")
_MISSING_BEHIND = message_id("expected {expected} behind {previous}")
_MISSING_BEHIND_HINT = message_id("add it behind {previous}")
_MISSING_HINT = message_id("insert `{{` before {found}")
_FIELDS_HINT = message_id("write {head} {{ name: Type }}")
_BLOCK_HINT = message_id("write its block behind {previous}: {{ … }}")
_REMOVE_HINT = message_id("remove {found}")
_BETWEEN_HINT = message_id("remove what stands between {previous} and its `{{`")
_INSTEAD_HINT = message_id("write `{{` instead of {found}")
_WRAP_HINT = message_id("put `{{` before {found} and `}}` behind {last}")
_BRACES_HINT = message_id("write `{{` instead of {found} and `}}` behind {last}")
_INSIDE = message_id("{found} stands inside the braces, not before them")
_INSIDE_HINT = message_id("move the `{{` before {found}")
_MAXIMUM = message_id("UNTIL stands before MAX")
_MAXIMUM_HINT = message_id("write LOOP UNTIL <condition> MAX <number> {{ … }}")


def opening(place: Place) -> Problem | None:
    """Report a block whose `{` is missing or comes too late."""
    if "_LBRACE" not in place.accepts or place.accepts - OPTIONS or place.token.type in CLOSERS:
        return None
    line = place.rest_of_line()
    return _maximum(place, line) or _inside(place, line) or _wrapped(place, line) or _missing(place, line)


def separated(place: Place) -> Problem | None:
    """Report a `:` or `=` in the place of braces: `POLICY: ALLOW a`, and `TOOL pay:` above deeper lines."""
    if place.token.type not in SEPARATORS or "_LBRACE" not in place.accepts or not place.previous:
        return None
    if place.accepts & (STATEMENT | EXPRESSION) - {"NAME", "_LPAR"}:
        return None
    values = {"expected": Message(_BRACE), "found": found(place)}
    message, inside = Message(_MISSING, values), _without_closers(place.rest_of_line())[1:]
    if not inside:
        return place.problem("S101", message, Message(_INSTEAD_HINT, values)) if _is_deeper(place) else None
    kinds = [token.type for token in inside]
    typed = place.previous.text not in _OF_NAMES or "_COLON" in kinds
    if not typed or _closes_more(place, place.rest_of_line()):
        return None
    if not place.cursor.would_accept("_LBRACE", *kinds, "_RBRACE"):
        return None
    last = inside[-1]
    hint = Message(_BRACES_HINT, {**values, "last": f"`{last.text}`"})
    begin = place.previous.end
    fix = rewrite(hint, (Span(begin, place.token.end), " {"), (Span(last.end, last.end), " }"))
    return place.problem("S101", message, hint, fix)


def _is_deeper(place: Place) -> bool:
    """Tell whether the line below the place stands further in."""
    following = place.following
    return following is not None and place.indent(following) > place.indent(place.token)


def unopened(place: Place) -> Problem | None:
    """Report THEN or ELSE at the end of its line whose block lacks its `{`, found by what its `}` closed."""
    if place.token.type not in ("_ELSE", "_STEP") and place.openers:
        return None
    for at in range(place.index - 1, max(0, place.index - _FAR), -1):
        token = place.tokens[at]
        if token.type in ("_THEN", "_ELSE") and _lacks_brace(place, at):
            values = {"expected": Message(_BRACE), "previous": shown(token)}
            span = Span(token.end, token.end)
            message, hint = Message(_MISSING_BEHIND, values), Message(_MISSING_BEHIND_HINT, values)
            return place.problem("S101", message, hint, insert(token.end, " {"), span=span)
    return None


def _lacks_brace(place: Place, at: int) -> bool:
    """Tell whether deeper lines follow token `at`, and a `}` at the column of its own line."""
    if at + 1 >= len(place.tokens):
        return False
    first = place.tokens[at + 1]
    own, column = _column(place, place.tokens[at]), _column(place, first)
    if place.line(first) == place.line(place.tokens[at]) or column <= own:
        return False
    for token in place.tokens[at + 1 : place.index + 1]:
        if _column(place, token) <= own:
            return token.type == "_RBRACE" and _column(place, token) == own
    return False


def _column(place: Place, token: Token) -> int:
    """Return the indentation of the line of a token."""
    line = place.source.line(place.line(token) - 1)
    return len(line) - len(line.lstrip(" \t"))


def _maximum(place: Place, line: list[Token]) -> Problem | None:
    """Report LOOP MAX … UNTIL …, the options in the wrong order."""
    brace = next((token for token in line if token.type == "_LBRACE"), None)
    number, word = place.previous, place.tokens[place.index - 2] if place.index > 1 else None
    if place.token.type != "_UNTIL" or not word or not number or word.type != "_MAX":
        return None
    message, hint = Message(_MAXIMUM), Message(_MAXIMUM_HINT)
    if not brace:
        return place.problem("S101", message, hint)
    maximum = place.source.text[word.start : number.end]
    away = Span(word.start, place.token.start)
    fix = rewrite(hint, (away, ""), (Span(brace.start, brace.start), f"{maximum} "))
    return place.problem("S101", message, hint, fix)


def _inside(place: Place, line: list[Token]) -> Problem | None:
    """Report an option before the `{` that it stands behind: EVENT e WHEN a == 1 { … }."""
    at = next((index for index, token in enumerate(line) if token.type == "_LBRACE"), None)
    if at is None or not place.previous or place.starts_line() or not place.token.text.isupper():
        return None
    if place.previous.text in _OF_NAMES:
        return None
    moved = [token.type for token in _without_closers(line[:at] + line[at + 1 :])]
    if not place.cursor.would_accept("_LBRACE", *moved):
        return None
    values = {"found": found(place)}
    message, hint = Message(_INSIDE, values), Message(_INSIDE_HINT, values)
    start = place.previous.end
    fix = rewrite(hint, (Span(start, start), " {"), (line[at].span, ""))
    return place.problem("S101", message, hint, fix)


def _wrapped(place: Place, line: list[Token]) -> Problem | None:
    """Report a block without both braces, when the rest of its line is its content."""
    inside = _content(place, _without_closers(line))
    if place.starts_line() or not inside or not place.previous or _closes_more(place, line):
        return None
    last = inside[-1]
    values = {"found": found(place), "last": f"`{last.text}`", "expected": expected(place)}
    hint = Message(_WRAP_HINT, values)
    start = place.previous.end
    fix = rewrite(hint, (Span(start, start), " {"), (Span(last.end, last.end), " }"))
    return place.problem("S101", Message(_MISSING, values), hint, fix)


def _content(place: Place, line: list[Token]) -> list[Token]:
    """Return what of a line can stand in the braces: all of it, or what stands before the next field.

    Where any word is a name, the next field comes first.
    """
    kinds = [token.type for token in line]
    if place.cursor.would_accept("_LBRACE", *kinds, "_RBRACE"):
        named = place.previous is not None and place.previous.text in _OF_NAMES
        return (_before_field(place, line) if named else []) or line
    return _before_field(place, line)


def _before_field(place: Place, line: list[Token]) -> list[Token]:
    kinds = [token.type for token in line]
    for end, token in enumerate(line[:_LONGEST]):
        field = end and token.text in WORDS and token.type not in STATEMENT | PHASES
        if field and place.cursor.would_accept("_LBRACE", *kinds[:end], "_RBRACE", *kinds[end : end + 1]):
            return line[:end]
    return []


def _without_closers(line: list[Token]) -> list[Token]:
    """Return the tokens up to what closes a bracket that was open before."""
    depth = 0
    for index, token in enumerate(line):
        depth += (token.type in CLOSERS) - (token.type in CLOSER_TEXTS)
        if depth < 0:
            return line[:index]
    return line


def _closes_more(place: Place, line: list[Token]) -> bool:
    """Tell whether the line closes more than what it opened: the block, whose `{` alone is missing."""
    opened = sum(place.line(opener.token) == place.line(place.token) for opener in place.openers)
    return opened + sum((token.type in CLOSERS) - (token.type in CLOSER_TEXTS) for token in line) < 0


def _missing(place: Place, line: list[Token]) -> Problem:
    values = {"expected": expected(place), "found": found(place)}
    previous = place.previous
    if place.token.type == "_COLON" and previous and previous.type in ("_INPUT", "_OUTPUT"):
        hint = Message(_FIELDS_HINT, {"head": previous.text})
        return place.problem("S101", Message(_MISSING, values), hint)
    if _is_closed(place) or _is_below(place):
        behind = {"expected": values["expected"], "previous": shown(previous or place.token)}
        span = Span(previous.end, previous.end) if previous else None
        return place.problem(
            "S101", Message(_MISSING_BEHIND, behind), Message(_BLOCK_HINT, behind), span=span
        )
    message, hint = Message(_MISSING, values), Message(_MISSING_HINT, values)
    inside = line[:1] if place.starts_line() else _without_closers(line)
    fits = place.previous and place.cursor.would_accept("_LBRACE", *(token.type for token in inside))
    if not fits:
        return place.problem("S101", message, _otherwise(place, line))
    fixes = [insert(place.previous.end, " {")] if place.previous else []
    return place.problem("S101", message, hint, *fixes)


def _otherwise(place: Place, line: list[Token]) -> Message:
    """Return the hint where a `{` before the token does not make the text go on."""
    values = {"found": found(place), "previous": shown(place.previous or place.token)}
    following = place.following
    if following and following.type == "_LBRACE" and goes_without(place):
        return Message(_REMOVE_HINT, values)
    if any(token.type == "_LBRACE" for token in line):
        return Message(_BETWEEN_HINT, values)
    if following and place.cursor.would_accept("_LBRACE", following.type):
        return Message(_INSTEAD_HINT, values)
    return Message(_BLOCK_HINT, values)


def _is_below(place: Place) -> bool:
    """Tell whether the block would begin on a line below that stands no further in than its head."""
    begins = place.starts_line() and place.previous is not None
    return begins and place.previous is not None and place.indent(place.token) <= place.indent(place.previous)


def _is_closed(place: Place) -> bool:
    """Tell whether a `}` stands at the place, and no brace is missing before it."""
    closes = place.token.type in CLOSER_TEXTS and bool(place.openers)
    return closes and not closes_more(place.source.text, place.openers[0].token.start)
