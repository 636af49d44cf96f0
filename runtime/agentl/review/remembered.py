"""What a process remembers, and no journal: names and attributes that the functions of a script change."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from agentl.host.syntax import Function, last_name
from agentl.review.host_code import Callable, HostCode, body_nodes

_CHANGING = frozenset(
    {"add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "insert", "pop", "popitem"}
    | {"popleft", "remove", "reverse", "setdefault", "sort", "update"}
)
_CONTAINERS = frozenset(
    {"dict", "list", "set", "deque", "defaultdict", "Counter", "OrderedDict", "count", "cycle"}
)
"""What is changed by a method with such a name; of anything else it may as well be a question."""
_AT_FIRST = frozenset({"__init__", "__post_init__", "__new__", "__enter__", "__aenter__"})


def base(node: ast.expr) -> str:
    """Return what an expression is a part of: `x` of `x`, `x["a"]` and `x.b`; for `self.x` that."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            return f"self.{node.attr}"
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def changed_by_method(call: ast.Call) -> ast.expr | None:
    """Return what a call changes in place: `x` of `x.append(…)` and of `next(x)`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in _CHANGING:
        return call.func.value
    is_next = isinstance(call.func, ast.Name) and call.func.id == "next"
    return call.args[0] if is_next and call.args else None


@lru_cache(maxsize=16)
def changing_globals(code: HostCode) -> frozenset[str]:
    """Return the names of the module that some function changes, or gives another value, after the set-up."""
    own = _values(code.module.body)
    return frozenset(
        name
        for function in _at_work(code)
        for name, in_place in _changes(function)
        if name in own and (not in_place or _is_container(own[name]))
    )


@lru_cache(maxsize=16)
def changing_variables(code: HostCode) -> frozenset[str]:
    """Return the names of functions that a function inside of them changes."""
    found: set[str] = set()
    for outer in _functions(code):
        own = _values([node for node in body_nodes(outer) if isinstance(node, ast.stmt)])
        inside = (node for node in ast.walk(outer) if isinstance(node, Function) and node is not outer)
        for name, in_place in (change for inner in inside for change in _changes(inner)):
            if name in own and (not in_place or _is_container(own[name])):
                found.add(name)
    return frozenset(found)


@lru_cache(maxsize=64)
def changing_attributes(kind: ast.ClassDef) -> frozenset[str]:
    """Return the attributes of its objects that the methods of a class change, as `self.x`."""
    methods = [each for each in kind.body if isinstance(each, Function)]
    first = [statement for each in methods if each.name in _AT_FIRST for statement in each.body]
    own = {base(target): value for target, value in _assignments(first)}
    return frozenset(
        name
        for method in methods
        if method.name not in _AT_FIRST
        for name, in_place in _changes(method)
        if name.startswith("self.") and (not in_place or _is_container(own.get(name)))
    )


def _functions(code: HostCode) -> list[Callable]:
    return [node for node in ast.walk(code.module) if isinstance(node, Function | ast.Lambda)]


def _at_work(code: HostCode) -> list[Callable]:
    """Return the functions of a script, without those that only set the host up."""
    calls = [node for each in code.module.body for node in ast.walk(each) if not isinstance(each, Function)]
    called = [f for node in calls if isinstance(node, ast.Call) for f in code.resolve(node.func)]
    set_up = code.reached([*code.functions.get("build", ()), *called])
    working = set(code.reached(code.all_registered()))
    return [each for each in _functions(code) if each not in set_up or each in working]


def _assignments(statements: list[ast.stmt]) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    for statement in statements:
        if isinstance(statement, ast.Assign):
            yield from ((target, statement.value) for target in statement.targets)
        elif isinstance(statement, ast.AnnAssign):
            yield statement.target, statement.value


def _values(statements: list[ast.stmt]) -> dict[str, ast.expr | None]:
    return {target.id: value for target, value in _assignments(statements) if isinstance(target, ast.Name)}


def _is_container(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        return last_name(value.func) in _CONTAINERS
    return isinstance(value, ast.Dict | ast.List | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)


def _changes(function: Callable) -> Iterator[tuple[str, bool]]:
    """Yield what a function changes that is not its own, and whether by a method of it."""
    local = locals_of(function)
    changed = dict.fromkeys(_written(function))
    yield from (each for each in changed if each[0] not in local and not _is_made_once(function, each[0]))


def _written(function: Callable) -> Iterator[tuple[str, bool]]:
    for node in body_nodes(function):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield from ((name, False) for name in node.names)
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            yield base(node), False
        elif isinstance(node, ast.Call):
            owner = changed_by_method(node)
            if owner is not None:
                yield base(owner), True


def _is_made_once(function: Callable, name: str) -> bool:
    """Tell whether a function makes something when it is not there yet: a connection is no memory."""
    nodes = list(body_nodes(function))
    if not any(isinstance(node, ast.If) and _existing(node.test) == name for node in nodes):
        return False
    given = [
        value
        for target, value in _assignments([node for node in nodes if isinstance(node, ast.stmt)])
        if base(target) == name
    ]
    return bool(given) and all(isinstance(value, ast.Call | ast.Await) for value in given)


def _existing(test: ast.expr) -> str:
    """Return what a test asks to be there, or not; empty when it asks anything else."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is | ast.IsNot):
        test = test.left
    return base(test) if isinstance(test, ast.Name | ast.Attribute) else ""


@lru_cache(maxsize=512)
def locals_of(function: Callable) -> frozenset[str]:
    """Return the names that are a function's own: parameters, and what it assigns without `global`."""
    own = function.args
    every = (*own.posonlyargs, *own.args, *own.kwonlyargs, own.vararg, own.kwarg)
    names = {argument.arg for argument in every if argument is not None}
    shared: set[str] = set()
    for node in body_nodes(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            shared.update(node.names)
    return frozenset(names - shared)
