"""A sign between two things that can stand side by side as items of their own (S105, S110).

Without the sign both would be told, and nobody would see that one was meant: a fix never removes it.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left

from agentl_grammar.lexer import Token, first_tokens, string_value
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.source import Source
from agentl_grammar.syntax_errors.expectations import EXPRESSION, NUMBERS
from agentl_grammar.syntax_errors.place import CLOSERS, Place, delete, replace

_NO_SEPARATOR = message_id("no `{text}` can stand here")
_REMOVE = message_id("remove it")
_WRITE = message_id("write `{text}`")
_NAME = message_id("the name of an argument has no quotes: write {name}{text}")
_RESULT = message_id("what a tool returns stands in TOOL name {{ OUTPUT {{ name: Type }} }}")
_JOIN = message_id("write AND or OR between two conditions, a comma between two items")
_JOIN_ONE = message_id("write AND or OR between two conditions: {head} takes one")
_TYPE = message_id("write `:` between the name of a field and its type, a comma between two fields")
_COMMA = message_id("write a comma between two items")
_APART = message_id("write each of the two on a line of its own")
_CONDITIONS = frozenset(("TARGET", "EVIDENCE", "EXPECT", "GOAL", "REQUIRES"))
_ONE_CONDITION = {"_GOAL": "GOAL", "_MAINTAIN": "MAINTAIN", "_ACHIEVE": "ACHIEVE", "_REQUIRES": "REQUIRES"}
_TYPED = frozenset(("_INPUT", "_OUTPUT", "_PRODUCE"))
_JOINING = frozenset(("AND", "OR", "NOT", "IN", "CONFIDENCE", "SHARED"))


def separator(place: Place, following: Token) -> Problem:
    """Report a `:` or `=` that cannot stand where it stands, though what follows it could."""
    token, previous = place.token, place.previous
    message, hint = Message(_NO_SEPARATOR, {"text": token.text}), Message(_REMOVE)
    begins = previous is None or previous.type == "_COMMA" or previous.type in CLOSERS
    if begins or not place.may_end() or not _begins_item(place, following):
        owned = previous is not None and previous.type == "NAME" and following.type == "NAME"
        return place.problem("S110", message, hint, *([] if owned else [delete(token.span)]))
    name = string_value(previous.text) if previous and previous.type == "STRING" else ""
    if previous and place.head == "(" and name.isidentifier() and name.isascii():
        hint = Message(_NAME, {"name": name, "text": token.text})
        return place.problem("S110", message, hint, replace(previous.span, name))
    if place.head == "EVIDENCE" and following.type in NUMBERS:
        space = "" if place.source.text[token.start - 1].isspace() else " "
        hint, fix = Message(_WRITE, {"text": "LIKELIHOOD"}), replace(token.span, f"{space}LIKELIHOOD")
        return place.problem("S110", message, hint, *([fix] if "_LIKELIHOOD" in place.accepts else []))
    if place.head == "TOOL" and previous and previous.type == "_RPAR":
        return place.problem("S110", message, Message(_RESULT))
    apart = _COMMA if "_COMMA" in place.accepts else _APART
    return place.problem("S110", message, Message(_JOIN if place.head in _CONDITIONS else apart))


def _begins_item(place: Place, token: Token) -> bool:
    """Tell whether the innermost open bracket could begin with `token`."""
    if token.type not in EXPRESSION or place.inner is None or place.cursor_at is None:
        return token.type in EXPRESSION
    opener = bisect_left(place.tokens, place.inner.token.start, key=lambda each: each.start)
    return token.type in place.cursor_at(opener + 1).accepts()


def kept_apart(source: Source, problem: Problem, tokens: list[Token]) -> Problem:
    """Return the problem of a `;` behind `tokens`: with no fix where it joins what is around it."""
    if source.slice(problem.span) != ";" or not problem.fixes:
        return problem
    behind = [token.type for token in first_tokens(source.text, problem.span.end, 2)]
    if not behind or behind[0] not in EXPRESSION:
        return problem
    block, word = _block(tokens), next((token.type for token in reversed(tokens) if _leads(token)), "")
    if word in _ONE_CONDITION:
        hint = Message(_JOIN_ONE, {"head": _ONE_CONDITION[word]})
    elif block == "_EVIDENCE":
        hint = Message(_JOIN)
    elif block in _TYPED and behind != ["NAME", "_COLON"]:
        hint = Message(_TYPE)
    else:
        return problem
    return dataclasses.replace(problem, hint=hint, fixes=())


def _block(tokens: list[Token]) -> str:
    """Return the terminal of the word to which the innermost open brace belongs, or nothing."""
    depth = 0
    for index in range(len(tokens) - 1, -1, -1):
        depth += (tokens[index].type == "_RBRACE") - (tokens[index].type == "_LBRACE")
        if depth < 0:
            before = reversed(tokens[max(0, index - 3) : index])
            return next((token.type for token in before if _leads(token)), "")
    return ""


def _leads(token: Token) -> bool:
    return token.type.startswith("_") and token.text in WORDS and token.text not in _JOINING
