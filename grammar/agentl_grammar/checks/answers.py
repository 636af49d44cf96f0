"""Answers: whose a bare name is, and what is read before it was asked for (§5.5, §5.12, §5.13)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.naming import prefixes
from agentl_grammar.checks.order import is_in_one_loop
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, said, warning
from agentl_grammar.problems import message_id
from agentl_grammar.tree import (
    Ask,
    CallStatement,
    Escalate,
    EventHandler,
    MessageHandler,
    Node,
    Path,
    Plan,
    ProduceField,
    Question,
)

_ANSWER = "answer"
_BODIES = (Plan, EventHandler, MessageHandler)


@warning("W145", ProduceField, Question)
def field_called_answer(index: Index) -> Iterator[Found]:
    """W145: a model's field `answer` in an agent that asks a person: both are read as `answer`."""
    for part, field in (*index.own(ProduceField), *index.own(Question)):
        asked = index.ask(_asked) if field.name.text == _ANSWER else []
        if asked:
            yield Found(
                part.at(field.name),
                said(
                    message_id("the model's answer is read under the name of a person's: {name}"),
                    name=_ANSWER,
                ),
                said(message_id("give the field another name")),
                (see(*asked[0], said(message_id("a person is asked here"))),),
            )


def _asked(index: Index) -> list[tuple[Part, Node]]:
    return [*index.all(Ask), *index.all(Escalate)]


@warning("W146", *_BODIES)
def read_before_it_is_asked_for(index: Index) -> Iterator[Found]:
    """W146: an output of a tool is read before the only calls of it, which stand further down.

    In the first tick nobody has answered, later it is the answer of the call before. Silent where another
    member calls the tool, in loops around a call, in the WHEN of a plan, which is asked every tick, and where
    the program gives the path a value itself.
    """
    for kind in _BODIES:
        for part, body in index.own(kind):
            guarded = set(map(id, part.inside(body.when).all(Path))) if body.when else set[int]()
            for path in part.all(Path):
                tool = None if id(path) in guarded else _tool_of(index, path.text)
                calls = index.ask(_calls).get(tool, []) if tool else []
                if calls and all(home is part for home, _ in calls) and _is_before(part, path, calls):
                    yield _too_early(part, path, calls[0][1])


def _too_early(part: Part, path: Path, call: Node) -> Found:
    return Found(
        part.at(path),
        said(message_id("{path} is read before anybody is asked for it"), path=path.text),
        said(message_id("call the tool before, or read what is known already")),
        (see(part, call, said(message_id("it is called here"))),),
    )


def _is_before(part: Part, path: Path, calls: list[tuple[Part, Node]]) -> bool:
    return all(path.span.end <= call.span.end and not is_in_one_loop(part, path, call) for _, call in calls)


def _calls(index: Index) -> dict[str, list[tuple[Part, Node]]]:
    """Return where each tool is called."""
    found: dict[str, list[tuple[Part, Node]]] = {}
    for part, call in index.all(CallStatement):
        found.setdefault(call.target.text, []).append((part, call))
    return found


def _tool_of(index: Index, path: str) -> str | None:
    """Return the tool of which `path` reads an output; None where something else may give it a value."""
    read = path.removeprefix("result.")
    name = read.partition(".")[0]
    if name not in index.tools or name in index.delegates or index.is_observed(read):
        return None
    if any(
        above in known for above in prefixes(read) for known in (index.sets, index.beliefs, index.effects)
    ):
        return None
    return name if any("." in above and above in index.outputs for above in prefixes(read)) else None


RULES = (field_called_answer, read_before_it_is_asked_for)
