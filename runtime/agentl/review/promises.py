"""D207: a tool that says it is idempotent, and a function that could not be."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from agentl.host.source import Promise
from agentl.review.host_code import Callable, HostCode, body_nodes, first_line
from agentl.review.view import View, hint, in_host
from agentl_grammar.checks.registry import Found, said
from agentl_grammar.problems import message_id

_NATURALLY = re.compile(r"#\s*agentl:\s*naturally\s+idempotent\b", re.IGNORECASE)
_KEY = "idempotency_key"


@hint("D207")
def promise_without_key(view: View) -> Iterator[Found]:
    """D207: a tool claims `idempotent=True`, and its function never reads the idempotency key.

    The functions of the file that it calls count as its own; so does handing on `current_action()`. Told of
    tools that act on the world, whose function stands in the file. Silenced by `# agentl: naturally
    idempotent` in the function, on the line of its registration, or right above.
    """
    for target in view.targets:
        if view.host.promise(target.name) is not Promise.IDEMPOTENT or not view.acts(target):
            continue
        for function in view.code.registered("tool", target.name):
            if not (reads_key(view.code, function) or _is_natural(view.code, function)):
                place = said(message_id("the function of {tool}"), tool=target.name)
                yield Found(
                    target.span,
                    said(
                        message_id(
                            "{tool} claims to be idempotent, but its function never reads the idempotency key"
                        ),
                        tool=target.name,
                    ),
                    said(
                        message_id(
                            "hand on current_action().idempotency_key, or say why it needs none: "
                            "# agentl: naturally idempotent"
                        )
                    ),
                    (in_host(view, function, place),),
                )


def reads_key(code: HostCode, function: Callable) -> bool:
    """Tell whether a function, or one of the file that it calls, reads the key of its action."""
    return any(_reads_key(code, each) for each in code.reached([function]))


def _reads_key(code: HostCode, function: Callable) -> bool:
    body = list(body_nodes(function))
    if any(isinstance(node, ast.Attribute) and node.attr == _KEY for node in body):
        return True
    asked = {id(node) for node in body if isinstance(node, ast.Call) and _is_current_action(code, node.func)}
    names: set[str] = set()
    for node in body:  # what keeps the action by a name hands it on only where that name is read
        if isinstance(node, ast.Assign) and id(node.value) in asked:
            kept = {target.id for target in node.targets if isinstance(target, ast.Name)}
            if len(kept) == len(node.targets):
                names |= kept
                asked.discard(id(node.value))
    nodes = list(ast.walk(function))
    owners = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    read = (node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    return not (asked | {id(node) for node in read if node.id in names}) <= owners


def _is_current_action(code: HostCode, node: ast.expr) -> bool:
    name = code.dotted(node) or (node.id if isinstance(node, ast.Name) else "")
    return name.rpartition(".")[2] == "current_action"


def _is_natural(code: HostCode, function: Callable) -> bool:
    """Tell whether a comment says that the function needs no key."""
    first, last = first_line(function), function.end_lineno or function.lineno
    while first - 1 in code.comments and code.is_comment_line(first - 1):
        first -= 1
    return any(_NATURALLY.match(text) for line, text in code.comments.items() if first <= line <= last)
