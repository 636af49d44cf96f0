"""A sign that is none of the language, and was read as the word that it means elsewhere: AND, OR, NOT."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.lexer import Token
from agentl_grammar.recovery.heads import Repair
from agentl_grammar.syntax_errors.place import Place

_NEAR = 4


def without_sign(place: Place, tokens: list[Token], least: int) -> Iterator[Repair]:
    """Yield the tokens without the nearest sign before the place, on its line or a little above.

    It is told by itself: where more can be read without the word, it stands where nothing should stand.
    """
    index = place.index
    for at in range(index, min(index - _NEAR, index - len(place.line_so_far())) - 1, -1):
        if least <= at < len(tokens) and _is_sign(place, at):
            yield at, [*tokens[:at], *tokens[at + 1 :]], max(0, len(tokens) - index - 1)
            return


def _is_sign(place: Place, at: int) -> bool:
    token = place.tokens[at]
    word = place.source.slice(token.span)
    return token.type in ("_AND", "_OR", "_NOT") and len(word) == 1
