"""The names in one member: which node says which, and what is around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile

from agentl_grammar.declared import word_of
from agentl_grammar.source import Span
from agentl_grammar.symbols.collecting import Reading, Telling, keys_named
from agentl_grammar.symbols.names import ANY, Kind, event_scope, message_scope
from agentl_grammar.symbols.paths import Meaning, Within
from agentl_grammar.tree import (
    Ask,
    Assign,
    BeliefEntry,
    Binary,
    CallStatement,
    Delegate,
    EffectEntry,
    EventHandler,
    ExpectTrace,
    Explains,
    ForEach,
    FunctionCall,
    GivenEvent,
    GivenMessage,
    Goal,
    Hypothesis,
    If,
    Memory,
    MemoryWrite,
    Message,
    MessageHandler,
    Name,
    Node,
    Observation,
    Path,
    Plan,
    PriorFrom,
    ProduceField,
    Question,
    Redaction,
    Rule,
    Scenario,
    SharedPath,
    StringLiteral,
    Tool,
    ToolOutcome,
    Trigger,
    children,
)

_PROBABILITIES = frozenset({"P", "PROBABILITY", "POSTERIOR"})
# Facts whose value is a name of the program.
_NAMING = {
    "action.tool": Kind.TOOL,
    "hypotheses.best": Kind.HYPOTHESIS,
    "message.from": Kind.AGENT,
    "event.source": Kind.EVENT,
    "message.name": Kind.MESSAGE,
    "llm.plan": Kind.PLAN,
}


def read(meaning: Meaning, member: Node) -> Reading:
    """Collect the names of one member."""
    reading = Reading(meaning, member, _TELLING)
    reading.below(member, Within())
    return reading


def _others(node: Node, *told: Node | None) -> list[Node]:
    """Return the parts of `node` that have not been told."""
    return [child for child in children(node) if not any(child is part for part in told)]


# ------------------------------------------------------------------------------------------- declarations


def _tool(reading: Reading, node: Tool, within: Within) -> None:
    name = node.name.text
    reading.add(Kind.TOOL, node.name, name, declares=True)
    for entry in node.inputs:
        reading.add(Kind.PARAMETER, entry.name, entry.name.text, declares=True, of=name)
        reading.each([entry.bind], within)
        if entry.attests:
            _attested(reading, entry.attests, name)
    for output in node.outputs:
        reading.add(Kind.OUTPUT, output.name, output.name.text, declares=True, of=name)
    for path in node.side_effects:
        reading.written(path, within)
    reading.each([node.requires], replace(within, elements=True))
    called = replace(within, tool=name)
    for effect in node.effects:
        _effect(reading, effect, called)
    for outcome in node.outcomes:
        _outcome(reading, outcome, called)


def _attested(reading: Reading, node: Name, tool: str) -> None:
    """A parameter of other tools that a call of this one proves."""
    owners = reading.meaning.known.owners(Kind.PARAMETER, node.text)
    others = [owner for owner in owners[:3] if owner != tool]
    reading.uses.append(reading.meaning.of_any(Kind.PARAMETER, (node,), others))


def _outcome(reading: Reading, node: ToolOutcome, within: Within) -> None:
    reading.add(Kind.OUTCOME, node.name, node.name.text, declares=True, of=within.tool or "")
    for effect in node.effects:
        _effect(reading, effect, within)


def _effect(reading: Reading, node: EffectEntry, within: Within) -> None:
    """A path that a tool is believed to change; only its value reads the arguments."""
    reading.written(node.path, replace(within, tool=None))
    reading.below(node.value, within)


def _rule(reading: Reading, node: Rule, within: Within) -> None:
    if node.target is None:
        reading.each([node.guard], replace(within, tool=ANY, elements=True))
        return
    target = reading.meaning.action(node.target)
    reading.uses.append(target)
    reading.each([node.guard], replace(within, tool=target.name, elements=True))


def _redaction(reading: Reading, node: Redaction, within: Within) -> None:
    reading.each(node.paths, replace(within, elements=True))


def _plan(reading: Reading, node: Plan, within: Within) -> None:
    reading.add(Kind.PLAN, node.name, node.name.text, declares=True)
    reading.each([node.when], within)
    for step in node.steps:
        if step.name.span != node.name.span:
            reading.add(Kind.STEP, step.name, step.name.text, declares=True, of=node.name.text)
        reading.below(step.body, within)


def _goal(reading: Reading, node: Goal, within: Within) -> None:
    if node.name:
        reading.add(Kind.GOAL, node.name, node.name.text, declares=True)
    else:
        reading.meant(reading.meaning.use(Kind.GOAL, "main", _word(node, "GOAL"), declares=True))
    reading.each(_others(node, node.name), within)


def _word(node: Node, word: str) -> Span:
    """Return the span of the word that `node` begins with."""
    return Span(node.span.start, node.span.start + len(word))


def _hypothesis(reading: Reading, node: Hypothesis, within: Within) -> None:
    reading.add(Kind.HYPOTHESIS, node.name, node.name.text, declares=True)
    reading.each(_others(node, node.name), within)


def _scenario(reading: Reading, node: Scenario, within: Within) -> None:
    reading.add(Kind.SCENARIO, node.name, node.name.text, declares=True)
    reading.each(_others(node, node.name), replace(within, elements=True))


def _belief(reading: Reading, node: BeliefEntry, within: Within) -> None:
    reading.add(Kind.BELIEF, node.path, node.path.text, declares=True)
    reading.paths.add(node.path.text)
    reading.below(node.value, within)


def _observation(reading: Reading, node: Observation, within: Within) -> None:
    reading.written(node.path, within)
    reading.each([node.when, node.on_unknown], within)


def _memory(reading: Reading, node: Memory, within: Within) -> None:
    kinds = ("SHORT_TERM", "LONG_TERM", "KNOWLEDGE", "SHARED")
    groups = (node.short_term, node.long_term, node.knowledge, node.shared)
    for kind, paths in zip(kinds, groups, strict=True):
        for path in paths:
            reading.uses.append(reading.meaning.bucket(kind, path.segments, path.span, declares=True))
    reading.each(node.writes, within)


def _write(reading: Reading, node: MemoryWrite, within: Within) -> None:
    if node.into:
        reading.uses.append(reading.meaning.bucket_path(node.into, declares=True))
    else:
        reading.uses.append(reading.meaning.bucket("LONG_TERM", (), _word(node, "WRITE"), declares=True))
    reading.each([node.when, node.store], within)


def _prior(reading: Reading, node: PriorFrom, within: Within) -> None:
    reading.uses.append(reading.meaning.bucket_path(node.bucket))
    reading.each([node.where], within)


def _explains(reading: Reading, node: Explains, within: Within) -> None:
    reading.written(node.path, within)
    reading.each([node.value], within)


# --------------------------------------------------------------------------------------------- reactions


def _event(reading: Reading, node: EventHandler, within: Within) -> None:
    source = node.source.text
    reading.add(Kind.EVENT, node.source, source, declares=True)
    _handled(reading, node, within, event_scope(reading.meaning.agent, source))


def _on_message(reading: Reading, node: MessageHandler, within: Within) -> None:
    reading.add(Kind.MESSAGE, node.name, node.name.text, declares=True)
    _handled(reading, node, within, message_scope(node.name.text))


def _handled(reading: Reading, node: EventHandler | MessageHandler, within: Within, payload: str) -> None:
    keys = keys_named(node, reading.meaning.known)
    reading.each([node.when, node.body], replace(within, payload=payload, keys=keys))


def _given_event(reading: Reading, node: GivenEvent, within: Within) -> None:
    reading.add(Kind.EVENT, node.source, node.source.text)
    _payload(reading, node.payload, event_scope(reading.meaning.agent, node.source.text), within)


def _given_message(reading: Reading, node: GivenMessage, within: Within) -> None:
    reading.add(Kind.MESSAGE, node.name, node.name.text)
    reading.add(Kind.AGENT, node.sender, node.sender.text)
    _payload(reading, node.payload, message_scope(node.name.text), within)


def _payload(reading: Reading, entries: Iterable[EffectEntry], scope: str, within: Within) -> None:
    for entry in entries:
        reading.scoped(Kind.PAYLOAD, entry.path, entry.path.text, scope, declares=True)
        reading.below(entry.value, within)


def _given(reading: Reading, node: EffectEntry, within: Within) -> None:
    """A value that a scenario begins with; what it says of a tool's outcome or of a plan is a name."""
    reading.below(node.path, within)
    words = node.path.text.split(".", maxsplit=2)
    if node.path.text in _NAMING and reading.told_names(node.value, _NAMING[node.path.text]):
        return
    if words[:2] == ["scenario", "outcome"] and reading.told_names(node.value, Kind.OUTCOME, of=words[-1]):
        return
    reading.below(node.value, within)


