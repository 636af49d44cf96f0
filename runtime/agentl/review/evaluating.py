"""What an expression of a reconciler may be worth, on every way through the functions of the file."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from agentl.host.syntax import Function, last_name
from agentl.review.asking import (
    LEAVING,
    absent_side,
    hands_failures_over,
    is_question,
    is_range,
    is_table,
    looks_up,
    named_side,
    raises_what_it_was_handed,
)
from agentl.review.host_code import Callable, HostCode, body_nodes
from agentl.review.states import (
    Closure,
    Known,
    NotExecuted,
    Rough,
    Several,
    State,
    States,
    Value,
    is_same,
    truth,
)

Outcome = tuple[Value, State]
_T = TypeVar("_T")
_MOST_STEPS = 40_000
"""Of a reconciler that takes more than this nothing is known."""
_DEEPEST = 12
_SHAPES = frozenset({"len", "bool", "list", "tuple", "sorted", "set"})
"""Functions whose result is true when what they are given is, and false when that is empty."""
_DEFAULTS = frozenset({"get", "getattr", "pop", "setdefault", "next"})


class TooMuchError(Exception):
    """A function is too large to be gone through."""


class Evaluator(ABC):
    """Goes through expressions; what statements do is told by `body`."""

    def __init__(self, code: HostCode) -> None:
        self.code = code
        self._steps = 0
        self.handlers: list[ast.stmt] = []
        self._inside: list[Callable] = []
        self._known: dict[tuple[object, ...], list[Outcome]] = {}

    @abstractmethod
    def body(self, function: Callable, state: State) -> Iterable[Outcome]:
        """Return what a function that is given `state` returns, and what is known then."""

    # ------------------------------------------------------------------------------------------- expressions

    def evaluate(self, node: ast.expr, state: State) -> list[Outcome]:  # noqa: PLR0911 (one a kind)
        """Return the values that an expression may have, each with what is known then."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise TooMuchError
        match node:
            case ast.Constant(value=held):
                return [(Known(held), state)]
            case ast.Name() | ast.Attribute() if (value := self._named(node, state)) is not None:
                return [(value, state)]
            case ast.Lambda():
                return [(Closure(node, state.names), state)]
            case ast.Await() | ast.Starred():
                return self.evaluate(node.value, state)
            case ast.NamedExpr():
                found = self.evaluate(node.value, state)
                return [(value, after.bound([(node.target.id, value)])) for value, after in found]
            case ast.Call():
                return self._call(node, state)
            case _:
                return self._compound(node, state)

    def _compound(self, node: ast.expr, state: State) -> list[Outcome]:
        match node:
            case ast.IfExp():
                then, otherwise = self.test(node.test, frozenset({state}))
                return self._either(node.body, then) + self._either(node.orelse, otherwise)
            case ast.BoolOp():
                return self._bool(node, state)
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                then, otherwise = self.test(node, frozenset({state}))
                return [
                    *((Known(value=True), each) for each in then),
                    *((Known(value=False), each) for each in otherwise),
                ]
            case ast.Tuple():
                return self._several(node, state)
            case _:
                return self._other(node, state)

    def is_not_executed(self, node: ast.expr) -> bool:
        """Tell whether an expression is the NOT_EXECUTED of agentl."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        name = self.code.dotted(node) or (node.id if isinstance(node, ast.Name) else "")
        return name.rpartition(".")[2] == "NOT_EXECUTED"

    def _named(self, node: ast.Name | ast.Attribute, state: State) -> Value | None:
        if isinstance(node, ast.Name) and (value := state.value(node.id)) is not None:
            return value
        if self.is_not_executed(node):
            return NotExecuted()
        functions = self.code.resolve(node)
        return Closure(functions[0]) if len(functions) == 1 else None

    def _either(self, node: ast.expr, states: States) -> list[Outcome]:
        return _once(outcome for state in states for outcome in self.evaluate(node, state))

    def _bool(self, node: ast.BoolOp, state: State) -> list[Outcome]:
        """`a or b` is `a` where that is true, else `b`."""
        stops = isinstance(node.op, ast.Or)
        done: list[Outcome] = []
        pending = [state]
        for value in node.values:
            outcomes = [outcome for each in pending for outcome in self.evaluate(value, each)]
            if value is node.values[-1]:
                done += outcomes
            else:
                done += (outcome for outcome in outcomes if truth(outcome[0]) is not (not stops))
                pending = [
                    after if truth(held) is not None else self._told(value, after, holds=not stops)
                    for held, after in outcomes
                    if truth(held) is not stops
                ]
        return _once(done)

    def _several(self, node: ast.Tuple, state: State) -> list[Outcome]:
        return [(Several(tuple(values)), after) for values, after in self._all(node.elts, state)]

    def _all(self, nodes: Sequence[ast.expr], state: State) -> list[tuple[list[Value], State]]:
        """Evaluate expressions one after the other."""
        found: list[tuple[list[Value], State]] = [([], state)]
        for node in nodes:
            found = [
                ([*values, value], after)
                for values, before in found
                for value, after in self.evaluate(node, before)
            ]
        return found

    def _other(self, node: ast.expr, state: State) -> list[Outcome]:
        """Anything else is unknown; what is asked inside of it counts."""
        states = [replace(state, asked=True) if looks_up(node) else state]
        for child in _inner(node):
            states = _once(
                replace(after, default=before.default)
                for before in states
                for _, after in self.evaluate(child, before)
            )
        return [(_shape(node), after) for after in states]

    # ------------------------------------------------------------------------------------------- calls

    def _call(self, node: ast.Call, state: State) -> list[Outcome]:
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        outcomes: list[Outcome] = []
        for values, before in self._all([*owner, *given], state):
            outcomes += self._called(node, values[len(owner) :], replace(before, default=state.default))
        return _once(outcomes)

    def _called(self, node: ast.Call, given: list[Value], state: State) -> list[Outcome]:
        functions = self._functions(node.func, state)
        if functions:
            positional = (
                [] if any(isinstance(each, ast.Starred) for each in node.args) else given[: len(node.args)]
            )
            named = {
                keyword.arg: value
                for keyword, value in zip(node.keywords, given[len(node.args) :], strict=True)
                if keyword.arg
            }
            return [
                outcome for each in functions for outcome in self.invoke(each, positional, state, named=named)
            ]
        if self.code.dotted(node.func) in LEAVING:
            return []
        if isinstance(node.func, ast.Name) and node.func.id in _SHAPES and given:
            return [(_shaped(given[0]), state)]
        asked = replace(state, asked=True) if is_question(self.code, node) else state
        if hands_failures_over(self.code, node) and not raises_what_it_was_handed(self._inside[-1]):
            return [(Rough.UNKNOWN, asked), (Rough.SOMETHING, asked.failed(node))]
        left = [value for value in given if isinstance(value, NotExecuted)]
        if left and (word := last_name(node.func)) in _DEFAULTS:
            is_default = word != "next" and self._is_unnamed(node)
            return [(Rough.UNKNOWN, asked), (left[-1], replace(asked, asked=True, default=is_default))]
        return [(Rough.UNKNOWN, asked)]

    def _is_unnamed(self, node: ast.Call) -> bool:
        """Tell whether `X.get(key, …)` leaves any answer over: `X` is not looked through for a key."""
        if isinstance(node.func, ast.Name):  # getattr
            return True
        owner = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        return is_table(self.code, owner) or (bool(node.args) and isinstance(node.args[0], ast.Constant))

    def _functions(self, node: ast.expr, state: State) -> list[Closure]:
        if isinstance(node, ast.Name) and (value := state.value(node.id)) is not None:
            return [value] if isinstance(value, Closure) else []
        if isinstance(node, ast.Lambda):
            return [Closure(node, state.names)]
        if isinstance(node, ast.Call):
            values = [value for value, _ in self.evaluate(node, state)]
            made = [value for value in values if isinstance(value, Closure)]
            if made:
                return made
        return [Closure(function) for function in self.code.resolve(node)]

    def invoke(
        self, closure: Closure, given: Sequence[Value], state: State, *, named: dict[str, Value] | None = None
    ) -> list[Outcome]:
        """Return what a function of the file may return; nothing when it always raises."""
        function = closure.function
        unseen: list[Outcome] = [(Rough.UNKNOWN, replace(state, asked=True))]
        if function in self._inside or len(self._inside) >= _DEEPEST or _yields(function):
            return unseen
        bound = dict(closure.names) | dict(self._arguments(function, given, named or {}, state))
        inner = replace(state, names=frozenset(bound.items()))
        key = (function, inner, len(self._inside), tuple(self.handlers))
        if key not in self._known:
            self._inside.append(function)
            try:
                self._known[key] = _once(self.body(function, inner))
            finally:
                self._inside.pop()
        return [
            (
                value,
                replace(
                    after, names=state.names, default=state.default if _is_rough(value) else after.default
                ),
            )
            for value, after in self._known[key]
        ]

    def _arguments(
        self, function: Callable, given: Sequence[Value], named: dict[str, Value], state: State
    ) -> Iterator[tuple[str, Value]]:
        """Yield the parameters of a function with what they are given; the others are unknown."""
        own = function.args
        names = [argument.arg for argument in (*own.posonlyargs, *own.args)]
        defaults = dict(zip(names[::-1], own.defaults[::-1], strict=False))
        defaults |= {
            argument.arg: value
            for argument, value in zip(own.kwonlyargs, own.kw_defaults, strict=True)
            if value is not None
        }
        names += (argument.arg for argument in own.kwonlyargs)
        names += (argument.arg for argument in (own.vararg, own.kwarg) if argument is not None)
        for name in names:
            yield name, Rough.UNKNOWN
        for name, value in defaults.items():
            if isinstance(value, ast.Constant | ast.Name | ast.Attribute):
                yield from (
                    (name, held) for held, _ in self.evaluate(value, replace(state, names=frozenset()))
                )
        first = 1 if names[:1] in (["self"], ["cls"]) else 0
        yield from zip(names[first:], given, strict=False)
        yield from ((name, value) for name, value in named.items() if name in names)

    # ------------------------------------------------------------------------------------------- tests

    def test(self, node: ast.expr, states: States) -> tuple[States, States]:
        """Return the states in which a test may hold, and those in which it may not."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            then, otherwise = self.test(node.operand, states)
            return otherwise, then
        if isinstance(node, ast.BoolOp):
            return self._test_all(node, states)
        sides: tuple[set[State], set[State]] = set(), set()
        for state in states:
            for held, after in self._compared(node, state):
                if held is not None:
                    sides[not held].add(after)
                    continue
                for side in (True, False):
                    sides[not side].add(self._told(node, after, holds=side))
        return frozenset(sides[0]), frozenset(sides[1])

    def _test_all(self, node: ast.BoolOp, states: States) -> tuple[States, States]:
        is_and = isinstance(node.op, ast.And)
        ended = frozenset[State]()
        for value in node.values:
            then, otherwise = self.test(value, states)
            states, out = (then, otherwise) if is_and else (otherwise, then)
            ended |= out
        return (states, ended) if is_and else (ended, states)

    def _compared(self, node: ast.expr, state: State) -> Iterator[tuple[bool | None, State]]:
        """Yield whether a single test holds, None when it may or not, and what is known then."""
        if isinstance(node, ast.Compare):
            for values, after in self._all([node.left, *node.comparators], state):
                asked = replace(after, asked=True) if looks_up(node) else after
                same = is_same(values[0], values[1]) if len(values) == 2 else None  # noqa: PLR2004 (two sides)
                match node.ops[0]:
                    case ast.Is() | ast.Eq():
                        yield same, asked
                    case ast.IsNot() | ast.NotEq():
                        yield None if same is None else not same, asked
                    case ast.Gt() if values[1] == Known(0):
                        yield truth(values[0]), asked
                    case _:
                        yield None, asked
            return
        yield from ((truth(value), after) for value, after in self.evaluate(node, state))

    def _told(self, node: ast.expr, state: State, *, holds: bool) -> State:
        """Return what a test tells on one of its sides."""
        named = named_side(self.code, node)
        state = replace(state, default=is_range(node) or (named is not None and named is not holds))
        if absent_side(node) is holds:
            state = replace(state.answered(), asked=True)
        return state.bound(_narrowed(node, holds=holds))


