"""What a guard of POLICY says without a run: for certain, for some values, and which way round (§5.7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from operator import ge, gt, le, lt

from agentl_grammar.checks.index import Index
from agentl_grammar.checks.naming import rank
from agentl_grammar.checks.parts import Part
from agentl_grammar.tree import (
    Binary,
    DatetimeLiteral,
    Expression,
    FunctionCall,
    ListExpression,
    Node,
    NumberLiteral,
    Path,
    Rule,
    StringLiteral,
    Tool,
    Unary,
)

_ORDERS: dict[str, Callable[[float, float], bool]] = {">": gt, ">=": ge, "<": lt, "<=": le}
ORDERS = frozenset(_ORDERS)
COMPARING = ORDERS | {"==", "!=", "IN"}
_TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "==": "==", "!=": "!="}
_TRUE = frozenset({"yes", "true"})
_FALSE = frozenset({"no", "false"})
_FALSY = frozenset({"none", "false", "unknown", "null"})
_CONSTANTS = _TRUE | _FALSE | _FALSY


class _Word(str):
    """A bare word: a symbol, which a boolean beside it makes a boolean, unlike a text (§3.4)."""

    __slots__ = ()


Value = float | str
Known = Mapping[str, "Expression | bool"]
"""The values of paths: as they are written, or the booleans that a type made of them."""
PROTECTING = ("NEVER", "DENY", "REQUIRE")


def protecting_rules(index: Index) -> Iterator[tuple[Part, Rule, Expression]]:
    """Yield the rules that forbid or ask for approval, with their guards: what is unknown there protects."""
    for part, rule in index.own(Rule):
        if rule.kind in PROTECTING and rule.guard is not None:
            yield part, rule, rule.guard.condition


def parameters_seen(index: Index, rule: Rule) -> AbstractSet[str]:
    """Return the bare names that stand for arguments in a guard of `rule` (§5.6)."""
    if rule.target is None:
        return index.parameters
    return index.parameters_by_tool.get(rule.target.text, index.parameters)  # of no tool: E003 says enough


def boolean_of(expression: Expression) -> bool | None:
    """Return the boolean that a type makes of what is written, if any."""
    value = _value(expression, {}, constant=True)
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    word = str(value).lower()
    return True if word in {*_TRUE, "on"} else False if word in {*_FALSE, "off"} else None


def truth(expression: Expression, values: Known) -> bool | None:
    """Return what a guard says when the paths of `values` have these values, and nothing else is known."""
    return connected(expression, lambda part: _atom(part, values))


def risk_known(tool: Tool) -> Known:
    """Return the value of `action.risk` in a guard, where a tool has one."""
    level = tool.risk[0].level if len(tool.risk) == 1 else None
    return {} if level is None else {"action.risk": Path(level.span, (level,))}


def of_nothing(guard: Expression, path: str) -> bool | None:
    """Return what a guard that starts something says while `path` is undefined, and nothing else is known."""

    def atom(part: Expression) -> bool | None:
        sides = (part.left, part.right) if isinstance(part, Binary) else (part,)
        if not any(isinstance(side, Path) and side.text == path for side in sides):
            return None
        return isinstance(part, Binary) and part.operator.text == "!="

    return connected(guard, atom)


def connected(expression: Expression, atom: Callable[[Expression], bool | None]) -> bool | None:
    """Return what NOT, AND and OR make of what `atom` tells of the rest; None is unknown (§5.7)."""
    if isinstance(expression, Unary) and expression.operator.text == "NOT":
        inner = connected(expression.operand, atom)
        return None if inner is None else not inner
    if isinstance(expression, Binary) and expression.operator.text in ("AND", "OR"):
        both = connected(expression.left, atom), connected(expression.right, atom)
        decisive = expression.operator.text == "OR"
        return decisive if decisive in both else None if None in both else not decisive
    return atom(expression)


def _atom(expression: Expression, values: Known) -> bool | None:
    if isinstance(expression, Binary):
        return _comparison(expression.operator.text, expression.left, expression.right, values)
    value = _value(expression, values) if isinstance(expression, Path | NumberLiteral) else None
    return None if value is None else _is_true(value)


def _is_true(value: Value) -> bool:
    return value.lower() not in _FALSY if isinstance(value, _Word) else bool(value)


def _comparison(operator: str, one: Expression, other: Expression, values: Known) -> bool | None:
    if isinstance(other, Path) and other.text in values and operator in _TURNED:
        operator, one, other = _TURNED[operator], other, one
    left = _value(one, values)
    if left is None:
        return None
    if operator == "IN" and isinstance(other, ListExpression):
        items = [_value(item, values, constant=True) for item in other.items]
        return any(_same(left, item) for item in items if item is not None) if None not in items else None
    right = _value(other, values, constant=True)
    if right is None:
        return None
    if operator in ("==", "!="):
        return _same(left, right) == (operator == "==")
    order = _ORDERS.get(operator)
    pair = _ordered(left), _ordered(right)
    if order is None or pair[0] is None or pair[1] is None or pair[0][0] != pair[1][0]:
        return None
    return order(pair[0][1], pair[1][1])


def _same(left: Value, right: Value) -> bool:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, bool) and isinstance(other, _Word):
            return other.lower() in (_TRUE if one else _FALSE)
    return left == right


def _ordered(value: Value) -> tuple[str, float] | None:
    if not isinstance(value, str):
        return "number", value
    found = rank(value)
    return None if found is None else ("word", found)


def unordered(guard: Expression, values: Known) -> bool:
    """Tell whether a guard is unknown for certain: it orders what has no order, `ok > 5`, `HIGH < 7` (§5.7).

    A text or a boolean may be read as a number; of those it is not told.
    """
    while isinstance(guard, Unary) and guard.operator.text == "NOT":
        guard = guard.operand
    if not isinstance(guard, Binary) or guard.operator.text not in ORDERS:
        return False
    sides = [_value(side, values, constant=True) for side in (guard.left, guard.right)]
    kinds = [_kind(side) for side in sides]
    return None not in kinds and not (kinds[0] == kinds[1] and kinds[0] in ("number", "rank"))


def _kind(value: Value | None) -> str | None:
    """Return what a value is to an order, where that is certain: a number, a rank, or another word."""
    if isinstance(value, _Word):
        return "rank" if rank(value) is not None else None if value.lower() in _CONSTANTS else "word"
    return "number" if isinstance(value, int | float) else None


def _value(node: Expression, values: Known, *, constant: bool = False) -> Value | None:
    """Return what is certain of an expression; `constant` takes a bare word that has no value for itself."""
    match node:
        case NumberLiteral() | StringLiteral():
            return node.value
        case DatetimeLiteral():
            return node.text
        case Path():
            found = values.get(node.text)
            if found is not None:
                return found if isinstance(found, bool) else _value(found, {}, constant=True)
            if len(node.segments) > 1:
                return None
            word = node.text.lower()
            return _Word(node.text) if constant or word in _CONSTANTS or rank(word) is not None else None
        case _:
            return _negated(node, values)


def _negated(node: Expression, values: Known) -> Value | None:
    if isinstance(node, Unary) and node.operator.text == "-":
        inner = _value(node.operand, values)
        return -inner if isinstance(inner, int | float) else None
    return None


def turned(guard: Expression, *, positive: bool = True) -> Iterator[tuple[Binary, bool]]:
    """Yield the comparisons of a guard, and whether the guard holds where they do: NOT turns them round."""
    if isinstance(guard, Unary) and guard.operator.text == "NOT":
        yield from turned(guard.operand, positive=not positive)
    elif isinstance(guard, Binary):
        if guard.operator.text in ("AND", "OR"):
            yield from turned(guard.left, positive=positive)
            yield from turned(guard.right, positive=positive)
        elif guard.operator.text in COMPARING:
            yield guard, positive


def functions_in(part: Part, node: Node, names: frozenset[str]) -> list[FunctionCall]:
    """Return the calls of some functions in an expression."""
    found = part.inside(node).nodes.get(FunctionCall, ())
    return [call for call in found if isinstance(call, FunctionCall) and call.function.text in names]


def hypotheses_read(index: Index, part: Part, node: Node) -> set[str]:
    """Return the hypotheses whose posterior an expression asks for."""
    found = {
        argument.value.text
        for call in functions_in(part, node, frozenset({"P", "PROBABILITY", "POSTERIOR"}))
        for argument in call.arguments[:1]
        if isinstance(argument.value, Path)
    }
    for text in part.reads(node):
        segments = text.removeprefix("hypothesis.").split(".")
        if len(segments) > 1:
            found.add(segments[0])
    return found & set(index.hypotheses)


def comparisons(part: Part, node: Node) -> list[Binary]:
    """Return the comparisons in an expression, in order."""
    found = part.inside(node).nodes.get(Binary, [])
    return [each for each in found if isinstance(each, Binary) and each.operator.text in COMPARING]