# -------------------------------------------------------------------------------------------- statements


def _call(reading: Reading, node: CallStatement | FunctionCall, within: Within) -> None:
    """A call; in an expression, where no tool can be called, it still names the tool."""
    target = reading.meaning.action(node.target if isinstance(node, CallStatement) else node.function)
    reading.uses.append(target)
    for argument in node.arguments:
        if argument.name and target.kind is Kind.TOOL:
            reading.add(Kind.PARAMETER, argument.name, argument.name.text, of=target.name)
        reading.below(argument.value, within)


def _foreach(reading: Reading, node: ForEach, within: Within) -> None:
    reading.loops += 1
    scope = f"{reading.meaning.agent}/{word_of(reading.member)}/loop {reading.loops}"
    reading.scoped(Kind.VARIABLE, node.variable, node.variable.text, scope, declares=True)
    reading.below(node.source, within)
    variables = {**within.variables, node.variable.text: scope}
    reading.below(node.body, replace(within, variables=variables))


def _delegate(reading: Reading, node: Delegate, within: Within) -> None:
    reading.uses.append(reading.meaning.actor(node.target))
    reading.each([node.inputs], within)
    for path in node.expects.paths if node.expects else ():
        reading.add(Kind.OUTPUT, path, path.text, declares=True, of=node.target.text)


