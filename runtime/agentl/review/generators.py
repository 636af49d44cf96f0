"""D211: a function of the host that runs nothing when it is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentl.review.host_code import Callable, body_nodes
from agentl.review.view import View, in_host, warning
from agentl_grammar.checks.registry import Found, said
from agentl_grammar.problems import message_id
from agentl_grammar.source import Span

_OF_A_TARGET = ("tool", "subagent", "reconciler", "compensation")


@warning("D211")
def function_that_runs_nothing(view: View) -> Iterator[Found]:
    """D211: there is a `yield` in a function of the host, so that a run refuses the script (H104).

    Silent where another decorator may make an ordinary function of it.
    """
    for kind, name, span in _used(view):
        for function in view.code.registered(kind, name):
            if _is_generator(function):
                yield Found(
                    span,
                    said(
                        message_id(
                            "the {kind} {name} is a generator function: when it is called, nothing in it runs"
                        ),
                        kind=kind,
                        name=name,
                    ),
                    said(message_id("take its yield away, and return the answer")),
                    (in_host(view, function, said(message_id("the host function"))),),
                )


def _used(view: View) -> Iterator[tuple[str, str, Span]]:
    """Yield what the agent calls or reads: what it is to the host, its name, and its place."""
    for target in view.targets:
        yield from ((kind, target.name, target.span) for kind in _OF_A_TARGET)
    for path, (part, node) in view.index.observed.items():
        yield "sensor", path, part.at(node.path)


def _is_generator(function: Callable) -> bool:
    decorators = [] if isinstance(function, ast.Lambda) else function.decorator_list
    if any(not isinstance(_called(each), ast.Attribute) for each in decorators):
        return False
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in body_nodes(function))


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator
