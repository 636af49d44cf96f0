"""A call statement: contract, authorisation, invocation, and what is believed after it (language.md §5.5)."""

from __future__ import annotations

from agentl.codec import round_trip
from agentl.expressions import EvaluationError
from agentl.interpreter import breaker
from agentl.interpreter.aftermath import (
    mark_dirty,
    note_allowed,
    note_blocked,
    note_decided,
    remember_completed,
    remember_doubt,
)
from agentl.interpreter.authorising import authorise
from agentl.interpreter.completion import complete, note_tool_failure, outputs_of, take_back
from agentl.interpreter.contracts import ContractError, check_input, name_arguments, risk_of
from agentl.interpreter.core import Core, Steps
from agentl.interpreter.crossings import ActionRequest, Answered, Doubtful, Failed, Invoke
from agentl.interpreter.sensing import read_again
from agentl.kernel import Permit
from agentl.provenance import NOTHING, TOOL, Label, of, union, unmarked_fields
from agentl.state import View, action_confidence
from agentl.trivalent import Recorder, Truth
from agentl.values import Value
from agentl_grammar.printer import print_node
from agentl_grammar.tree import CallStatement, Tool

ORIGIN = "plan"


def call(core: Core, statement: CallStatement) -> Steps[None]:
    """Run a call statement from its arguments to its effects."""
    name = statement.target.text
    tool = core.tools.get(name)
    core.judged = NOTHING
    try:
        named = name_arguments(tool, statement.arguments)
        arguments = {key: core.value(argument.value) for key, argument in named}
    except (EvaluationError, ContractError) as error:
        _block(core, statement, "tool.argument_failed", tool=name, error=str(error))
        return
    if tool is None:
        _block(core, statement, "tool.undeclared", tool=name)
        return
    if not (yield from _required(core, tool, statement)):
        return
    try:
        arguments = check_input(tool, arguments)
    except ContractError as error:
        _block(core, statement, "tool.input_refused", tool=name, key=error.key, reason=error.reason)
        return
    labels = {key: core.label_of(argument.value) for key, argument in named}
    yield from _act(core, tool, round_trip(arguments), labels, statement)
    note_decided(core, name, union(*labels.values()), outputs_of(core, name))


def _block(core: Core, statement: CallStatement, code: str, **arguments: Value) -> None:
    core.state.count("blocked")
    label = union(*(core.label_of(argument.value) for argument in statement.arguments))
    note_blocked(core, label)
    note_decided(core, statement.target.text, label, outputs_of(core, statement.target.text))
    core.trace.emit(code, **arguments)


def _required(core: Core, tool: Tool, statement: CallStatement) -> Steps[bool]:
    """Tell whether REQUIRES is exactly true, after reading again what it names (§0 ⚠34)."""
    if tool.requires is None:
        return True
    yield from read_again(core, tool.requires, statement)
    core.judged |= core.label_of(tool.requires)
    if core.guard(tool.requires)(Recorder(View(core.state, observed=core.observed))) is Truth.TRUE:
        return True
    note_blocked(core, NOTHING)
    note_decided(core, tool.name.text, NOTHING, outputs_of(core, tool.name.text))
    core.trace.emit("tool.skipped", tool=tool.name.text, requires=print_node(tool.requires))
    return False


def _act(
    core: Core,
    tool: Tool,
    arguments: dict[str, Value],
    labels: dict[str, Label],
    statement: CallStatement,
) -> Steps[None]:
    name = tool.name.text
    side_effects = tuple(path.text for path in tool.side_effects)
    request = ActionRequest(
        name, arguments, risk_of(tool), side_effects, ORIGIN, action_confidence(core.state)
    )
    permit = yield from authorise(core, "invoke", request, labels, statement)
    if permit is None:
        core.state.count("blocked")
        note_blocked(core, union(*labels.values()))
        return
    note_allowed(core, union(*labels.values()))
    until = breaker.rests_until(core.state, name)
    if until is None:
        yield from _invoke(core, tool, permit, labels, statement)
        return
    permit.void()
    core.judged |= core.state.label(f"tools.{name}.available")
    note_blocked(core, union(*labels.values()))
    core.state.count("circuit_open")
    failures = core.state.breakers[name][0]
    core.trace.emit("tool.circuit_open", tool=name, failures=failures, until=until)


def _invoke(
    core: Core, tool: Tool, permit: Permit, labels: dict[str, Label], statement: CallStatement
) -> Steps[None]:
    name, arguments = tool.name.text, permit.action.arguments
    side_effects = tuple(path.text for path in tool.side_effects)
    outcome = yield from core.cross(
        Invoke(
            agent=core.name,
            tick=core.state.tick,
            site=core.site_of(statement),
            permit=permit,
            outputs=tool.outputs,
        )
    )
    permit.void()
    if isinstance(outcome, Failed):
        failure = outcome.failure
        note_tool_failure(core, name)
        take_back(core, outputs_of(core, name), of(TOOL))
        core.trace.emit(
            "tool.failed",
            tool=name,
            arguments=arguments,
            error=failure.class_name,
            message=failure.message,
        )
    elif isinstance(outcome, Doubtful):
        note_tool_failure(core, name)
        take_back(core, outputs_of(core, name), of(TOOL))
        remember_doubt(core, permit.action, side_effects, labels)
        core.trace.emit("tool.in_doubt", tool=name, arguments=arguments, reason=outcome.reason)
    else:
        mark_dirty(core, side_effects)
        result, marked = unmarked_fields(outcome.value if isinstance(outcome, Answered) else None)
        remember_completed(core, permit.action, labels, result)
        complete(core, tool, permit.action, labels, result, marked=marked)
