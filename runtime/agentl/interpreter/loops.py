"""FOREACH: a body for every element, each in a room of its own (language.md §5.10, §0 ⚠13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import cast

from agentl.expressions import EvaluationError
from agentl.interpreter.core import Core, Steps
from agentl.interpreter.written import answers_in, assigned, join_branch
from agentl.provenance import NOTHING, Label, is_untrusted, secrets, without_secrets
from agentl.spaces import Space
from agentl.values import Datetime, Symbol, Value
from agentl_grammar.printer import print_node
from agentl_grammar.tree import ForEach, Path

FOREACH_ITEMS = 200
_SHOWN_COLLECTIONS = 10


def foreach(core: Core, statement: ForEach) -> Steps[None]:
    """Run the body for each element of a list, or for each value of a dict."""
    items = _items(core, statement)
    name = statement.variable.text
    projections = [_free(core, _project(name, index, item)) for index, item in enumerate(items)]
    hidden = {key for projection in projections for key in projection}
    # Where the elements come from is settled now: the body may give the source another value.
    decided = core.label_of(statement.source)
    join_branch(core, statement, decided)
    labels = {key: _label(core, statement, key) for key in hidden}
    shadowed, absent = _take(core.state.locals, hidden), dict(core.state.locals.absent)
    room = _room(core, statement)
    try:
        for projection in projections:
            _clear(core, room)
            with core.under(decided):
                yield from _iterate(core, statement, projection, labels)
    finally:
        _clear(core, room)
        for key, (value, source) in shadowed.items():
            core.state.locals.put(key, value, source)
        for key in hidden - shadowed.keys():
            core.state.locals.forget(key, absent.get(key, NOTHING))


def _iterate(
    core: Core, statement: ForEach, projection: Mapping[str, Value], labels: Mapping[str, Label]
) -> Steps[None]:
    for key, value in projection.items():
        core.put_local(key, value, labels[key])
    try:
        yield from core.run_block(statement.body)
    finally:
        _take(core.state.locals, projection)


def _free(core: Core, projection: dict[str, Value]) -> dict[str, Value]:
    """Return the locals of an element without those whose names mean something else, which is traced."""
    taken = [
        key for key, value in projection.items() if core.names.holds(key, value) or core.whose.is_answer(key)
    ]
    for key in taken:
        core.trace.emit("name.taken", path=key)
    return {key: value for key, value in projection.items() if key not in taken}


def _label(core: Core, statement: ForEach, key: str) -> Label:
    """Return the label of a part of an element.

    A path tells which parts of its elements are secret; anything else, that something in it is.
    """
    source = statement.source
    if not isinstance(source, Path):
        return core.label_of(source)
    part = key.removeprefix(statement.variable.text)
    return core.state.stored_label(source.text) | secrets(core.protected, f"{source.text}{part}")


def _take(space: Space, keys: Mapping[str, Value] | set[str]) -> dict[str, tuple[Value, Label]]:
    """Take these keys out of a space, and return what they held."""
    held = {key: (space[key], space.label(key)) for key in sorted(keys) if key in space}
    for key in held:
        del space[key]
    return held


# ------------------------------------------------------------------------------------------------ elements


def _items(core: Core, statement: ForEach) -> Sequence[Value]:
    """Return the elements, as many as MAX allows; none when there is no list, which is traced."""
    try:
        source = core.value(statement.source)
    except EvaluationError as error:
        _refuse(core, statement, f"cannot be told ({error})")
        return ()
    if isinstance(source, dict):
        source = list(cast("dict[str, Value]", source).values())
    if not isinstance(source, list | tuple):
        _refuse(core, statement, "is no list")
        return ()
    items = cast("Sequence[Value]", source)
    maximum = FOREACH_ITEMS if statement.maximum is None else int(statement.maximum.value)
    maximum = maximum if maximum > 0 else FOREACH_ITEMS
    if len(items) > maximum:
        variable = statement.variable.text
        core.trace.emit("foreach.truncated", variable=variable, maximum=maximum, count=len(items))
    return items[:maximum]


def _refuse(core: Core, statement: ForEach, reason: str) -> None:
    core.trace.emit(
        "foreach.failed",
        variable=statement.variable.text,
        source=print_node(statement.source),
        reason=reason,
        collections=_collections(core)[:_SHOWN_COLLECTIONS],
    )


def _collections(core: Core) -> list[str]:
    """Return the paths under which a FOREACH would find something, in alphabetical order."""
    state = core.state
    spaces = (state.locals, state.world, state.short_term, state.long_term, state.knowledge, state.untrusted)
    found = {key for space in spaces for key, value in space.items() if isinstance(value, list | dict)}
    found |= {path for path, belief in state.beliefs.items() if isinstance(belief.value, list | dict)}
    found |= {f"SHARED.{key}" for key in state.shared}
    return sorted(found)


def _project(name: str, index: int, item: Value) -> dict[str, Value]:
    """Return the locals of one element."""
    projected: dict[str, Value] = {f"{name}.index": index}
    if isinstance(item, dict):
        for field, value in cast("dict[object, Value]", item).items():
            projected |= _project_field(f"{name}.{field}", value)
    else:
        projected[name] = _symbolic(item)
    return projected


def _project_field(path: str, value: Value) -> dict[str, Value]:
    if isinstance(value, list):
        return {f"{path}.count": len(cast("list[Value]", value))}
    if isinstance(value, dict):
        fields = cast("dict[object, Value]", value).items()
        return {
            f"{path}.{field}": _symbolic(item) for field, item in fields if not isinstance(item, dict | list)
        }
    return {path: _symbolic(value)}


def _symbolic(value: Value) -> Value:
    return Symbol(value) if isinstance(value, str) and not isinstance(value, Datetime) else value


# --------------------------------------------------------------------------------------- what a body binds


@dataclass(frozen=True, slots=True)
class _Room:
    """What an element finds: the locals `known` before the loop, and no answer to what the body asks.

    `decided` says of names that the body may SET what untrusted sources decided whether they are known.
    """

    answers: Sequence[tuple[Space, str]]
    known: AbstractSet[str]
    decided: Mapping[str, Label]


def _room(core: Core, statement: ForEach) -> _Room:
    space = core.state.locals
    known = {name: space.labels().get(name) or space.absent.get(name) for name in assigned(core, statement)}
    decided = {name: without_secrets(label) for name, label in known.items() if label and is_untrusted(label)}
    return _Room(list(answers_in(core, statement.body)), frozenset(space), decided)


def _clear(core: Core, room: _Room) -> None:
    """Take away the answers to what the body asks, and the locals that are not known from before the loop.

    So nothing of one element, and nothing from before or of an earlier tick, can be taken for another's. A
    name that was set before the loop keeps what the body wrote: a sum, a flag.
    """
    for space, key in room.answers:
        core.forget(space, key)
    for key in [key for key in core.state.locals if key not in room.known]:
        core.forget(core.state.locals, key)
    for key, label in room.decided.items():
        core.decide(core.state.locals, key, label)
