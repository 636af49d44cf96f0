"""The next step at a place where no rule knows more: what to insert, to remove or to write instead."""

from __future__ import annotations

from agentl_grammar.lexer import END, OPERATORS
from agentl_grammar.problems import Fix, Message, message_id
from agentl_grammar.syntax_errors.brackets import closer_of
from agentl_grammar.syntax_errors.expectations import CONTINUATIONS, expected, keywords, only_word, spelling
from agentl_grammar.syntax_errors.negation import DENIAL, denies
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, CLOSERS, Place, delete, found, insert

_INSERT_HINT = message_id("insert `{text}` before {found}")
_WITH_REST_HINT = message_id("write {expected}, and what belongs to it, before {found}")
_END_HINT = message_id("add what is missing at the end")
_REMOVE_HINT = message_id("remove {found}")
_BEFORE_HINT = message_id("write {expected} before {found}")
_FIELD_HINT = message_id("remove {found}, or write one of these instead")
_INSTEAD_HINT = message_id("write {expected} instead of {found}")
_ONE_INSTEAD_HINT = message_id("write one of these instead of {found}")
_EITHER_HINT = message_id("remove {found}, or add what is missing before it")
_TWICE_HINT = message_id("remove {found}: it stands there twice")
_ADD_OR_INSTEAD_HINT = message_id("add what is missing before {found}, or write it instead")
_ADD_HINT = message_id("add what is missing before {found}")
_GOES_ON = 3
# Nobody is told to leave out what forbids.
_DECIDING = ("_NEVER", "_DENY", "_ALLOW", "_REQUIRE")
_SIGNS = frozenset(OPERATORS.values()) - {"_LBRACE", "_LPAR", "_LBRACKET", *CLOSER_TEXTS}
_LEAST = ("THRESHOLD", "TARGET_CONFIDENCE")


def next_step(place: Place) -> tuple[Message, list[Fix]]:
    """Return the hint for `place`, and its fix where it is sure that the text goes on behind it."""
    word = only_word(place)
    if word and place.previous and _leads_on(place, word):
        text = spelling(word)
        hint = Message(_INSERT_HINT, {"found": found(place), "text": text})
        return hint, [insert(place.previous.end, text if text == "." else f" {text}")]
    if _is_doubled(place):
        return Message(_TWICE_HINT, {"found": found(place)}), [delete(place.token.span)]
    if _is_stray_sign(place):
        fixes = [delete(place.token.span)] if _is_idle(place) else []
        return Message(_REMOVE_HINT, {"found": found(place)}), fixes
    return Message(_hint(place), {"found": found(place), "expected": expected(place)}), []


def _leads_on(place: Place, word: str) -> bool:
    """Tell whether the text goes on behind `word`, and this is not found further on in the line."""
    behind = [place.token.type] if place.token.type == END else [place.token.type, _following(place)]
    later = any(token.type == word for token in place.rest_of_line())
    return not later and place.cursor.would_accept(word, *behind)


def _following(place: Place) -> str:
    return place.following.type if place.following else END


def _is_doubled(place: Place) -> bool:
    """Tell whether the token stands there twice, where the text goes on without one of the two."""
    previous = place.previous
    return previous is not None and previous.text == place.token.text and goes_without(place)


def goes_without(place: Place) -> bool:
    """Tell whether the text goes on without the token."""
    behind = _behind(place)
    return bool(behind) and place.cursor.would_accept(*behind)


def _behind(place: Place) -> list[str]:
    return [token.type for token in place.tokens[place.index + 1 : place.index + 1 + _GOES_ON]]


def _goes_behind(place: Place) -> bool:
    """Tell whether there is something before which the token can stand, with those behind it."""
    behind = [place.token.type, *_behind(place)[:-1]]
    return any(place.cursor.would_accept(terminal, *behind) for terminal in place.accepts)


def _is_stray_sign(place: Place) -> bool:
    sign = place.token.type in _SIGNS and "NAME" not in place.accepts
    return sign and not only_word(place) and place.cursor.would_accept(_following(place))


def _is_idle(place: Place) -> bool:
    """Tell whether the sign says nothing new: it is doubled, or `>` behind the name of a least value."""
    previous, token = place.previous, place.token
    if previous is None:
        return False
    least = token.type in ("GREATER", "GREATER_EQUAL") and previous.text in _LEAST
    return least or previous.type == token.type


def _hint(place: Place) -> str:
    if place.token.type == END:
        return _END_HINT
    if denies(place.token):
        return DENIAL
    if only_word(place):
        return _REMOVE_HINT if goes_without(place) else _WITH_REST_HINT
    if place.may_end():
        word = place.token.text.isupper() and len(keywords(place.accepts)) > 1
        return _FIELD_HINT if word and _has_instead(place) else _removal(place)
    if "NAME" in place.accepts and place.cursor.would_accept("NAME", place.token.type):
        return _BEFORE_HINT if _goes_behind(place) or not _has_instead(place) else _INSTEAD_HINT
    return _INSTEAD_HINT if _has_instead(place) else _removal(place)


def _removal(place: Place) -> str:
    """Return which of removing the token, adding to it and replacing it makes the text go on."""
    if place.token.type in _DECIDING:
        return _EITHER_HINT
    # Without an opener, its closer would be one too many.
    closed = place.token.type in CLOSERS and closer_of(place, place.index) is not None
    without = not closed and goes_without(place)
    before, instead = _goes_behind(place), _has_instead(place)
    if instead and without != before:
        return _FIELD_HINT if without else _ADD_OR_INSTEAD_HINT
    if without == before:
        return _ONE_INSTEAD_HINT if instead and not without else _EITHER_HINT
    return _REMOVE_HINT if without else _ADD_HINT


def _has_instead(place: Place) -> bool:
    """Tell whether something else in the place of the token makes the text go on."""
    wanted, behind = place.accepts - CONTINUATIONS, _behind(place) or [END]
    return any(place.cursor.would_accept(terminal, *behind) for terminal in wanted)
