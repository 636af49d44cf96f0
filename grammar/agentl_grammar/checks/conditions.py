"""Conditions, and what stands in one and can never be false, or never be true (§3.2, §3.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from typing import NamedTuple

from agentl_grammar.checks.guards import ORDERS, comparisons
from agentl_grammar.checks.index import Index
from agentl_grammar.checks.kinds import LEVELS
from agentl_grammar.checks.naming import rank
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, did_you_mean, nearest, renaming, said, warning, writing
from agentl_grammar.lexicon import FUNCTIONS
from agentl_grammar.problems import Message, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import (
    Binary,
    DatetimeLiteral,
    EventHandler,
    Evidence,
    Expression,
    Goal,
    Guard,
    If,
    ListExpression,
    Loop,
    MainLoop,
    MemoryWrite,
    MessageHandler,
    Node,
    NumberLiteral,
    Observation,
    Path,
    Plan,
    Policy,
    Rule,
    StringLiteral,
    Tool,
    Unary,
    UtilityEntry,
    Verify,
)

CONDITION_FIELDS: dict[type[Node], str] = {
    **dict.fromkeys((If, Verify, Guard, Evidence, UtilityEntry, Goal), "condition"),
    **dict.fromkeys((Plan, EventHandler, MessageHandler, Observation, MemoryWrite), "when"),
    **dict.fromkeys((Loop, MainLoop), "until"),
    Tool: "requires",
}
_LITERALS = (StringLiteral, NumberLiteral, DatetimeLiteral, ListExpression)
_FUNCTION_WORDS = frozenset(name for name in FUNCTIONS if name.isupper())
_FALSY = frozenset(("none", "unknown", "null"))
_BOUNDS = {
    **dict.fromkeys(("less", "lower", "fewer", "smaller", "below", "under"), "<="),
    **dict.fromkeys(("more", "greater", "higher", "larger", "above", "over"), ">="),
}


class _Row(NamedTuple):
    """What stands alone, side by side, in a row of AND or OR, behind a comparison if there is one."""

    operator: str
    compared: Binary | None
    alone: Sequence[Expression]


def conditions_in(index: Index) -> Iterator[tuple[Part, Node, Expression]]:
    """Yield the conditions of the members, each with what it is the condition of."""
    for part, node in index.own_of(CONDITION_FIELDS):
        condition = getattr(node, CONDITION_FIELDS[type(node)])
        if condition is not None:
            yield part, node, condition
    for part, goal in index.own(Goal):
        yield from ((part, goal, target) for target in goal.targets)


@warning("W158", *CONDITION_FIELDS)
def constant_as_a_condition(index: Index) -> Iterator[Found]:
    """W158: a text, number or list stands where a condition is to stand, or the name of a function.

    In a guard of POLICY so does a word that nothing sets, behind a comparison: `amount == 5000 OR less`.
    """
    for part, node, condition in conditions_in(index):
        if isinstance(condition, NumberLiteral) and isinstance(node, Evidence | Goal):
            continue  # W151
        for row in part.keep(_rows, condition):
            told = [each for each in row.alone if is_constant(index, part, each, row.compared)]
            if told:
                yield _found(index, part, row, told)


def is_constant(index: Index, part: Part, node: Expression, compared: Binary | None) -> bool:
    """Tell whether what stands alone in a condition, behind a comparison if there is one, is a constant."""
    if not isinstance(node, Path):
        return True
    word = node.text
    if word in index.words or word in index.parameters or word in index.boolean_parameters:
        return False
    if word in _FUNCTION_WORDS:
        return True
    return compared is not None and isinstance(part.node, Rule) and word not in ("true", "false")


def constant_words(index: Index, part: Part, condition: Expression) -> set[int]:
    """Return by identity the words of a condition that W158 tells."""
    return {
        id(each)
        for row in part.keep(_rows, condition)
        for each in row.alone
        if isinstance(each, Path) and is_constant(index, part, each, row.compared)
    }


def _rows(condition: Expression) -> list[_Row]:
    """Return what stands alone in a condition: constants and single words."""
    found: list[_Row] = []
    pending = [condition]
    while pending:
        node = pending.pop()
        if isinstance(node, Unary) and node.operator.text == "NOT":
            pending.append(node.operand)
            continue
        operator = node.operator.text if isinstance(node, Binary) and _is_row(node) else ""
        compared: Binary | None = None
        for alone, terms in groupby(_terms(node, operator), _may_be_constant):
            row = list(terms)
            if alone:
                found.append(_Row(operator, compared, row))
                continue
            last = row[-1]
            compared = last if isinstance(last, Binary) and not _is_row(last) else None
            pending += [term for term in row if term is not node and not _is_comparison(term)]
    return found


def _is_row(node: Expression) -> bool:
    return isinstance(node, Binary) and node.operator.text in ("AND", "OR")


def _is_comparison(node: Expression) -> bool:
    return isinstance(node, Binary) and not _is_row(node)


def _terms(node: Expression, operator: str) -> list[Expression]:
    terms: list[Expression] = []
    while isinstance(node, Binary) and node.operator.text == operator:
        terms.append(node.right)
        node = node.left
    return [node, *reversed(terms)]


def _may_be_constant(node: Expression) -> bool:
    return isinstance(node, _LITERALS) or (isinstance(node, Path) and len(node.segments) == 1)


def _found(index: Index, part: Part, row: _Row, told: Sequence[Expression]) -> Found:
    first = told[0]
    span = Span(part.at(first).start, part.at(told[-1]).end)
    text = index.text_of(part, first.span)
    if isinstance(first, Path) and first.text in _FUNCTION_WORDS:
        return Found(
            span,
            said(message_id("{name} alone is a word, and always true"), name=text),
            said(message_id("write {signature}"), signature=FUNCTIONS[text].signature),
        )
    message = _NEVER if _is_false(first) else _ALWAYS
    meant = _meant(index, part, row, told)
    if meant is None or row.compared is None:
        return Found(span, said(message, text=text), _compare(index, part, row, text))
    whole = Span(part.at(row.compared).start, span.end)
    return Found(
        span,
        said(message, text=text),
        said(message_id("write {text}"), text=meant),
        fixes=writing(whole, meant, guess=True),
    )


_ALWAYS = message_id("{text} stands alone in a condition, and is always true")
_NEVER = message_id("{text} stands alone in a condition, and is never true")


def _is_false(node: Expression) -> bool:
    match node:
        case StringLiteral() | NumberLiteral():
            return not node.value
        case ListExpression():
            return not node.items
        case Path():
            return node.text.lower() in _FALSY
        case _:
            return False


def _compare(index: Index, part: Part, row: _Row, text: str) -> Message:
    in_no_order = any(isinstance(each, Path) for each in row.alone) and rank(text) is None
    if row.compared is None or (in_no_order and row.compared.operator.text in ORDERS):
        return said(message_id("compare it with something, or remove it"))
    left = index.text_of(part, row.compared.left.span)
    operator = "==" if row.compared.operator.text == "IN" else row.compared.operator.text
    return said(message_id("compare it: {text}"), text=f"{left} {operator} {text}")


def _meant(index: Index, part: Part, row: _Row, told: Sequence[Expression]) -> str | None:
    """Return what `x == a OR b` was to be, if that is likely: `x IN [a, b]`; `x == 5 OR less`: `x <= 5`."""
    compared = row.compared
    if (
        compared is None
        or row.operator != "OR"
        or compared.operator.text != "=="
        or len(told) < len(row.alone)
    ):
        return None
    left, right = (index.text_of(part, side.span) for side in (compared.left, compared.right))
    if isinstance(compared.right, NumberLiteral) and isinstance(told[0], Path):
        bound = _BOUNDS.get(told[0].text.lower()) if len(told) == 1 else None
        return f"{left} {bound} {right}" if bound else None
    if any(type(each) is not type(compared.right) or isinstance(each, ListExpression) for each in told):
        return None
    if isinstance(compared.right, Path) and len(compared.right.segments) > 1:
        return None
    return f"{left} IN [{', '.join((right, *(index.text_of(part, each.span) for each in told)))}]"


@warning("W159", Binary)
def compared_with_a_row_of_words(index: Index) -> Iterator[Found]:
    """W159: something is compared with constants that AND, OR or `/` join: with yes or no, or nothing."""
    for part, node in index.own(Binary):
        if node.operator.text not in ("==", "!=", "IN") or not isinstance(node.right, Binary):
            continue
        joined = node.right.operator.text
        terms = _terms(node.right, joined)
        if not _are_words(index, terms, joined):
            continue
        left = index.text_of(part, node.left.span)
        listed = f"{left} IN [{', '.join(index.text_of(part, each.span) for each in terms)}]"
        meant = f"NOT ({listed})" if node.operator.text == "!=" else listed
        yield Found(
            part.at(node.right),
            said(_JOINED, left=left, operator=joined),
            said(message_id("write {text}"), text=meant),
            fixes=writing(part.at(node), meant, guess=True) if joined != "AND" else (),
        )


_JOINED = message_id("{left} is compared with what {operator} makes of the words, and not with each of them")


def _are_words(index: Index, terms: Sequence[Expression], joined: str) -> bool:
    """Tell whether all terms are constants; joined by `/`, all of them words."""
    if joined not in ("AND", "OR", "/") or not all(map(_may_be_constant, terms)):
        return False
    words = [each.text for each in terms if isinstance(each, Path)]
    if joined == "/" and len(words) < len(terms):
        return False
    return not any(word in index.words or word in index.parameters for word in words)


@warning("W162", Rule)
def compared_with_what_it_never_is(index: Index) -> Iterator[Found]:
    """W162: a guard compares action.tool with what names no tool, or action.risk with what is no level."""
    for part, rule in index.own(Rule):
        if rule.guard is None or _OF_AN_ACTION.isdisjoint(part.reads(rule.guard)):
            continue
        for node in comparisons(part, rule.guard):
            is_list = isinstance(node.right, ListExpression)
            if is_list == (node.operator.text == "IN"):  # `IN "text"` asks for a part of the text
                for side, other in ((node.left, node.right), (node.right, node.left)):
                    if isinstance(side, Path) and side.text in _OF_AN_ACTION:
                        yield from _never(index, part, side.text, other)


def _never(index: Index, part: Part, path: str, other: Expression) -> Iterator[Found]:
    of_risk = path == "action.risk"
    for item in other.items if isinstance(other, ListExpression) else (other,):
        value = item.value if isinstance(item, StringLiteral) else item.text if isinstance(item, Path) else ""
        is_one = rank(value) is not None if of_risk else value in index.tools or value in index.delegates
        if is_one or not value:
            continue
        if isinstance(item, Path) and ("." in value or value in index.words or value in index.parameters):
            continue
        span = part.at(item)
        near = nearest(value.upper(), LEVELS) if of_risk else nearest(value, {*index.tools, *index.delegates})
        if isinstance(item, StringLiteral):
            span = Span(span.start + 1, span.end - 1)
        yield Found(
            span,
            said(message_id("{path} is never {value}"), path=path, value=value),
            did_you_mean(near, said(_NAMES[path])),
            fixes=renaming(span, value, near, opens=True),
        )


_OF_AN_ACTION = frozenset(("action.tool", "action.risk"))
_NAMES = {
    "action.tool": message_id("write the name of a tool that is declared"),
    "action.risk": message_id("write a level: LOW, MEDIUM, HIGH or CRITICAL"),
}


@warning("W163", Policy)
def division_read_as_a_comment(index: Index) -> Iterator[Found]:
    """W163: a guard ends in a path alone, and a comment behind it goes on with a number and a comparison."""
    for part, policy in index.own(Policy):
        for rule, following in zip_longest(policy.rules, policy.rules[1:]):
            if not isinstance(rule, Rule) or rule.guard is None or not _ends_in_a_path(rule.guard.condition):
                continue
            end = rule.guard.span.end
            behind = index.text_of(part, Span(end, following.span.start if following else policy.span.end))
            comment = _REST(behind)
            if comment:
                yield Found(
                    part.place(Span(end + comment.start(1), end + comment.end(1))),
                    said(
                        message_id("{sign} begins a comment: the guard ends before it"), sign=comment.group(2)
                    ),
                    said(_DIVIDE),
                )


_REST = re.compile(r"[ \t]*((//|#)[ \t]*\d[\d.]*[ \t]*(?:[<>]=?|[=!]=|IN\b)[^\n]*)").match
_DIVIDE = message_id("write `/` to divide; a comment that is meant begins with a word")


def _ends_in_a_path(node: Expression) -> bool:
    while isinstance(node, Binary) and _is_row(node):
        node = node.right
    return isinstance(node, Path)


RULES = (
    constant_as_a_condition,
    compared_with_a_row_of_words,
    compared_with_what_it_never_is,
    division_read_as_a_comment,
)
