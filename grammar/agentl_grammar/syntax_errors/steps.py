"""A STEP of a PLAN without its word, beside others that have it."""

from __future__ import annotations

from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.syntax_errors.brackets import closer_of
from agentl_grammar.syntax_errors.place import Place, insert, shown

_BEFORE = message_id("expected {expected} before {found}")
_BEFORE_HINT = message_id("insert `{text}` before {found}")


def wordless(place: Place) -> Problem | None:
    """Report a name and a block that begin a line among STEPs, as `pay { f() }` does (S101)."""
    name = place.index - (place.token.type == "_LBRACE")
    if place.head != "PLAN" or not 0 < name < len(place.tokens) or place.cursor_at is None:
        return None
    before, word, *behind = place.tokens[name - 1 : name + 3]
    if word.type != "NAME" or place.line(before) == place.line(word) or not _is_among_steps(place, name):
        return None
    if not place.cursor_at(name).would_accept("_STEP", "NAME", *(token.type for token in behind)):
        return None
    values = {"expected": "STEP", "found": shown(word), "text": "STEP"}
    fix = insert(word.start, "STEP ")
    return place.problem("S101", Message(_BEFORE, values), Message(_BEFORE_HINT, values), fix, span=word.span)


def _is_among_steps(place: Place, name: int) -> bool:
    """Tell whether a block begins behind the name, and a STEP ended before it or follows it."""
    if place.index == name:
        return place.following is not None and place.following.type == "_LBRACE"
    end = closer_of(place, name + 1)
    return end is not None and [token.type for token in place.tokens[end + 1 : end + 2]] == ["_STEP"]
