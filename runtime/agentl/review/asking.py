"""What a line of a reconciler asks, and which of the answers it names (durability.md §3). Syntax only."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from agentl.review.host_code import HostCode

_ABSENT = re.compile(
    r"not[_ -]?found|no[_ -]?such|not[_ -]?exist|unknown[_ -]?(?:id|key|payment|transfer|order)|missing"
    r"|no[_ -]?results?|no[_ -]?rows?\b|absent|\benoent\b|^\s*(?:404|410|gone)\s*$",
    re.IGNORECASE,
)
"""Names and texts by which a system says that there is no such thing: that is knowledge."""
_ABSENT_CODES = (404, 410)
_SEARCHED = ("IndexError", "StopIteration", "StopAsyncIteration")
_GOOD = frozenset({"ok", "is_success", "success", "successful", "succeeded", "is_ok"})
"""Of anything that is not good nobody knows what it is: a timeout is no success, nor is a refusal to say."""
_BAD = frozenset({"is_error", "is_client_error", "is_server_error", "error", "errors", "err", "exception"})
_EXIT_CODES = frozenset({"returncode", "return_code", "exitcode", "exit_code"})
_LEAST_STATUS = 100
_CODED = re.compile(r"status|state|code|result|kind", re.IGNORECASE)
_NO_QUESTIONS = frozenset(dir(builtins)) - {"open", "input"}
_NO_MODULES = ("logging.", "time.", "json.", "re.", "decimal.", "datetime.", "asyncio.sleep", "warnings.")
_BYSTANDERS = re.compile(
    r"_?(?:log|logger|logging|metrics?|stats|statsd|sentry\w*|tracer|notifier|slack)", re.IGNORECASE
)
_FAILURE = re.compile(r"(?:Exception|Error)$")
LEAVING = frozenset({"sys.exit", "os._exit", "os.abort"})
"""Calls that no line behind them outlives."""
_SWALLOWERS = frozenset(
    {"contextlib.suppress", "anyio.move_on_after", "anyio.move_on_at", "trio.move_on_after"}
    | {"trio.move_on_at"}
)


def is_question(code: HostCode, call: ast.Call) -> bool:
    """Tell whether a call may ask somebody; writing a log, waiting and what Python itself offers do not."""
    if isinstance(call.func, ast.Name) and call.func.id in _NO_QUESTIONS:
        return False
    if (code.dotted(call.func) or "").startswith(_NO_MODULES):
        return False
    words = [node for node in ast.walk(call.func) if isinstance(node, ast.Name | ast.Attribute)]
    return not any(_BYSTANDERS.fullmatch(last_word(word)) for word in words)


def looks_up(node: ast.AST) -> bool:
    """Tell whether an expression itself looks something up: `in`, or an item of a table by a key."""
    if isinstance(node, ast.Compare):
        return any(isinstance(operator, ast.In | ast.NotIn) for operator in node.ops)
    return isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant)


def asks(code: HostCode, nodes: list[ast.stmt]) -> bool:
    """Tell whether statements may ask somebody something."""
    inside = [each for node in nodes for each in ast.walk(node)]
    return any(looks_up(each) or (isinstance(each, ast.Call) and is_question(code, each)) for each in inside)


def swallows(code: HostCode, call: ast.expr) -> bool:
    """Tell whether a context manager goes on after a failure inside of it."""
    if not isinstance(call, ast.Call):
        return False
    if code.dotted(call.func) in _SWALLOWERS:
        return not (call.args and all(says_absent(argument) for argument in call.args))
    leaving = [exit_ for exit_ in code.methods_of(call.func) if exit_.name in ("__exit__", "__aexit__")]
    return any(
        isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and node.value.value is True
        for function in leaving
        for node in function.body
    ) or any(_is_quiet(function) for function in code.resolve(call.func))


def hands_failures_over(code: HostCode, call: ast.Call) -> bool:
    """Tell whether a call returns failures among its results: `asyncio.gather(…, return_exceptions=True)`."""
    return code.dotted(call.func) == "asyncio.gather" and any(
        keyword.arg == "return_exceptions"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
        for keyword in call.keywords
    )


def raises_what_it_was_handed(function: ast.AST) -> bool:
    """Tell whether a function looks for failures among results, and raises."""
    inside = list(ast.walk(function))
    return any(isinstance(node, ast.Raise) for node in inside) and any(
        _FAILURE.search(last_word(kind)) for node in inside for kind in _kinds_asked(node)
    )


def _kinds_asked(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Tuple(elts=kinds)]):
            return kinds
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]):
            return [kind]
        case ast.MatchClass(cls=kind):
            return [kind]
        case _:
            return []


def _is_quiet(function: ast.AST) -> bool:
    """Tell whether a generator goes on after a failure at its `yield`."""
    tries = [node for node in ast.walk(function) if isinstance(node, ast.Try)]
    return any(
        not any(isinstance(node, ast.Raise) for each in handler.body for node in ast.walk(each))
        for attempt in tries
        if any(isinstance(node, ast.Yield) for each in attempt.body for node in ast.walk(each))
        for handler in attempt.handlers
        if not says_absent(handler.type)
    )


# ----------------------------------------------------------------------------- there is no such thing


def says_absent(kind: ast.expr | None) -> bool:
    """Tell whether an exception by its name says that there is no such thing."""
    if isinstance(kind, ast.Tuple):
        return bool(kind.elts) and all(says_absent(item) for item in kind.elts)
    return kind is not None and _ABSENT.search(last_word(kind)) is not None


def found_nothing(code: HostCode, kind: ast.expr | None, body: list[ast.stmt]) -> bool:
    """Tell whether a handler is that of a search which found nothing: `rows[0]`, `next(…)`, `table[key]`."""
    name = last_word(kind) if kind is not None else ""
    if name in _SEARCHED:
        return True
    items = [node for each in body for node in ast.walk(each) if isinstance(node, ast.Subscript)]
    return name == "KeyError" and any(
        looks_up(item) and isinstance(item.value, ast.Name | ast.Attribute) and not is_table(code, item.value)
        for item in items
    )


def names_absence(node: ast.expr) -> bool:
    """Tell whether an answer that is compared with says that there is no such thing: 404, "no_such_key"."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return bool(node.elts) and all(names_absence(item) for item in node.elts)
    if isinstance(node, ast.Constant):
        held = node.value
        return held in _ABSENT_CODES or (isinstance(held, str) and _ABSENT.search(held) is not None)
    return isinstance(node, ast.Name | ast.Attribute) and _ABSENT.search(last_word(node)) is not None


