"""JUDGE: ask the model questions of three kinds, and how sure it is of each (language.md §5.12, 1.10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from agentl.interpreter.core import Core, Steps
from agentl.interpreter.crossings import Judge as JudgeCrossing
from agentl.interpreter.model_context import build_context
from agentl.interpreter.produced import describe
from agentl.interpreter.reasoning import MODEL, ask, bind, is_own_word, present, settle
from agentl.values import UNDEFINED, Value, is_finite_number
from agentl_grammar.tree import Domain, Judge, Name, NumberLiteral, ProduceField, Question

_TYPES = {"NOUL": "Bool", "CHOICE": "Symbol", "SCORE": "Number"}


def judge(core: Core, statement: Judge) -> Steps[None]:
    """Ask the model; bind each question to its answer, its DEFAULT or UNDEFINED, and how sure that is."""
    fields = tuple(_field(question) for question in statement.questions)
    crossing = JudgeCrossing(
        agent=core.name,
        tick=core.state.tick,
        site=core.site_of(statement),
        task="" if statement.task is None else statement.task.value,
        context=build_context(core, statement.using),
        questions={question.name.text: _asked(question) for question in statement.questions},
    )
    outcome = yield from ask(core, crossing)
    judgements = {name: _parts(said) for name, said in present(crossing.questions, outcome).items()}
    _abstain(core, statement.questions, judgements)
    answers = {name: parts["value"] for name, parts in judgements.items() if parts["value"] is not None}
    values, labels = settle(core, fields, answers)
    core.trace.emit("judge.answered", task=crossing.task, fields=values)
    bind(core, values, labels)
    for field in fields:
        name = field.name.text
        core.put_answer(f"judge.{name}", values[name], labels[name])
        core.put_answer(f"judge.{name}.value", values[name], labels[name])
        # How sure a model is of an answer says nothing of another value that stands in its place.
        own = is_own_word(field, answers, values)
        _publish_certainty(core, name, judgements[name] if own else {})


def _field(question: Question) -> ProduceField:
    """Return the field that a REASON would have for a question: its type and its domain."""
    kind = Name(question.span, _TYPES[question.kind])
    items: tuple[Name | NumberLiteral, ...] = tuple(option.name for option in question.options)
    if question.kind == "SCORE":
        ends = (0, len(question.levels) - 1)
        items = tuple(NumberLiteral(question.span, end, "number", str(end)) for end in ends)
    domain = Domain(question.span, items) if items else None
    return ProduceField(question.span, question.name, kind, domain, question.default)


def _asked(question: Question) -> dict[str, Any]:
    """Return a question as a model's `judge` is given it (language.md §8.3)."""
    asked: dict[str, Any] = {"kind": question.kind, "instructions": question.text.value}
    if question.options:
        asked["criteria"] = {option.name.text: option.text.value for option in question.options}
    if question.levels:
        asked["levels"] = [level.value for level in question.levels]
    least = None if question.abstain_below is None else question.abstain_below.value
    return {**asked, "schema": describe(_field(question)), "abstain_below": least}


def _parts(said: Value) -> dict[str, Value]:
    """Return value, p and confidence of a judgement, which may be bare; p and confidence only in [0, 1]."""
    if not isinstance(said, dict) or "value" not in said:
        return {"value": said, "p": UNDEFINED, "confidence": UNDEFINED}
    whole = cast("dict[str, Value]", said)
    p = _probability(whole.get("p"))
    confidence = _probability(whole.get("confidence"))
    return {"value": whole["value"], "p": p, "confidence": p if confidence is UNDEFINED else confidence}


def _probability(value: Value) -> Value:
    return float(value) if is_finite_number(value) and 0 <= value <= 1 else UNDEFINED


def _abstain(core: Core, questions: tuple[Question, ...], judgements: dict[str, dict[str, Value]]) -> None:
    """Discard the answers that are less probable than their question asks for."""
    for question in questions:
        parts = judgements.get(question.name.text)
        if question.abstain_below is None or parts is None or parts["value"] is None:
            continue
        least = question.abstain_below.value
        if parts["p"] is UNDEFINED or parts["p"] < least:
            core.state.count("judge_abstained")
            core.trace.emit(
                "judge.abstained",
                field=question.name.text,
                answer=parts["value"],
                p=parts["p"],
                least=least,
            )
            parts["value"] = None


def _publish_certainty(core: Core, name: str, parts: Mapping[str, Value]) -> None:
    for part in ("p", "confidence"):
        core.put_answer(f"judge.{name}.{part}", parts.get(part, UNDEFINED), MODEL)
