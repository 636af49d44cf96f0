"""What a provider's model is asked for, as a pydantic model: types and domains of PRODUCE and JUDGE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema, create_model

from agentl.interpreter.produced import interval_of, listed_values
from agentl.oracles.asking import question_in_words
from agentl.oracles.model import Questions
from agentl.values import text_of
from agentl_grammar.parser import parse
from agentl_grammar.tree import ProduceField, walk

_UNIT: Any = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Answer(BaseModel):
    """The root of what is asked for; a field that the model cannot tell is null."""

    model_config = ConfigDict(extra="ignore", serialize_by_alias=True)


def for_reason(schema: Mapping[str, str]) -> type[Answer]:
    """Return the pydantic model of a REASON: a nullable field for each text of `schema` (`Int IN [1, 9]`)."""
    return _answer({name: (_annotation(text), text) for name, text in schema.items()})


def for_judge(questions: Questions) -> type[Answer]:
    """Return the pydantic model of a JUDGE: for each question a value and how probable it is."""
    return _answer({name: (_judgement(asked), question_in_words(asked)) for name, asked in questions.items()})


def for_choice(candidates: list[str]) -> type[Answer]:
    """Return the pydantic model of a choice of plans: `plan` is one of `candidates`, or null."""
    return _answer({"plan": (_one_of(list(candidates), str), "the plan to run, null for none of them")})


def _answer(fields: Mapping[str, tuple[Any, str]]) -> type[Answer]:
    """Make the model; a field may have any word as its name, so that pydantic knows it by an alias only."""
    definitions: dict[str, Any] = {
        f"field_{number}": (annotation | None, Field(alias=name, description=text))
        for number, (name, (annotation, text)) in enumerate(fields.items())
    }
    return create_model("Answer", __base__=Answer, **definitions)


def _judgement(question: Mapping[str, Any]) -> Any:
    fields: dict[str, Any] = {
        "value": (
            _annotation(str(question["schema"])) | None,
            Field(description="the answer, null if unknown"),
        ),
        "p": (_UNIT | None, Field(description="the probability that this answer is right")),
    }
    return create_model("Judgement", **fields)


def _annotation(text: str) -> Any:
    """Return the type of a field, read from the text that describes it; any JSON when that says nothing."""
    field = _parsed(text)
    kind = "" if field is None or field.type is None else field.type.text.lower()
    plain: Any = {"number": float, "float": float, "int": int, "bool": bool, "boolean": bool}.get(kind)
    if field is None or (field.domain is None and plain is None):
        return str if kind in {"string", "symbol"} else Annotated[Any, WithJsonSchema({})]
    interval = interval_of(field)
    if interval is not None:
        return Annotated[plain, Field(ge=interval[0], le=interval[1], allow_inf_nan=False)]
    if field.domain is not None and field.domain.items:
        listed = [value if plain in {float, int} else text_of(value) for value in listed_values(field)]
        return _one_of(listed, plain if plain in {float, int} else str)
    return Annotated[float, Field(allow_inf_nan=False)] if plain is float else plain


def _parsed(text: str) -> ProduceField | None:
    result = parse(f'AGENT a {{ PLAN p {{ REASON "t" {{ PRODUCE {{ f: {text} }} }} }} }}')
    if result.program is None or not result.complete:
        return None
    return next((node for node in walk(result.program) if isinstance(node, ProduceField)), None)


def _one_of(listed: list[Any], kind: type) -> Any:
    def check(value: Any) -> Any:
        if value not in listed:
            raise ValueError(f"must be one of {', '.join(map(str, listed))}")
        return value

    name = {str: "string", int: "integer"}.get(kind, "number")
    return Annotated[kind, AfterValidator(check), WithJsonSchema({"type": name, "enum": listed})]
