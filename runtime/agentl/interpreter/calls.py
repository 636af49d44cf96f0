"""A call statement: contract, authorisation, invocation, and what is believed after it (language.md §5.5)."""

from __future__ import annotations

from agentl.codec import round_trip
from agentl.expressions import EvaluationError, evaluate
from agentl.interpreter import breaker
from agentl.interpreter.authorising import authorise
from agentl.interpreter.contracts import ContractError, check_input, check_output, name_arguments, risk_of
from agentl.interpreter.core import Core, Steps
from agentl.interpreter.crossings import ActionRequest, Answered, Doubtful, Failed, Invoke
from agentl.interpreter.sensing import believe_effect, read_again
from agentl.kernel import Permit
from agentl.state import View, action_confidence
from agentl.trivalent import Recorder, Truth, judge
from agentl.values import UNDEFINED, Value
from agentl_grammar.printer import print_node
from agentl_grammar.tree import CallStatement, EffectEntry, Tool

ORIGIN = "plan"


def call(core: Core, statement: CallStatement) -> Steps[None]:
    """Run a call statement from its arguments to its effects."""
    name = statement.target.text
    tool = core.tools.get(name)
    try:
        arguments = _arguments(core, tool, statement)
    except (EvaluationError, ContractError) as error:
        _block(core, "tool.argument_failed", tool=name, error=str(error))
        return
    if tool is None:
        _block(core, "tool.undeclared", tool=name)
        return
    if not (yield from _required(core, tool, statement)):
        return
    try:
        arguments = check_input(tool, arguments)
    except ContractError as error:
        _block(core, "tool.input_refused", tool=name, key=error.key, reason=error.reason)
        return
    yield from _act(core, tool, round_trip(arguments), statement)


def _arguments(core: Core, tool: Tool | None, statement: CallStatement) -> dict[str, Value]:
    named = name_arguments(tool, statement.arguments)
    return {name: core.value(argument.value) for name, argument in named}


def _block(core: Core, code: str, **arguments: Value) -> None:
    core.state.count("blocked")
    core.trace.emit(code, **arguments)


def _required(core: Core, tool: Tool, statement: CallStatement) -> Steps[bool]:
    """Tell whether REQUIRES is exactly true, after reading again what it names (§0 ⚠34)."""
    if tool.requires is None:
        return True
    yield from read_again(core, tool.requires, statement)
    if judge(tool.requires, Recorder(View(core.state, observed=core.observed))) is Truth.TRUE:
        return True
    core.trace.emit("tool.skipped", tool=tool.name.text, requires=print_node(tool.requires))
    return False


def _act(core: Core, tool: Tool, arguments: dict[str, Value], statement: CallStatement) -> Steps[None]:
    name, local = tool.name.text, core.state.locals
    side_effects = tuple(path.text for path in tool.side_effects)
    request = ActionRequest(
        name, arguments, risk_of(tool), side_effects, ORIGIN, action_confidence(core.state)
    )
    permit = yield from authorise(core, request, statement)
    if permit is None:
        core.state.count("blocked")
        local["last_action.blocked"] = True
        return
    local["last_action.blocked"] = False
    local["last_action.in_doubt"] = False
    until = breaker.rests_until(core.state, name)
    if until is None:
        yield from _invoke(core, tool, permit, statement)
        return
    permit.void()
    local["last_action.blocked"] = True
    core.state.count("circuit_open")
    failures = core.state.breakers[name][0]
    core.trace.emit("tool.circuit_open", tool=name, failures=failures, until=until)


def _invoke(core: Core, tool: Tool, permit: Permit, statement: CallStatement) -> Steps[None]:
    name, arguments = tool.name.text, permit.action.arguments
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
        _fail(core, name)
        core.trace.emit(
            "tool.failed",
            tool=name,
            arguments=arguments,
            error=failure.class_name,
            message=failure.message,
        )
    elif isinstance(outcome, Doubtful):
        _doubt(core, tool, permit, outcome.reason)
    else:
        _mark_dirty(core, tool)
        _complete(core, tool, permit, outcome.value if isinstance(outcome, Answered) else None)


def _fail(core: Core, tool: str) -> None:
    core.state.count("tool_failures")
    breaker.note_failure(core.state, tool)


def _mark_dirty(core: Core, tool: Tool) -> None:
    for path in tool.side_effects:
        core.state.world[f"{path.text}.dirty"] = True


def _doubt(core: Core, tool: Tool, permit: Permit, reason: str) -> None:
    """The action may have happened.

    A failure, and the doubt stays until the action is settled (durability.md §3).
    """
    name, state = tool.name.text, core.state
    _fail(core, name)
    _mark_dirty(core, tool)
    state.doubts.setdefault(name, []).append(permit.action.action_id)
    state.facts[f"tools.{name}.in_doubt"] = True
    state.locals["last_action.in_doubt"] = True
    core.trace.emit("tool.in_doubt", tool=name, arguments=permit.action.arguments, reason=reason)


def _complete(core: Core, tool: Tool, permit: Permit, result: Value) -> None:
    """The host acted: check the result, publish it, believe the effects."""
    name = tool.name.text
    try:
        outputs = _outputs(core, tool, result)
    except ContractError as error:
        _fail(core, name)
        core.state.count("tool_contract_failures")
        core.trace.emit("tool.output_refused", tool=name, key=error.key, reason=error.reason)
        return
    arguments = permit.action.arguments
    core.state.count("tool_calls")
    breaker.note_success(core.state, name)
    core.state.locals["last_action.blocked"] = False
    core.trace.emit("tool.called", tool=name, arguments=arguments, outputs=outputs)
    _publish(core, name, outputs)
    view = View(core.state, dict(arguments))
    for effect in tool.effects:
        _believe(core, name, effect, view)


def _outputs(core: Core, tool: Tool, result: Value) -> dict[str, Value]:
    """Return the declared outputs of a result. Raises ContractError."""
    outputs, undeclared = check_output(tool.outputs, result)
    for key in undeclared:
        core.state.count("tool_output_dropped")
        core.trace.emit("tool.output_dropped", tool=tool.name.text, key=key)
    return outputs


def _publish(core: Core, tool: str, outputs: dict[str, Value]) -> None:
    state = core.state
    state.locals["result"] = outputs
    state.locals[f"result.{tool}"] = outputs
    for key, value in outputs.items():
        state.world[f"{tool}.{key}"] = value
        state.untrusted[key] = value
        if key in core.bound_keys:  # the payload no longer owns the name, so its release must not take it
            core.bound_keys.remove(key)


def _believe(core: Core, tool: str, effect: EffectEntry, view: View) -> None:
    """Believe one EFFECT; one that cannot be evaluated is not believed (§0 ⚠8)."""
    path = effect.path.text
    try:
        value = evaluate(effect.value, view)
    except EvaluationError as error:
        core.trace.emit("effect.unknown", tool=tool, path=path, error=str(error))
        return
    if value is UNDEFINED:
        core.trace.emit("effect.unknown", tool=tool, path=path, error="undefined")
        return
    believe_effect(core, tool, path, value)
