"""D206: a reconciler that swears "it did not happen" without knowing (durability.md §3)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agentl.host.source import span_in
from agentl.review.host_code import Callable, HostCode, body_nodes
from agentl.review.view import Target, View, in_host, warning
from agentl_grammar.checks.registry import Found, said
from agentl_grammar.problems import Fix, message_id

_ABSENT = re.compile(r"not_?found|no_?such|does_?not_?exist|unknown_?(?:id|key)|missing", re.IGNORECASE)
"""Names of exceptions by which a system says that there is no such thing: that is knowledge."""
_SUPPRESS = "contextlib.suppress"

_IN_EXCEPT = message_id(
    "the reconciler of {tool} says NOT_EXECUTED when its question fails: nobody knows, and {tool} is sent "
    "again"
)
_SWALLOWED = message_id(
    "the reconciler of {tool} goes on after its question failed, and may say NOT_EXECUTED then: nobody "
    "knows, and {tool} is sent again"
)
_BY_DEFAULT = message_id(
    "the reconciler of {tool} says NOT_EXECUTED for every answer that it does not name: nobody knows what "
    "those mean, and {tool} is sent again"
)
_UNASKED = message_id(
    "the reconciler of {tool} says NOT_EXECUTED without asking anybody, and {tool} is sent again"
)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known at a place: whether something was asked, and what makes the answer no answer."""

    asked: bool = False
    failed: str = ""
    default: bool = False
    held: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Guess:
    """A NOT_EXECUTED that is no knowledge: the expression, the statement if it is no more, and why."""

    node: ast.expr
    template: str
    statement: ast.Return | None


@warning("D206")
def reconciler_that_guesses(view: View) -> Iterator[Found]:
    """D206: a reconciler returns NOT_EXECUTED in its `except`, after a swallowed failure, or by default.

    *By default*: without having asked anything, or for every answer that it does not name (behind
    `== "booked"`, `!= 200`, `case _`). An exception that says that there is no such thing (NotFound) is an
    answer, and so are None, an empty result and a search that found nothing.
    """
    for target in view.targets:
        for function in view.code.registered("reconciler", target.name):
            for guess in _Reader(view.code).guesses(function):
                yield _found(view, target, guess)


def _found(view: View, target: Target, guess: _Guess) -> Found:
    source = view.host.source
    fixes: tuple[Fix, ...] = ()
    if guess.statement is not None and guess.template != _SWALLOWED:
        text = (
            "raise"
            if guess.template == _IN_EXCEPT
            else 'raise RuntimeError("nobody knows whether this happened")'
        )
        title = said(message_id("Raise instead: {tool} is then in doubt"), tool=target.name)
        fixes = (Fix(title, ((span_in(source, guess.statement), text),), source.name),)
    return Found(
        target.span,
        said(guess.template, tool=target.name),
        said(message_id("raise where the answer is unknown: the call is then in doubt, and people are told")),
        (in_host(view, guess.node, said(message_id("NOT_EXECUTED is said here"))),),
        fixes,
    )


