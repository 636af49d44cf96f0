"""Putting a question to a model, whatever it offers, and taking its answer as data (language.md §8.3)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import Any, TypeAlias, cast

from agentl.codec import round_trip
from agentl.failures import failure_of
from agentl.interpreter.crossings import Answered, Failed, Judge, Outcome, Reason
from agentl.oracles.model import Model, Questions, Usage

_log = logging.getLogger("agentl.live")
_LARGEST = 2**53
"""Up to here every reader of JSON keeps a number as it is."""

Call: TypeAlias = Callable[..., Any]
"""Calls a function of the model with arguments, waits for it, and keeps its prints away from stdout."""


def put(model: Model, crossing: Reason | Judge, call: Call) -> Outcome:
    """Ask `model`. The answer is {"fields": …, "missing": …}; an Exception of the model is a failure."""
    asked = round_trip(dict(crossing.arguments or {}))
    return _outcome(model, lambda: _ask(model, crossing.task, asked, call))


def put_choice(model: Model, context: dict[str, Any], candidates: Sequence[str], call: Call) -> Outcome:
    """Let `model` choose a plan. The answer is what it said; whether that is a candidate is judged later."""
    return _outcome(model, lambda: call(model.select_plan, round_trip(context), list(candidates)))


def _outcome(model: Model, ask: Callable[[], Any]) -> Outcome:
    try:
        value = round_trip(ask())
    except Exception as error:  # noqa: BLE001  # whatever a model raises is a failure of this crossing
        return Failed(failure=failure_of(error), usage=_usage(model))
    return Answered(value=value, usage=_usage(model))


def _ask(model: Model, task: str, asked: dict[str, Any], call: Call) -> dict[str, Any]:
    context: dict[str, Any] = asked["context"]
    if "schema" in asked:
        return _reasoned(model, call(model.reason, task, context, asked["schema"]))
    questions: Questions = asked["questions"]
    judge = getattr(model, "judge", None)
    if callable(judge):
        return {"fields": call(judge, task, context, questions), "missing": None}
    schema = {name: str(question["schema"]) for name, question in questions.items()}
    return _reasoned(model, call(model.reason, in_words(task, questions), context, schema))


def _reasoned(model: Model, fields: Any) -> dict[str, Any]:
    missing: Any = getattr(model, "last_reason_missing", None)
    return {"fields": fields, "missing": None if missing is None else list(missing)}


def _usage(model: Model) -> dict[str, Any] | None:
    """Return what the last call took. What a model says in its place and no record can hold is logged."""
    with suppress(Exception):  # it may be a property of the model
        used = getattr(model, "last_usage", None)
        if used is None:
            return None
        if isinstance(used, Usage) and _fits_a_record(used):
            return {field.name: getattr(used, field.name) for field in fields(Usage)}
    _log.warning("the model's last_usage is dropped: it is no Usage with a name, counts and a finite cost")
    return None


def _fits_a_record(used: Usage) -> bool:
    named = type(used.model) is str and used.model.isprintable()
    counts = (used.requests, used.input_tokens, used.output_tokens)
    counted = all(type(count) is int and 0 <= count <= _LARGEST for count in counts)
    priced = used.cost is None or (type(used.cost) in {int, float} and abs(used.cost) <= _LARGEST)
    return named and counted and priced


# --------------------------------------------------------------------------------------- questions in words


def in_words(task: str, questions: Questions) -> str:
    """Return a task with its questions in words: what a model without `judge` is asked."""
    lines = [f"- {name}: {question_in_words(question)}" for name, question in questions.items()]
    return "\n".join((task or "Judge.", *lines))


def question_in_words(question: Any) -> str:
    """Return one question with what its answers mean."""
    text = str(question["instructions"])
    criteria = cast("dict[str, str]", question.get("criteria") or {})
    levels = cast("list[str]", question.get("levels") or [])
    meanings = [f"{word} = {meaning}" for word, meaning in criteria.items()]
    meanings += [f"{number} = {meaning}" for number, meaning in enumerate(levels)]
    return f"{text} ({'; '.join(meanings)})" if meanings else text
