"""What follows when a host has acted: its result is published, its effects believed (language.md §5.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from agentl.attestations import attest
from agentl.expressions import EvaluationError
from agentl.interpreter import breaker
from agentl.interpreter.contracts import ContractError, check_output
from agentl.interpreter.core import Core
from agentl.interpreter.sensing import believe_effect
from agentl.kernel import Action
from agentl.labelling import label_read
from agentl.provenance import (
    EFFECT,
    EXTERNAL,
    NOTHING,
    TOOL,
    Label,
    is_secret,
    of,
    secrets,
    secrets_in,
    union,
    without_secrets,
)
from agentl.redaction import Redactor
from agentl.spaces import Space
from agentl.state import View
from agentl.values import UNDEFINED, Symbol, Value, equal
from agentl_grammar.tree import EffectEntry, Tool


def complete(  # noqa: PLR0913  # what was done, and what came of it
    core: Core,
    tool: Tool,
    action: Action,
    labels: Mapping[str, Label],
    result: Value,
    *,
    marked: AbstractSet[str],
) -> None:
    """Publish the result of `action` and believe its effects; `labels` are those of its arguments.

    `result` is without marks of its host, which stood in the keys that are `marked` ("" is the whole).
    """
    name = tool.name.text
    try:
        outputs = _outputs(core, tool, result)
    except ContractError as error:
        note_tool_failure(core, name)
        take_back(core, outputs_of(core, name), of(TOOL, EXTERNAL) if marked else of(TOOL))
        core.state.count("tool_contract_failures")
        core.trace.emit("tool.output_refused", tool=name, key=error.key, reason=error.reason)
        return
    core.state.count("tool_calls")
    breaker.note_success(core.state, name)
    core.put_local_fact("last_action.blocked", False, union(core.judged, *labels.values()))
    core.trace.emit("tool.called", tool=name, arguments=action.arguments, outputs=outputs)
    made = made_of(core, labels)
    sources = {key: made | kept_secrets(core, action, labels, value) for key, value in outputs.items()}
    _publish(core, name, outputs, marked, sources)
    attest(core.state, name, action.arguments.values())
    view = View(core.state, dict(action.arguments), core.observed, labels)
    for effect in tool.effects:
        _believe(core, name, effect, view)


def outputs_of(core: Core, tool: str) -> Sequence[tuple[Space, str]]:
    """Return where the outputs of a tool are published: under no name that means something else."""
    outputs = core.outputs.get(tool)
    if outputs is None:
        outputs = core.outputs[tool] = [*_outputs_of(core, tool)]
    return outputs


def _outputs_of(core: Core, tool: str) -> Iterator[tuple[Space, str]]:
    state = core.state
    yield state.locals, "result"
    yield state.locals, f"result.{tool}"
    for field in () if tool not in core.tools else core.tools[tool].outputs:
        for space, path in ((state.world, f"{tool}.{field.name.text}"), (state.untrusted, field.name.text)):
            if is_admitted(core, field.name.text, path):
                yield space, path


def is_admitted(core: Core, key: str, path: str) -> bool:
    """Tell whether what is answered as `key` may be read as `path`, which is `key` or holds it."""
    return not core.names.is_observed(path) and (path != key or core.admits_answer(key))


def take_back(core: Core, published: Iterable[tuple[Space, str]], source: Label) -> None:
    """Forget an earlier answer: what was asked anew and not answered is unknown, as `source` decided."""
    for space, path in published:
        core.forget(space, path, source)


def made_of(core: Core, labels: Mapping[str, Label]) -> Label:
    """Return what the result of an action carries of its arguments, of which it may be made, and the context.

    What was made of a secret is not itself the secret: a tool may well be there to take it out.
    """
    return without_secrets(union(*labels.values())) | core.context()


def kept_secrets(core: Core, action: Action, labels: Mapping[str, Label], value: Value) -> Label:
    """Return what NEVER SEND protects of the arguments and still stands in `value`, a part of the result."""
    given = {name: value for name, value in action.arguments.items() if is_secret(labels.get(name, NOTHING))}
    if not given:
        return NOTHING
    redactor = Redactor(core.protected)
    for name, secret in given.items():
        redactor.hide(name, secret)
    kept = redactor.scrub(value) != value or any(
        equal(value, secret) for secret in given.values() if not isinstance(secret, bool | Symbol)
    )
    if not kept:
        return NOTHING
    return secrets_in(union(*(labels[name] for name in given)))


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


def _publish(
    core: Core, tool: str, outputs: dict[str, Value], marked: AbstractSet[str], made: Mapping[str, Label]
) -> None:
    state = core.state
    labels = {
        key: made[key]
        | of(TOOL, *([EXTERNAL] if key in marked else []))
        | secrets(core.protected, f"{tool}.{key}")
        for key in outputs
    }
    whole = union(of(TOOL, *([EXTERNAL] if "" in marked else [])), core.context(), *labels.values())
    if core.whose.forges("result", outputs):
        core.trace.emit("name.taken", path="result")
        core.forget(state.locals, "result", whole)
    else:
        state.locals.put("result", outputs, whole)
    state.locals.put(f"result.{tool}", outputs, whole)
    for key, value in outputs.items():
        for space, path in ((state.world, f"{tool}.{key}"), (state.untrusted, key)):
            if core.names.is_observed(path):
                core.trace.emit("tool.name_taken", tool=tool, path=path)
            elif is_admitted(core, key, path):
                space.put(path, value, labels[key])


def _believe(core: Core, tool: str, effect: EffectEntry, view: View) -> None:
    """Believe one EFFECT; one that cannot be evaluated is not believed (§0 ⚠8)."""
    path, error = effect.path.text, "undefined"
    label = label_read(*core.read_by(effect.value), view.label) | core.context()
    try:
        value = core.evaluator(effect.value)(view)
    except EvaluationError as told:
        value, error = UNDEFINED, str(told)
    if value is UNDEFINED:
        decided = without_secrets(label)
        core.decide(core.state.beliefs, path, decided)
        core.trace.emit("effect.unknown", tool=tool, path=path, error=error)
    else:
        believe_effect(core, tool, path, value, of(EFFECT) | label)