class _Reader:
    """Goes through a reconciler as it would run, and finds what it says without knowing."""

    def __init__(self, code: HostCode) -> None:
        self._code = code
        self._guesses: list[_Guess] = []
        self._inside: list[Callable] = []
        self._results: dict[str, list[Callable]] = {}

    def guesses(self, function: Callable) -> list[_Guess]:
        """Return the guesses in a function and in the functions of the file whose answer it returns."""
        self._function(function, _Known())
        return list({id(guess.node): guess for guess in self._guesses}.values())

    def _function(self, function: Callable, known: _Known) -> None:
        if function in self._inside:
            return
        self._inside.append(function)
        known = replace(known, held=frozenset())
        if isinstance(function, ast.Lambda):
            self._answer(function.body, known, None)
        else:
            self._block(function.body, known)
        self._inside.pop()

    # ------------------------------------------------------------------------------------------- statements

    def _block(self, statements: Sequence[ast.stmt], known: _Known) -> _Known | None:
        """Go through statements; return what is known behind them, None when that is never reached."""
        after: _Known | None = known
        for statement in statements:
            if after is None:
                break
            after = self._statement(statement, after)
        return after

    def _statement(self, statement: ast.stmt, known: _Known) -> _Known | None:  # noqa: PLR0911 (one a kind)
        match statement:
            case ast.Return():
                self._answer(statement.value, known, statement)
                return None
            case ast.Raise() | ast.Continue() | ast.Break():
                return None
            case ast.If():
                return self._if(statement, known)
            case ast.Match():
                return self._match(statement, known)
            case ast.For() | ast.AsyncFor() | ast.While():
                self._block(statement.body, replace(known, asked=True, default=False))
                return self._block(statement.orelse, replace(known, asked=True, default=False))
            case ast.Try() | ast.TryStar():
                return self._try(statement, known)
            case ast.With() | ast.AsyncWith():
                return self._with(statement, known)
            case _:
                return self._plain(statement, known)

    def _plain(self, statement: ast.stmt, known: _Known) -> _Known:
        known = self._asking(statement, known)
        held = known.held
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = {target.id for target in targets if isinstance(target, ast.Name)}
            held = held | names if self._is_not_executed(statement.value) else held - names
            if isinstance(statement.value, ast.Call):
                self._results.update(dict.fromkeys(names, self._code.resolve(statement.value.func)))
        return replace(known, held=held)

    def _asking(self, node: ast.AST, known: _Known) -> _Known:
        """Return what is known behind a question: that it was asked, and whether it hides a failure."""
        asked = replace(known, asked=known.asked or _asks(node))
        calls = (each for each in ast.walk(node) if isinstance(each, ast.Call))
        if any(_hides_failure(function) for call in calls for function in self._code.resolve(call.func)):
            return replace(asked, failed=_SWALLOWED)
        return asked

    def _if(self, statement: ast.If, known: _Known) -> _Known | None:
        then, otherwise = _branches(statement.test, self._asking(statement.test, known))
        return _joined(self._block(statement.body, then), self._block(statement.orelse, otherwise))

    def _match(self, statement: ast.Match, known: _Known) -> _Known | None:
        known = self._asking(statement.subject, known)
        ends: list[_Known | None] = []
        open_ended = True
        for case in statement.cases:
            is_rest = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
            open_ended &= not (is_rest and case.guard is None)
            ends.append(self._block(case.body, replace(known, default=is_rest)))
        ends.append(replace(known, default=True) if open_ended else None)
        return _joined(*ends)

    def _try(self, statement: ast.Try | ast.TryStar, known: _Known) -> _Known | None:
        end = self._block([*statement.body, *statement.orelse], known)
        ends = [end]
        for handler in statement.handlers:
            if _says_absent(handler.type):
                ends.append(self._block(handler.body, replace(known, asked=True, default=False)))
                continue
            inside = replace(known, asked=True, failed=_IN_EXCEPT)
            after = self._block(handler.body, inside)
            ends.append(replace(after, failed=_SWALLOWED) if after else None)
        # what `finally` returns hides any exception
        self._block(statement.finalbody, replace(known, failed=_SWALLOWED))
        after = _joined(*ends)
        return self._block(statement.finalbody, after) if after else None

    def _with(self, statement: ast.With | ast.AsyncWith, known: _Known) -> _Known | None:
        asked = replace(known, asked=known.asked or any(_asks(item) for item in statement.items))
        after = self._block(statement.body, asked)
        for item in statement.items:
            call = item.context_expr
            if isinstance(call, ast.Call) and self._code.dotted(call.func) == _SUPPRESS:
                if not all(_says_absent(argument) for argument in call.args):
                    return replace(after or asked, failed=_SWALLOWED)
                return after or asked
        return after

    # ------------------------------------------------------------------------------------------- expressions

    def _answer(self, value: ast.expr | None, known: _Known, statement: ast.Return | None) -> None:
        """Look at what is returned."""
        if value is None:
            return
        if self._is_not_executed(value) or (isinstance(value, ast.Name) and value.id in known.held):
            self._not_executed(value, known, statement)
        elif isinstance(value, ast.IfExp):
            then, otherwise = _branches(value.test, self._asking(value.test, known))
            self._answer(value.body, then, None)
            self._answer(value.orelse, otherwise, None)
        elif isinstance(value, ast.Await):
            self._answer(value.value, known, None)
        elif isinstance(value, ast.Call):
            for function in self._code.resolve(value.func):
                self._function(function, known)
        elif isinstance(value, ast.Name):
            for function in self._results.get(value.id, ()):
                self._function(function, known)

    def _not_executed(self, value: ast.expr, known: _Known, statement: ast.Return | None) -> None:
        if known.failed:
            template = known.failed
        elif known.default:
            template = _BY_DEFAULT
        elif not known.asked:
            template = _UNASKED
        else:
            return
        self._guesses.append(_Guess(value, template, statement))

    def _is_not_executed(self, node: ast.expr) -> bool:
        name = self._code.dotted(node) or (node.id if isinstance(node, ast.Name) else "")
        return name.rpartition(".")[2] == "NOT_EXECUTED"


