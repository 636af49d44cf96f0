"""A word that is almost the reserved word that could stand there."""

from __future__ import annotations

from difflib import get_close_matches

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Fix, Message, Problem, message_id
from agentl_grammar.syntax_errors.expectations import STATEMENT, candidates
from agentl_grammar.syntax_errors.place import Place, replace

_CAPITALS = message_id("`{word}` is written in capitals: {wanted}")
_NEAR = message_id("`{word}` is not known here: expected {wanted}")
_HINT = message_id("write {wanted}")
_DEFAULT = message_id("DEFAULT of a POLICY: expected ALLOW or DENY, found `{word}`")
_DEFAULT_HINT = message_id("write ALLOW or DENY")
_ALIKE = 0.75
_SHORTEST = 3
_FAR = 7


def policy_default(place: Place) -> Problem | None:
    """Report anything but ALLOW or DENY behind DEFAULT in a POLICY (S115)."""
    if place.head != "POLICY" or not {"_ALLOW", "_ALLOW_ANY_CASE"} <= place.accepts:
        return None
    word = place.token.text
    near = get_close_matches(word.upper(), ["ALLOW", "DENY"], 1, _ALIKE)
    fixes = [replace(place.token.span, near[0])] if near else []
    return place.problem("S115", Message(_DEFAULT, {"word": word}), Message(_DEFAULT_HINT), *fixes)


def keyword(place: Place) -> Problem | None:
    """Report a word that is, but for its case or a letter or two, a reserved word that fits (S108)."""
    token = place.token
    if not _is_word(token):
        return None
    wanted = _near(token.text, candidates(place))
    return _misspelt(place, token, wanted) if wanted else None


def earlier_keyword(place: Place) -> Problem | None:
    """Report a statement's first word in the wrong case, found by what cannot follow it: `retry 2` (S108)."""
    for index in range(place.index - 1, max(0, place.index - _FAR), -1):
        token = place.tokens[index]
        word = token.text.upper()
        if token.type == "NAME" and f"_{word}" in STATEMENT and _starts_statement(place, index):
            return _misspelt(place, token, word)
    return None


def _starts_statement(place: Place, index: int) -> bool:
    before, token = place.tokens[index - 1], place.tokens[index]
    return before.type in ("_LBRACE", "_RBRACE", "_COMMA", "_THEN", "_ELSE") or place.line(
        before
    ) < place.line(token)


def _is_word(token: Token) -> bool:
    return token.type == "NAME" or (token.type.startswith("_") and token.text[:1].isalpha())


def _near(word: str, candidates: list[str]) -> str | None:
    capitals = word.upper()
    if capitals in candidates:
        return capitals if capitals != word else None
    if len(word) < _SHORTEST:
        return None
    matches = get_close_matches(capitals, candidates, 1, _ALIKE)
    return matches[0] if matches else None


def _misspelt(place: Place, token: Token, wanted: str) -> Problem:
    same = token.text.upper() == wanted
    values = {"word": token.text, "wanted": wanted}
    message = Message(_CAPITALS if same else _NEAR, values)
    fix: Fix = replace(token.span, wanted)
    return place.problem("S108", message, Message(_HINT, values), fix, span=token.span)
