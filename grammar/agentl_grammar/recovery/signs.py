"""A sign that is none of the language, and was read as the word that it means elsewhere: AND, OR, NOT."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.lexer import Token
from agentl_grammar.recovery.heads import Repair
from agentl_grammar.syntax_errors.place import Place


def without_sign(place: Place, tokens: list[Token], least: int) -> Iterator[Repair]:
    """Yield the tokens without a sign at the place, at once before it, or at the beginning of its line.

    It is told by itself: as nothing can be read with the word, it stands where nothing should stand.
    """
    index = place.index
    for at in (index, index - 1, index - len(place.line_so_far())):
        if least <= at < len(tokens) and _is_sign(place, at):
            yield at, [*tokens[:at], *tokens[at + 1 :]], max(0, len(tokens) - index - 1)
            return


def _is_sign(place: Place, at: int) -> bool:
    token = place.tokens[at]
    word = place.source.slice(token.span)
    return token.type in ("_AND", "_OR", "_NOT") and len(word) == 1
