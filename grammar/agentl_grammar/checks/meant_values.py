"""Values that say something else than they look like: a comparison for an argument, and numbers in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from agentl_grammar.checks.index import Index
from agentl_grammar.checks.naming import LOCALS, parameters_of, prefixes
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, said, warning, writing
from agentl_grammar.problems import message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.numbers import is_unit, meant
from agentl_grammar.tree import (
    Argument,
    Binary,
    CallStatement,
    Expression,
    FunctionCall,
    ListExpression,
    NumberLiteral,
    Path,
    ProduceField,
    Trigger,
)

_PARTS = re.compile(r"(\d{1,4})([-/])(\d{1,2})\2(\d{1,4})").fullmatch
_IN_DAYS = ("WEEK", "MONTH", "QUARTER", "YEAR")
_DAYS_HINT = message_id("write the number of days: 7d for a week, 30d for a month, 365d for a year")
_NUMBER_BEFORE = re.compile(r"(?<![\w.])(?<!RETRY )(?<!MAX )(\d+(?:\.\d+)?)[ \t]+\Z").search
_YEAR = 4
_COMPARES = message_id("IN compares here: {field} may be anything, and is yes or no by default")
_FIRST, _GROUP = re.compile(r"[1-9]\d{0,2}").fullmatch, re.compile(r"\d{3}").fullmatch


@warning("W152", CallStatement)
def comparison_given_as_an_argument(index: Index) -> Iterator[Found]:
    """W152: a parameter of the tool is compared in its call: yes or no is given, to the next parameter.

    Silent where the name is known for something else, so that it may well be compared.
    """
    for part, call in index.own(CallStatement):
        known = index.tools.get(call.target.text)
        for argument in call.arguments if known else ():
            value = argument.value
            compared = argument.name is None and isinstance(value, Binary) and value.operator.text == "=="
            if not (known and compared and isinstance(value, Binary) and isinstance(value.left, Path)):
                continue
            name = value.left.text
            if name in parameters_of(known[1]) and not _is_known(index, name):
                yield Found(
                    part.at(argument),
                    said(message_id("`==` compares: {tool} gets yes or no here"), tool=call.target.text),
                    said(message_id("write {name} = … to give the parameter {name} its value"), name=name),
                    fixes=writing(part.at(value.operator), "=", guess=True),
                )


def _is_known(index: Index, name: str) -> bool:
    """Tell whether something gives a path its value, so that it may be asked for."""
    known = (index.beliefs, index.sets, index.effects, index.outputs, index.oracle_fields)
    return (
        name in LOCALS
        or index.is_observed(name)
        or any(above in names for names in (*known, index.loop_variables) for above in prefixes(name))
    )


@warning("W156", ProduceField)
def domain_behind_a_default(index: Index) -> Iterator[Found]:
    """W156: `Symbol DEFAULT a IN [a, b]`: what was to be the domain is compared, and the field has none."""
    for part, field in index.own(ProduceField):
        default = field.default
        if field.domain is None and isinstance(default, Binary) and default.operator.text == "IN":
            kind = f": {field.type.text}" if field.type else ""
            first, domain = (index.text_of(part, side.span) for side in (default.left, default.right))
            text = f"{field.name.text}{kind} IN {domain} DEFAULT {first}"
            yield Found(
                part.at(default),
                said(_COMPARES, field=field.name.text),
                said(message_id("write the domain first: {text}"), text=text),
                fixes=writing(part.at(field), text, guess=True),
            )


@warning("W153", Binary, FunctionCall, CallStatement, ListExpression)
def number_in_parts(index: Index) -> Iterator[Found]:
    """W153: a date that is reckoned, 2026-7-1, or two items that look like one number: 1 000, 5 minutes."""
    for part, node in index.own(Binary):
        if node.operator.text in ("-", "/") and isinstance(node.right, NumberLiteral):
            yield from _reckoned(index, part, node)
    for part, call in (*index.own(CallStatement), *index.own(FunctionCall)):
        yield from _apart(index, part, [_value(argument) for argument in call.arguments])
    for part, row in index.own(ListExpression):
        yield from _apart(index, part, row.items)


def _reckoned(index: Index, part: Part, node: Binary) -> Iterator[Found]:
    written = index.text_of(part, node.span)
    parts = _PARTS(written)
    if not parts:
        return
    first, _, middle, last = parts.groups()
    text = f"{first}-{middle:0>2}-{last:0>2}"
    if _is_day(text):
        yield Found(
            part.at(node),
            said(message_id("{text} is reckoned, it is no date"), text=written),
            said(message_id("a date is written with two digits for month and day: {date}"), date=text),
            fixes=writing(part.at(node), text, guess=True),
        )
    elif len(last) == _YEAR:
        yield Found(
            part.at(node),
            said(message_id("{text} is reckoned, it is no date"), text=written),
            said(message_id("a date begins with its year, and has `-` between its parts: 2026-01-31")),
        )


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _value(argument: Argument) -> Expression:
    return argument.value


def _apart(index: Index, part: Part, values: Sequence[Expression]) -> Iterator[Found]:
    """Yield a number and what belongs to it, where they are items side by side on one line."""
    stop = 0
    for at, number in enumerate(values):
        if at < stop or not isinstance(number, NumberLiteral) or number.unit != "number":
            continue
        stop = at + 1
        while stop < len(values) and _goes_on(index, part, values[stop - 1 : stop + 1], number):
            stop += 1
        words = [each.text for each in values[at:stop] if isinstance(each, Path | NumberLiteral)]
        # `[1 500]` may well be two numbers; none begins with 0.
        if any(not word.isdigit() or word.startswith("0") for word in words[1:]):
            span, text = part.at(number).to(part.at(values[stop - 1])), meant("".join(words))
            yield Found(
                span,
                said(message_id("{text} is more than one item here"), text=" ".join(words)),
                said(message_id("write {text} for one number, or a comma between two"), text=text),
                fixes=writing(span, text, guess=True),
            )


def _goes_on(index: Index, part: Part, pair: Sequence[Expression], first: NumberLiteral) -> bool:
    """Tell whether the second of a pair is a group of digits, or a unit, of the number that begins before."""
    before, behind = pair
    if isinstance(behind, NumberLiteral):
        belongs = bool(_FIRST(first.text) and _GROUP(behind.text))
    else:
        belongs = isinstance(behind, Path) and is_unit(behind.text) and not _is_known(index, behind.text)
    between = index.text_of(part, Span(before.span.end, behind.span.start)) if belongs else ""
    return between.isspace() and "\n" not in between


def unit_apart(index: Index, part: Part, trigger: Trigger) -> Found | None:
    """Return what is to be said of a unit apart from its number, read as a plan: `SET x = 5 minutes`."""
    name = trigger.plan.text
    in_days = name.upper().removesuffix("S") in _IN_DAYS
    if not in_days and not is_unit(name):
        return None
    line = index.text_of(part, Span(part.node.span.start, trigger.span.start)).rpartition("\n")[2]
    number = _NUMBER_BEFORE(line)
    if not number:
        return None
    if in_days:
        return Found(
            part.at(trigger), said(message_id("there is no plan {name}"), name=name), said(_DAYS_HINT)
        )
    text, end = meant(number[1] + name), part.at(trigger).end
    span = Span(end - len(name) - len(line) + number.start(1), end)
    return Found(
        span,
        said(message_id("there is no plan {name}"), name=name),
        said(message_id("write `{text}`"), text=text),
        fixes=writing(span, text),
    )


RULES = (comparison_given_as_an_argument, number_in_parts, domain_behind_a_default)
