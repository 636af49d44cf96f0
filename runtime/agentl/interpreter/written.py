"""What a body may write, whether it runs or not (language.md §6.4), and what it asks for (§0 ⚠13)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentl.interpreter.aftermath import decide, marks_of
from agentl.interpreter.completion import outputs_of
from agentl.interpreter.core import Core
from agentl.interpreter.delegating import replies
from agentl.interpreter.sensing import decide_reading, named_by
from agentl.provenance import NOTHING, UNKNOWN, Label, is_untrusted, of, without_secrets
from agentl.spaces import Space
from agentl_grammar.checks.naming import expected_of
from agentl_grammar.tree import (
    Ask,
    Assign,
    CallStatement,
    Delegate,
    Escalate,
    Expression,
    Judge,
    Loop,
    Node,
    Reason,
    Trigger,
    Verify,
    walk,
)

_NOBODY = of(UNKNOWN)


@dataclass(frozen=True, slots=True)
class May:
    """What a body may do: write there, read these sensors again, decide how its plan or handler goes on."""

    written: tuple[tuple[Space, str], ...]
    read: tuple[str, ...]
    passes_on: bool


def join(core: Core, body: Node, label: Label) -> None:
    """Count `label`, which decides whether `body` runs, into the sources of all that `body` may write.

    A name that keeps its value was decided by it just as one that gets another; so was the rest of this plan
    or handler, if a VERIFY or LOOP UNTIL in `body` may decide that.
    """
    if id(body) not in core.may:
        core.may[id(body)] = _what_may(core, body)
    may = core.may[id(body)]
    decided = without_secrets(label)
    for space, path in may.written:
        decide(core, space, path, decided)
    for path in may.read:
        decide_reading(core, path, decided | core.context())
    if may.passes_on:
        core.pass_on(label)


def join_guard(core: Core, body: Node, label: Label, but: Label = NOTHING) -> None:
    """Count the `label` of a guard, `but` these, into the sources of all that `body` may write.

    That nobody gave what it reads a value decides nothing for anybody. Nor does a sender, who might as well
    have sent nothing.
    """
    if not is_untrusted(label):
        return
    decided = label - _NOBODY - but
    if decided and is_untrusted(decided):
        join(core, body, decided)


def _what_may(core: Core, body: Node) -> May:
    parts = _with_plans(core, body)
    conditions = [condition for part in parts for node in walk(part) for condition in _read_again(core, node)]
    return May(
        tuple(place for part in parts for place in _written(core, part)),
        tuple(path for condition in conditions for path in named_by(core, condition)),
        passes_on=any(_passes_on(node) for node in walk(body)),
    )


def _passes_on(node: Node) -> bool:
    """Tell whether the sources of a condition stay in force behind `node`, where it runs."""
    return isinstance(node, Verify) or (isinstance(node, Loop) and node.until is not None)


def _with_plans(core: Core, body: Node) -> list[Node]:
    """Return `body` and every plan that it may queue, or that one of those may."""
    parts, seen = [body], set[str]()
    for part in parts:
        queued = {node.plan.text for node in walk(part) if isinstance(node, Trigger)} & core.plans.keys()
        parts += [core.plans[name] for name in sorted(queued - seen)]
        seen |= queued
    return parts


def _read_again(core: Core, node: Node) -> Iterator[Expression]:
    if isinstance(node, Verify):
        yield node.condition
    elif isinstance(node, CallStatement) and node.target.text in core.tools:
        requires = core.tools[node.target.text].requires
        if requires is not None:
            yield requires


def _written(core: Core, body: Node) -> Iterator[tuple[Space, str]]:
    state = core.state
    yield from answers_in(core, body)
    for node in walk(body):
        match node:
            case Assign():
                yield state.locals, node.target.text
                yield state.beliefs, node.target.text
            case CallStatement() | Delegate():
                yield from marks_of(core, node.target.text)
                yield from ((state.locals, f"last_action.{fact}") for fact in ("blocked", "in_doubt"))
            case Reason() | Judge():
                yield from ((state.locals, f"reason.{fact}") for fact in ("degraded", "missing"))
            case Verify():
                yield state.locals, "still_failed"
            case _:
                pass


def answers_in(core: Core, body: Node) -> Iterator[tuple[Space, str]]:
    """Yield where tools, sub-agents, models and people write that `body` asks."""
    state = core.state
    for node in walk(body):
        match node:
            case CallStatement():
                yield from outputs_of(core, node.target.text)
            case Delegate():
                yield from replies(core, node.target.text, expected_of(node))
            case Reason():
                yield from (
                    (state.locals, name) for field in node.produce for name in _oracle(field.name.text)
                )
            case Judge():
                yield from (
                    (state.locals, name) for field in node.questions for name in _oracle(field.name.text)
                )
            case Ask():
                yield state.locals, "answer"
                yield state.locals, f"answer.{node.addressee.text}"
            case Escalate():
                yield state.locals, "answer"
            case _:
                pass


def _oracle(field: str) -> tuple[str, ...]:
    judged = f"judge.{field}"
    return (field, f"reason.{field}", judged, f"{judged}.value", f"{judged}.p", f"{judged}.confidence")
