"""What stands too much between the name of a declaration and its `{`: parameters, what it extends (S101)."""

from __future__ import annotations

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.brackets import closer_of
from agentl_grammar.syntax_errors.place import Place, delete, shown

_PARAMETERS = message_id("{head} has no parameters")
_EMPTY_HINT = message_id("remove the parentheses")
_PARAMETERS_HINT = message_id("remove the parentheses: a value is read by its path, wherever it was given")
_INPUT_HINT = message_id("write INPUT {{ … }} in the braces instead of the parentheses")
_EXTENDS = message_id("nothing stands between the name of an AGENT and its `{{`, found {found}")
_EXTENDS_HINT = message_id("remove `{text}`: an agent has all of its members in its own braces")
_NAMED = ("_AGENT", "_PLAN", "_GOAL", "_STEP", "_EVENT", "_SCENARIO", "_HYPOTHESIS", "_MESSAGE", "_TOOL")


def title(place: Place) -> Problem | None:
    """Report PLAN p(x) {, and AGENT a EXTENDS b {."""
    head = _head(place)
    if not head or "_LBRACE" not in place.accepts or place.starts_line():
        return None
    if place.token.type == "_LPAR":
        return _parameters(place, head)
    line = place.rest_of_line()
    brace = next((token for token in line if token.type == "_LBRACE"), None)
    if head.type != "_AGENT" or not brace or brace == place.token:
        return None
    last = line[line.index(brace) - 1]
    span = place.token.span.to(last.span)
    message = Message(_EXTENDS, {"found": shown(place.token)})
    return place.problem(
        "S101", message, Message(_EXTENDS_HINT, {"text": place.source.slice(span)}), span=span
    )


def _head(place: Place) -> Token | None:
    """Return the word that begins the declaration whose name ends before the place."""
    at = place.index - 2
    while at > 0 and place.tokens[at].type == "_DOT":
        at -= 2
    return place.tokens[at] if at >= 0 and place.tokens[at].type in _NAMED else None


def _parameters(place: Place, head: Token) -> Problem | None:
    end = closer_of(place, place.index)
    message = Message(_PARAMETERS, {"head": head.text})
    if head.type == "_TOOL":
        return place.problem("S101", message, Message(_INPUT_HINT))
    if end is None or end > place.index + 1:
        return place.problem("S101", message, Message(_PARAMETERS_HINT))
    span = Span(place.token.start, place.tokens[end].end)
    opens = [token.type for token in place.tokens[end + 1 : end + 2]] == ["_LBRACE"]
    fixes = [delete(span)] if opens else []
    return place.problem("S101", message, Message(_EMPTY_HINT), *fixes, span=span)
