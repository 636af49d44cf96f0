"""What a reconciler may answer, on every way that its statements may run (durability.md §3)."""

from __future__ import annotations

import ast
from collections.abc import Callable as Change
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from agentl.host.syntax import Function
from agentl.review.asking import asks, found_nothing, names_absence, says_absent, stored, swallows
from agentl.review.binding import added, filled, named, unpacked
from agentl.review.evaluating import Evaluator, Outcome, TooMuchError
from agentl.review.host_code import Callable, HostCode
from agentl.review.states import (
    Closure,
    Ends,
    Failure,
    Known,
    NotExecuted,
    Rough,
    State,
    States,
    Value,
    bounded,
    is_same,
)

_TURNS = 3
"""How often a loop is gone through: what fails in one turn may be answered in the next, and the other way."""
_FALLIBLE = (ast.Call, ast.Subscript, ast.Attribute, ast.Await, ast.BinOp, ast.Raise, ast.Assert)
_NOWHERE = frozenset[State]()


@lru_cache(maxsize=256)
def answers(code: HostCode, registered: ast.AST, registrar: str) -> tuple[tuple[NotExecuted, State], ...]:
    """Return every NOT_EXECUTED that what is registered may return, with what is known on that way.

    The decorators of the file between a function and `@host.<registrar>` are gone through with it. Of code
    that is nested absurdly deep, or too large, nothing is known.
    """
    if "NOT_EXECUTED" not in code.text:
        return ()
    walk = _Walk(code)
    try:
        functions = walk.registered(registered, registrar)
        outcomes = [outcome for each in functions for outcome in walk.invoke(each, (), State())]
    except (RecursionError, TooMuchError):
        return ()
    return tuple((value, state) for value, state in outcomes if isinstance(value, NotExecuted))


