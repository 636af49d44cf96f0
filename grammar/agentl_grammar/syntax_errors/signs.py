"""Numbers and signs that are written otherwise here (S105, S109, S110, S117, S122).

None of their fixes makes another number or another condition of what is meant: where two readings are left,
the hint tells them and there is no fix.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from itertools import pairwise

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.expectations import COMPARISONS, NUMBERS, expected
from agentl_grammar.syntax_errors.place import Place, delete, replace, rewrite, shown

_KIND = message_id("expected {expected}, found {found}")
_POINT_HINT = message_id("a number has digits before its point: {example}")
_NEGATIVE_HINT = message_id("no number below 0 can stand here")
_PLUS = message_id("no `+` stands before a number: {found}")
_DECIMAL = message_id("a number has no comma: {found}")
_DECIMAL_HINT = message_id("write a point before the decimal places: {example}")
_GROUPED_HINT = message_id(
    "write {thousands} for thousands, or {example} with a point before the decimal places"
)
_MANY_HINT = message_id("write its digits without signs between them, and a point before the decimal places")
_ENDS = message_id("this comma ends what {word} belongs to")
_BEFORE = message_id("no comma stands before {word}")
_COMMA_HINT = message_id("remove the comma")
_ONE_CONDITION = message_id("{head} takes one condition")
_ONE_CONDITION_HINT = message_id("join the two conditions with AND, or with OR")
_HYPHEN = message_id("a name has no hyphen: `{name}`")
_SET = message_id("SET gives a value to one path, found `{text}`")
_SET_HINT = message_id("write SET <path> = <value>; a comparison, `==`, cannot stand behind SET")
_CHAIN = message_id("one `=` gives one value")
_CHAIN_HINT = message_id("give each value by itself, or write `==` to compare")
_FOREIGN = message_id("`{word}` does not belong to the language")
_WRITE_HINT = message_id("write `{text}`")
_NOT_IN_HINT = message_id("write NOT before the whole comparison: NOT {name} IN …")
_CONNECTIVES = {
    "NAND": message_id("write NOT (<condition> AND <condition>)"),
    "NOR": message_id("write NOT (<condition> OR <condition>)"),
    "XOR": message_id("write (a OR b) AND NOT (a AND b), where a and b are the two conditions"),
    "XNOR": message_id("write (a AND b) OR NOT (a OR b), where a and b are the two conditions"),
}
_OPERATORS = {"<>": "!=", "=<": "<="}
_WORDS = {"is": "==", "equals": "==", "isnt": "!="}
_SUM = ("NAME", "NUMBER", "_DOT", "_MINUS", "_PLUS", "_STAR", "_SLASH")
_GROUP = 3
_MANY = 20
_DIGITS = re.compile(r"\d{3}").fullmatch
_ASSIGNING = ("EFFECT", "OUTCOME", "GIVEN", "BELIEF", "PAYLOAD")


def _token(place: Place, offset: int) -> Token | None:
    index = place.index + offset
    return place.tokens[index] if 0 <= index < len(place.tokens) else None


def _glued(*tokens: Token | None) -> bool:
    return all(one and other and one.end == other.start for one, other in pairwise(tokens))


def point(place: Place) -> Problem | None:
    """Report a number that begins with its point (S117)."""
    following = place.following
    if place.token.type != "_DOT" or not following or following.type not in NUMBERS & place.accepts:
        return None
    if not _glued(place.token, following):
        return None
    span = place.token.span.to(following.span)
    text = place.source.slice(span)
    values = {"expected": expected(place), "found": shown(Token("NUMBER", text, span.start, span.end))}
    hint = Message(_POINT_HINT, {"example": f"0{text}"})
    return place.problem("S117", Message(_KIND, values), hint, replace(span, f"0{text}"), span=span)


def negative(place: Place) -> Problem | None:
    """Report a number below 0 where only its digits can stand (S117)."""
    following, accepts = place.following, place.accepts
    if place.token.type != "_MINUS" or not accepts & NUMBERS or "_LPAR" in accepts:
        return None
    if not following or following.type not in NUMBERS:
        return None
    span = place.token.span.to(following.span)
    found = shown(Token("NUMBER", place.source.slice(span), span.start, span.end))
    message = Message(_KIND, {"expected": expected(place), "found": found})
    return place.problem("S117", message, Message(_NEGATIVE_HINT), span=span)


def plus(place: Place) -> Problem | None:
    """Report `+5` (S117)."""
    following, accepts = place.following, place.accepts
    if (
        place.token.type != "_PLUS"
        or "_PLUS" in accepts
        or not following
        or following.type not in NUMBERS & accepts
    ):
        return None
    if not _glued(place.token, following):
        return None
    span = place.token.span.to(following.span)
    found = shown(Token("NUMBER", place.source.slice(span), span.start, span.end))
    hint = Message(_WRITE_HINT, {"text": following.text})
    return place.problem("S117", Message(_PLUS, {"found": found}), hint, delete(place.token.span), span=span)


def decimal_comma(place: Place) -> Problem | None:
    """Report `0,2` where two numbers cannot stand (S117)."""
    whole, comma = _token(place, -2), place.previous
    if place.token.type not in NUMBERS or not whole or not comma or comma.type != "_COMMA":
        return None
    if (
        whole.type != "NUMBER"
        or "." in whole.text + place.token.text
        or not _glued(whole, comma, place.token)
    ):
        return None
    groups = _groups(place)
    span = whole.span.to(groups[-1].span)
    text = place.source.slice(span)
    message, example = (
        Message(_DECIMAL, {"found": shown(Token("NUMBER", text, *_ends(span)))}),
        text.replace(",", "."),
    )
    if len(groups) > 1 and not all(_DIGITS(group.text) for group in groups):
        return place.problem("S117", message, Message(_MANY_HINT), span=span)
    if len(groups) > 1:
        text = text.replace(",", "")
        hint = Message(_WRITE_HINT, {"text": text})
        return place.problem("S117", message, hint, replace(span, text), span=span)
    grouped = len(place.token.text) == _GROUP and whole.text != "0"
    if grouped:
        values = {"thousands": text.replace(",", ""), "example": example}
        return place.problem("S117", message, Message(_GROUPED_HINT, values), span=span)
    hint = Message(_DECIMAL_HINT, {"example": example})
    return place.problem("S117", message, hint, replace(span, example), span=span)


def _groups(place: Place) -> list[Token]:
    """Return the groups of digits that begin at the place, with commas between them."""
    groups, behind = [place.token], place.tokens[place.index + 1 : place.index + _MANY]
    for comma, group in zip(behind[::2], behind[1::2], strict=False):
        if comma.type != "_COMMA" or group.type != "NUMBER" or not _glued(groups[-1], comma, group):
            break
        groups.append(group)
    return groups


def _ends(span: Span) -> tuple[int, int]:
    return span.start, span.end


def comma_before_option(place: Place) -> Problem | None:
    """Report a comma that cuts an option off from what it belongs to (S109)."""
    previous, following, token = place.previous, place.following, place.token
    if token.type == "_COMMA" and following and _is_option(following):
        if place.cursor.would_accept(following.type) and not place.may_end():
            values = {"word": shown(following)}
            return place.problem("S109", Message(_BEFORE, values), Message(_COMMA_HINT), delete(token.span))
        return None
    if not previous or previous.type != "_COMMA" or not _is_option(token) or place.cursor_at is None:
        return None
    if token.type == "_ELSE" or not place.cursor_at(place.index - 1).would_accept(token.type):
        return None
    message = Message(_ENDS, {"word": shown(token)})
    return place.problem("S109", message, Message(_COMMA_HINT), delete(previous.span), span=previous.span)


def _is_option(token: Token) -> bool:
    return token.type == "_LBRACE" or (token.type.startswith("_") and token.text.isupper())


def one_condition(place: Place) -> Problem | None:
    """Report a second condition in the braces of REQUIRES or VERIFY (S109)."""
    following = place.following
    if place.head not in ("REQUIRES", "VERIFY") or place.token.type != "_COMMA" or not following:
        return None
    if "_AND" not in place.accepts or not place.cursor.would_accept("_AND", following.type):
        return None
    return place.problem("S109", Message(_ONE_CONDITION, {"head": place.head}), Message(_ONE_CONDITION_HINT))


def assigned(place: Place) -> Problem | None:
    """Report `=` behind more than one path: `SET a - b = 1`, `a = b = 1` (S110, S122)."""
    if place.token.type != "_EQ" or "EQUAL" not in place.accepts:
        return None
    start = place.index
    while start and place.tokens[start - 1].type in _SUM:
        start -= 1
    before, owner = _at(place, start - 1), _at(place, start - 2)
    if before and before.type == "_SET" and start < place.index:
        return _set_target(place, place.tokens[start].span.to(place.tokens[place.index - 1].span))
    given = before and before.type in ("_EQ", "_COLON") and owner and owner.type in ("NAME", "STRING")
    if given or place.head in _ASSIGNING or _in_call(place):
        return place.problem("S110", Message(_CHAIN), Message(_CHAIN_HINT))
    return None


def _set_target(place: Place, span: Span) -> Problem:
    text = place.source.slice(span)
    name = text.replace("-", "_")
    if not name.replace("_", "a").replace(".", "a").isalnum():
        return place.problem("S110", Message(_SET, {"text": text}), Message(_SET_HINT), span=span)
    message, hint = Message(_HYPHEN, {"name": text}), Message(_WRITE_HINT, {"text": name})
    return place.problem("S122", message, hint, rewrite(hint, (span, name)), span=span)


def _in_call(place: Place) -> bool:
    return place.inner is not None and place.head == "(" and place.inner.title != "`(`"


def _at(place: Place, index: int) -> Token | None:
    return place.tokens[index] if 0 <= index < len(place.tokens) else None


def operator(place: Place) -> Problem | None:
    """Report `<>`, `=<`, `is`, `is not` and `NOT IN` for a comparison (S105)."""
    known = _not_in(place) or _connective(place) or _split(place)
    if known:
        return known
    for first, second in ((place.previous, place.token), (place.token, place.following)):
        text = f"{first.text}{second.text}" if first and second and _glued(first, second) else ""
        if first and second and text in _OPERATORS:
            return _instead(place, first.span.to(second.span), text, _OPERATORS[text])
    if place.token.type != "NAME" or "EQUAL" not in place.accepts or not place.following:
        return None
    text, span = _WORDS.get(place.token.text.lower(), ""), place.token.span
    if text and place.following.text.lower() == "not":
        text, span = "!=", span.to(place.following.span)
    return _instead(place, span, place.source.slice(span), text) if text else None


def _split(place: Place) -> Problem | None:
    """Report a comparison with a blank in it: `> =`, `= =`."""
    doubled = place.token.type == "_EQ" and "EQUAL" in place.accepts
    first, second = (place.token, place.following) if doubled else (place.previous, place.token)
    if not first or not second or second.type != "_EQ" or place.line(first) != place.line(second):
        return None
    text = f"{first.text}="
    if first.type not in ("GREATER", "LESS", "_EQ" if doubled else ""):
        return None
    span = first.span.to(second.span)
    return _instead(place, span, place.source.slice(span), text)


def _instead(place: Place, span: Span, word: str, text: str) -> Problem:
    hint = Message(_WRITE_HINT, {"text": text})
    return place.problem("S105", Message(_FOREIGN, {"word": word}), hint, replace(span, text), span=span)


def _not_in(place: Place) -> Problem | None:
    """Report `x NOT IN [a]`, in any case, `x NOT_IN [a]` and `x NIN [a]` for NOT x IN [a]."""
    if place.token.type == "_IN" and place.previous and place.previous.type == "_NOT" and place.cursor_at:
        # What stands before NOT was read as a condition of its own.
        at, cursor = place.index - 1, place.cursor_at(place.index - 1)
        accepts = cursor.accepts()
        place = dataclasses.replace(place, index=at, token=place.tokens[at], accepts=accepts, cursor=cursor)
    following, first = place.following, place.token
    if not following or not place.accepts >= COMPARISONS:
        return None
    joined = first.type == "NAME" and first.text.upper() in ("NIN", "NOTIN", "NOT_IN")
    if not joined and (first.text.upper(), following.text.upper()) != ("NOT", "IN"):
        return None
    start = place.index
    while start and place.tokens[start - 1].type in ("NAME", "_DOT"):
        start -= 1
    if start == place.index:
        return None
    name = place.source.text[place.tokens[start].start : place.tokens[place.index - 1].end]
    hint = Message(_NOT_IN_HINT, {"name": name})
    before = place.tokens[start - 1].type
    begin, span = place.tokens[start].start, first.span if joined else first.span.to(following.span)
    edits = (Span(begin, begin), "NOT "), (span, "IN")
    fixes = [] if before in _SUM[3:] or before in COMPARISONS else [rewrite(hint, *edits)]
    message = Message(_FOREIGN, {"word": first.text if joined else "NOT IN"})
    return place.problem("S105", message, hint, *fixes, span=span)


def _connective(place: Place) -> Problem | None:
    """Report NAND, NOR and XOR between two conditions."""
    hint = _CONNECTIVES.get(place.token.text.upper()) if place.token.type == "NAME" else None
    if not hint or "_AND" not in place.accepts:
        return None
    return place.problem("S105", Message(_FOREIGN, {"word": place.token.text}), Message(hint))


SIGNS: tuple[Callable[[Place], Problem | None], ...] = (
    point,
    negative,
    plus,
    decimal_comma,
    one_condition,
    comma_before_option,
    assigned,
    operator,
)
