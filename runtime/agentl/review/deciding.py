"""What of a function decides: its tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentl.review.remembered import base


def tests(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield each expression by which a node decides, with the name of what is only made there when missing.

    `if client is None: client = connect()` decides nothing: `client` is made at its first use.
    """
    match node:
        case ast.If():
            yield node.test, _made(node)
        case ast.While() | ast.IfExp() | ast.Assert():
            yield node.test, ""
        case ast.Match():
            yield node.subject, ""
        case ast.match_case() if node.guard is not None:
            yield node.guard, ""
        case ast.comprehension():
            yield from ((test, "") for test in node.ifs)
        case ast.Expr(value=ast.BoolOp(values=values)):  # late and close()
            yield from ((value, "") for value in values[:-1])
        case ast.Subscript() if _holds_test(node.slice):  # [early, late][hour > 12]
            yield node.slice, ""
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=turns)):
            yield from ((turn, "") for turn in turns)
        case _:
            pass


def _holds_test(node: ast.expr) -> bool:
    return any(isinstance(each, ast.Compare) for each in ast.walk(node))


def _made(node: ast.If) -> str:
    """Return the name of what a branch makes when it is missing, or returns when it is there."""
    operand = node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test
    if isinstance(operand, ast.Compare):
        missing = isinstance(operand.ops[0], ast.In | ast.NotIn)
        is_none = isinstance(operand.comparators[0], ast.Constant) and operand.comparators[0].value is None
        operand = operand.comparators[0] if missing else operand.left if is_none else operand
    name = base(operand)
    if not name or node.orelse:
        return ""
    return name if all(_only_makes(each, name) for each in node.body) else ""


def _only_makes(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.Assign(targets=targets):
            return any(base(target) == name for target in targets)
        case ast.Return(value=ast.Name() | ast.Attribute() as value):
            return base(value) == name
        case _:
            return False
