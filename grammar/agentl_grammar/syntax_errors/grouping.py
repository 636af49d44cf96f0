"""Whether a bracket that is lost in an expression could stand at places that mean different things."""

from __future__ import annotations

from bisect import bisect_left

from agentl_grammar.lexer import Token
from agentl_grammar.syntax_errors.expectations import COMPARISONS
from agentl_grammar.syntax_errors.place import Place

_JOINING = frozenset(("_AND", "_OR"))
_CALCULATING = frozenset(("_PLUS", "_MINUS", "_STAR", "_SLASH"))
_OPERATORS = COMPARISONS | _JOINING | _CALCULATING | {"_NOT"}
# What binds before each of these does.
_STRONGER = {
    "_OR": frozenset(("_AND", "_NOT")),
    "_AND": frozenset(("_NOT",)),
    "_PLUS": frozenset(("_STAR", "_SLASH", "_MINUS")),
    "_MINUS": frozenset(("_STAR", "_SLASH")),
}
_OPERANDS = ("NAME", "STRING", "NUMBER", "PERCENT", "TIMESPAN", "DATETIME")
_OUTSIDE = ("_EQ", "_COLON", "_LBRACE", "_RBRACE")


def is_certain(place: Place) -> bool:
    """Tell whether the expression before a `)` too many means the same wherever its `(` is put."""
    row = [token.type for token in _row(place)]
    operators = [kind for kind in row if kind in _OPERATORS]
    behind = place.following.type if place.following else ""
    if len(operators) > 1 or (_JOINING & set(operators) and behind in _JOINING):
        return False
    called = not operators and row[-1:] == ["_RPAR"]
    return called or behind not in COMPARISONS | _CALCULATING


def ends_here(place: Place, opener: Token) -> bool:
    """Tell whether an open `(` or `[` means the same wherever in its expression it is closed."""
    at = bisect_left(place.tokens, opener.start, key=lambda token: token.start)
    before = place.tokens[at - 1].type if at else ""
    within = [token.type for token in place.tokens[at + 1 : place.index]]
    inside = [kind for kind in within if kind in _OPERATORS]
    if opener.type == "_LBRACKET":
        return not inside and within[:1] != ["_LBRACKET"]
    if before == "NAME":
        return not inside or "_EQ" in within
    return not any(
        weak in inside and (before in stronger or not stronger.isdisjoint(inside[inside.index(weak) :]))
        for weak, stronger in _STRONGER.items()
    )


def _row(place: Place) -> list[Token]:
    """Return the tokens before the place that may belong to one expression with it."""
    tokens, at = place.tokens, place.index
    while at and not _begins(tokens, at):
        at -= 1
    return tokens[at : place.index]


def _begins(tokens: list[Token], at: int) -> bool:
    """Tell whether an expression begins with token `at`, behind a value or what is in no expression."""
    before = tokens[at - 1]
    word = before.type.startswith("_") and before.text[:1].isalpha() and before.type not in _OPERATORS
    behind = at < len(tokens) and tokens[at].type in _OPERANDS
    ends = before.type in (*_OPERANDS, "_RPAR", "_RBRACKET")
    return word or before.type in _OUTSIDE or (behind and ends)
