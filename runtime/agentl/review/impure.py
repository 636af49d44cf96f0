"""What a host function reads that no journal knows: clock, chance, environment, what a process remembers."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from enum import StrEnum

from agentl.review.host_code import Callable, HostCode
from agentl.review.remembered import (
    base,
    changing_attributes,
    changing_globals,
    changing_variables,
    locals_of,
)
from agentl_grammar.problems import message_id


class Kind(StrEnum):
    """What is read; the value is how it is told."""

    CLOCK = message_id("the wall clock")
    CHANCE = message_id("a random value")
    ENVIRONMENT = message_id("the environment")
    GLOBAL = message_id("the global {name}")
    VARIABLE = message_id("the variable {name}")


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
        "django.utils.timezone.now",
        "pendulum.now",
        "pendulum.today",
        "arrow.now",
        "arrow.utcnow",
    }
)
"""Calls; `time.monotonic` and `time.perf_counter` measure how long something takes, and are left alone."""
_CHANCES = ("random.", "secrets.", "numpy.random.")
_MORE_CHANCES = frozenset({"os.urandom", "uuid.uuid1", "uuid.uuid4"})
_ENVIRONMENTS = frozenset(
    {"os.environ", "os.getenv", "os.environb", "sys.argv", "socket.gethostname"}
    | {"platform.node", "os.uname"}
)


def impurity(code: HostCode, function: Callable, node: ast.AST) -> tuple[Kind, str] | None:
    """Return what an expression itself reads, and its name; None when it reads nothing of that."""
    if isinstance(node, ast.Call):
        name = code.dotted(node.func) or ""
        if name in _CLOCKS:
            return Kind.CLOCK, name
        if name in _MORE_CHANCES or name.startswith(_CHANCES) or _is_of_a_generator(code, node.func):
            return Kind.CHANCE, name
        if name in _ENVIRONMENTS:
            return Kind.ENVIRONMENT, name
    if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
        name = code.dotted(node) or ""
        if name in _ENVIRONMENTS:
            return Kind.ENVIRONMENT, name
    return _remembered(code, function, node)


def _is_of_a_generator(code: HostCode, method: ast.expr) -> bool:
    """Tell whether a method is one of a generator that the file makes: `random.Random().choice`."""
    owner = method.value if isinstance(method, ast.Attribute) else None
    if isinstance(owner, ast.Name):
        owner = code.aliases.get(owner.id)
    return isinstance(owner, ast.Call) and (code.dotted(owner.func) or "").startswith(_CHANCES)


def _remembered(code: HostCode, function: Callable, node: ast.AST) -> tuple[Kind, str] | None:
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and base(node.value) == "self":
        kind = code.class_of(function)
        name = f"self.{node.attr}"
        return (Kind.VARIABLE, name) if kind and name in changing_attributes(kind) else None
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return None
    if node.id in locals_of(function):
        return None
    if node.id in changing_globals(code):
        return Kind.GLOBAL, node.id
    return (Kind.VARIABLE, node.id) if node.id in changing_variables(code) else None


def constant_reads(code: HostCode, function: Callable, name: ast.Name) -> Iterator[tuple[ast.AST, Kind, str]]:
    """Yield what a name of the module was made of at the top: `DRY = os.environ.get("DRY") == "1"`.

    Only what it is told there counts; an object that is made with it is something else.
    """
    value = code.constants.get(name.id)
    if value is None or name.id in locals_of(function):
        return
    pending = [value]
    while pending:
        node = pending.pop()
        found = impurity(code, function, node)
        if found is not None and found[0] not in (Kind.GLOBAL, Kind.VARIABLE):
            yield node, *found
            continue
        match node:
            case ast.Subscript() | ast.Attribute():
                pending.append(node.value)
            case ast.Call(func=ast.Attribute(value=owner)):
                pending.append(owner)
            case ast.Call(func=ast.Name(id=word)) if word in dir(builtins):
                pending += node.args
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp() | ast.BinOp():
                pending += (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
            case _:
                pass
