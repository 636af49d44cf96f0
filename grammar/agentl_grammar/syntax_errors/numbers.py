"""A number, or a date, that goes on in letters, `_` or points (S117): `1_000`, `1e3`, `5hours`, `1.000,00`.

Read as a number and a word behind it, it would be another number, and where items stand side by side nobody
would be told. The fix writes the same value as it is written here, and is offered where that is certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from itertools import pairwise

from agentl_grammar.lexer import Token, lex
from agentl_grammar.lexicon import UNITS, WORDS
from agentl_grammar.problems import Message, Problem, Severity, message_id
from agentl_grammar.source import Source, Span
from agentl_grammar.syntax_errors.expectations import NUMBERS, SEPARATORS
from agentl_grammar.syntax_errors.place import Place, replace, shown

_GOES_ON = message_id("a number ends with its digits or with its unit, found {found}")
_WRITE_HINT = message_id("write `{text}`")
_DIGITS_HINT = message_id("write all of its digits, and behind them no unit but %, ms, s, min, h or d")
_DATE = message_id("a date ends with its day or with its time, found {found}")
_DATE_HINT = message_id("write it as {day} or {day}T20:15:00, without a part of a second and a time zone")
_NAME = message_id("a name begins with a letter or `_`, found {found}")
_NAME_HINT = message_id("choose a name that begins with a letter")
_DECIMAL = message_id("a number has no comma: {found}")
_POINT_HINT = message_id("write its digits without signs between them, and a point before the decimal places")
_CLOCK_ALONE = message_id("a time of day stands behind its day, found {found}")
_CLOCK_HINT = message_id('write it as 2026-01-31T{text}, or put it in double quotes: "{text}"')
_NO_DATE = message_id("a date begins with its year, found {found}")
_DATE_ORDER = message_id("write year, month and day: {date}")
_QUOTE_HINT = message_id("put {found} in double quotes")
_REST = re.compile(r"(?:(?<=[0-9])[eE][+-][0-9]+|\w+)(?:\.\w+)*", re.ASCII).match
_REST_OF_DATE = re.compile(r"(?:\.\d+)?(?:[+-]\d\d:\d\d|\w*)", re.ASCII).match
_GROUPED = re.compile(r"\d{1,3}(_\d{3})+(\.\d+)?").fullmatch
_POWER = re.compile(r"\d+(\.\d+)?[eE][+-]?\d{1,2}").fullmatch
_UNIT = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z]+)").fullmatch
_TIME = re.compile(r"[ \t]+(\d{1,2}:\d\d(?::\d\d)?)(?![\w:.])").match
_WORD = re.compile(r"[ \t]+([A-Za-z]{3,})(?!\w|[ \t]*[.:=(<>!])").match
_DATED = re.compile(r"(\d{4}-\d\d-\d\d)[ \t]+(\d{1,2}):(\d\d(?::\d\d)?)").fullmatch
_CLOCK = re.compile(r"\d{1,2}:\d\d").fullmatch
_DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})").fullmatch
_POINTS = re.compile(r"\d{1,3}(?:\.\d{3}){2,}").fullmatch
_DAY = len("2026-01-31")
_UNITS = {
    "ms": "MILLIS MILLISECOND MILLISECONDS MSEC MSECS",
    "s": "SEC SECS SECOND SECONDS",
    "min": "MINS MINUTE MINUTES",
    "h": "HR HRS HOUR HOURS",
    "d": "DAY DAYS",
    "%": "PERCENT PCT",
}
_MEANT = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_CONSTANTS = NUMBERS | {"DATETIME"}
_DECLARING = "AGENT PLAN STEP TOOL GOAL EVENT SCENARIO HYPOTHESIS OUTCOME GROUP"
_NAMED = {"_DOT", *(f"_{word}" for word in _DECLARING.split())}
# Behind these stands a number without a unit.
_COUNTED = ("EVERY", "MAX", "RETRY", "WEIGHT", "COST", "VALUE", "MAX_DEPTH", "MAX_NODES")
_MOST = 20


def is_unit(word: str) -> bool:
    """Tell whether a word means a unit, here or elsewhere."""
    return word in UNITS or word.upper() in _MEANT


def any_goes_on(tokens: Iterable[Token]) -> bool:
    """Tell whether a number among `tokens` goes on as a word: they are not well, whatever they lead to."""
    return any(
        behind.type == "NAME" and number.end == behind.start and number.type in _CONSTANTS
        for number, behind in pairwise(tokens)
    )


def told(source: Source, tokens: list[Token]) -> tuple[list[Token], list[Problem]]:
    """Return the tokens, a number that goes on as one of them, and the problem of each (the first ones)."""
    whole: list[Token] = []
    problems: list[Problem] = []
    stop = 0
    for token in tokens:
        if token.start < stop:
            continue
        before = next((each for each in reversed(whole[-2:]) if each.type not in SEPARATORS), None)
        told = token.type in _CONSTANTS and len(problems) < _MOST
        stop = _stop(source, token, before) if told else token.end
        if stop > token.end:
            if not before or before.text.upper() != "EVERY":
                problems.append(_problem(source, token.span.to(Span(token.end, stop)), token, before))
            text = source.text[token.start : stop]
            meant = lex(_meant(text) or token.text).tokens[0]
            token = meant._replace(start=token.start, end=stop)  # noqa: PLW2901 (read as what is meant)
        whole.append(token)
    return whole, problems


def _stop(source: Source, number: Token, before: Token | None) -> int:
    """Return where a number or date ends that may go on; a reserved word behind it begins anew."""
    rest = (_REST_OF_DATE if number.type == "DATETIME" else _REST)(source.text, number.end)
    if rest and rest.group() and rest.group() not in WORDS:
        return rest.end()
    behind = None
    if number.type == "DATETIME" and len(number.text) == _DAY:
        behind = _TIME(source.text, number.end)
    elif number.type == "NUMBER" and not (before and _takes_none(before)):
        behind = _WORD(source.text, number.end)
        behind = behind if behind and is_unit(behind[1]) else None
    return behind.end() if behind else number.end


def _takes_none(before: Token) -> bool:
    """Tell whether a number behind a word has no unit: it is a name, or plain."""
    return before.type in _NAMED or before.text.upper() in _COUNTED


def _problem(source: Source, span: Span, number: Token, before: Token | None) -> Problem:
    written = source.slice(span)
    values = {"found": _shown(written)}
    text = _meant(written)
    fixes = [replace(span, text)] if text else []
    message, hint = Message(_GOES_ON, values), Message(_DIGITS_HINT)
    if number.type == "DATETIME":
        message, hint = Message(_DATE, values), Message(_DATE_HINT, {"day": number.text[:_DAY]})
        hint = Message(_WRITE_HINT, {"text": text}) if text else hint
    elif before and before.type in _NAMED:
        message, hint, fixes = Message(_NAME, values), Message(_NAME_HINT), []
    elif text:
        hint = Message(_WRITE_HINT, {"text": text})
    return Problem("S117", Severity.ERROR, span, message, hint, (), tuple(fixes))


def grouped(place: Place) -> Problem | None:
    """Report `1.000,00`, found at what stands behind its comma."""
    parts = place.tokens[max(0, place.index - 2) : place.index + 1]
    if [part.type for part in parts] != ["NUMBER", "_COMMA", "NUMBER"] or "." not in parts[0].text:
        return None
    if any(one.end != other.start for one, other in pairwise(parts)):
        return None
    span = parts[0].span.to(place.token.span)
    message = Message(_DECIMAL, {"found": _shown(place.source.slice(span))})
    return place.problem("S117", message, Message(_POINT_HINT), span=span)


def time(place: Place) -> Problem | None:
    """Report a time of day without its day: `20:15`."""
    previous, following = place.previous, place.following
    if place.token.type != "_COLON" or not previous or not following:
        return None
    span = previous.span.to(following.span)
    if previous.type != "NUMBER" or not _CLOCK(place.source.slice(span)):
        return None
    text = place.source.slice(span)
    values, hint = {"found": _shown(text)}, Message(_CLOCK_HINT, {"text": text})
    return place.problem("S117", Message(_CLOCK_ALONE, values), hint, span=span)


def dotted(place: Place) -> Problem | None:
    """Report `1.000.000`, `26.07.2026` and `1.2.3`, found at the second point."""
    first = place.previous
    if place.token.type != "_DOT" or not first or first.type != "NUMBER" or "." not in first.text:
        return None
    run = [first]
    for token in place.tokens[place.index :]:
        if token.start != run[-1].end or token.type not in ("NUMBER", "_DOT"):
            break
        run.append(token)
    span = first.span.to(run[-1].span)
    text = place.source.slice(span)
    values = {"found": _shown(text)}
    if day := _DAY_FIRST(text):
        hint = Message(_DATE_ORDER, {"date": f"{day[3]}-{day[2]:0>2}-{day[1]:0>2}"})
        return place.problem("S117", Message(_NO_DATE, values), hint, span=span)
    if _POINTS(text):
        text = text.replace(".", "")
        hint = Message(_WRITE_HINT, {"text": text})
        return place.problem("S117", Message(_GOES_ON, values), hint, replace(span, text), span=span)
    return place.problem("S117", Message(_GOES_ON, values), Message(_QUOTE_HINT, values), span=span)


def meant(written: str) -> str:
    """Return a number with its unit as it is written here."""
    return _meant(written) or written


def _meant(written: str) -> str | None:
    """Return how the same value is written here, where only one can be meant."""
    if _GROUPED(written):
        return written.replace("_", "")
    if _POWER(written):
        return f"{Decimal(written):f}"
    if dated := _DATED(written):
        day, hour, rest = dated.groups()
        return f"{day}T{hour:0>2}:{rest}"
    number = _UNIT(written.replace(" ", "").replace("\t", ""))
    unit = _MEANT.get(number[2].upper(), number[2] if number[2] in UNITS else None) if number else None
    return f"{number[1]}{unit}" if number and unit else None


def _shown(text: str) -> Message:
    return shown(Token("NUMBER", text, 0, len(text)))
