"""What statements give to names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentl.review.asking import stored
from agentl.review.states import Rough, Several, Value, truth


def named(target: ast.expr | None) -> list[str]:
    """Return the names in a target."""
    return list(stored([ast.Expr(target)])) if target is not None else []


def filled(call: ast.expr) -> list[tuple[str, Value]]:
    """Return the list that a call adds something to: it is not empty then (`failures.append(error)`)."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "add")):
            return [(name, Rough.SOMETHING)]
        case _:
            return []


def added(statement: ast.AugAssign, value: Value) -> Value:
    """Return what a name is worth behind `failures += 1`."""
    return Rough.SOMETHING if isinstance(statement.op, ast.Add) and truth(value) else Rough.UNKNOWN


def unpacked(target: ast.expr, value: Value) -> Iterator[tuple[str, Value]]:
    """Yield the names in the target of an assignment with their values."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        yield target.value.id, Rough.SOMETHING
    elif isinstance(target, ast.Tuple | ast.List):
        items = value.items if isinstance(value, Several) and len(value.items) == len(target.elts) else ()
        for number, item in enumerate(target.elts):
            yield from unpacked(item, items[number] if items else Rough.UNKNOWN)
