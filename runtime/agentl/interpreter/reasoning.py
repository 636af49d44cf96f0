"""REASON: ask the model for fields, and take only what fits (language.md §5.12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from agentl.interpreter.core import Core, Steps
from agentl.interpreter.crossings import Answered, Failed, Judge, Outcome
from agentl.interpreter.crossings import Reason as ReasonCrossing
from agentl.interpreter.model_context import build_context
from agentl.interpreter.produced import describe, fit, is_answer
from agentl.provenance import LLM, Label, of, unmarked
from agentl.values import UNDEFINED, Value
from agentl_grammar.tree import ProduceField, Reason

MODEL = of(LLM)


def reason(core: Core, statement: Reason) -> Steps[None]:
    """Ask the model; bind each field to its answer, its DEFAULT or UNDEFINED."""
    crossing = ReasonCrossing(
        agent=core.name,
        tick=core.state.tick,
        site=core.site_of(statement),
        task="" if statement.task is None else statement.task.value,
        context=build_context(core, statement.using),
        schema={field.name.text: describe(field) for field in statement.produce},
    )
    outcome = yield from ask(core, crossing)
    answers = present(crossing.schema, outcome)
    values, labels = settle(core, statement.produce, answers)
    core.trace.emit("reason.answered", task=crossing.task, fields=values)
    bind(core, values, labels)


def ask(core: Core, crossing: ReasonCrossing | Judge) -> Steps[Outcome]:
    """Put a question to the model, and count it; a failure is traced."""
    outcome = yield from core.cross(crossing)
    core.state.count("llm_calls")
    if isinstance(outcome, Failed):
        failure = outcome.failure
        core.trace.emit(
            "reason.failed", task=crossing.task, error=failure.class_name, message=failure.message
        )
    return outcome


def present(wanted: Mapping[str, Any], outcome: Outcome) -> dict[str, Value]:
    """Return the answers that count: to a field that was asked for, and not reported as missing."""
    answer: Value = outcome.value if isinstance(outcome, Answered) else None
    if not isinstance(answer, dict):
        return {}
    whole = cast("dict[str, Any]", answer)
    given: Value = unmarked(whole.get("fields"))[0]
    reported: Value = whole.get("missing") or ()
    if not isinstance(given, dict):
        return {}
    values = cast("dict[str, Value]", given)
    return {name: values[name] for name in wanted if name in values and name not in reported}


def settle(
    core: Core, fields: tuple[ProduceField, ...], answers: Mapping[str, Value]
) -> tuple[dict[str, Value], dict[str, Label]]:
    """Return the value of every field: its answer where it fits, its DEFAULT, or UNDEFINED; and its label.

    `reason.degraded` and `reason.missing` are refreshed.
    """
    shaped = {
        field.name.text for field in fields if is_answer(field, answers.get(field.name.text, UNDEFINED))
    }
    values = {field.name.text: _value_of(core, field, answers) for field in fields}
    missing = [name for name in values if name not in shaped]
    degraded = bool(values) and len(missing) == len(values)
    if missing:
        core.trace.emit("reason.missing", fields=missing)
    core.state.count("reason_degraded", int(degraded))
    core.put_local_fact("reason.degraded", degraded, MODEL)
    core.put_local_fact("reason.missing", len(missing), MODEL)
    return values, {field.name.text: _label_of(core, field, answers, values) for field in fields}


def _label_of(
    core: Core, field: ProduceField, answers: Mapping[str, Value], values: Mapping[str, Value]
) -> Label:
    """Return whose a value is: what a model says is its own; of its DEFAULT it did say that it counts."""
    if field.default is None:
        return MODEL
    return MODEL if is_own_word(field, answers, values) else MODEL | core.label_of(field.default)


def is_own_word(field: ProduceField, answers: Mapping[str, Value], values: Mapping[str, Value]) -> bool:
    """Tell whether the value of a field is what the model said: no DEFAULT, and nothing of its domain's."""
    name = field.name.text
    said, clamped = fit(field, answers.get(name, UNDEFINED), UNDEFINED, answered=name in answers)
    return said is not UNDEFINED and said == values[name] and not clamped


def bind(core: Core, values: Mapping[str, Value], labels: Mapping[str, Label]) -> None:
    """Write each field as a local, and under `reason`."""
    for name, value in values.items():
        core.put_answer(name, value, labels[name])
        core.put_answer(f"reason.{name}", value, labels[name])


def _value_of(core: Core, field: ProduceField, answers: Mapping[str, Value]) -> Value:
    name = field.name.text
    default = UNDEFINED if field.default is None else core.value_or_undefined(field.default)
    given = answers.get(name, UNDEFINED)
    value, clamped = fit(field, given, default, answered=name in answers)
    if clamped:
        core.state.count("domain_clamps")
        answer = given if name in answers else default
        core.trace.emit("reason.clamped", field=name, answer=answer, value=value)
    return value
