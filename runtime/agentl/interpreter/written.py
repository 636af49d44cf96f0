"""What a body may write, whether it runs or not (language.md §6.4), and what it asks for (§0 ⚠13)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl.interpreter.completion import outputs_of
from agentl.interpreter.core import Core
from agentl.interpreter.delegating import reply_of
from agentl.provenance import Label, without_secrets
from agentl.spaces import Space
from agentl_grammar.checks.naming import expected_of
from agentl_grammar.tree import (
    Ask,
    Assign,
    CallStatement,
    Delegate,
    Escalate,
    Judge,
    Node,
    Reason,
    Verify,
    walk,
)


def join(core: Core, body: Node, label: Label) -> None:
    """Count `label`, which decides whether `body` runs, into the sources of all that `body` may write.

    A name that keeps its value was decided by it just as one that gets another; so was the rest of this plan
    or handler, if a VERIFY in `body` may end it.
    """
    if id(body) not in core.may:
        core.may[id(body)] = tuple(_written(core, body)), _ends(body)
    written, ends = core.may[id(body)]
    decided = without_secrets(label)
    for space, path in written:
        space.join(path, decided)
    if ends:
        core.pass_on(label)


def _ends(body: Node) -> bool:
    return any(isinstance(node, Verify) for node in walk(body))


def _written(core: Core, body: Node) -> Iterator[tuple[Space, str]]:
    state = core.state
    for space, path in answers_in(core, body):
        if not core.names.is_observed(path):
            yield space, path
    for node in walk(body):
        if isinstance(node, Assign):
            yield state.locals, node.target.text
            yield state.beliefs, node.target.text
        elif isinstance(node, CallStatement) and node.target.text in core.tools:
            for effect in core.tools[node.target.text].effects:
                yield state.beliefs, effect.path.text


def answers_in(core: Core, body: Node) -> Iterator[tuple[Space, str]]:
    """Yield where tools, sub-agents, models and people write that `body` asks."""
    state = core.state
    for node in walk(body):
        match node:
            case CallStatement():
                yield from outputs_of(core, node.target.text)
            case Delegate():
                for key in expected_of(node):
                    yield from reply_of(core, node.target.text, key)
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
