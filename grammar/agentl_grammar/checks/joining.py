"""Conditions side by side that nothing joins: a misspelt OR between them is read as one of them (§2.6 A1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import dropwhile, takewhile

from agentl_grammar.checks.index import Index
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, did_you_mean, renaming, said, warning
from agentl_grammar.lexer import COMMENT, Token, lex
from agentl_grammar.problems import message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.near import is_slip, near
from agentl_grammar.tree import Evidence, Expect, Goal, Node, Path, Scenario

_WORDS = ("AND", "OR", "NOT")
_FIELDS = ("MAINTAIN", "ACHIEVE", "TARGET", "WEIGHT")
# What is left of a GOAL without its conditions.
_NOTHING = re.compile(rf"(?:\s|[{{}},:=]|{COMMENT}|(?:GOAL|{'|'.join(_FIELDS)})\b)*").fullmatch
# The parentheses around a condition, and a WEIGHT before another one.
_OF_VALUES = ("NUMBER", "_LPAR", "_RPAR")
_OF_FIELDS = frozenset(
    ("_GOAL", "_LBRACE", "_RBRACE", "_COMMA", "_COLON", "_EQ", *(f"_{word}" for word in _FIELDS))
)


@warning("W148", Goal, Scenario, Evidence)
def conditions_that_nothing_joins(index: Index) -> Iterator[Found]:
    """W148: a condition of GOAL that a later one replaces, or a misspelt AND, OR or NOT read as a condition.

    Silent on a word that the agent observes or believes.
    """
    for part, goal in index.own(Goal):
        yield from _replaced(index, part, goal)
        yield from _words(index, part, goal.targets)
    for part, evidence in index.own(Evidence):
        yield from _words(index, part, (evidence.condition,))
    for part, _ in index.own_scenarios():
        for expected in part.all(Expect):
            # NO ERROR in braces is told by W151.
            conditions = tuple(
                each for each in expected.conditions if not (isinstance(each, Path) and each.text == "NO")
            )
            yield from _words(index, part, conditions)


def _words(index: Index, part: Part, conditions: tuple[Node, ...]) -> Iterator[Found]:
    for path in conditions:
        meant = _meant(path.text) if isinstance(path, Path) else None
        if (
            isinstance(path, Path)
            and meant
            and path.text not in index.observed
            and path.text not in index.beliefs
        ):
            span = part.at(path)
            yield Found(
                span,
                said(message_id("{word} is read as a condition of its own"), word=path.text),
                said(message_id("did you mean {name}?"), name=meant),
                fixes=renaming(span, path.text, meant, opens=True),
            )


def _meant(word: str, *others: str) -> str | None:
    """Return AND, OR, NOT or one of `others` that a word is but for its case, or for a slip in capitals."""
    if word.upper() in (*_WORDS, *others):
        return word.upper()
    if not word.isupper() or len(word) == 1:
        return None
    slips = [other for other in others if is_slip(word, other)]
    return near(word, _WORDS, lambda _: True) or next(iter(slips), None)


def _replaced(index: Index, part: Part, goal: Goal) -> Iterator[Found]:
    text = index.text_of(part, goal.span)
    counted = [goal.name, goal.condition, *goal.targets, goal.weight]
    for node in counted:
        if node is not None:
            begin, end = node.span.start - goal.span.start, node.span.end - goal.span.start
            text = text[:begin] + " " * (end - begin) + text[end:]
    if _NOTHING(text):
        return
    rest = dropwhile(_is_of_fields, lex(text).tokens)
    left = list(takewhile(lambda token: not _is_of_fields(token), rest))
    if any(token.type not in _OF_VALUES for token in left):
        yield _left_out(part.at(goal).start, left)


def _is_of_fields(token: Token) -> bool:
    return token.type in _OF_FIELDS


def _left_out(start: int, left: list[Token]) -> Found:
    """Report conditions of a GOAL that do not count, by their tokens; the goal begins at `start`."""
    joint = next((token for token in left if _meant(token.text, *_FIELDS)), left[0])
    meant = _meant(joint.text, *_FIELDS)
    return Found(
        Span(start + left[0].start, start + left[-1].end),
        said(message_id("only the last condition of a GOAL counts: this is left out")),
        did_you_mean(
            meant,
            said(message_id("join them with AND or OR, or write what must hold as well behind TARGET")),
        ),
        fixes=renaming(Span(start + joint.start, start + joint.end), joint.text, meant, opens=True),
    )


RULES = (conditions_that_nothing_joins,)
