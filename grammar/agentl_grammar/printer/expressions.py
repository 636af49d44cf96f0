"""Words, literals and expressions as canonical text, with the fewest parentheses (language.md §2.5)."""

from __future__ import annotations

import re
from decimal import Context, Decimal

from agentl_grammar.lexer import quote
from agentl_grammar.lexicon import WORDS
from agentl_grammar.tree import (
    Argument,
    Binary,
    DatetimeLiteral,
    Domain,
    Expression,
    FunctionCall,
    ListExpression,
    Name,
    NameList,
    NumberLiteral,
    Path,
    SharedPath,
    StringLiteral,
    Unary,
)

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?").fullmatch
_DATETIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?").fullmatch
_EXACT = Context(prec=10_000)
"""No number of a program has as many digits: none is rounded, whatever the context of the thread says."""
_QUANTITY = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:%|ms|sec|s|min|m|h|d)").fullmatch

_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _MINUS, _PRIMARY = range(1, 9)
_LEVELS = {"OR": _OR, "AND": _AND, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}

FIELD_OPTIONS = frozenset(("BIND", "ATTESTS", "IN", "DEFAULT"))
QUESTION_OPTIONS = FIELD_OPTIONS | {"USING", "TASK", "ABSTAIN"}


def word(name: Name, refused: frozenset[str] = frozenset()) -> str:
    """Return a Word, quoted when it is no identifier or number, or one of those `refused` there."""
    text = name.text
    return text if (_IDENTIFIER(text) or _NUMBER(text)) and text not in refused else quote(text)


def any_token(name: Name) -> str:
    """Return what stands where any one token may stand."""
    return name.text if _DATETIME(name.text) or _QUANTITY(name.text) else word(name)


def path(node: Path | SharedPath) -> str:
    """Return a path; number segments that would be read as one number are quoted."""
    texts = [word(segment) for segment in node.segments]
    for index in range(len(texts) - 1):
        if texts[index].isdecimal() and _NUMBER(texts[index + 1]):
            texts[index] = quote(texts[index])
    return ".".join(texts) if isinstance(node, Path) else ".".join(("SHARED", *texts))


def name_list(node: NameList) -> str:
    """Return a NameList, always in braces."""
    return paths(node.paths)


def paths(items: tuple[Path, ...]) -> str:
    """Return paths in braces."""
    return f"{{ {', '.join(map(path, items))} }}" if items else "{ }"


def number(node: NumberLiteral) -> str:
    """Return a number as it was written; one that was made by a program, from its value."""
    if node.text:
        return node.text
    value = _EXACT.multiply(Decimal(str(node.value)), Decimal(100 if node.unit == "percent" else 1))
    text = f"{_EXACT.normalize(value):f}"
    if node.unit == "number":
        return text if isinstance(node.value, int) or "." in text else f"{text}.0"
    return text + ("%" if node.unit == "percent" else "s")


def domain(node: Domain) -> str:
    """Return the domain of a PRODUCE field."""
    items = [
        item.text
        if isinstance(item, Name)
        else number(item)
        if isinstance(item, NumberLiteral)
        else quote(item.value)
        for item in node.items
    ]
    return f"[{', '.join(items)}]"


def argument(node: Argument) -> str:
    """Return one argument of a call."""
    return expression(node.value) if node.name is None else f"{node.name.text}={expression(node.value)}"


def call(function: str, arguments: tuple[Argument, ...]) -> str:
    """Return a call, of a tool or of a function."""
    return f"{function}({', '.join(map(argument, arguments))})"


def expressions(items: tuple[Expression, ...]) -> str:
    """Return expressions side by side; the commas keep each from going on in the next (§2.6, A1-A4)."""
    return ", ".join(map(expression, items))


def expression(node: Expression, level: int = _OR) -> str:
    """Return an expression; it is put in parentheses when it binds weaker than `level`."""
    text, own = _expression(node)
    return text if own >= level else f"({text})"


def _expression(node: Expression) -> tuple[str, int]:
    if isinstance(node, Binary):
        return _binary(node)
    if isinstance(node, Unary):
        if node.operator.text == "NOT":
            return f"NOT {expression(node.operand, _NOT)}", _NOT
        return f"-{expression(node.operand, _MINUS)}", _MINUS
    return _primary(node), _PRIMARY


def _binary(node: Binary) -> tuple[str, int]:
    row = list(node.row())[::-1]
    text, own = _expression(row[0].left)
    for each in row:
        operator = each.operator.text
        level = _LEVELS.get(operator, _COMPARISON)
        least = level + 1 if level == _COMPARISON else level
        left = text if own >= least else f"({text})"
        text, own = f"{left} {operator} {expression(each.right, level + 1)}", level
    return text, own


def _primary(
    node: NumberLiteral | StringLiteral | DatetimeLiteral | Path | SharedPath | ListExpression | FunctionCall,
) -> str:
    if isinstance(node, NumberLiteral):
        return number(node)
    if isinstance(node, StringLiteral):
        return quote(node.value)
    if isinstance(node, DatetimeLiteral):
        return node.text
    if isinstance(node, ListExpression):
        return f"[{expressions(node.items)}]"
    if isinstance(node, FunctionCall):
        return call(path(node.function), node.arguments)
    return path(node)


def is_word(text: str) -> bool:
    """Tell whether `text` is an identifier that is not reserved."""
    return bool(_IDENTIFIER(text)) and text not in WORDS
