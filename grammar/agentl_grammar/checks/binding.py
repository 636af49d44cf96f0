"""Names that nothing from outside is bound to: they mean something else, or are read too early (§3.8, I4)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.checks.guards import ORDERS, comparisons
from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.meanings import constant_places, is_fact, is_word
from agentl_grammar.checks.naming import parameters_of
from agentl_grammar.checks.near_paths import known_paths
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, said, warning
from agentl_grammar.problems import Message, Related, message_id
from agentl_grammar.tree import (
    Binary,
    Delegate,
    EventHandler,
    Expression,
    ForEach,
    GivenEvent,
    GivenMessage,
    ListExpression,
    MessageHandler,
    Name,
    Node,
    Path,
    Plan,
    ProduceField,
    Question,
    Rule,
    Tool,
    Trigger,
    Unary,
)

_OF = (Plan, EventHandler, MessageHandler, Tool, Delegate, ProduceField, Question, ForEach)


@warning("W143", *_OF)
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
    for kind in (EventHandler, MessageHandler, Plan):
        for part, _ in index.own(kind):
            refused = index.ask(_refused).get(_place(part))
            if refused:
                yield from _read_alone(index, part, refused)


_Place = tuple[type[Node], str]
"""A handler or a plan: its kind and its name."""


def _place(part: Part) -> _Place:
    node = part.node
    if isinstance(node, EventHandler):
        return EventHandler, node.source.text
    return type(node), node.name.text if isinstance(node, MessageHandler | Plan) else ""


def _refused(index: Index) -> dict[_Place, frozenset[str]]:
    """Return the keys that arrive at handlers, and at plans that they start, and are not bound there."""
    keys: dict[_Place, set[str]] = {(MessageHandler, name): set() for name, _ in index.received}
    for name, key in index.received:
        keys[MessageHandler, name].add(key)
    for part, _ in index.scenarios:
        for given in (*part.all(GivenEvent), *part.all(GivenMessage)):
            is_event = isinstance(given, GivenEvent)
            place = (EventHandler, given.source.text) if is_event else (MessageHandler, given.name.text)
            keys.setdefault(place, set()).update(entry.path.text for entry in given.payload)
    found: dict[_Place, frozenset[str]] = {}
    homes = index.homes(EventHandler, MessageHandler) if keys else []
    for home in homes:
        refused = frozenset(key for key in keys.get(_place(home), ()) if index.takes_no_payload(key))
        for part in _with_started(index, home) if refused else ():
            found[_place(part)] = found.get(_place(part), frozenset()) | refused
    return found


def _with_started(index: Index, handler: Part) -> list[Part]:
    """Return a handler with the plans that it starts, and those that these start."""
    found = [handler]
    for part in found:
        for trigger in part.all(Trigger):
            known = index.plans.get(trigger.plan.text)
            if known and known[0] not in found:
                found.append(known[0])
    return found


def _read_alone(index: Index, part: Part, refused: frozenset[str]) -> Iterator[Found]:
    for text, path in part.facts.reads:
        if text in refused and not (is_word(text) and id(path) in part.keep_of_all(constant_places)):
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
    for part, tool in index.own(Tool):
        for field in tool.outputs:
            yield from _answer(index, part, tool.name.text, field.name, field.name.text)
    for part, node in index.own(Delegate):
        for path in node.expects.paths if node.expects else ():
            yield from _answer(index, part, node.target.text, path, path.text)


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
    for part, field in (*index.own(ProduceField), *index.own(Question)):
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
    for part, loop in index.own(ForEach):
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
    for home in index.ask(_parts):
        constants = home.keep_of_all(constant_places)
        for text, path in home.facts.reads:
            is_meaning = text.startswith(f"{word}.") or (
                text == word and (id(path) in constants or home.all(Rule))
            )
            if is_meaning and (home is not part or path is not node):
                return (see(home, path, said(message_id("it means something here"))),)
    return ()


def _parts(index: Index) -> list[Part]:
    return index.parts


@warning("W164", Tool)
def argument_in_requires(index: Index) -> Iterator[Found]:
    """W164: REQUIRES reads a parameter of its own tool, which nothing else gives a value.

    It is judged before there are arguments. Silent where the word may be a constant: right of `==`, `!=` and
    IN, in a list, and a word like HIGH or yes.
    """
    for part, tool in index.own(Tool):
        if tool.requires is None:
            continue
        known = index.ask(known_paths), index.words
        names = (name for name in parameters_of(tool) if not is_word(name))
        unseen = {name for name in names if not any(name in paths for paths in known)}
        for term in _joined_by_and(tool.requires) if unseen else ():
            constants = _constants(part, term)
            for text, path in part.inside(term).reads:
                if text in unseen and id(path) not in constants:
                    unseen.remove(text)
                    yield Found(
                        part.at(path),
                        said(_UNSEEN, name=text),
                        said(_SEEN, tool=tool.name.text, condition=_turned(index, part, term)),
                    )


_UNSEEN = message_id("REQUIRES does not see the arguments of the call: {name} is only a word here")
_SEEN = message_id("a rule of POLICY sees them: NEVER {tool} WHEN {condition}")
_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


def _joined_by_and(condition: Expression) -> list[Expression]:
    terms: list[Expression] = []
    while isinstance(condition, Binary) and condition.operator.text == "AND":
        terms.append(condition.right)
        condition = condition.left
    return [condition, *reversed(terms)]


def _constants(part: Part, condition: Expression) -> set[int]:
    """Return by identity what stands right of `==`, `!=` and IN, and in lists."""
    lists = part.inside(condition).all(ListExpression)
    sides = [each.right for each in comparisons(part, condition) if each.operator.text not in ORDERS]
    return {id(each) for each in (*sides, *(item for found in lists for item in found.items))}


def _turned(index: Index, part: Part, condition: Expression) -> str:
    """Return the text of the condition that is true where this one is not."""
    if isinstance(condition, Unary) and condition.operator.text == "NOT":
        return index.text_of(part, condition.operand.span)
    if isinstance(condition, Binary) and condition.operator.text in _OPPOSITE:
        left, right = (index.text_of(part, side.span) for side in (condition.left, condition.right))
        return f"{left} {_OPPOSITE[condition.operator.text]} {right}"
    return f"NOT ({index.text_of(part, condition.span)})"


RULES = (name_that_is_never_bound, argument_in_requires)
