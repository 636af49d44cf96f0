"""A number written in two, and a comment as elsewhere: its parts would say another thing (S105, S117)."""

from __future__ import annotations

import re

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.expectations import NUMBERS
from agentl_grammar.syntax_errors.numbers import is_unit, meant
from agentl_grammar.syntax_errors.place import Place, replace, shown

_GOES_ON = message_id("a number ends with its digits or with its unit, found {found}")
_WRITE = message_id("write `{text}`")
_ONE_UNIT = message_id("a duration has one unit: write the whole of it in the smaller one, such as 90min")
_FOREIGN = message_id("`{word}` does not belong to the language")
_COMMENT = message_id("a comment begins with `#` or `//`")
_FIRST, _GROUP = re.compile(r"[1-9]\d{0,2}").fullmatch, re.compile(r"\d{3}(?:\.\d+)?").fullmatch


def number(place: Place) -> Problem | None:
    """Report `1 000`, `5 minutes` and `1h 30min` where only one number can stand."""
    token, previous = place.token, place.previous
    if not previous or previous.type not in NUMBERS or place.starts_line() or previous.text == token.text:
        return None
    if previous.type == "NUMBER" and token.type == "NAME" and is_unit(token.text):
        return _written(place, previous.span.to(token.span), meant(previous.text + token.text))
    if previous.type == "NUMBER" and _FIRST(previous.text) and token.type == "NUMBER" and _GROUP(token.text):
        digits = _groups(place)
        return _written(place, previous.span.to(digits[-1].span), "".join(each.text for each in digits))
    duration = re.match(r"\d+(?:\.\d+)?([A-Za-z]+)", token.text)
    if previous.type == "TIMESPAN" and duration and is_unit(duration[1].replace("m", "min")):
        span = previous.span.to(token.span)
        return place.problem("S117", _found(place, span), Message(_ONE_UNIT), span=span)
    return None


def _groups(place: Place) -> list[Token]:
    """Return the groups of digits around the place."""
    found = [*place.tokens[place.index - 1 : place.index + 1]]
    for token in place.rest_of_line()[1:]:
        if "." in found[-1].text or token.type != "NUMBER" or not _GROUP(token.text):
            break
        found.append(token)
    return found


def _written(place: Place, span: Span, text: str) -> Problem:
    hint = Message(_WRITE, {"text": text})
    return place.problem("S117", _found(place, span), hint, replace(span, text), span=span)


def _found(place: Place, span: Span) -> Message:
    return Message(
        _GOES_ON, {"found": shown(Token("NUMBER", place.source.slice(span), span.start, span.end))}
    )


def comment(place: Place) -> Problem | None:
    """Report a line that begins with `--`."""
    following = place.following
    if place.token.type != "_MINUS" or not place.starts_line() or not following:
        return None
    if following.type != "_MINUS" or following.start != place.token.end:
        return None
    span = place.token.span.to(following.span)
    message = Message(_FOREIGN, {"word": "--"})
    return place.problem("S105", message, Message(_COMMENT), replace(span, "#"), span=span)
