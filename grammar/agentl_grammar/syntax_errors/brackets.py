"""Brackets that are missing, too many, of the wrong kind, or at the wrong place."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache

from agentl_grammar.lexer import COMMENT, END, STRING, Token
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Message, Problem, Related, message_id
from agentl_grammar.source import Position, Span
from agentl_grammar.syntax_errors.expectations import CONTINUATIONS, MEMBERS
from agentl_grammar.syntax_errors.grouping import ends_here, is_certain
from agentl_grammar.syntax_errors.one_line import cut_block
from agentl_grammar.syntax_errors.place import (
    CLOSER_TEXTS,
    CLOSERS,
    Opener,
    Place,
    delete,
    found,
    insert,
    rewrite,
    shown,
)
from agentl_grammar.syntax_errors.place import replace as substitute

_MISSING = message_id("expected `{closer}` to close {title}, opened on line {line}")
_MISSING_HINT = message_id("insert `{closer}` before {found}")
_MISSING_BEHIND_HINT = message_id("insert `{closer}` behind {found}")
_MISSING_AT_END_HINT = message_id("insert `{closer}` at the end")
_OPENED = message_id("it is opened here")
_TOO_MANY = message_id("this `{closer}` closes nothing")
_TOO_MANY_HINT = message_id("remove it, or add the bracket that it should close")
_OTHER_HINT = message_id("write `{text}`, which closes {title}, opened on line {line}")
_EARLY = message_id("this `}}` closes AGENT, but {found} follows")
_EARLY_HINT = message_id("remove it, or put {found} before it")
_KIND = message_id("expected `{wanted}`, found {found}")
_KIND_HINT = message_id("write `{wanted} … {closer}` instead of `{opener} … {wrong}`")
_OPENER_HINT = message_id("write `{wanted}` instead of `{opener}`")
_STRAY = message_id("no `{opener}` can stand before {found}")
_STRAY_HINT = message_id("remove `{opener}`")
_STRAY_PAIR_HINT = message_id("remove `{opener}` and its `{closer}`")
_LIST = message_id("a list stands in square brackets, not in `{opener} … {closer}`")
_LIST_HINT = message_id("write [{text}]")
# How many tokens must go on behind a bracket that is left out.
_GOES_ON = 3
# How far is looked back, so that a long text costs no more than a short one.
_SWALLOWED = 40
_NESTED = 4
_AGENT = re.compile(r"[\r\n][ \t]*AGENT(?![A-Za-z0-9_])").search
# Up to what holds braces that mean nothing; a text that is not closed ends with its line.
_UNREAD = re.compile(
    rf'(?:[^"#/\\]++|\\"?+|"[^"\\{{}}]*+"|(?:\#|//)[^\r\n{{}}]*+(?![{{}}])|/(?![/*]))*+'
    rf'({STRING}|{COMMENT}|"[^\r\n]*+|/|\Z)'
).match
_OPENERS = {"_LBRACE": "{", "_LPAR": "(", "_LBRACKET": "["}
_BRACED = MEMBERS - {"_VERSION", "_DESCRIPTION", "_OBSERVE"}
_CONTINUES = (CONTINUATIONS | {"_COMMA", "_NOT", "_EQ", "_COLON", "_DOT", *CLOSERS}) - {"_RPAR"}


def open_on_its_line(place: Place) -> Problem | None:
    """Report `(` or `[` left open at the end of its line when closing it there is right (S102)."""
    ends = place.token.type == END or place.token.type in CLOSER_TEXTS
    for opener in place.openers[-_NESTED:]:
        if opener.token.type == "_LBRACE" or not opener.written or place.cursor_at is None:
            continue
        at = _next_line(place, opener.token)
        if at is None or place.tokens[at - 1].type in _CONTINUES or (at == place.index and not ends):
            continue
        token = place.tokens[at] if at < len(place.tokens) else Token(END, "", 0, 0)
        if place.cursor_at(at).would_accept(opener.closer, token.type):
            return _behind(place, opener, at)
    return None


def cut_short(place: Place) -> Problem | None:
    """Report a bracket left open where the line below can be read up to the place once it is closed (S102).

    It is not closed further down either.
    """
    for opener in place.openers[-_NESTED:]:
        at = _next_line(place, opener.token) if opener.written and place.cursor_at else None
        if at is None or at == place.index or place.tokens[at - 1].type in _CONTINUES:
            continue
        begun = [other for other in place.openers if other.token.start < place.tokens[at].start]
        below = [token.type for token in place.tokens[at : place.index + 1]]
        closed = place.cursor_at is not None and place.cursor_at(at).would_accept(opener.closer, *below)
        if closed and opener is begun[-1] and _is_left_open(place, opener.token, at):
            return _behind(place, opener, at)
    return None


def opened_anew(place: Place) -> Problem | None:
    """Report a `(` or `[` that begins a line and is not closed, where all is well without it (S101)."""
    for opener in place.openers[-_NESTED:]:
        at = _index(place, opener.token)
        if opener.token.type == "_LBRACE" or not opener.written or place.cursor_at is None or not at:
            continue
        if place.line(place.tokens[at - 1]) == place.line(opener.token):
            continue
        inside = place.tokens[at + 1 : place.index + 1]
        well = place.cursor_at(at).would_accept(*(token.type for token in inside))
        if inside and well and closer_of(place, at) is None:
            values = {"opener": opener.token.text, "found": shown(inside[0])}
            hint, away = Message(_STRAY_HINT, values), delete(opener.token.span)
            return place.problem("S101", Message(_STRAY, values), hint, away, span=opener.token.span)
    return None


def _is_left_open(place: Place, opener: Token, below: int) -> bool:
    """Tell whether nothing closes a bracket; a `}` further out than its line closes another brace."""
    closer = closer_of(place, _index(place, opener))
    if opener.type != "_LBRACE":
        return closer is None
    own = place.indent(opener)
    left = closer is None or place.indent(place.tokens[closer]) < own
    return left and place.indent(place.tokens[below]) <= own


def _index(place: Place, token: Token) -> int:
    return bisect_left(place.tokens, token.start, 0, place.index, key=lambda other: other.start)


def _next_line(place: Place, opener: Token) -> int | None:
    following = place.source.offset(Position(place.line(opener), 0))
    at = bisect_left(place.tokens, following, 0, place.index, key=lambda token: token.start)
    if at < place.index:
        return at
    return place.index if place.starts_line() else None


def _behind(place: Place, opener: Opener, at: int) -> Problem:
    """Report a bracket that ends before token `at`: what is below its line, and no deeper, is none of it."""
    closer, last = CLOSER_TEXTS[opener.closer], place.tokens[at - 1]
    below = at < len(place.tokens) and place.indent(place.tokens[at]) <= place.indent(opener.token)
    inside = replace(place, index=at) if below else place
    message = Message(_MISSING, {"closer": closer, "title": opener.title, "line": place.line(opener.token)})
    hint = Message(_MISSING_BEHIND_HINT, {"closer": closer, "found": shown(last)})
    related = Related(opener.token.span, Message(_OPENED))
    span = Span(last.end, last.end)
    fits = closer == "}" or ends_here(inside, opener.token)
    fixes = [insert(last.end, _closing(inside, opener))] if fits else []
    return place.problem("S102", message, hint, *fixes, span=span, related=[related])


def missing(place: Place) -> Problem | None:
    """Report the innermost bracket when its closer, and those of brackets around it, make the token fit."""
    inner = place.inner
    ends = place.token.type == END or place.token.type in CLOSER_TEXTS
    if not inner or (inner.closer == "_RBRACE" and not ends and not place.starts_line()):
        return None
    if place.token.type in _BRACED and not _opens_soon(place):
        return None
    closers = [opener.closer for opener in reversed(place.openers)]
    following = place.tokens[place.index : place.index + (1 if ends else 2)]
    count = place.cursor.missing(closers, [token.type for token in following] or [END])
    return _missing(place, count) if count else None


def _opens_soon(place: Place) -> bool:
    """Tell whether a `{` may stand on the line of the token, or at the beginning of the next."""
    line = place.rest_of_line()
    behind = place.tokens[place.index + len(line) : place.index + len(line) + 1]
    return not behind or any(token.type == "_LBRACE" for token in (*line, *behind))


def swallowed(place: Place) -> Problem | None:
    """Report a `}` that is missing before a field whose word was read as a name: INPUT { a: Text OUTPUT {."""
    inner, cursor_at = place.inner, place.cursor_at
    if not inner or cursor_at is None or place.token.type not in ("_LBRACE", "STRING", "NUMBER"):
        return None
    closers = [opener.closer for opener in reversed(place.openers)]
    begin = max(place.tokens.index(inner.token) + 2, place.index - _SWALLOWED)
    for at in range(begin, place.index):
        token = place.tokens[at]
        if token.text in WORDS and (
            at == place.index - 1 or place.line(place.tokens[at - 1]) < place.line(token)
        ):
            kinds = [token.type for token in place.tokens[at : place.index + 1]]
            count = cursor_at(at).missing(closers, kinds)
            if count:
                return _missing(replace(place, index=at, token=token), count)
    return None


def _missing(place: Place, count: int) -> Problem:
    """Report that the innermost `count` brackets are not closed; none that a repair put in beside others."""
    cut = cut_block(place, place.openers[-count])
    if cut:
        return _behind(place, *cut)
    innermost = place.openers[: -count - 1 : -1]
    openers = [opener for opener in innermost if opener.written] or innermost
    inner = openers[0]
    closer = CLOSER_TEXTS[inner.closer]
    message = Message(_MISSING, {"closer": closer, "title": inner.title, "line": place.line(inner.token)})
    before = place.previous or inner.token
    text = "".join(_closing(place, opener) for opener in openers)
    values: dict[str, object] = {"closer": " ".join(text.split()), "found": found(place)}
    hint = Message(_MISSING_AT_END_HINT if place.token.type == END else _MISSING_HINT, values)
    related = Related(inner.token.span, Message(_OPENED))
    fixes = [insert(before.end, text)] if closer == "}" or ends_here(place, inner.token) else []
    # Below empty lines nobody would look for it.
    apart = place.line(place.token) - place.line(before) > 1
    span = Span(before.end, before.end) if apart and place.token.type != END else None
    return place.problem("S102", message, hint, *fixes, span=span, related=[related])


def _closing(place: Place, opener: Opener) -> str:
    """Return the closer of a bracket; that of a brace over several lines stands on a line of its own."""
    closer = CLOSER_TEXTS[opener.closer]
    if closer != "}":
        return closer
    number = place.line(opener.token)
    if place.previous and number == place.line(place.previous):
        return f" {closer}"
    line = place.source.line(number - 1)
    return f"\n{line[: len(line) - len(line.lstrip())]}{closer}"


def stray(place: Place) -> Problem | None:
    """Report a `(` or `[` before what cannot stand in it, where all is well without it (S101)."""
    opener, cursor_at = place.previous, place.cursor_at
    if not opener or opener.type not in ("_LPAR", "_LBRACKET") or cursor_at is None or not place.inner:
        return None
    closer = closer_of(place, place.index - 1)
    if closer is not None and (place.token.type in ("_COMMA", "_DOT") or _is_field_of_tool(place)):
        return None
    end = place.index + _GOES_ON if closer is None else closer
    inside = place.tokens[place.index : end]
    behind = [] if closer is None else place.tokens[closer + 1 : closer + 2]
    if not inside or not cursor_at(place.index - 1).would_accept(
        *(token.type for token in (*inside, *behind))
    ):
        return None
    values = {"opener": opener.text, "closer": CLOSER_TEXTS[CLOSERS[opener.type]], "found": found(place)}
    message = Message(_STRAY, values)
    if closer is None:
        away = delete(opener.span)
        return place.problem("S101", message, Message(_STRAY_HINT, values), away, span=opener.span)
    hint = Message(_STRAY_PAIR_HINT, values)
    fix = rewrite(hint, (opener.span, ""), (place.tokens[closer].span, ""))
    return place.problem("S101", message, hint, fix, span=opener.span)


def _is_field_of_tool(place: Place) -> bool:
    """Tell whether a word is a field of a tool in a list of tools: TOOL { pay(BIND) }."""
    heads = [opener.head for opener in place.openers[-2:]]
    return heads == ["TOOL", "("] and place.token.text.isalpha()


def too_many(place: Place) -> Problem | None:
    """Report a closer that closes nothing (S119)."""
    closer = CLOSER_TEXTS.get(place.token.type)
    if not closer or any(opener.closer == place.token.type for opener in place.openers):
        return None
    message = Message(_TOO_MANY, {"closer": closer})
    meant = _closer_meant(place)
    if meant:
        text = CLOSER_TEXTS[meant.closer]
        values = {"text": text, "title": meant.title, "line": place.line(meant.token)}
        return place.problem(
            "S119", message, Message(_OTHER_HINT, values), substitute(place.token.span, text)
        )
    fixes = [delete(place.token.span)] if closer != ")" or is_certain(place) else []
    return place.problem("S119", message, Message(_TOO_MANY_HINT), *fixes)


def _closer_meant(place: Place) -> Opener | None:
    """Return the innermost bracket when a closer of another kind stands where that of it is due.

    That is on its line, with nothing behind that closes it, or alone on a line in the column of its own.
    """
    inner = place.inner
    if not inner or not inner.written or inner.closer not in place.accepts:
        return None
    line = place.rest_of_line()
    if place.line(inner.token) == place.line(place.token):
        depth = 0
        for token in line[1:]:
            depth += (CLOSERS.get(token.type) == inner.closer) - (token.type == inner.closer)
            if depth < 0:
                return None
        return inner
    alone = place.starts_line() and len(line) == 1
    return inner if alone and place.indent(place.token) == place.indent(inner.token) else None


def closed_early(place: Place) -> Problem | None:
    """Report the `}` that closes the agent although members, and one more `}`, follow (S119)."""
    previous = place.previous
    if place.openers or place.token.type not in MEMBERS or not previous or previous.type != "_RBRACE":
        return None
    if not closes_more(place.source.text, place.token.start):
        return None
    values = {"found": found(place)}
    message, hint = Message(_EARLY, values), Message(_EARLY_HINT, values)
    begin = len(place.source.text[: previous.start].rstrip(" \t"))
    fix = delete(Span(begin, previous.end))
    return place.problem("S119", message, hint, fix, span=previous.span)


# Each repair that is tried at a mistake asks again.
@lru_cache(maxsize=2)
def closes_more(text: str, begin: int) -> bool:
    """Tell whether more braces are closed than opened from `begin` to the next agent.

    Braces are counted, not read one by one: much may follow, and every letter typed may ask.
    """
    agent = _AGENT(text, begin)
    end = agent.start() if agent else len(text)
    surplus = text.count("}", begin, end) - text.count("{", begin, end)
    while (unread := _UNREAD(text, begin, end)) and unread[1]:
        surplus -= unread[1].count("}") - unread[1].count("{")
        begin = unread.end()
    return surplus > 0


def wrong_kind(place: Place) -> Problem | None:
    """Report a bracket of one kind where one of another kind is needed (S101)."""
    token, following = place.token, place.following
    wanted = [kind for kind in _OPENERS if kind in place.accepts - CONTINUATIONS]
    if token.type not in _OPENERS or len(wanted) != 1 or not following or "NUMBER" in place.accepts:
        return None
    opener, closer = _OPENERS[wanted[0]], CLOSER_TEXTS[CLOSERS[wanted[0]]]
    values: dict[str, object] = {
        "wanted": opener,
        "closer": closer,
        "opener": token.text,
        "found": found(place),
    }
    values["wrong"] = CLOSER_TEXTS[CLOSERS[token.type]]
    message, hint = Message(_KIND, values), Message(_KIND_HINT, values)
    last = closer_of(place, place.index)
    if last is None and closer_of(place, place.index, wanted[0]) is not None:
        hint = Message(_OPENER_HINT, values)
        return place.problem("S101", message, hint, substitute(token.span, opener))
    if last is None:
        return place.problem("S101", message, hint)
    inside = [inner.type for inner in place.tokens[place.index + 1 : last]]
    if not place.cursor.would_accept(wanted[0], *inside, CLOSERS[wanted[0]]):
        return place.problem("S101", message, hint)
    fix = rewrite(hint, (token.span, opener), (place.tokens[last].span, closer))
    return place.problem("S101", message, hint, fix)


def round_list(place: Place) -> Problem | None:
    """Report `x IN (a, b)`, `x IN ()` and `x IN {a, b}` (S101)."""
    at = _opened(place)
    if not at or place.tokens[at - 1].type != "_IN" or place.cursor_at is None:
        return None
    closer = closer_of(place, at)
    if closer is None:
        return None
    inside = place.tokens[at + 1 : closer]
    row = ["_LBRACKET", *(token.type for token in inside), "_RBRACKET"]
    behind = [token.type for token in place.tokens[closer + 1 : closer + 2]]
    if not place.cursor_at(at).would_accept(*row, *behind):
        return None
    opener, end = place.tokens[at], place.tokens[closer]
    hint = Message(_LIST_HINT, {"text": place.source.slice(Span(opener.end, end.start)).strip()})
    message, span = Message(_LIST, {"opener": opener.text, "closer": end.text}), opener.span.to(end.span)
    return place.problem("S101", message, hint, rewrite(hint, (opener.span, "["), (end.span, "]")), span=span)


def _opened(place: Place) -> int | None:
    """Return the index of the `(` or `{` that the place stands directly in, or is."""
    if place.token.type == "_LBRACE":
        return place.index
    inner = place.inner
    if not inner or inner.token.type != "_LPAR":
        return None
    return bisect_left(place.tokens, inner.token.start, 0, place.index, key=lambda token: token.start)


def closer_of(place: Place, opener: int, meant: str = "") -> int | None:
    """Return the index of what closes the bracket at `opener`, if it is of its kind, or of that `meant`."""
    opened: list[str] = []
    for index in range(opener, len(place.tokens)):
        kind = (meant if index == opener else "") or place.tokens[index].type
        if kind in CLOSERS:
            opened.append(CLOSERS[kind])
        elif kind in CLOSER_TEXTS and opened.pop() != kind:
            return None
        if not opened:
            return index
    return None
