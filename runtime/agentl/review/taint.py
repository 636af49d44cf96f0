"""Where a value that no journal knows ends up in a host function: in what it decides, or what it returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from agentl.host.syntax import Function
from agentl.review.host_code import Callable, HostCode, body_nodes
from agentl.review.impure import Kind, impurity

_PASSES = 3
"""How often a function is gone through: a value may be handed on in a loop."""


@dataclass(frozen=True, slots=True)
class Read:
    """One impure read: where it stands, what it reads, and the name of that."""

    node: ast.AST
    kind: Kind
    name: str


@dataclass(slots=True)
class Flow:
    """Where the reads of a function end up.

    `decided` are those that a test of it looks at. `returned` are those in its result, by the key of a dict
    that is written out; None stands for all of the result.
    """

    decided: list[Read] = field(default_factory=list[Read])
    returned: list[tuple[str | None, Read]] = field(default_factory=list[tuple[str | None, Read]])


@lru_cache(maxsize=256)
def flow_of(code: HostCode, function: Callable) -> Flow:
    """Follow the impure reads of a function, and those of the functions of the file that it calls.

    Of code that is nested absurdly deep nothing is known.
    """
    try:
        return _Follower(code).flow(function)
    except RecursionError:
        return Flow()


class _Follower:
    def __init__(self, code: HostCode) -> None:
        self._code = code
        self._known: dict[tuple[int, frozenset[str]], Flow] = {}

    def flow(self, function: Callable, given: dict[str, list[Read]] | None = None) -> Flow:
        """Return the flow of a function whose parameters in `given` carry these reads."""
        key = id(function), frozenset(given or ())
        if key in self._known:
            return self._known[key]
        flow = self._known[key] = Flow()
        held = dict(given or {})
        body = list(body_nodes(function))
        for _ in range(_PASSES):
            for node in body:
                self._bind(function, node, held, flow)
        if isinstance(function, ast.Lambda):
            self._returns(function, function.body, held, flow)
        for node in body:
            if isinstance(node, ast.Return) and node.value is not None:
                self._returns(function, node.value, held, flow)
            for test in _tests(node):
                flow.decided += self._reads(function, test, held, flow)
        flow.decided = list(dict.fromkeys(flow.decided))
        return flow

    def _bind(self, function: Callable, node: ast.AST, held: dict[str, list[Read]], flow: Flow) -> None:
        """Let the names that a statement gives a value carry the reads in that value."""
        match node:
            case ast.Assign():
                targets, value = node.targets, node.value
            case ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr():
                targets, value = [node.target], node.value
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                targets, value = [node.target], node.iter
            case ast.withitem() if node.optional_vars is not None:
                targets, value = [node.optional_vars], node.context_expr
            case _:
                return
        reads = self._reads(function, value, held, flow) if value is not None else []
        for target in targets:
            for name in ast.walk(target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store) and reads:
                    held[name.id] = list(dict.fromkeys([*held.get(name.id, []), *reads]))

    def _returns(self, function: Callable, value: ast.expr, held: dict[str, list[Read]], flow: Flow) -> None:
        if isinstance(value, ast.Dict):
            for key, item in zip(value.keys, value.values, strict=True):
                text = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
                flow.returned += ((text, read) for read in self._reads(function, item, held, flow))
        else:
            flow.returned += ((None, read) for read in self._reads(function, value, held, flow))

    def _reads(
        self, function: Callable, value: ast.AST, held: dict[str, list[Read]], flow: Flow
    ) -> list[Read]:
        """Return the reads that a value carries."""
        impure = impurity(self._code, function, value)
        if impure is not None:
            return [Read(value, *impure)]
        if isinstance(value, ast.Name):
            return held.get(value.id, []) if isinstance(value.ctx, ast.Load) else []
        if isinstance(value, Function | ast.ClassDef):
            return []
        parts = {child: self._reads(function, child, held, flow) for child in _children(value)}
        found = [read for reads in parts.values() for read in reads]
        if isinstance(value, ast.Call):
            found += self._called(value, parts, flow)
        return list(dict.fromkeys(found))

    def _called(self, call: ast.Call, parts: Mapping[ast.AST, list[Read]], flow: Flow) -> list[Read]:
        """Return the reads in the result of a function of the file; its decisions count for its caller.

        `parts` are the reads in the arguments.
        """
        found: list[Read] = []
        for callee in self._code.resolve(call.func):
            given = {name: parts.get(value, []) for name, value in _arguments(callee, call)}
            inner = self.flow(callee, {name: reads for name, reads in given.items() if reads})
            flow.decided += inner.decided
            found += (read for _, read in inner.returned)
        return found


def _arguments(callee: Callable, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    names = [argument.arg for argument in (*callee.args.posonlyargs, *callee.args.args)]
    if names[:1] == ["self"] and isinstance(call.func, ast.Attribute):
        names = names[1:]
    yield from zip(names, call.args, strict=False)
    yield from ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is below a node; of a keyword argument its value."""
    for child in ast.iter_child_nodes(node):
        yield child.value if isinstance(child, ast.keyword) else child


def _tests(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.If() | ast.While() | ast.IfExp() | ast.Assert():
            yield node.test
        case ast.Match():
            yield node.subject
        case ast.comprehension():
            yield from node.ifs
        case _:
            pass
