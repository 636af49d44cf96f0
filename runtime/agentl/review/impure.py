"""What a host function reads that no journal knows: the wall clock, chance, the environment, globals."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import TypeGuard

from agentl.host.syntax import Function
from agentl.review.host_code import Callable, HostCode, body_nodes
from agentl_grammar.problems import message_id


class Kind(StrEnum):
    """What is read; the value is how it is told."""

    CLOCK = message_id("the wall clock")
    CHANCE = message_id("a random value")
    ENVIRONMENT = message_id("the environment")
    GLOBAL = message_id("the global {name}")


_CLOCKS = frozenset(
    {
        "time.time",
        "time.time_ns",
        "time.localtime",
        "time.gmtime",
        "time.ctime",
        "time.asctime",
        "time.strftime",
        "datetime.datetime.now",
        "datetime.datetime.utcnow",
        "datetime.datetime.today",
        "datetime.date.today",
    }
)
"""Calls; `time.monotonic` and `time.perf_counter` measure how long something takes, and are left alone."""
_CHANCES = ("random.", "secrets.", "numpy.random.")
_MORE_CHANCES = frozenset({"os.urandom", "uuid.uuid1", "uuid.uuid4"})
_ENVIRONMENTS = frozenset({"os.environ", "os.getenv", "os.environb", "sys.argv", "socket.gethostname"})
_CHANGING = frozenset(
    {"add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "insert", "pop", "popitem"}
    | {"popleft", "remove", "reverse", "setdefault", "sort", "update"}
)


def impurity(code: HostCode, function: Callable, node: ast.AST) -> tuple[Kind, str] | None:
    """Return what an expression itself reads, and its name; None when it reads nothing of that."""
    if isinstance(node, ast.Call):
        name = code.dotted(node.func) or ""
        if name in _CLOCKS:
            return Kind.CLOCK, name
        if name in _MORE_CHANCES or name.startswith(_CHANCES):
            return Kind.CHANCE, name
    if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
        name = code.dotted(node) or ""
        if name in _ENVIRONMENTS:
            return Kind.ENVIRONMENT, name
    return (Kind.GLOBAL, node.id) if _is_changing_global(node, code, function) else None


def _is_changing_global(node: ast.AST, code: HostCode, function: Callable) -> TypeGuard[ast.Name]:
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return False
    return node.id in changing_globals(code) and node.id not in _locals(function)


@lru_cache(maxsize=16)
def changing_globals(code: HostCode) -> frozenset[str]:
    """Return the names of the module that some function of the file changes, or gives another value."""
    own = {
        target.id
        for statement in code.module.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        if isinstance(target, ast.Name)
    }
    functions = [node for node in ast.walk(code.module) if isinstance(node, Function | ast.Lambda)]
    return frozenset(name for function in functions for name in _changed(function) if name in own)


def _changed(function: Callable) -> Iterator[str]:
    local = _locals(function)
    for node in body_nodes(function):
        if isinstance(node, ast.Global):
            yield from node.names
            continue
        owner: ast.expr | None = None
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            owner = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value if node.func.attr in _CHANGING else None
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "next":
            owner = node.args[0] if node.args else None
        if isinstance(owner, ast.Name) and owner.id not in local:
            yield owner.id


@lru_cache(maxsize=512)
def _locals(function: Callable) -> frozenset[str]:
    """Return the names that are a function's own: parameters, and what it assigns without `global`."""
    arguments = function.args
    every = (
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    )
    own = {argument.arg for argument in every if argument is not None}
    shared: set[str] = set()
    for node in body_nodes(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            shared.update(node.names)
    return frozenset(own - shared)