# ----------------------------------------------------------------------------- one of several answers


def is_answer(node: ast.expr) -> bool:
    """Tell whether an expression is one of several answers: a text, a number above 0, `Status.BOOKED`."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | int) and not isinstance(node.value, bool) and bool(node.value)
    return isinstance(node, ast.Attribute) and node.attr.isupper()


def is_table(code: HostCode, node: ast.expr) -> bool:
    """Tell whether an expression is a table of answers that the file writes out."""
    if isinstance(node, ast.Name) and node.id in code.aliases:
        node = code.aliases[node.id]
    if isinstance(node, ast.Call) and len(node.args) == 1:  # frozenset({…})
        node = node.args[0]
    if isinstance(node, ast.Dict):
        return bool(node.keys) and all(key is not None and is_answer(key) for key in node.keys)
    is_written = isinstance(node, ast.Tuple | ast.List | ast.Set)
    return is_written and bool(node.elts) and all(is_answer(item) for item in node.elts)


def named_side(code: HostCode, test: ast.expr) -> bool | None:
    """Return on which side of a test the answer is one that the test names; None when it names none.

    `status == "booked"` names one answer: where it holds, the answer is known, where not, it may be any.
    """
    if isinstance(test, ast.Compare):
        return _named_by(code, test) if len(test.ops) == 1 else None
    word = _what(test)
    return True if word in _GOOD else False if word in _BAD else None


def _named_by(code: HostCode, test: ast.Compare) -> bool | None:
    operator, left, right = test.ops[0], test.left, test.comparators[0]
    equal = isinstance(operator, ast.Eq | ast.Is | ast.In)
    if isinstance(operator, ast.In | ast.NotIn):
        if is_table(code, right):
            return equal
        return not equal if _text(left) in _BAD else None
    if not equal and not isinstance(operator, ast.NotEq | ast.IsNot):
        return None
    if _is_one_of_several(left, right) or _what(left) in _EXIT_CODES:
        return equal
    is_none = isinstance(right, ast.Constant) and right.value is None
    return equal if is_none and _what(left) in _BAD else None


def _is_one_of_several(left: ast.expr, right: ast.expr) -> bool:
    """Tell whether a side is one of several answers; a small number may as well be a count (`rows == 1`)."""
    for side, other in ((left, right), (right, left)):
        if is_answer(side):
            number = side.value if isinstance(side, ast.Constant) else None
            counts = isinstance(number, int) and number < _LEAST_STATUS
            if not counts or _CODED.search(_what(other)):
                return True
    return False


def _what(node: ast.expr) -> str:
    """Return the word for what is looked at: `error` of `x.error`, `x["error"]`, and `x.get("error")`."""
    if isinstance(node, ast.Call) and last_word(node.func) == "get" and node.args:
        return _text(node.args[0])
    if isinstance(node, ast.Subscript):
        return _text(node.slice)
    return last_word(node)


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def is_range(test: ast.expr) -> bool:
    """Tell whether a test is about a range of status codes, which names no answer."""
    if not isinstance(test, ast.Compare):
        return False
    sides = [test.left, *test.comparators]
    codes = [side.value for side in sides if isinstance(side, ast.Constant)]
    orders = all(isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for operator in test.ops)
    words = {last_word(side) for side in sides}
    return (
        orders
        and any(isinstance(code, int) and code >= _LEAST_STATUS for code in codes)
        and any("status" in word or "code" in word for word in words)
    )


def absent_side(test: ast.expr) -> bool | None:
    """Return on which side of a test there is said to be no such thing; None when it does not ask that."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        operator, sides = test.ops[0], (test.left, test.comparators[0])
        equal = isinstance(operator, ast.Eq | ast.Is | ast.In)
        if (equal or isinstance(operator, ast.NotEq | ast.IsNot | ast.NotIn)) and any(
            names_absence(side) for side in sides
        ):
            return equal
    if isinstance(test, ast.Call) and last_word(test.func) == "isinstance" and len(test.args) > 1:
        return True if says_absent(test.args[1]) else None
    return None


def last_word(node: ast.expr) -> str:
    """Return the last word of a name; of a call and of an item that of what is called or indexed."""
    while isinstance(node, ast.Call | ast.Subscript | ast.Await):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def stored(nodes: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements give a value."""
    for node in nodes:
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                yield each.id
