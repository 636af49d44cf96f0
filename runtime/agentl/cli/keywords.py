"""`-k EXPRESSION`: which scenarios are meant, by parts of their names and `and`, `or`, `not`."""

from __future__ import annotations

import re
from collections.abc import Callable

from agentl.errors import UsageError
from agentl_grammar.problems import Message, message_id

Selector = Callable[[str], bool]
_TOKEN = re.compile(r"[()]|[^\s()]+")


def selector(expression: str | None) -> Selector:
    """Return what tells whether a name is meant. A word is meant wherever it stands in it, in any case.

    Raises UsageError U113.
    """
    if expression is None:
        return lambda _: True
    tokens = _TOKEN.findall(expression)
    try:
        chosen, rest = _either(tokens)
    except IndexError:
        rest, chosen = [""], _never
    if rest:
        raise UsageError(
            "U113",
            Message(
                message_id("-k {expression} cannot be understood"),
                {"expression": expression.strip() or repr(expression)},
            ),
            action=Message(message_id("join parts of names by `and`, `or`, `not` and parentheses")),
        )
    return chosen


def _never(_name: str) -> bool:
    return False


def _either(tokens: list[str]) -> tuple[Selector, list[str]]:
    left, rest = _both(tokens)
    while rest and rest[0] == "or":
        right, rest = _both(rest[1:])
        left = _joined(any, left, right)
    return left, rest


def _both(tokens: list[str]) -> tuple[Selector, list[str]]:
    left, rest = _one(tokens)
    while rest and rest[0] == "and":
        right, rest = _one(rest[1:])
        left = _joined(all, left, right)
    return left, rest


def _joined(decide: Callable[[list[bool]], bool], left: Selector, right: Selector) -> Selector:
    return lambda name: decide([left(name), right(name)])


def _one(tokens: list[str]) -> tuple[Selector, list[str]]:
    """Read one term. Raises IndexError where there is none."""
    first, rest = tokens[0], tokens[1:]
    if first == "not":
        inner, rest = _one(rest)
        return (lambda name: not inner(name)), rest
    if first == "(":
        inner, rest = _either(rest)
        if rest[0] != ")":
            raise IndexError
        return inner, rest[1:]
    if first in {")", "and", "or"}:
        raise IndexError
    return (lambda name: first.lower() in name.lower()), rest
