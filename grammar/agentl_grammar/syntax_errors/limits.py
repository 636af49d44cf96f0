"""A text that nests too deeply, or that joins too much in one row (S112)."""

from __future__ import annotations

from agentl_grammar.builder.parts import MAXIMUM_DEPTH, MAXIMUM_ROW, TooDeepError
from agentl_grammar.problems import Message, Problem, Severity, message_id
from agentl_grammar.syntax_errors import too_deep

_TOO_LONG = message_id("more than about {limit} terms in one row (an ELSE IF counts as two)")
_TOO_LONG_HINT = message_id("put a part of the row in parentheses, or in a block of its own")


def over_limit(error: TooDeepError) -> Problem:
    """Return the problem that the tree would be larger than may be."""
    if not error.long:
        return too_deep(error.span, MAXIMUM_DEPTH)
    message = Message(_TOO_LONG, {"limit": MAXIMUM_ROW})
    return Problem("S112", Severity.ERROR, error.span, message, Message(_TOO_LONG_HINT))
