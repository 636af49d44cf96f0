"""Calls, triggers and functions: what a name in front of a parenthesis, or alone, stands for (§2.4, §3.7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agentl_grammar.checks.foreign_words import (
    foreign_call,
    foreign_function,
    foreign_trigger,
    is_behind_foreign,
    stuck,
)
from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.meant_values import unit_apart
from agentl_grammar.checks.naming import parameters_of
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, did_you_mean, error, nearest, renaming, said, writing
from agentl_grammar.lexicon import FUNCTIONS, PHASES
from agentl_grammar.problems import Fix, Message, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.near import is_slip
from agentl_grammar.tree import Argument, CallStatement, FunctionCall, Path, SharedPath, Tool, Trigger
from agentl_grammar.tree import Rule as PolicyRule

_OF_PATHS = frozenset({"CONFIDENCE", "UNCERTAINTY", "P", "PROBABILITY", "POSTERIOR"})
_COUNTS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ALONE = ("RETRY", "ROLLBACK", "ESCALATE", *sorted(PHASES))
_NO_NAME_BEHIND = {
    "ROLLBACK": message_id("write ROLLBACK alone: it undoes what the running plan has done"),
    "ESCALATE": message_id('write ESCALATE alone to hand over, or ASK {name} "…" to ask one person'),
}
_PROVENANCE = frozenset({"ORIGIN", "UNTRUSTED", "TRUSTED", "LLM_DERIVED", "ATTESTED"})


@error("E001", CallStatement)
def undeclared_tool(index: Index) -> Iterator[Found]:
    """E001: a call of a tool that the agent does not declare."""
    for part, call in index.own(CallStatement):
        name = call.target.text
        if name in index.tools:
            continue
        span = part.at(call.target)
        if name in index.plans:
            yield Found(
                span,
                said(message_id("{name} is a plan, not a tool"), name=name),
                said(message_id("to start a plan, write its name alone: {name}"), name=name),
                fixes=_without_parentheses(part, call),
            )
            continue
        if is_behind_foreign(index, part, call):
            continue
        near = nearest(name, index.tools)
        declaring = foreign_call(name) or said(message_id("declare it: TOOL {name} {{ … }}"), name=name)
        yield Found(
            span,
            said(message_id("no tool {name} is declared"), name=name),
            did_you_mean(near, declaring),
            fixes=renaming(span, name, near),
        )


def _without_parentheses(part: Part, call: CallStatement) -> tuple[Fix, ...]:
    if call.arguments:
        return ()
    return (
        Fix(
            said(message_id("Start the plan {name}"), name=call.target.text),
            ((part.at(call), call.target.text),),
        ),
    )


@error("E002", Trigger)
def unknown_plan(index: Index) -> Iterator[Found]:
    """E002: a name alone starts a plan, and there is none of that name."""
    for part, trigger in index.own(Trigger):
        name, span = trigger.plan.text, part.at(trigger.plan)
        if name in index.plans:
            continue
        before = _word_before(index, part, trigger)
        if before:
            yield _no_number(span, name) if before == "RETRY" else _names_nothing(span, before, name)
            continue
        tool = index.tools.get(name)
        if tool:
            fixes = () if tool[1].inputs else writing(span, f"{name}()")
            yield Found(
                span,
                said(message_id("{name} is a tool, not a plan"), name=name),
                said(message_id("to call a tool, write {name}(…)"), name=name),
                fixes=fixes,
            )
            continue
        if is_behind_foreign(index, part, trigger):
            continue
        unit = unit_apart(index, part, trigger)
        foreign = unit or (None if nearest(name, index.plans) else foreign_trigger(index, part, trigger))
        if foreign:
            yield foreign
            continue
        plan = nearest(name, index.plans)
        near = plan or _statement_like(name)
        yield Found(
            span,
            said(message_id("there is no plan {name}"), name=name),
            did_you_mean(near, said(message_id("declare it: PLAN {name} {{ … }}"), name=name)),
            fixes=renaming(span, name, near, opens=plan is None),
        )


def _word_before(index: Index, part: Part, trigger: Trigger) -> str:
    """Return RETRY, ROLLBACK or ESCALATE where it stands before a name on its line, or nothing."""
    line = index.text_of(part, Span(part.node.span.start, trigger.span.start)).rpartition("\n")[2].rstrip()
    return next((word for word in ("RETRY", *_NO_NAME_BEHIND) if line.endswith(word)), "")


def _names_nothing(span: Span, word: str, name: str) -> Found:
    return Found(
        span,
        said(message_id("{word} names nothing, found {name} behind it"), word=word, name=name),
        said(_NO_NAME_BEHIND[word], name=name),
    )


def _no_number(span: Span, name: str) -> Found:
    digits = next((str(count) for count, word in enumerate(_COUNTS, start=1) if word == name.lower()), None)
    return Found(
        span,
        said(message_id("{name} behind RETRY starts a plan, and there is none of that name"), name=name),
        said(message_id("write how often in digits: RETRY {count}"), count=digits or 3),
        fixes=writing(span, digits) if digits else (),
    )


def _statement_like(name: str) -> str | None:
    """Return the statement of one word that `name` is but for its case, or a slip for it in capitals."""
    capitals = name.upper()
    return next(
        (word for word in _ALONE if capitals == word or (name == capitals and is_slip(name, word))), None
    )


@error("E009", FunctionCall)
def tool_in_expression(index: Index) -> Iterator[Found]:
    """E009: a tool is called inside an expression, where only functions can be."""
    for part, call in index.own(FunctionCall):
        if call.function.text in index.tools:
            name = call.function.text
            yield Found(
                part.at(call),
                said(message_id("the tool {name} is called inside an expression"), name=name),
                said(message_id("call it as a statement, then read {name}.field of its OUTPUT"), name=name),
            )


@error("E015", FunctionCall)
def unknown_function(index: Index) -> Iterator[Found]:
    """E015: a function that the language does not have."""
    for part, call in index.own(FunctionCall):
        name, span = call.function.text, part.at(call.function)
        if name not in FUNCTIONS and name not in index.tools:
            near = _function_like(name)
            known = said(message_id("the functions are {names}"), names=", ".join(sorted(FUNCTIONS)))
            yield Found(
                span,
                said(message_id("there is no function {name}"), name=name),
                did_you_mean(near, foreign_function(name) or known),
                fixes=renaming(span, name, near),
            )


def _function_like(name: str) -> str | None:
    exact = [known for known in FUNCTIONS if known.lower() == name.lower()]
    return exact[0] if exact else nearest(name, FUNCTIONS)


@error("E016", FunctionCall)
def misused_path_function(index: Index) -> Iterator[Found]:
    """E016: a function that asks about a path is given something else, or too much (§3.7)."""
    for part, call in index.own(FunctionCall):
        name = call.function.text
        if name in _OF_PATHS or name in _PROVENANCE:
            wrong = _misuse(index, part, call)
            if wrong:
                yield Found(part.at(call), *wrong)


def _misuse(index: Index, part: Part, call: FunctionCall) -> tuple[Message, Message] | None:
    name = call.function.text
    values = [argument.value for argument in call.arguments]
    most = 2 if name == "ATTESTED" else 1
    if not values or not isinstance(values[0], Path | SharedPath):
        return (
            said(message_id("{name} asks about a path"), name=name),
            said(message_id("write the path itself: {signature}"), signature=FUNCTIONS[name].signature),
        )
    if len(values) > most:
        return (
            said(
                message_id("{name} takes {most} arguments at most, not {count}"),
                name=name,
                most=most,
                count=len(values),
            ),
            said(message_id("write {signature}"), signature=FUNCTIONS[name].signature),
        )
    if isinstance(values[0], Path) and values[0].text == "action" and name in _PROVENANCE:
        return _misused_action(part, call)
    if len(values) > 1 and not (isinstance(values[1], Path) and values[1].text in index.tools):
        return (
            said(message_id("the second argument of {name} is no declared tool"), name=name),
            said(message_id("name the tool that vouches for the value")),
        )
    return None


def _misused_action(part: Part, call: FunctionCall) -> tuple[Message, Message] | None:
    if call.function.text == "ATTESTED":
        return (
            said(message_id("an action is never attested, only a value is")),
            said(message_id("name the argument that must be vouched for: ATTESTED(argument)")),
        )
    rules = part.all(PolicyRule)
    if any(rule.span.start <= call.span.start < rule.span.end for rule in rules):
        return None
    return (
        said(message_id("`action` means something in a guard of POLICY only")),
        said(message_id("name the path whose origin matters here")),
    )


@error("E013", CallStatement)
def wrong_arguments(index: Index) -> Iterator[Found]:
    """E013: the arguments of a call do not fit INPUT: missing, unknown, too many, or bound twice."""
    for part, call in index.own(CallStatement):
        known = index.tools.get(call.target.text)
        if known and not _gives_each_once(call, index.parameters_by_tool[call.target.text]):
            yield from _wrong(index, part, call, *known)


def _gives_each_once(call: CallStatement, names: frozenset[str]) -> bool:
    """Tell, fast, what nearly every call is: each parameter is given by its name."""
    return (
        len(call.arguments)
        == len(names)
        == len({each.name.text for each in call.arguments if each.name and each.name.text in names})
    )


def _wrong(index: Index, part: Part, call: CallStatement, home: Part, tool: Tool) -> Iterator[Found]:
    names = parameters_of(tool)
    contract = (see(home, tool.name, said(message_id("INPUT is {names}"), names=", ".join(names) or "-")),)
    bound: set[str] = set()
    unnamed: dict[str | None, Argument] = {}
    positions = iter(names)
    for argument in call.arguments:
        name = argument.name.text if argument.name else next(positions, None)
        wrong = _wrong_argument(part, argument, name, tool, bound)
        doubtful = unnamed.get(name) if argument.name else argument
        said_otherwise = stuck(index, part, doubtful) if wrong and doubtful else None
        if wrong and doubtful and said_otherwise:
            message, hint = said_otherwise
            wrong = replace(wrong, span=part.at(doubtful), message=message, hint=hint)
        if wrong:
            yield replace(wrong, related=contract)
            bound.update(text for fix in wrong.fixes for _, text in fix.replacements)
        elif name is not None:
            bound.add(name)
            unnamed |= {} if argument.name else {name: argument}
    missing = [name for name in names if name not in bound]
    if missing:
        yield Found(
            part.at(call),
            said(
                message_id("{tool} is called without {names}"), tool=tool.name.text, names=", ".join(missing)
            ),
            said(message_id("give every parameter of INPUT a value")),
            contract,
        )


def _wrong_argument(
    part: Part, argument: Argument, name: str | None, tool: Tool, bound: set[str]
) -> Found | None:
    span, names = part.at(argument), parameters_of(tool)
    if name is None:
        return Found(
            span,
            said(
                message_id("{tool} takes {count} arguments, and this is one more"),
                tool=tool.name.text,
                count=len(names),
            ),
            said(message_id("leave it out, or declare it in INPUT")),
        )
    if name not in names and argument.name is not None:
        span, near = part.at(argument.name), nearest(name, set(names) - bound)
        return Found(
            span,
            said(message_id("{tool} has no parameter {name}"), tool=tool.name.text, name=name),
            did_you_mean(near, said(message_id("declare it in INPUT, or leave it out"))),
            fixes=renaming(span, name, near),
        )
    if name in bound:
        return Found(
            span,
            said(message_id("{name} is given twice"), name=name),
            said(message_id("give each parameter one value")),
        )
    return None


RULES = (
    undeclared_tool,
    unknown_plan,
    tool_in_expression,
    wrong_arguments,
    unknown_function,
    misused_path_function,
)
