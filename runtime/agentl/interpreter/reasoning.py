"""REASON: ask the model for fields, and take only what fits (language.md §5.12)."""

from __future__ import annotations

from typing import Any, cast

from agentl.interpreter.core import Core, Steps
from agentl.interpreter.crossings import Answered, Failed
from agentl.interpreter.crossings import Reason as ReasonCrossing
from agentl.interpreter.model_context import build_context
from agentl.interpreter.produced import describe, fit
from agentl.provenance import LLM, of
from agentl.values import UNDEFINED, Value
from agentl_grammar.tree import ProduceField, Reason


def reason(core: Core, statement: Reason) -> Steps[None]:
    """Ask the model; bind each field to its answer, its DEFAULT or UNDEFINED."""
    task = "" if statement.task is None else statement.task.value
    outcome = yield from core.cross(
        ReasonCrossing(
            agent=core.name,
            tick=core.state.tick,
            site=core.site_of(statement),
            task=task,
            context=build_context(core, statement.using),
            schema={field.name.text: describe(field) for field in statement.produce},
        )
    )
    core.state.count("llm_calls")
    if isinstance(outcome, Failed):
        failure = outcome.failure
        core.trace.emit("reason.failed", task=task, error=failure.class_name, message=failure.message)
    answer: Value = outcome.value if isinstance(outcome, Answered) else None
    _bind(core, statement.produce, task, _present(statement.produce, answer))


def _present(fields: tuple[ProduceField, ...], answer: Value) -> dict[str, Value]:
    """Return the answers that count: of the schema, and not reported as missing by the adapter."""
    if not isinstance(answer, dict):
        return {}
    whole = cast("dict[str, Any]", answer)
    given: Value = whole.get("fields")
    reported: Value = whole.get("missing") or ()
    if not isinstance(given, dict):
        return {}
    names = [field.name.text for field in fields]
    values = cast("dict[str, Value]", given)
    return {name: values[name] for name in names if name in values and name not in reported}


def _bind(core: Core, fields: tuple[ProduceField, ...], task: str, present: dict[str, Value]) -> None:
    bound = {field.name.text: _value_of(core, field, present) for field in fields}
    missing = [name for name in bound if name not in present]
    degraded = bool(bound) and len(missing) == len(bound)
    if missing:
        core.trace.emit("reason.missing", fields=missing)
    core.trace.emit("reason.answered", task=task, fields=bound)
    core.state.count("reason_degraded", int(degraded))
    for name, value in bound.items():
        core.put_local(name, value, of(LLM))
        core.put_local(f"reason.{name}", value, of(LLM))
    core.put_local_fact("reason.degraded", degraded)
    core.put_local_fact("reason.missing", len(missing))


def _value_of(core: Core, field: ProduceField, present: dict[str, Value]) -> Value:
    name = field.name.text
    default = UNDEFINED if field.default is None else core.value_or_undefined(field.default)
    answered = name in present
    value, clamped = fit(field, present.get(name), default, answered=answered)
    if clamped:
        core.state.count("domain_clamps")
        core.trace.emit("reason.clamped", field=name, answer=present[name], value=value)
    return value
