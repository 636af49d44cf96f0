"""Reading the syntax tree of a host script: calls, constants, and what leaves a block."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

Constants = dict[str, str | bool]
_ONE_USE = 2
"""A name where it is given a value, and where that is used: nothing can have changed it between."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in `node` itself, and not in a function or class defined inside it."""
    pending = list(ast.iter_child_nodes(node))
    while pending:
        current = pending.pop(0)
        yield current
        if not isinstance(current, Function | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(current))


def calls(node: ast.AST, *, certain: bool = True) -> Iterator[tuple[ast.Call, bool]]:
    """Yield the calls in a statement, and whether each is made whenever the statement is reached."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
            return
        case ast.BoolOp():
            always: list[ast.AST] = [node.values[0]]
        case ast.IfExp():
            always = [node.test]
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            always = []
        case _:
            always = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Call):
        yield node, certain
    for child in ast.iter_child_nodes(node):
        yield from calls(child, certain=certain and child in always)


def leaves(node: ast.AST, *, in_loop: bool = False) -> bool:
    """Tell whether what stands in `node` may leave the block around it before its end."""
    if isinstance(node, Function | ast.ClassDef | ast.Lambda):
        return False
    if isinstance(node, ast.Return) or (isinstance(node, ast.Break | ast.Continue) and not in_loop):
        return True
    inside = in_loop or isinstance(node, ast.For | ast.AsyncFor | ast.While)
    return any(leaves(child, in_loop=inside) for child in ast.iter_child_nodes(node))


def breaks(loop: ast.For | ast.AsyncFor) -> bool:
    """Tell whether a loop may end before its last item."""
    return any(isinstance(node, ast.Break | ast.Return) for node in own_nodes(loop))


def host_classes(module: ast.Module) -> dict[str, ast.ClassDef | None]:
    """Return the names by which a module makes hosts: `Host`, other names of it, and classes made from it."""
    found: dict[str, ast.ClassDef | None] = {"Host": None}
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            found |= {name.asname: None for name in node.names if name.name == "Host" and name.asname}
        elif isinstance(node, ast.ClassDef) and any(last_name(base) in found for base in node.bases):
            found[node.name] = node
    return found


def written_tables(module: ast.Module) -> dict[str, ast.expr]:
    """Return the dicts that the top of a module writes out under a name, and that nothing else touches."""
    found: dict[str, ast.expr] = {}
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as value):
                found[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as value):
                found[name] = value
            case _:
                pass
    uses = [node.id for node in ast.walk(module) if isinstance(node, ast.Name) and node.id in found]
    return {name: value for name, value in found.items() if uses.count(name) <= _ONE_USE}


def pairs_of(
    node: ast.expr, tables: Mapping[str, ast.expr], constants: Constants
) -> list[tuple[str, ast.expr]] | None:
    """Return the names and values of `{…}.items()`, of a dict or a written table; None for anything else."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="items"), args=[], keywords=[]):
            table = tables.get(owner.id) if isinstance(owner, ast.Name) else owner
        case _:
            return None
    if not isinstance(table, ast.Dict):
        return None
    names = [text_of(key, constants) if key is not None else None for key in table.keys]
    pairs = [(name, value) for name, value in zip(names, table.values, strict=True) if name is not None]
    return pairs if len(pairs) == len(names) else None


def last_name(node: ast.expr) -> str:
    """Return the last word of a dotted name; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.rpartition(".")[2]
    return node.attr if isinstance(node, ast.Attribute) else ""


def keyword_of(call: ast.Call, name: str) -> ast.expr | None:
    """Return a keyword argument of a call."""
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def idempotence(call: ast.Call, constants: Constants) -> bool | None:
    """Return what a registration says of idempotence; None when only running it would tell."""
    if any(keyword.arg is None for keyword in call.keywords):
        return None
    said = call.args[1] if len(call.args) > 1 else keyword_of(call, "idempotent")
    if said is None:
        return False
    held = constant_of(said, constants)
    return held if isinstance(held, bool) else None


def constant_of(node: ast.expr, constants: Constants) -> str | bool | None:
    """Return the text or truth value of an expression as far as it can be read."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bool):
        return node.value
    return constants.get(node.id) if isinstance(node, ast.Name) else None


def text_of(node: ast.expr, constants: Constants) -> str | None:
    """Return the text of an expression as far as it can be read."""
    held = constant_of(node, constants)
    return held if isinstance(held, str) else None


def texts_of(node: ast.expr, constants: Constants) -> list[str] | None:
    """Return the texts of a tuple, list or set; None when one of them cannot be read."""
    if not isinstance(node, ast.Tuple | ast.List | ast.Set):
        return None
    found = [text_of(item, constants) for item in node.elts]
    return [text for text in found if text is not None] if None not in found else None


def parameters_of(function: Function) -> tuple[str, ...]:
    """Return the names of the parameters of a function, in order."""
    arguments = function.args
    return tuple(
        argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    )


def raises(branch: list[ast.stmt]) -> bool:
    """Tell whether a branch ends in an exception."""
    return bool(branch) and isinstance(branch[-1], ast.Raise)
