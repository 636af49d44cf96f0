"""Repairs that leave out a part of a line, where what stands around it is well."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Problem
from agentl_grammar.recovery.heads import Repair
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, Place
from agentl_grammar.syntax_errors.rules import RULES


def without_default(place: Place, problem: Problem, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens without a DEFAULT of a POLICY that says neither ALLOW nor DENY."""
    if problem.code != "S115" or "_ALLOW" not in place.accepts:
        return
    start = next((at for at in (place.index - 1, place.index - 2) if tokens[at].type == "_DEFAULT"), -1)
    end = bisect_left(tokens, problem.span.end, key=lambda token: token.start)
    if start >= 0:
        yield start, tokens[:start] + tokens[end:], max(len(tokens) - end - 1, 0)


def without_branch(place: Place, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens without THEN or ELSE behind a rule of a POLICY, and what belongs to it."""
    if place.head != "POLICY" or place.token.type not in ("_THEN", "_ELSE"):
        return
    end = place.index
    for token in place.rest_of_line():
        begins = token.type in RULES and tokens[end - 1].type not in ("_THEN", "_ELSE")
        if begins or token.type in CLOSER_TEXTS:
            break
        end += 1
    yield place.index, tokens[: place.index] + tokens[end:], len(tokens) - end
