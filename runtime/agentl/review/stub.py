"""The edit that gives the host script a reconciler to be written out."""

from __future__ import annotations

import ast
import json

from agentl.host.source import Promise
from agentl.host.syntax import Function
from agentl.review.host_code import first_line
from agentl.review.view import View
from agentl_grammar.checks.registry import said
from agentl_grammar.problems import Fix, message_id
from agentl_grammar.source import Position, Source, Span

_LINES = (
    "@{host}.reconciler({name})",
    "def reconcile_{tool}(args, action):",
    "    # Ask for action.idempotency_key: return what the tool would have, or NOT_EXECUTED.",
    '    raise LookupError("nobody knows whether this happened")',
)


def reconciler_stub(view: View, tool: str) -> tuple[Fix, ...]:
    """Return the edit that adds a reconciler behind the function of a tool.

    It raises until it is written out, and so changes nothing: the call stays in doubt. There is none for a
    function that is not registered by a decorator, and where the host already promises something.
    """
    if view.host.promises.get(tool) is not Promise.NONE or not tool.isidentifier():
        return ()
    for function in view.code.registered("tool", tool):
        host = _decorated_by(function)
        if host is not None:
            source = view.host.source
            place = _end_of_line(source, function.end_lineno or function.lineno)
            text = source.line(first_line(function) - 1)
            indentation = text[: len(text) - len(text.lstrip())]
            line_end = "\r\n" if "\r\n" in source.text else "\n"
            lines = [line.format(host=host, name=json.dumps(tool), tool=tool) for line in _LINES]
            added = "".join(f"{line_end}{indentation}{line}" for line in lines)
            title = said(message_id("Add a reconciler for {tool} to the host script"), tool=tool)
            return (Fix(title, ((Span(place, place), f"{line_end}{added}"),), source.name),)
    return ()


def _decorated_by(function: ast.AST) -> str | None:
    """Return the name of the host whose `tool` decorates a function."""
    for decorator in function.decorator_list if isinstance(function, Function) else ():
        match decorator:
            case ast.Call(func=ast.Attribute(attr="tool", value=ast.Name(id=host))):
                return host
            case _:
                pass
    return None


def _end_of_line(source: Source, line: int) -> int:
    return source.offset(Position(line - 1, len(source.line(line - 1))))
