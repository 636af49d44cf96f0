"""A number written in two, and a comment as elsewhere: its parts would say another thing (S105, S117)."""

from __future__ import annotations

import dataclasses
import re

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Message, Problem, Severity, message_id
from agentl_grammar.source import Source, Span
from agentl_grammar.syntax_errors.expectations import NUMBERS
from agentl_grammar.syntax_errors.numbers import is_unit, meant
from agentl_grammar.syntax_errors.place import Place, replace, shown

_GOES_ON = message_id("a number ends with its digits or with its unit, found {found}")
_WRITE = message_id("write `{text}`")
_PLAIN = message_id("write the number alone, such as {example}")
_ONE_UNIT = message_id("a duration has one unit: write the whole of it in the smaller one, such as 90min")
_FOREIGN = message_id("`{word}` does not belong to the language")
_COMMENT = message_id("a comment begins with `#` or `//`")
_MOST = 20
_FIRST, _GROUP = re.compile(r"[1-9]\d{0,2}").fullmatch, re.compile(r"\d{3}(?:\.\d+)?").fullmatch


def number(place: Place) -> Problem | None:
    """Report `1 000`, `5 minutes` and `1h 30min` where only one number can stand."""
    token, previous = place.token, place.previous
    if not previous or previous.type not in NUMBERS or place.starts_line() or previous.text == token.text:
        return None
    if previous.type == "NUMBER" and token.type == "NAME" and is_unit(token.text):
        if place.cursor_at and not place.cursor_at(place.index - 1).accepts() & {"TIMESPAN", "PERCENT"}:
            span, hint = previous.span.to(token.span), Message(_PLAIN, {"example": previous.text})
            return place.problem("S117", _found(place, span), hint, span=span)
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


def without_remarks(
    source: Source, tokens: list[Token], problems: list[Problem]
) -> tuple[list[Token], list[Problem]]:
    """Return the tokens and problems in no comment of the form `--`, and a problem for each of those.

    Such a comment begins its line, or has blanks around its sign, and ends with its line.
    """
    left: list[Token] = []
    remarks: list[Problem] = []
    stop = -1
    for token, following in zip(tokens, [*tokens[1:], None], strict=False):
        if token.start < stop:
            continue
        if token.type == "_MINUS" and following and _is_remark(source, token, following):
            line, column = source.position(token.start)
            stop = token.start - column + len(source.line(line))
            remarks.append(_remark(source, token.span.to(following.span), stop))
        else:
            left.append(token)
    kept = [each for each in problems if not any(_is_in(each.span, remark) for remark in remarks)]
    told = [dataclasses.replace(remark, span=_sign(remark.span)) for remark in remarks[:_MOST]]
    return left, kept + told


def _is_remark(source: Source, token: Token, following: Token) -> bool:
    if following.type != "_MINUS" or following.start != token.end:
        return False
    before = source.text[token.start - source.position(token.start).column : token.start]
    blanks = before[-1:].isspace() and source.text[following.end : following.end + 1].isspace()
    return blanks or not before.strip()


def _remark(source: Source, sign: Span, stop: int) -> Problem:
    """Return the problem of a comment whose sign is `--`; for now its span is all of it."""
    message, hint = Message(_FOREIGN, {"word": source.slice(sign)}), Message(_COMMENT)
    return Problem("S105", Severity.ERROR, Span(sign.start, stop), message, hint, (), (replace(sign, "#"),))


def _is_in(span: Span, remark: Problem) -> bool:
    return remark.span.start <= span.start < remark.span.end


def _sign(span: Span) -> Span:
    return Span(span.start, span.start + len("--"))
