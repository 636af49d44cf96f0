"""Names that nothing from outside is bound to, because they mean something in the program (§3.8, I4)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.meanings import constant_places, is_fact, is_word
from agentl_grammar.checks.naming import expected_of
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, said, warning
from agentl_grammar.problems import Message, Related, message_id
from agentl_grammar.tree import (
    Delegate,
    EventHandler,
    ForEach,
    GivenEvent,
    GivenMessage,
    Member,
    MessageHandler,
    Name,
    Node,
    Path,
    ProduceField,
    Question,
    Rule,
    Tool,
    Trigger,
)


@warning("W143")
def name_that_is_never_bound(index: Index) -> Iterator[Found]:
    """W143: a name that outside data is read under here, and that the runtime does not bind to it.

    It means something else in the program: a sensor, a fact, a constant, the beginning of a dotted path, a
    word of a guard. Told of payload keys that a handler, or a plan that it starts, reads alone (keys are
    known from MESSAGEs and scenarios), of outputs and fields that are read alone, and of elements of FOREACH.
    Silent where the program gives the name a value itself; guards on such words are W128's.
    """
    yield from _payload_keys(index)
    yield from _answers(index)
    yield from _fields(index)
    yield from _elements(index)


def _payload_keys(index: Index) -> Iterator[Found]:
    keys: dict[tuple[type[Node], str], set[str]] = {}
    for part, _ in index.scenarios:
        for given in part.all(GivenEvent):
            found = keys.setdefault((EventHandler, given.source.text), set())
            found.update(entry.path.text for entry in given.payload)
        for given in part.all(GivenMessage):
            found = keys.setdefault((MessageHandler, given.name.text), set())
            found.update(entry.path.text for entry in given.payload)
    for name, key in index.received:
        keys.setdefault((MessageHandler, name), set()).add(key)
    for (kind, name), known in keys.items():
        refused = {key for key in known if index.takes_no_payload(key)}
        homes = [part for part in index.homes(kind) if refused and _name(part.node) == name]
        for part in _with_started(index, homes):
            yield from _read_alone(index, part, refused)


def _name(node: Member) -> str:
    return node.source.text if isinstance(node, EventHandler) else getattr(node, "name").text  # noqa: B009


def _with_started(index: Index, homes: list[Part]) -> list[Part]:
    """Return handlers with the plans that they start, and those that these start."""
    found = list(homes)
    for part in found:
        for trigger in part.all(Trigger):
            known = index.plans.get(trigger.plan.text)
            if known and known[0] not in found:
                found.append(known[0])
    return found


def _read_alone(index: Index, part: Part, refused: set[str]) -> Iterator[Found]:
    for text, path in part.facts.reads:
        if text in refused and not (is_word(text) and id(path) in part.keep(constant_places, part.node)):
            yield Found(
                part.at(path),
                said(
                    message_id("{name} is not what came in: the program gives that word another meaning"),
                    name=text,
                ),
                said(message_id("write payload.{name}"), name=text),
                _why(index, part, path),
            )


def _answers(index: Index) -> Iterator[Found]:
    for part in index.homes(Tool):
        for tool in part.all(Tool):
            for field in tool.outputs:
                yield from _answer(index, part, tool.name.text, field.name, field.name.text)
    for part, node in index.all(Delegate):
        for key, path in zip(expected_of(node), node.expects.paths if node.expects else (), strict=True):
            yield from _answer(index, part, node.target.text, path, key)


def _answer(index: Index, part: Part, producer: str, node: Node, key: str) -> Iterator[Found]:
    full = f"{producer}.{key}"
    if index.meanings.is_observed(full):
        message = said(message_id("{path} is observed, so no answer is read there"), path=full)
        yield Found(part.at(node), message, _instead(f"result.{full}"), _observed(index, full))
    elif index.takes_no_answer(key) and (
        index.is_read_alone(key) or (key in index.observed and not _is_read(index, full, f"result.{full}"))
    ):
        yield _unbound(index, part, node, key, _instead(full))


def _fields(index: Index) -> Iterator[Found]:
    for part in index.homes(ProduceField, Question):
        for field in (*part.all(ProduceField), *part.all(Question)):
            key = field.name.text
            home = "judge" if isinstance(field, Question) else "reason"
            full = f"{home}.{key}"
            if home == "reason" and is_fact(full):
                message = said(message_id("{path} is a fact of the runtime, and no answer"), path=full)
                yield Found(part.at(field.name), message, said(message_id("give the field another name")))
            elif key in index.observed:
                if not _is_read(index, full, f"reason.{key}"):
                    yield _unbound(index, part, field.name, key, _instead(full))
            elif (is_word(key) or index.meanings.is_observed(key)) and index.is_read_alone(key):
                yield _unbound(index, part, field.name, key, _instead(full))


def _elements(index: Index) -> Iterator[Found]:
    for part, loop in index.all(ForEach):
        name = loop.variable.text
        read = dict.fromkeys(
            text for text in part.reads(loop.body) if text == name or text.startswith(f"{name}.")
        )
        for text in read:
            if index.meanings.keeps(text, is_dict=False):
                yield Found(
                    part.at(loop.variable),
                    said(
                        message_id("{path} is read in this loop, and is never that of the element"), path=text
                    ),
                    said(message_id("give the variable another name")),
                    _observed(index, text),
                )


def _unbound(index: Index, part: Part, node: Node, key: str, hint: Message) -> Found:
    message = said(
        message_id("{name} alone is never this answer: the program gives that word another meaning"), name=key
    )
    return Found(part.at(node), message, hint, _why(index, part, node))


def _instead(path: str) -> Message:
    return said(message_id("read it as {path}"), path=path)


def _is_read(index: Index, *paths: str) -> bool:
    return any(index.is_read(path) for path in paths)


def _observed(index: Index, path: str) -> tuple[Related, ...]:
    for text, (home, node) in index.observed.items():
        if text == path or text.startswith(f"{path}.") or path.startswith(f"{text}."):
            return (see(home, node, said(message_id("observed here"))),)
    return ()


def _why(index: Index, part: Part, node: Name | Node) -> tuple[Related, ...]:
    """Return where the word means something else."""
    word = node.text if isinstance(node, Name | Path) else ""
    told = _observed(index, word)
    if told:
        return told
    for home in index.parts:
        constants = home.keep(constant_places, home.node)
        for text, path in home.facts.reads:
            is_meaning = text.startswith(f"{word}.") or (
                text == word and (id(path) in constants or home.all(Rule))
            )
            if is_meaning and (home is not part or path is not node):
                return (see(home, path, said(message_id("it means something here"))),)
    return ()


RULES = (name_that_is_never_bound,)
