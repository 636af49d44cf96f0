"""R101: an open run cannot resume, because the program is not the one it began with (durability.md §9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import cast

from agentl_grammar.declared import Declared
from agentl_grammar.printer import print_node
from agentl_grammar.problems import Message, Problem, Related, Severity, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import (
    Agent,
    Ask,
    Assign,
    BeliefEntry,
    CallStatement,
    Delegate,
    EffectEntry,
    Expression,
    InputField,
    Node,
    Observation,
    Phase,
    PolicyDefault,
    Reason,
    Redaction,
    RiskEntry,
    Rule,
    Trigger,
)
from agentl_grammar.tree import Message as MessageStatement
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.places import Places
from agentl_server.ide.run_view import RunView

_TEXT_CHARACTERS = 160
_SENTENCE = (
    CallStatement
    | Assign
    | Trigger
    | Reason
    | Ask
    | Delegate
    | MessageStatement
    | Phase
    | Rule
    | Redaction
    | PolicyDefault
    | Observation
    | BeliefEntry
    | InputField
    | RiskEntry
    | EffectEntry
    | Expression
)
"""What a person reads as one thing: a difference inside it is shown by the whole of it."""

_EDITED = message_id(
    "run {run} cannot resume: the program changed\n{declaration}: journaled `{then}`, now `{now}`"
)
_ADDED = message_id("run {run} cannot resume: the program changed\n{declaration} was added")
_GONE = message_id("run {run} cannot resume: the program changed\n{declaration} is gone: `{then}`")
_REORDERED = message_id(
    "run {run} cannot resume: the program changed\nits declarations stand in another order"
)
_HINT = message_id("undo the change to resume this run, or leave it and start a new one")
_PINNED = message_id("{declaration} as run {run} began with it: {text}")


def changed_since(view: RunView, anatomy: Anatomy) -> Iterator[Problem]:
    """Yield R101 for each declaration that is not the one `view` began with, at its name in the open text.

    Of a declaration that cannot be read, or cannot be found while something cannot, nothing is said.
    """
    header = view.history.header
    # a corrupt run cannot resume anyway: undoing the change would not help it
    if header is None or view.state == "corrupt" or header.program == anatomy.digest:
        return
    changed = Places(view, anatomy).changed
    keys = sorted(key for key in changed if anatomy.is_known(key))
    if not changed and anatomy.whole:
        yield _problem(view, anatomy.program.agents[0].name.span, _REORDERED, {})
    for key in keys:
        yield _declaration(view, anatomy, key)


def _declaration(view: RunView, anatomy: Anatomy, key: str) -> Problem:
    pinned = view.history.pinned
    now = anatomy.declared.get(key)
    then = pinned.anatomy.declared.get(key) if pinned else None
    label = {"declaration": key.partition("/")[2]}
    if now is None:
        place = _agent_of(key, anatomy).name.span
        text = {"then": _brief(print_node(then.nodes[0])) if then else key}
        return _problem(view, place, _GONE, label | text, _pinned(view, then, label))
    if then is None:
        return _problem(view, _name_span(now.nodes[0]), _ADDED, label)
    was, is_ = _narrow(then.nodes, now.nodes)
    texts = {"then": _brief(_written(was)), "now": _brief(_written(is_))}
    return _problem(view, _name_span(now.nodes[0]), _EDITED, label | texts, _pinned(view, then, label))


def _problem(
    view: RunView, span: Span, template: str, arguments: dict[str, str], related: tuple[Related, ...] = ()
) -> Problem:
    message = Message(template, {"run": view.short_id, **arguments})
    return Problem("R101", Severity.WARNING, span, message, hint=Message(_HINT), related=related)


def _pinned(view: RunView, then: Declared | None, label: dict[str, str]) -> tuple[Related, ...]:
    pinned = view.history.pinned
    if pinned is None or then is None:
        return ()
    span = then.nodes[0].span
    text = _brief(pinned.anatomy.source.slice(span))
    message = Message(_PINNED, {**label, "run": view.short_id, "text": text})
    return (Related(span, message, str(pinned.path)),)


def _agent_of(key: str, anatomy: Anatomy) -> Agent:
    return anatomy.agents.get(key.split("/", maxsplit=1)[0], anatomy.program.agents[0])


def _name_span(node: Node) -> Span:
    """Return the span of a declaration's name; of one without a name, of its first word."""
    name = getattr(node, "name", None) or getattr(node, "source", None)
    if isinstance(name, Node):
        return name.span
    return Span(node.span.start, min(node.span.end, node.span.start + _first_word(node)))


def _first_word(node: Node) -> int:
    return len(print_node(node).split(maxsplit=1)[0])


# -------------------------------------------------------------------------------------------- what differs


def _narrow(then: object, now: object) -> tuple[object, object]:
    """Return the smallest parts in which two declarations differ and that can be read by themselves."""
    if isinstance(then, _SENTENCE):
        return then, now
    differing = [(one, other) for one, other in _pairs(then, now) if one != other]
    if len(differing) != 1:
        return then, now
    inner = _narrow(*differing[0])
    return inner if all(isinstance(part, _SENTENCE) for part in inner) else (then, now)


def _pairs(then: object, now: object) -> list[tuple[object, object]]:
    if isinstance(then, tuple) and isinstance(now, tuple):
        parts, others = cast("tuple[object, ...]", then), cast("tuple[object, ...]", now)
        return list(zip(parts, others, strict=True)) if len(parts) == len(others) else []
    if isinstance(then, Node) and type(then) is type(now):
        names = [slot.name for slot in fields(then) if slot.compare]
        return [(getattr(then, name), getattr(now, name)) for name in names]
    return []


def _written(part: object) -> str:
    if isinstance(part, tuple):
        return " ".join(_written(item) for item in cast("tuple[object, ...]", part))
    return print_node(part) if isinstance(part, Node) else str(part)


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT_CHARACTERS else line[: _TEXT_CHARACTERS - 1] + "…"
