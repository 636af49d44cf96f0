"""What follows when a host has acted: its result is published, its effects believed (language.md §5.5)."""

from __future__ import annotations

from collections.abc import Mapping

from agentl.attestations import attest
from agentl.expressions import EvaluationError, evaluate
from agentl.interpreter import breaker
from agentl.interpreter.contracts import ContractError, check_output
from agentl.interpreter.core import Core
from agentl.interpreter.sensing import believe_effect
from agentl.kernel import Action
from agentl.labelling import label_of
from agentl.provenance import (
    EFFECT,
    EXTERNAL,
    TOOL,
    Label,
    of,
    secrets,
    union,
    unmarked_fields,
    without_secrets,
)
from agentl.state import View
from agentl.values import UNDEFINED, Value
from agentl_grammar.tree import EffectEntry, Tool


def complete(core: Core, tool: Tool, action: Action, labels: Mapping[str, Label], result: Value) -> None:
    """Publish the result of `action` and believe its effects; `labels` are those of its arguments."""
    name = tool.name.text
    plain, marked = unmarked_fields(result)
    try:
        outputs = _outputs(core, tool, plain)
    except ContractError as error:
        note_tool_failure(core, name)
        core.state.count("tool_contract_failures")
        core.trace.emit("tool.output_refused", tool=name, key=error.key, reason=error.reason)
        return
    core.state.count("tool_calls")
    breaker.note_success(core.state, name)
    core.put_local_fact("last_action.blocked", False, union(*labels.values()))
    core.trace.emit("tool.called", tool=name, arguments=action.arguments, outputs=outputs)
    _publish(core, name, outputs, marked, made_of(core, labels))
    attest(core.state, name, action.arguments.values())
    view = View(core.state, dict(action.arguments), core.observed, labels)
    for effect in tool.effects:
        _believe(core, name, effect, view)


def made_of(core: Core, labels: Mapping[str, Label]) -> Label:
    """Return what the result of an action carries of its arguments, of which it may be made, and the context.

    What was made of a secret is not itself the secret: a tool may well be there to take it out.
    """
    return without_secrets(union(*labels.values())) | core.context()


def note_tool_failure(core: Core, tool: str) -> None:
    """Count a call that failed: it raised, is in doubt, or broke its contract."""
    core.state.count("tool_failures")
    breaker.note_failure(core.state, tool)


def _outputs(core: Core, tool: Tool, result: Value) -> dict[str, Value]:
    """Return the declared outputs of a result. Raises ContractError."""
    outputs, undeclared = check_output(tool.outputs, result)
    for key in undeclared:
        core.state.count("tool_output_dropped")
        core.trace.emit("tool.output_dropped", tool=tool.name.text, key=key)
    return outputs


def _publish(core: Core, tool: str, outputs: dict[str, Value], marked: set[str], made: Label) -> None:
    state = core.state
    labels = {
        key: made
        | of(TOOL, *([EXTERNAL] if key in marked else []))
        | secrets(core.protected, f"{tool}.{key}")
        for key in outputs
    }
    whole = union(of(TOOL), made, *labels.values())
    state.locals.put("result", outputs, whole)
    state.locals.put(f"result.{tool}", outputs, whole)
    for key, value in outputs.items():
        for space, path in ((state.world, f"{tool}.{key}"), (state.untrusted, key)):
            if core.names.is_observed(path):
                core.trace.emit("tool.name_taken", tool=tool, path=path)
            elif path != key or core.names.admits_answer(key):
                space.put(path, value, labels[key])


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
    label = of(EFFECT) | label_of(effect.value, view.label) | core.context()
    believe_effect(core, tool, path, value, label)
