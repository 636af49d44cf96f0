"""Where a value that no journal knows ends up in a host function: in what it decides, or what it returns."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from agentl.host.syntax import last_name
from agentl.review.deciding import tests
from agentl.review.host_code import Callable, HostCode, body_nodes
from agentl.review.impure import Kind, constant_reads, impurity
from agentl.review.remembered import base, changed_by_method, locals_of

_T = TypeVar("_T")
_PASSES = 3
"""How often a function is gone through: a value may be handed on in a loop."""
_YES_OR_NO = re.compile(r"is_|has_|may_|can_|should_|in_")
HANDED_ON = "()"
"""The key of what was only given to a function of another module: no output has such a name."""
_OTHERS = "**"
_COPIES = frozenset({"asdict", "deepcopy", "copy"})
_DICTS = frozenset({"dict", "SimpleNamespace", "replace"})


@dataclass(frozen=True, slots=True)
class Read:
    """One impure read: where it stands, what it reads, and the name of that."""

    node: ast.AST
    kind: Kind
    name: str


Keyed = list[tuple[str | None, Read]]
"""Reads in a value, by the key of it that they are in; None stands for all of it."""
Held = dict[str, Keyed]


@dataclass(slots=True)
class Flow:
    """Where the reads of a function end up.

    `decided` are those that a test of it looks at, `returned` those in its result. `given_back` are those
    that it puts into what it is given, by parameter.
    """

    decided: list[Read] = field(default_factory=list[Read])
    returned: Keyed = field(default_factory=list[tuple[str | None, Read]])
    given_back: Held = field(default_factory=dict[str, Keyed])


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

    def flow(self, function: Callable, given: Held | None = None) -> Flow:
        """Return the flow of a function whose parameters in `given` carry these reads."""
        key = id(function), frozenset(given or ())
        if key in self._known:
            return self._known[key]
        flow = self._known[key] = Flow()
        held = dict(given or {})
        inside = _Inside(self, self._code, function, held, flow)
        body = list(body_nodes(function))
        for _ in range(_PASSES):
            for node in body:
                inside.bind(node)
        if isinstance(function, ast.Lambda):
            flow.returned += inside.keyed(function.body)
        for node in body:
            if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
                flow.returned += inside.keyed(node.value)
            for test in tests(node, locals_of(function)):
                flow.decided += (read for _, read in inside.keyed(test))
        flow.decided = _once(flow.decided)
        flow.returned = _once(flow.returned)
        for name in _parameters(function):
            flow.given_back[name] = [
                each for each in held.get(name, ()) if each not in (given or {}).get(name, ())
            ]
        return flow


@dataclass(slots=True)
class _Inside:
    """The inside of a function: `held` is what its names carry."""

    follower: _Follower
    code: HostCode
    function: Callable
    held: Held
    flow: Flow

    # ------------------------------------------------------------------------------------------- statements

    def bind(self, node: ast.AST) -> None:
        """Let the names that a statement gives a value, or changes, carry the reads in that value."""
        match node:
            case ast.Assign():
                self._assign(node.targets, node.value)
            case ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr() if node.value is not None:
                self._assign([node.target], node.value)
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                self._assign([node.target], node.iter)
            case ast.withitem() if node.optional_vars is not None:
                self._assign([node.optional_vars], node.context_expr)
            case ast.Call():
                self._change(node)
            case _:
                pass

    def _assign(self, targets: Iterable[ast.expr], value: ast.expr) -> None:
        reads = self.keyed(value)
        for target in targets if reads else ():
            if isinstance(target, ast.Subscript | ast.Attribute):
                self._hold(base(target), ((_key(target), read) for _, read in reads))
            elif isinstance(target, ast.Name):
                self._hold(target.id, reads)
            else:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                        self._hold(name.id, ((None, read) for _, read in reads))

    def _change(self, call: ast.Call) -> None:
        """Follow `out.update(at=…)`, `rows.append(…)`, and functions of the file that do so."""
        parts = self._parts(call)
        owner = changed_by_method(call)
        if owner is not None:
            self._hold(base(owner), self._taken(call, parts))
        for callee, given in self._callees(call, parts):
            flow = self.follower.flow(callee, given)
            for name, value in _arguments(callee, call):
                self._hold(base(value), flow.given_back.get(name, ()))

    def _hold(self, name: str, reads: Iterable[tuple[str | None, Read]]) -> None:
        added = list(reads)
        if name and added:
            self.held[name] = _once([*self.held.get(name, []), *added])

    # ------------------------------------------------------------------------------------------- values

    def keyed(self, value: ast.AST) -> Keyed:
        """Return the reads that a value carries."""
        impure = impurity(self.code, self.function, value)
        if impure is not None:
            return [(None, Read(value, *impure))]
        match value:
            case ast.Name():
                return self._name(value)
            case ast.Attribute() | ast.Subscript():
                return self._part(value)
            case ast.Call():
                return self._call(value)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
                return []
            case _:
                return self._compound(value)

    def _compound(self, value: ast.AST) -> Keyed:
        match value:
            case ast.Dict(keys=keys, values=items):
                pairs = zip(keys, items, strict=True)
                return [pair for key, item in pairs for pair in _under(_text(key), self.keyed(item))]
            case ast.IfExp():
                return [*self.keyed(value.body), *self.keyed(value.orelse)]
            case ast.BoolOp() | ast.Await() | ast.NamedExpr() | ast.BinOp(op=ast.BitOr()):
                return [pair for child in ast.iter_child_nodes(value) for pair in self.keyed(child)]
            case _:
                return self._whole(ast.iter_child_nodes(value))

    def _whole(self, nodes: Iterable[ast.AST]) -> Keyed:
        """Return the reads in values as reads in all of what is made of them."""
        return _once(pair for node in nodes for pair in _under(None, self.keyed(node)))

    def _name(self, name: ast.Name) -> Keyed:
        if not isinstance(name.ctx, ast.Load):
            return []
        if name.id in self.held:
            return self.held[name.id]
        return [(None, Read(*found)) for found in constant_reads(self.code, self.function, name)]

    def _part(self, value: ast.Attribute | ast.Subscript) -> Keyed:
        """Return the reads in `x["a"]` or `x.a`: those that are in that key of `x`, or in all of it."""
        found: Keyed = [*self.held.get(base(value), ())] if base(value).startswith("self.") else []
        if isinstance(value, ast.Attribute):
            for function in self.code.properties.get(value.attr, ()):
                flow = self.follower.flow(function)
                self.flow.decided += flow.decided
                found += flow.returned
        else:
            found += self._whole([value.slice])
        key = _key(value)
        own = [pair for pair in _known(self.keyed(value.value)) if key is None or pair[0] in (None, key)]
        return _once([*found, *_under(None, own)])

    # ------------------------------------------------------------------------------------------- calls

    def _parts(self, call: ast.Call) -> dict[ast.expr, Keyed]:
        return {value: self.keyed(value) for value in _given(call)}

    def _call(self, call: ast.Call) -> Keyed:
        """Return the reads in the result of a call; a function of the file decides for its caller."""
        parts = self._parts(call)
        callees = list(self._callees(call, parts))
        found: Keyed = []
        for callee, given in callees:
            inner = self.follower.flow(callee, given)
            self.flow.decided += inner.decided
            found += inner.returned
        if callees:
            return _once([*found, *_handed_on(parts)])
        owner = self.keyed(call.func.value) if isinstance(call.func, ast.Attribute) else []
        return _once([*_known(owner), *self._made(call, parts)])

    def _made(self, call: ast.Call, parts: Mapping[ast.expr, Keyed]) -> Keyed:
        """Return the reads in the arguments of a function elsewhere, as they are in what it makes of them.

        A dict or an object is made of them, and so is what Python itself makes. What another system answers
        is its own; only a function by itself, or a yes or no, may decide by what it was given.
        """
        word = last_name(call.func)
        if word in _DICTS or word[:1].isupper():
            return self._taken(call, parts)
        module = (self.code.dotted(call.func) or "").partition(".")[0]
        if word in dir(builtins) or word in _COPIES or module in sys.stdlib_module_names:
            return [pair for reads in parts.values() for pair in reads]
        return _handed_on(parts) if isinstance(call.func, ast.Name) or _YES_OR_NO.match(word) else []

    def _taken(self, call: ast.Call, parts: Mapping[ast.expr, Keyed]) -> Keyed:
        """Return the reads in arguments that become a part of something, by key."""
        if last_name(call.func) == "setdefault" and len(call.args) > 1:
            return _under(_text(call.args[0]), parts[call.args[1]])
        named = (pair for each in call.keywords for pair in _under(each.arg, parts[each.value]))
        return [*(pair for value in call.args for pair in parts[value]), *named]

    def _callees(self, call: ast.Call, parts: Mapping[ast.expr, Keyed]) -> Iterator[tuple[Callable, Held]]:
        """Yield the functions of the file that a call may mean, with what they are given."""
        for callee in self.code.resolve(call.func):
            around = self.held if _is_inside(callee, self.function) else {}
            given = around | {name: parts[value] for name, value in _arguments(callee, call)}
            yield callee, {name: reads for name, reads in given.items() if reads}


@lru_cache(maxsize=512)
def _is_inside(function: Callable, outer: Callable) -> bool:
    return function is not outer and any(node is function for node in ast.walk(outer))


def _handed_on(parts: Mapping[ast.expr, Keyed]) -> Keyed:
    return [(HANDED_ON, read) for reads in parts.values() for _, read in reads]


def _known(reads: Keyed) -> Keyed:
    """Return reads without those that were only handed on: a part of an answer is the answer of others."""
    return [pair for pair in reads if pair[0] != HANDED_ON]


def _under(key: str | None, reads: Keyed) -> Keyed:
    """Return reads as reads in a key; those in `**others` keep their own."""
    return reads if key == _OTHERS else [(held if held == HANDED_ON else key, read) for held, read in reads]


def _text(key: ast.expr | None) -> str | None:
    """Return a key that is written out, None for any other."""
    if key is None:
        return _OTHERS
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def _parameters(function: Callable) -> list[str]:
    return [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]


def _arguments(callee: Callable, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    names = _parameters(callee)
    if names[:1] == ["self"] and isinstance(call.func, ast.Attribute):
        names = names[1:]
    yield from zip(names, call.args, strict=False)
    yield from ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _key(part: ast.Subscript | ast.Attribute) -> str | None:
    """Return the key that `x["a"]` or `x.a` has in `x`; None when it is not written out, and for `self.a`."""
    if isinstance(part, ast.Attribute):
        return None if base(part).startswith("self.") and base(part.value) == "self" else part.attr
    return _text(part.slice)


def _once(items: Iterable[_T]) -> list[_T]:
    return list(dict.fromkeys(items))
