"""What a body may write, whether it runs or not (language.md §6.4), and what it asks for (§0 ⚠13)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentl.interpreter.aftermath import marks_of
from agentl.interpreter.completion import outputs_of
from agentl.interpreter.core import Core
from agentl.interpreter.delegating import replies
from agentl.interpreter.goals import goal_facts
from agentl.interpreter.memory import written_by
from agentl.interpreter.queueing import guard_queue, guard_run
from agentl.interpreter.sensing import decide_reading, named_by
from agentl.provenance import NOTHING, UNKNOWN, Label, is_untrusted, of, without_secrets
from agentl.spaces import Space
from agentl_grammar.checks.naming import expected_of
from agentl_grammar.tree import (
    Ask,
    Assign,
    Block,
    CallStatement,
    Decide,
    Delegate,
    Escalate,
    EventHandler,
    Expression,
    ForEach,
    If,
    Judge,
    Loop,
    MessageHandler,
    Node,
    Phase,
    Plan,
    Reason,
    Retry,
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

    It may write there, SET what has these names, read these sensors again, queue these plans, run all that
    wait, decide how its plan or handler goes on, and have it run again.
    """

    written: tuple[tuple[Space, str], ...]
    named: tuple[str, ...]
    read: tuple[str, ...]
    queued: tuple[str, ...]
    executes: bool
    passes_on: bool
    retries: bool


def join(core: Core, body: Node, label: Label) -> None:
    """Count `label`, which decides whether `body` runs, into the sources of all that `body` may write.

    A name that keeps its value was decided by it just as one that gets another.
    """
    may = _may(core, body)
    decided = without_secrets(label)
    for space, path in may.written:
        core.decide(space, path, decided)
    for path in may.named:
        core.decide(core.state.beliefs, path, decided)
        if path not in core.state.beliefs or path in may.read:
            core.decide(core.state.locals, path, decided)
    for path in may.read:
        decide_reading(core, path, decided | core.context())
    guard_queue(core, may.queued, decided)
    if may.executes:
        guard_run(core, core.state.queue, decided)


def join_branch(core: Core, statement: If | ForEach, label: Label) -> None:
    """Count `label` as `join` does, and into the rest of this plan or handler, if that may end in there."""
    may = _may(core, statement)
    join(core, statement, label)
    if may.passes_on:
        core.pass_on(label)
        join_rest(core, statement, label, again=may.retries)


def join_rest(core: Core, statement: Node, label: Label, *, again: bool) -> None:
    """Count `label`, which decides whether the plan or handler ends at `statement`, into the rest of it.

    Into all of it, if it may be run `again` then.
    """
    if core.running is None or not is_untrusted(label):
        return
    if again:
        join_guard(core, core.running, label)
    else:
        place = id(core.running), id(statement)
        if place not in core.rests:
            core.rests[place] = _rest(core.running, statement)
        join_guard(core, core.rests[place], label)


def _rest(running: Node, statement: Node) -> Node:
    """Return what of a plan or handler may still run behind `statement`: all, if it stands elsewhere."""
    blocks = [step.body for step in running.steps] if isinstance(running, Plan) else [running]
    rows = [part for block in blocks for part in (block.statements if isinstance(block, Block) else ())]
    for number, part in enumerate(rows):
        if any(node is statement for node in walk(part)):
            return Block(part.span, tuple(rows[number:]))
    return running


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


def assigned(core: Core, body: Node) -> tuple[str, ...]:
    """Return the names that `body` may SET."""
    return _may(core, body).named


def _may(core: Core, body: Node) -> May:
    if id(body) not in core.may:
        core.may[id(body)] = _what_may(core, body)
    return core.may[id(body)]


def _what_may(core: Core, body: Node) -> May:
    parts = _with_what_runs(core, body)
    nodes = [node for part in parts for node in walk(part)]
    conditions = [condition for node in nodes for condition in _read_again(core, node)]
    again = [path for condition in conditions for path in named_by(core, condition)]
    verified = [node for node in walk(body) if isinstance(node, Verify)]
    return May(
        tuple(place for part in parts for place in _written(core, part)),
        tuple(node.target.text for node in nodes if isinstance(node, Assign)),
        (*again, *(core.observed if any(_is_phase(node, "OBSERVE") for node in nodes) else ())),
        tuple(dict.fromkeys(plan for node in nodes for plan in _may_queue(core, node))),
        executes=any(_is_phase(node, "EXECUTE", "ACT") for node in nodes),
        passes_on=any(_passes_on(node) for node in walk(body)),
        retries=any(retries_of(core.failure_handler(node)) for node in verified),
    )


def retries_of(handler: Block | None) -> int:
    """Return the number in the first top-level RETRY of a handler; 0 without one."""
    for statement in () if handler is None else handler.statements:
        if isinstance(statement, Retry):
            return 1 if statement.count is None else int(statement.count.value)
    return 0


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


def _may_queue(core: Core, node: Node) -> Iterator[str]:
    if isinstance(node, Trigger) and node.plan.text in core.plans:
        yield node.plan.text
    elif _is_phase(node, "SELECT_PLAN", "DECIDE"):
        block = core.last(Decide)
        chosen = block is not None and block.reason is not None
        yield from (name for name, plan in core.plans.items() if chosen or plan.when is not None)


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
