"""What a body may write, whether it runs or not (language.md §6.4), and what it asks for (§0 ⚠13)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentl.interpreter.aftermath import decide, marks_of
from agentl.interpreter.completion import outputs_of
from agentl.interpreter.core import Core
from agentl.interpreter.delegating import replies
from agentl.interpreter.goals import goal_facts
from agentl.interpreter.memory import written_by
from agentl.interpreter.sensing import decide_reading, named_by
from agentl.provenance import NOTHING, UNKNOWN, Label, is_untrusted, of, without_secrets
from agentl.spaces import Space
from agentl_grammar.checks.naming import expected_of
from agentl_grammar.tree import (
    Ask,
    Assign,
    CallStatement,
    Decide,
    Delegate,
    Escalate,
    EventHandler,
    Expression,
    Judge,
    Loop,
    MessageHandler,
    Node,
    Phase,
    Reason,
    Rollback,
    Trigger,
    Verify,
    walk,
)

_NOBODY = of(UNKNOWN)
_LAST_ACTION = ("last_action.blocked", "last_action.in_doubt")


@dataclass(frozen=True, slots=True)
class May:
    """What a body may do.

    It may write there, SET what has these names, read these sensors again, and decide how its plan or handler
    goes on.
    """

    written: tuple[tuple[Space, str], ...]
    named: tuple[str, ...]
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
    for path in may.named if is_untrusted(decided) else ():
        core.state.join(path, decided)
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
    parts = _with_what_runs(core, body)
    nodes = [node for part in parts for node in walk(part)]
    conditions = [condition for node in nodes for condition in _read_again(core, node)]
    again = [path for condition in conditions for path in named_by(core, condition)]
    return May(
        tuple(place for part in parts for place in _written(core, part)),
        tuple(node.target.text for node in nodes if isinstance(node, Assign)),
        (*again, *(core.observed if any(_is_phase(node, "OBSERVE") for node in nodes) else ())),
        passes_on=any(_passes_on(node) for node in walk(body)),
    )


def _passes_on(node: Node) -> bool:
    """Tell whether the sources of a condition stay in force behind `node`, where it runs."""
    return isinstance(node, Verify) or (isinstance(node, Loop) and node.until is not None)


def _with_what_runs(core: Core, body: Node) -> list[Node]:
    """Return `body` and every plan and handler that it may make run, or that one of those may."""
    parts, seen = [body], {id(body)}
    for part in parts:
        for node in walk(part):
            new = [runs for runs in _made_to_run(core, node) if id(runs) not in seen]
            seen |= {id(runs) for runs in new}
            parts += new
    return parts


def _made_to_run(core: Core, node: Node) -> Iterator[Node]:
    match node:
        case Trigger() if node.plan.text in core.plans:
            yield core.plans[node.plan.text]
        case Verify():
            handler = core.failure_handler(node)
            if handler is not None:
                yield handler
        case Phase() if _is_phase(node, "SELECT_PLAN", "DECIDE", "EXECUTE", "ACT"):
            yield from core.plans.values()
            yield from core.of(EventHandler)
            yield from core.of(Decide)
        case Phase() if _is_phase(node, "RECEIVE"):
            yield from core.of(MessageHandler)
        case _:
            pass


def _is_phase(node: Node, *words: str) -> bool:
    return isinstance(node, Phase) and node.word.text in words


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
                yield from ((state.locals, path) for path in _LAST_ACTION)
            case Reason() | Judge():
                yield from ((state.locals, f"reason.{fact}") for fact in ("degraded", "missing"))
            case Rollback():
                yield from ((state.locals, path) for path in _LAST_ACTION)
            case Verify():
                yield state.locals, "still_failed"
            case Phase():
                yield from _written_by_phase(core, node)
            case _:
                pass


def _written_by_phase(core: Core, phase: Phase) -> Iterator[tuple[Space, str]]:
    state = core.state
    if _is_phase(phase, "UPDATE_BELIEFS"):
        yield from ((state.beliefs, path) for path in core.observed)
    elif _is_phase(phase, "UPDATE_MEMORY"):
        yield from written_by(core)
    elif _is_phase(phase, "EVALUATE_GOALS", "VERIFY"):
        yield from ((state.world, path) for path in goal_facts(core))


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