class _Walk(Evaluator):
    """Goes through statements as they would run."""

    def __init__(self, code: HostCode) -> None:
        super().__init__(code)
        self._loops: list[frozenset[str]] = []
        self._returned: list[Outcome] = []

    def registered(self, node: ast.AST, registrar: str) -> list[Closure]:
        """Return the functions that an expression may be, with what the functions that made them know."""
        if isinstance(node, ast.Name) and isinstance(self.code.aliases.get(node.id), ast.Call):
            node = self.code.aliases[node.id]
        if isinstance(node, ast.Call):
            made = [value for value, _ in self.evaluate(node, State()) if isinstance(value, Closure)]
            if made:
                return made
        return [self._decorated(function, registrar) for function in self.code.resolve(node)]

    def _decorated(self, function: Callable, registrar: str) -> Closure:
        made = Closure(function)
        if isinstance(function, ast.Lambda):
            return made
        for decorator in reversed(function.decorator_list):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(called, ast.Attribute) and called.attr == registrar:
                break
            for value, _ in self.evaluate(decorator, State()):
                if isinstance(value, Closure):
                    results = [result for result, _ in self.invoke(value, (made,), State())]
                    made = next((result for result in results if isinstance(result, Closure)), made)
        return made

    def body(self, function: Callable, state: State) -> Iterable[Outcome]:
        """Go through the body of a function."""
        if isinstance(function, ast.Lambda):
            return [
                self._said(function.body, None, *outcome) for outcome in self.evaluate(function.body, state)
            ]
        outer = self._returned, self._loops
        self._returned, self._loops = [], []
        try:
            end = self._block(function.body, frozenset({state}))
            return [*self._returned, *((Known(None), each) for each in end.after)]
        finally:
            self._returned, self._loops = outer

    def _return(self, statement: ast.Return, states: States) -> None:
        for state in states:
            if statement.value is None:
                self._returned.append((Known(None), state))
                continue
            for value, after in self.evaluate(statement.value, state):
                self._returned.append(self._said(statement.value, statement, value, after))

    def _said(self, node: ast.expr, statement: ast.Return | None, value: Value, state: State) -> Outcome:
        """Take note of where NOT_EXECUTED is returned for the first time."""
        if not isinstance(value, NotExecuted) or value.node is not None:
            return value, state
        inside = any(failure.question in self.handlers for failure in state.failures)
        bare = statement if isinstance(node, ast.Name | ast.Attribute) else None
        return NotExecuted(self._place(node), bare, inside), state

    def _place(self, node: ast.expr) -> ast.expr:
        """Return the NOT_EXECUTED in an expression, when there is just one."""
        places = [
            each for each in ast.walk(node) if isinstance(each, ast.expr) and self.is_not_executed(each)
        ]
        return places[0] if len(places) == 1 else node

    # ------------------------------------------------------------------------------------------- statements

    def _block(self, statements: Sequence[ast.stmt], states: States) -> Ends:
        ends = Ends(states)
        for statement in statements:
            if not ends.after:
                break
            step = self._statement(statement, ends.after)
            ends.jump(step)
            ends.after = step.after
        return ends

    def _statement(self, statement: ast.stmt, states: States) -> Ends:  # noqa: C901, PLR0911, PLR0912 (one a kind)
        match statement:
            case ast.Return():
                self._return(statement, states)
                return Ends(_NOWHERE)
            case ast.Raise():
                return Ends(_NOWHERE)
            case ast.Continue():
                return Ends(_NOWHERE, continued=states)
            case ast.Break():
                return Ends(_NOWHERE, broken=states)
            case ast.If():
                then, otherwise = self.test(statement.test, states)
                ends = self._block(statement.body, then)
                ends.add(self._block(statement.orelse, otherwise))
                return ends
            case ast.Match():
                return self._match(statement, states)
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._loop(statement, states)
            case ast.Try() | ast.TryStar():
                return self._try(statement, states)
            case ast.With() | ast.AsyncWith():
                return self._with(statement, states)
            case ast.Assert():
                return Ends(self.test(statement.test, states)[0])
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return Ends(frozenset(self._defined(statement, state) for state in states))
            case ast.Expr():
                return Ends(frozenset(self._aside(statement.value, states)))
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                return Ends(bounded(frozenset(self._assigned(statement, states))))
            case _:
                return Ends(states)

    def _aside(self, node: ast.expr, states: States) -> Iterator[State]:
        """What is called for its effect may fail as it likes: nobody looks at its answer."""
        given = filled(node)
        for state in states:
            for _, after in self.evaluate(node, state):
                yield after.judged_as(state).bound(given)

    def _defined(self, function: Function, state: State) -> State:
        return state.bound([(function.name, Closure(function, state.names))])

    def _assigned(
        self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign, states: States
    ) -> Iterator[State]:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for state in states:
            if statement.value is None:
                yield state
                continue
            for value, after in self.evaluate(statement.value, state):
                held = value if not isinstance(statement, ast.AugAssign) else added(statement, value)
                yield after.bound(pair for target in targets for pair in unpacked(target, held))

    def _match(self, statement: ast.Match, states: States) -> Ends:
        ends = Ends(_NOWHERE)
        for subject in states:
            for value, state in self.evaluate(statement.subject, subject):
                is_open = True
                for case in statement.cases:
                    is_rest = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
                    is_open &= not (is_rest and case.guard is None)
                    if _matches(case.pattern, value) is not False:
                        inside = replace(state, default=is_rest)
                        if _is_about_absence(case.pattern):
                            inside = replace(inside.answered(), asked=True)
                        then = frozenset({inside})
                        then = self.test(case.guard, then)[0] if case.guard is not None else then
                        ends.add(self._block(case.body, then))
                if is_open:
                    ends.add(Ends(frozenset({replace(state, default=True)})))
        return ends

    # ------------------------------------------------------------------------------------------- loops

    def _loop(self, loop: ast.For | ast.AsyncFor | ast.While, states: States) -> Ends:
        """Go through a loop. One that runs out was a search that ended, or attempts that all failed."""
        heads = frozenset(replace(state, asked=True) for state in states)
        if not isinstance(loop, ast.While):
            heads = frozenset(after for state in heads for _, after in self.evaluate(loop.iter, state))
        self._loops.append(frozenset(stored([loop])))
        seen, out, ends = _NOWHERE, _NOWHERE, Ends(_NOWHERE)
        for _ in range(_TURNS):
            inside, left = self._turn(loop, heads)
            out |= left
            body = self._block(loop.body, inside)
            ends.broken |= body.broken
            seen |= heads
            heads = bounded(body.after | body.continued) - seen
            if not heads:
                break
        out |= self._turn(loop, heads)[1]
        self._loops.pop()
        run_out = frozenset(
            replace(state, default=False)
            for state in out
            if not any(failure.again for failure in state.failures)
        )
        behind = self._block(loop.orelse, bounded(run_out))
        return Ends(bounded(behind.after | ends.broken), behind.broken, behind.continued)

    def _turn(self, loop: ast.For | ast.AsyncFor | ast.While, heads: States) -> tuple[States, States]:
        """Return the states in which a turn begins, and those in which the loop ends."""
        if isinstance(loop, ast.While):
            return self.test(loop.test, heads)
        unknown = [(name, Rough.UNKNOWN) for name in named(loop.target)]
        return frozenset(state.bound(unknown) for state in heads), heads

    # ------------------------------------------------------------------------------------------- failures

    def _try(self, statement: ast.Try | ast.TryStar, states: States) -> Ends:
        states = frozenset(state.answered(statement) for state in states)
        ends, entries = self._attempt(statement.body, states)
        behind = self._block(statement.orelse, ends.after)
        ends.after = _NOWHERE
        ends.add(behind)
        for handler in statement.handlers:
            ends.add(self._handler(statement, handler, entries))
        if statement.finalbody:
            # what `finally` returns hides any exception; else the exception goes on
            self._block(statement.finalbody, frozenset(state.failed(statement) for state in entries))
            last = self._block(statement.finalbody, ends.after)
            ends.after = _NOWHERE
            ends.add(last)
        return ends

    def _attempt(self, body: Sequence[ast.stmt], states: States) -> tuple[Ends, States]:
        """Go through statements that may fail; return also what is known where they do."""
        ends, entries = Ends(states), _NOWHERE
        for statement in body:
            if _may_fail(statement):
                unknown = [(name, Rough.UNKNOWN) for name in stored(getattr(statement, "body", []))]
                entries |= ends.after | frozenset(state.bound(unknown) for state in ends.after)
            step = self._statement(statement, ends.after)
            ends.jump(step)
            ends.after = step.after
        return ends, bounded(entries or states)

    def _handler(self, statement: ast.Try | ast.TryStar, handler: ast.ExceptHandler, entries: States) -> Ends:
        bound = [(handler.name, Rough.SOMETHING)] if handler.name else []
        if says_absent(handler.type) or found_nothing(self.code, handler.type, statement.body):
            known = frozenset(replace(state, asked=True, default=False).bound(bound) for state in entries)
            return self._block(handler.body, known)
        self.handlers.append(statement)
        ends = self._block(handler.body, frozenset(state.failed(statement).bound(bound) for state in entries))
        self.handlers.pop()
        if not asks(self.code, statement.body):
            return _mapped(ends, lambda state: state.answered(statement))
        if self._counts_attempts(handler):
            return _mapped(ends, lambda state: _asked_again(state, statement))
        return ends

    def _counts_attempts(self, handler: ast.ExceptHandler) -> bool:
        """Tell whether a handler raises when an attempt was the last: `if attempt == 2: raise`."""
        inside = [node for each in handler.body for node in ast.walk(each)]
        tested = {
            name.id
            for node in inside
            if isinstance(node, ast.If)
            for name in ast.walk(node.test)
            if isinstance(name, ast.Name)
        }
        counted = self._loops[-1] if self._loops else frozenset[str]()
        return any(isinstance(node, ast.Raise) for node in inside) and bool(
            tested & (counted - {handler.name})
        )

    def _with(self, statement: ast.With | ast.AsyncWith, states: States) -> Ends:
        states = frozenset(state.answered(statement) for state in states)
        for item in statement.items:
            states = frozenset(
                after for state in states for _, after in self.evaluate(item.context_expr, state)
            )
            unknown = [(name, Rough.UNKNOWN) for name in named(item.optional_vars)]
            states = frozenset(state.bound(unknown) for state in states)
        ends = self._block(statement.body, states)
        if any(swallows(self.code, item.context_expr) for item in statement.items) and asks(
            self.code, statement.body
        ):
            forgotten = [(name, Rough.UNKNOWN) for name in stored(statement.body)]
            entries = states | frozenset(state.bound(forgotten) for state in states)
            ends.add(Ends(frozenset(state.failed(statement) for state in entries)))
        return ends