def _narrowed(node: ast.expr, *, holds: bool) -> Iterator[tuple[str, Value]]:
    """Yield what a test tells of the value of a name."""
    if isinstance(node, ast.NamedExpr):
        node = node.target
    if isinstance(node, ast.Name) and holds:
        yield node.id, Rough.SOMETHING
    if isinstance(node, ast.Compare) and isinstance(node.comparators[0], ast.Constant) and len(node.ops) == 1:
        left = node.left.target if isinstance(node.left, ast.NamedExpr) else node.left
        equal = isinstance(node.ops[0], ast.Is | ast.Eq)
        unequal = isinstance(node.ops[0], ast.IsNot | ast.NotEq)
        if isinstance(left, ast.Name) and ((equal and holds) or (unequal and not holds)):
            yield left.id, Known(node.comparators[0].value)


def _inner(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions right inside of another."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        elif not isinstance(child, Function | ast.ClassDef):
            yield from _inner(child)


def _shape(node: ast.expr) -> Value:
    """Return what the text of an expression says of its value."""
    match node:
        case ast.Dict(keys=items) | ast.List(elts=items) | ast.Set(elts=items):
            return Rough.SOMETHING if items else Known(())
        case ast.JoinedStr():
            return Rough.SOMETHING
        case _:
            return Rough.UNKNOWN


def _shaped(value: Value) -> Value:
    held = truth(value)
    return Rough.UNKNOWN if held is None else Rough.SOMETHING if held else Known(0)


def _is_rough(value: Value) -> bool:
    return isinstance(value, Rough | Closure)


def _yields(function: Callable) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in body_nodes(function))


def _once(items: Iterable[_T]) -> list[_T]:
    return list(dict.fromkeys(items))
