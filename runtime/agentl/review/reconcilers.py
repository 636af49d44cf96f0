"""D206: a reconciler that swears "it did not happen" without knowing (durability.md §3)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentl.host.source import span_in
from agentl.review.answering import answers
from agentl.review.states import NotExecuted, State
from agentl.review.view import Target, View, in_host, warning
from agentl_grammar.checks.registry import Found, said
from agentl_grammar.problems import Fix, message_id

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


@warning("D206")
def reconciler_that_guesses(view: View) -> Iterator[Found]:
    """D206: a reconciler returns NOT_EXECUTED in its `except`, after a swallowed failure, or by default.

    *By default*: without having asked anything, or for every answer that it does not name (behind
    `== "booked"`, `!= 200`, `case _`). An exception that says that there is no such thing (NotFound) is an
    answer, and so are None, an empty result and a search that found nothing.
    """
    for target in view.targets:
        told: set[ast.expr] = set()
        for node in view.code.registrations("reconciler", target.name):
            for answer, state in answers(view.code, node, "reconciler"):
                template = _guess(answer, state)
                if template and answer.node is not None and answer.node not in told:
                    told.add(answer.node)
                    yield _found(view, target, answer.node, template, answer.statement)


def _guess(answer: NotExecuted, state: State) -> str:
    """Return why an answer is no knowledge; empty when it is."""
    if state.failures:
        return _IN_EXCEPT if answer.in_except else _SWALLOWED
    if state.default:
        return _BY_DEFAULT
    return "" if state.asked else _UNASKED


def _found(view: View, target: Target, node: ast.expr, template: str, statement: ast.Return | None) -> Found:
    source = view.host.source
    fixes: tuple[Fix, ...] = ()
    if statement is not None and template != _SWALLOWED:
        text = (
            "raise" if template == _IN_EXCEPT else 'raise RuntimeError("nobody knows whether this happened")'
        )
        title = said(message_id("Raise instead: {tool} is then in doubt"), tool=target.name)
        fixes = (Fix(title, ((span_in(source, statement), text),), source.name),)
    return Found(
        target.span,
        said(template, tool=target.name),
        said(message_id("raise where the answer is unknown: the call is then in doubt, and people are told")),
        (in_host(view, node, said(message_id("NOT_EXECUTED is said here"))),),
        fixes,
    )