def _mapped(ends: Ends, change: Change[[State], State]) -> Ends:
    """Return where a block leads to, with what is known there changed."""
    after, broken, continued = (
        frozenset(change(state) for state in states) for states in (ends.after, ends.broken, ends.continued)
    )
    return Ends(after, broken, continued)


def _asked_again(state: State, question: ast.stmt) -> State:
    failures = (
        Failure(each.question, again=each.again or each.question is question) for each in state.failures
    )
    return replace(state, failures=frozenset(failures))


def _may_fail(statement: ast.stmt) -> bool:
    return any(isinstance(node, _FALLIBLE) for node in ast.walk(statement))


def _matches(pattern: ast.pattern, value: Value) -> bool | None:
    """Tell whether a pattern fits a value; None when it may or not."""
    match pattern:
        case ast.MatchSingleton(value=held) | ast.MatchValue(value=ast.Constant(value=held)):
            return is_same(Known(held), value)
        case _:
            return None


def _is_about_absence(pattern: ast.pattern) -> bool:
    match pattern:
        case ast.MatchValue(value=value):
            return names_absence(value)
        case ast.MatchClass(cls=kind):
            return says_absent(kind)
        case ast.MatchOr(patterns=patterns):
            return all(_is_about_absence(each) for each in patterns)
        case _:
            return False
