"""What of a function decides: its tests."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from agentl.review.remembered import base


def tests(node: ast.AST, local: Collection[str]) -> Iterator[ast.expr]:
    """Yield each expression by which a node of a function decides; `local` are the names of that alone.

    `if client is None: client = connect()` decides nothing, nor does `if now > expires: …` that only makes
    anew what the test looks at: `client` is made at its first use, `expires` when it is over.
    """
    match node:
        case ast.If() if not _only_makes(node, local):
            yield node.test
        case ast.While() | ast.IfExp() | ast.Assert():
            yield node.test
        case ast.Match():
            yield node.subject
        case ast.match_case() if node.guard is not None:
            yield node.guard
        case ast.comprehension():
            yield from node.ifs
        case ast.Expr(value=ast.BoolOp(values=values)):  # late and close()
            yield from values[:-1]
        case ast.Subscript() if _holds_test(node.slice):  # [early, late][hour > 12]
            yield node.slice
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=turns)):
            yield from turns
        case _:
            pass


def _holds_test(node: ast.expr) -> bool:
    return any(isinstance(each, ast.Compare) for each in ast.walk(node))


def _only_makes(node: ast.If, local: Collection[str]) -> bool:
    """Tell whether a branch only makes, or returns, what its test looks at, and that is kept."""
    tested = {base(each) for each in ast.walk(node.test) if isinstance(each, ast.Name | ast.Attribute)}
    made = [_made(statement) for statement in node.body]
    names = set[str]().union(*made)
    return not node.orelse and all(made) and bool(tested & names) and names.isdisjoint(local)


def _made(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.Assign(targets=targets):
            parts = [part for target in targets for part in _unpacked(target)]
            return {base(part) for part in parts}
        case ast.Return(value=ast.Name() | ast.Attribute() as value):
            return {base(value)}
        case _:
            return set()


def _unpacked(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for item in target.elts:
            yield from _unpacked(item)
    else:
        yield target
