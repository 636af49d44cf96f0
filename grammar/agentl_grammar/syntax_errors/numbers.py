"""A number that goes on in letters, `_` or points (S117): `1_000`, `1e3`, `5hours`, `1.000,00`.

The fix writes the same value as it is written here. It is not offered where the value is not certain.
"""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import pairwise

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.expectations import NUMBERS
from agentl_grammar.syntax_errors.place import Place, replace, shown

_GOES_ON = message_id("a number ends with its digits or with its unit, found {found}")
_WRITE_HINT = message_id("write `{text}`")
_DIGITS_HINT = message_id("write all of its digits, and behind them no unit but %, ms, s, min, h or d")
_DECIMAL = message_id("a number has no comma: {found}")
_POINT_HINT = message_id("write its digits without signs between them, and a point before the decimal places")
_GROUPED = re.compile(r"\d{1,3}(_\d{3})+").fullmatch
_POWER = re.compile(r"\d+(\.\d+)?[eE]\d{1,2}").fullmatch
_UNIT = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z]+)").fullmatch
_FAR = 2
_UNITS = {
    "ms": "MILLIS MILLISECOND MILLISECONDS MSEC MSECS",
    "s": "SEC SECS SECOND SECONDS",
    "min": "MINS MINUTE MINUTES",
    "h": "HR HRS HOUR HOURS",
    "d": "DAY DAYS",
}
_MEANT = {word: unit for unit, words in _UNITS.items() for word in words.split()}


def continued(place: Place) -> Problem | None:
    """Report a number with a word, or a second comma, at once behind it."""
    for number, behind in pairwise(place.tokens[max(0, place.index - _FAR) : place.index + _FAR]):
        if number.type in NUMBERS and number.end == behind.start and behind.type == "NAME":
            return _continued(place, number.span.to(behind.span))
    return _grouped(place)


def _continued(place: Place, span: Span) -> Problem:
    written = place.source.slice(span)
    message = Message(_GOES_ON, {"found": _shown(written)})
    text = _meant(written)
    if text is None:
        return place.problem("S117", message, Message(_DIGITS_HINT), span=span)
    hint = Message(_WRITE_HINT, {"text": text})
    return place.problem("S117", message, hint, replace(span, text), span=span)


def _grouped(place: Place) -> Problem | None:
    """Report `1.000,00`, found at what stands behind its comma."""
    parts = place.tokens[max(0, place.index - 2) : place.index + 1]
    if [part.type for part in parts] != ["NUMBER", "_COMMA", "NUMBER"] or "." not in parts[0].text:
        return None
    if any(one.end != other.start for one, other in pairwise(parts)):
        return None
    span = parts[0].span.to(place.token.span)
    message = Message(_DECIMAL, {"found": _shown(place.source.slice(span))})
    return place.problem("S117", message, Message(_POINT_HINT), span=span)


def _meant(written: str) -> str | None:
    """Return how the same value is written here, where only one can be meant."""
    if _GROUPED(written):
        return written.replace("_", "")
    if _POWER(written):
        return f"{Decimal(written):f}"
    number = _UNIT(written)
    unit = _MEANT.get(number[2].upper()) if number else None
    return f"{number[1]}{unit}" if number and unit else None


def _shown(text: str) -> Message:
    return shown(Token("NUMBER", text, 0, len(text)))
