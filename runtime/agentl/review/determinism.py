"""D208: a decision that depends on something which no sensor reads, and so no journal knows."""

from __future__ import annotations

from collections.abc import Iterator

from agentl.review.host_code import Callable
from agentl.review.impure import Kind
from agentl.review.taint import Flow, Read, flow_of
from agentl.review.view import Target, View, in_host, warning
from agentl_grammar.checks.naming import output_names
from agentl_grammar.checks.registry import Found, said
from agentl_grammar.problems import Message, Related, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import (
    CallStatement,
    EventHandler,
    Evidence,
    ForEach,
    Goal,
    Guard,
    If,
    Loop,
    MainLoop,
    MessageHandler,
    Node,
    Plan,
    Tool,
    UtilityEntry,
    Verify,
)

_KINDS = ("tool", "subagent", "reconciler")
_CONDITIONS: tuple[tuple[type[Node], str], ...] = (
    (Guard, "condition"),
    (Plan, "when"),
    (If, "condition"),
    (Verify, "condition"),
    (Loop, "until"),
    (MainLoop, "until"),
    (ForEach, "source"),
    (EventHandler, "when"),
    (MessageHandler, "when"),
    (Tool, "requires"),
    (Goal, "condition"),
    (Evidence, "condition"),
    (UtilityEntry, "condition"),
)


@warning("D208")
def decision_on_what_nobody_journals(view: View) -> Iterator[Found]:
    """D208: clock, chance, environment or a global that changes is read in the host and decides something.

    Looked at are the functions of tools, sub-agents and reconcilers, and those of the file that they call.
    Such a read *feeds a decision* when a test of the function looks at it (`if`, `while`, `assert`, `match`),
    or when it is in an output that a condition of the program reads: directly, by way of SET, or as an
    argument that a guard sees. Sensors, approvers, askers and models are left alone, since what they say is
    journaled before anything is decided; so is what only sets the host up in `build()`.
    """
    decisions: dict[str, Span] | None = None
    for target in view.targets:
        told: set[_Place] = set()
        for kind in _KINDS:
            for function in _run(view, kind, target.name):
                flow = flow_of(view.code, function)
                for read in flow.decided:
                    if _place(read) not in told:
                        told.add(_place(read))
                        yield _in_function(view, target, kind, read)
                if flow.returned and kind != "reconciler":
                    decisions = _decisions(view) if decisions is None else decisions
                    yield from _in_outputs(view, target, flow, decisions, told)


_Place = tuple[Kind, str, int]


def _place(read: Read) -> _Place:
    """Return what is read, and in which line: of two such reads one is told."""
    return read.kind, read.name, getattr(read.node, "lineno", 0)


def _run(view: View, kind: str, name: str) -> Iterator[Callable]:
    """Yield the functions that are registered, and what their decorators run around them."""
    for function in view.code.registered(kind, name):
        yield function
        yield from view.code.wrappers(function)


def _in_outputs(
    view: View, target: Target, flow: Flow, decisions: dict[str, Span], told: set[_Place]
) -> Iterator[Found]:
    for key, read in flow.returned:
        if read.kind is Kind.VARIABLE and read.name.startswith("self."):
            continue  # an object may well be what the tool is about: a bank in a demonstration
        place = _reader(target, key, decisions)
        if place is not None and _place(read) not in told:
            told.add(_place(read))
            yield _in_output(view, target, read, *place)


def _named(read: Read) -> Message:
    return (
        said(read.kind.value, name=read.name)
        if read.kind in (Kind.GLOBAL, Kind.VARIABLE)
        else said(read.kind.value)
    )


_HINT = message_id(
    "read it in a sensor, and hand it to {tool} as an argument: then the journal knows it, and POLICY sees it"
)
_RECONCILER_HINT = message_id("ask the system that acted; when it cannot tell, raise")


def _in_function(view: View, target: Target, kind: str, read: Read) -> Found:
    if kind == "reconciler":
        template = message_id("the reconciler of {tool} decides by {what}: another resume decides otherwise")
        hint = said(_RECONCILER_HINT)
    else:
        template = message_id(
            "the function of {tool} decides by {what}, which neither journal nor POLICY sees"
        )
        hint = said(_HINT, tool=target.name)
    place = in_host(view, read.node, said(message_id("read here")))
    return Found(target.span, said(template, tool=target.name, what=_named(read)), hint, (place,))


def _in_output(view: View, target: Target, read: Read, path: str, span: Span) -> Found:
    message = said(
        message_id("{path} comes from {what}, and the program decides by it"), path=path, what=_named(read)
    )
    hint = said(message_id("make it a sensor: OBSERVE journals what it says, each time it is read"))
    related = (
        in_host(view, read.node, said(message_id("read here"))),
        Related(span, said(message_id("decided here"))),
    )
    return Found(target.span, message, hint, related)


def _decisions(view: View) -> dict[str, Span]:
    """Return the paths that conditions read, and those they come from, each with the first place."""
    found: dict[str, Span] = {}
    for kind, field in _CONDITIONS:
        for part, node in view.index.all(kind):
            condition = getattr(node, field)
            for text, path in part.inside(condition).reads if condition is not None else ():
                found.setdefault(text, part.at(path))
    pending = [*found]
    while pending:
        name = pending.pop()
        for source in _sources(view, name):
            if source not in found:
                found[source] = found[name]
                pending.append(source)
    return found


def _sources(view: View, name: str) -> Iterator[str]:
    """Yield the paths that a path gets its value from: by SET, or as an argument that a guard sees."""
    for part, node in view.index.sets.get(name, ()):
        yield from part.reads(node.value)
    bare = name.removeprefix("action.args.")
    if bare in view.index.parameters:
        for part, call in view.index.all(CallStatement):
            for argument in call.arguments:
                if argument.name is not None and argument.name.text == bare:
                    yield from part.reads(argument.value)


def _reader(target: Target, key: str | None, decisions: dict[str, Span]) -> tuple[str, Span] | None:
    """Return the path by which a condition reads a result, and where."""
    keys = (
        [key]
        if key is not None
        else [output.name.text for output in target.tool.outputs]
        if target.tool
        else []
    )
    names = [name for each in keys for name in output_names(target.name, each)]
    found = next((name for name in names if name in decisions), None)
    return (found, decisions[found]) if found is not None else None
