"""The probability of an OUTCOME and the bound of ABSTAIN, in other words: OUTCOME ok 0.7 (S101)."""

from __future__ import annotations

from collections.abc import Callable

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Fix, Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.brackets import closer_of
from agentl_grammar.syntax_errors.expectations import NUMBERS
from agentl_grammar.syntax_errors.near import is_slip
from agentl_grammar.syntax_errors.place import Place, replace, shown

_BELOW = message_id("ABSTAIN is followed by BELOW and a number, found {found}")
_BELOW_HINT = message_id("write ABSTAIN BELOW {number}: an answer that is less sure counts as none")
_WITH = message_id("the probability of an OUTCOME stands behind WITH, found {found}")
_WITH_HINT = message_id("write OUTCOME {name} WITH {number} {{ path = value }}")
_SURE = ("UNDER", "BENEATH", "LESS", "LESS THAN", "LOWER", "LOWER THAN", "<", "<=")
_LESS = ("", "AT", ":", "=", *_SURE, "IF CONFIDENCE <", "WHEN CONFIDENCE <")
_SHARE = ("", "PROBABILITY", "PROB", "P", "CHANCE", "LIKELIHOOD", "AT", "BY", ":", "=", "P =", "P :")
_FAR = 4


def bound(place: Place) -> Problem | None:
    """Report ABSTAIN UNDER 0.6, ABSTAIN < 0.6 and ABSTAIN 0.6."""
    if "_BELOW" not in place.accepts or not place.previous or place.previous.type != "_ABSTAIN":
        return None
    between, number = _up_to_number(place)
    if any(is_slip(token.text.upper(), "BELOW") for token in between) or (not between and not number):
        return None
    span = place.token.span.to((number or between[-1]).span)
    message = Message(_BELOW, {"found": _shown(place, span)})
    hint = Message(_BELOW_HINT, {"number": number.text if number else "0.5"})
    fixes = _written(place, "BELOW", number) if number and _said(between) in _LESS else []
    return place.problem("S101", message, hint, *fixes, span=span)


def probability(place: Place) -> Problem | None:
    """Report OUTCOME ok 0.7 {, OUTCOME ok = 0.7 { and OUTCOME ok PROBABILITY 0.7 {."""
    name, head = place.previous, place.tokens[place.index - 2] if place.index > 1 else None
    if "_WITH" not in place.accepts or not name or not head or head.type != "_OUTCOME":
        return None
    between, number = _up_to_number(place)
    said = _said(between)
    if not number or said == "WITH" or is_slip(said, "WITH"):
        return None
    at = place.index + len(between) + 1
    opens = [token.type for token in place.tokens[at : at + 1]] == ["_LBRACE"] and closer_of(place, at)
    span = place.token.span.to(number.span)
    message = Message(_WITH, {"found": _shown(place, span)})
    hint = Message(_WITH_HINT, {"name": name.text, "number": number.text})
    fixes = _written(place, "WITH", number) if opens and said in _SHARE else []
    return place.problem("S101", message, hint, *fixes, span=span)


def _said(between: list[Token]) -> str:
    return " ".join(token.text.upper() for token in between)


def _shown(place: Place, span: Span) -> Message:
    return shown(Token("NAME", place.source.slice(span), span.start, span.end))


def _written(place: Place, word: str, number: Token) -> list[Fix]:
    """Return the fix that writes `word` alone before a number, where nothing else would be lost."""
    begin = place.previous.end if place.previous else place.token.start
    if place.source.text[begin : place.token.start].strip():
        return []
    return [replace(Span(begin, number.start), f" {word} ")]


def _up_to_number(place: Place) -> tuple[list[Token], Token | None]:
    """Return the words and signs before the next number on the line, and that number."""
    between: list[Token] = []
    for token in place.rest_of_line()[:_FAR]:
        if token.type in NUMBERS:
            return between, token
        if token.type in ("_LBRACE", "_RBRACE", "_COMMA", "STRING"):
            break
        between.append(token)
    return between[:1], None


SHARES: tuple[Callable[[Place], Problem | None], ...] = (bound, probability)