def _message(reading: Reading, node: Message, within: Within) -> None:
    reading.add(Kind.MESSAGE, node.name, node.name.text)
    if node.to:
        reading.uses.append(reading.meaning.recipient(node.to))
    for entry in node.payload:
        scope = message_scope(node.name.text)
        reading.scoped(Kind.PAYLOAD, entry.key, entry.key.text, scope, declares=True)
        reading.below(entry.value, within)


def _ask(reading: Reading, node: Ask, within: Within) -> None:
    reading.add(Kind.ADDRESSEE, node.addressee, node.addressee.text, declares=True)
    reading.each([node.default], within)


def _field(reading: Reading, node: ProduceField | Question, within: Within) -> None:
    reading.add(Kind.FIELD, node.name, node.name.text, declares=True)
    reading.uses += reading.meaning.state_called(node.name)
    reading.each([node.default], within)


def _trace(reading: Reading, node: ExpectTrace, _: Within) -> None:
    if node.target is not None and node.kind == "EVENT":
        reading.add(Kind.EVENT, node.target, node.target.text)
    elif node.target is not None:
        reading.uses.append(reading.meaning.action(node.target))


def _assign(reading: Reading, node: Assign, within: Within) -> None:
    reading.written(node.target, within)
    reading.below(node.value, within)


# ------------------------------------------------------------------------------------------- expressions


def _path(reading: Reading, node: Path, within: Within) -> None:
    reading.uses += reading.read(node, within)


def _shared(reading: Reading, node: SharedPath, _: Within) -> None:
    key = node.segments[:1]
    reading.uses.append(reading.meaning.bucket("SHARED", key, key[0].span))


def _function(reading: Reading, node: FunctionCall, within: Within) -> None:
    values = [argument.value for argument in node.arguments]
    function = node.function.text
    if reading.meaning.known.has(Kind.TOOL, function):
        _call(reading, node, within)
        return
    if function in _PROBABILITIES and values and reading.told_names(values[0], Kind.HYPOTHESIS):
        values = values[1:]
    elif function == "ATTESTED" and len(values) > 1 and reading.told_names(values[1], Kind.TOOL):
        values = [values[0], *values[2:]]
    reading.each(values, within)


def _binary(reading: Reading, node: Binary, within: Within) -> None:
    """A comparison of a fact whose value is a name: the other side names it."""
    if node.operator.text not in ("==", "!=", "IN"):
        row = list(takewhile(lambda each: each.operator.text not in ("==", "!=", "IN"), node.row()))[::-1]
        reading.each([row[0].left, *(each.right for each in row)], within)
        return
    sides = [node.left, node.right]
    for side, other in (sides, sides[::-1]):
        kind = _NAMING.get(side.text) if isinstance(side, Path) else None
        inside = node.operator.text == "IN" and isinstance(other, StringLiteral)
        if kind and not inside and reading.told_names(other, kind):
            sides = [side]
            break
    reading.each(sides, within)


def _if(reading: Reading, node: If, within: Within) -> None:
    row = list(node.row())
    for each in row:
        reading.each([each.condition, each.then], within)
    reading.each([row[-1].otherwise], within)


_TELLING: dict[type[Node], Telling] = {
    Path: _path,
    SharedPath: _shared,
    FunctionCall: _function,
    Binary: _binary,
    If: _if,
    Tool: _tool,
    Rule: _rule,
    Redaction: _redaction,
    Plan: _plan,
    Goal: _goal,
    Hypothesis: _hypothesis,
    Scenario: _scenario,
    BeliefEntry: _belief,
    Observation: _observation,
    Memory: _memory,
    MemoryWrite: _write,
    PriorFrom: _prior,
    Explains: _explains,
    EventHandler: _event,
    MessageHandler: _on_message,
    GivenEvent: _given_event,
    GivenMessage: _given_message,
    EffectEntry: _given,
    ExpectTrace: _trace,
    CallStatement: _call,
    Trigger: lambda reading, node, _: reading.uses.append(reading.meaning.action(node.plan, Kind.PLAN)),
    Assign: _assign,
    ForEach: _foreach,
    Delegate: _delegate,
    Message: _message,
    Ask: _ask,
    ProduceField: _field,
    Question: _field,
}