def _asks(node: ast.AST) -> bool:
    """Tell whether something outside of the arguments is looked at: a call, `in`, an item of a table."""
    return any(
        isinstance(each, ast.Call | ast.Await)
        or (isinstance(each, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in each.ops))
        for each in ast.walk(node)
    )


def _hides_failure(function: Callable) -> bool:
    """Tell whether a function answers with nothing when it failed."""
    return any(
        isinstance(each, ast.Return) and _is_nothing(each.value)
        for node in body_nodes(function)
        if isinstance(node, ast.ExceptHandler) and not _says_absent(node.type)
        for each in ast.walk(node)
    )


def _is_nothing(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Constant):
        return not node.value
    return node is None or (isinstance(node, ast.List | ast.Tuple) and not node.elts)


def _branches(test: ast.expr, known: _Known) -> tuple[_Known, _Known]:
    """Return what is known where a test holds and where it does not.

    `status == "booked"` names one answer: where it holds, the answer is known, where not, it may be any.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        then, otherwise = _branches(test.operand, known)
        return otherwise, then
    if isinstance(test, ast.BoolOp):
        both = [_branches(value, known) for value in test.values]
        return (
            replace(known, default=any(then.default for then, _ in both)),
            replace(known, default=any(otherwise.default for _, otherwise in both)),
        )
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        named, rest = replace(known, default=False), replace(known, default=True)
        if _is_answer(test.left) or _is_answer(test.comparators[0]):
            if isinstance(test.ops[0], ast.Eq | ast.Is):
                return named, rest
            if isinstance(test.ops[0], ast.NotEq | ast.IsNot):
                return rest, named
        if isinstance(test.ops[0], ast.In | ast.NotIn) and _is_answers(test.comparators[0]):
            return (named, rest) if isinstance(test.ops[0], ast.In) else (rest, named)
    return replace(known, default=False), replace(known, default=False)


def _is_answer(node: ast.expr) -> bool:
    """Tell whether an expression is one of several answers: a text, a number above 0, `Status.BOOKED`."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | int) and not isinstance(node.value, bool) and bool(node.value)
    return isinstance(node, ast.Attribute) and node.attr.isupper()


def _is_answers(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple | ast.List | ast.Set) and all(_is_answer(item) for item in node.elts)


def _says_absent(kind: ast.expr | None) -> bool:
    if isinstance(kind, ast.Tuple):
        return bool(kind.elts) and all(_says_absent(item) for item in kind.elts)
    name = kind.attr if isinstance(kind, ast.Attribute) else kind.id if isinstance(kind, ast.Name) else ""
    return _ABSENT.search(name) is not None


def _joined(*ends: _Known | None) -> _Known | None:
    """Return what is known behind several ways: what one of them spoils is spoilt."""
    reached = [end for end in ends if end is not None]
    if not reached:
        return None
    failed = next((end.failed for end in reached if end.failed), "")
    return _Known(
        all(end.asked for end in reached),
        failed,
        any(end.default for end in reached),
        frozenset[str]().union(*(end.held for end in reached)),
    )
