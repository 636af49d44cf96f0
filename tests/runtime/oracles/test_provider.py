"""The adapter of providers beside a real server on 127.0.0.1 that speaks OpenAI's wire format."""

import asyncio
import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agentl.errors import ModelError
from agentl.oracles.choosing import model_named
from agentl.oracles.failures import ModelFailure
from agentl.oracles.limits import Limits

from .conftest import QUICK, Provider, Reply, calls, fails, message, says

SCHEMA = {"f": "Int IN [1, 9]", "g": "Symbol IN [a, b]"}
RIGHT = '{"f": 3, "g": "a"}'
FIELDS = {"f": 3, "g": "a"}


def ended_by(reply: Reply, finish: str) -> Reply:
    """Return a completion that ended for another reason."""
    completion = json.loads(reply.body)
    completion["choices"][0]["finish_reason"] = finish
    return replace(reply, body=json.dumps(completion).encode())


def reason(model: Any, schema: dict[str, str] = SCHEMA) -> dict[str, Any]:
    return asyncio.run(model.reason("weigh it", {"tick": 1, "focus": {"a.b": "x"}}, schema))


@pytest.mark.parametrize(
    "reply",
    [
        calls(RIGHT),
        says(RIGHT),
        says(f"```json\n{RIGHT}\n```"),
        says(f"Gladly:\n```\n{RIGHT}\n```\nAnything else?"),
        says(f"I thought {{long}} about it. {RIGHT} is my answer."),
        calls('{"f": "3", "g": "a", "h": "not asked for"}'),
    ],
)
def test_an_answer_gives_the_fields_however_it_is_wrapped(model_of: Callable[..., Any], reply: Reply):
    model = model_of(reply)
    assert reason(model) == FIELDS
    assert model.last_reason_missing == []
    assert (model.last_usage.requests, model.last_usage.input_tokens, model.last_usage.output_tokens) == (
        1,
        11,
        7,
    )


def test_the_model_is_told_task_context_and_schema_and_no_more_tokens_than_allowed(
    model_of: Callable[..., Any], provider: Provider
):
    reason(model_of(calls(RIGHT), limits=replace(QUICK, output_tokens=77)))
    request = provider.requests[0]
    (tool,) = request["tools"]
    assert request["max_completion_tokens"] == 77
    assert "weigh it" in provider.asked()
    assert "a.b" in provider.asked()
    properties = tool["function"]["parameters"]["properties"]
    assert properties["f"]["anyOf"][0] == {"maximum": 9, "minimum": 1, "type": "integer"}
    assert properties["g"]["anyOf"][0] == {"enum": ["a", "b"], "type": "string"}


@pytest.mark.parametrize(
    "wrong", ['{"f": 30, "g": "a"}', '{"g": "a"}', '{"f": NaN, "g": "a"}', '{"f": 3', "no"]
)
def test_a_wrong_answer_is_asked_for_again_with_the_reason(
    model_of: Callable[..., Any], provider: Provider, wrong: str
):
    model = model_of(calls(wrong), calls(RIGHT))
    assert reason(model) == FIELDS
    assert "Your last answer was refused" not in provider.asked(0)
    assert "Your last answer was refused" in provider.asked(1)
    assert model.last_usage.input_tokens == 22


@pytest.mark.parametrize(
    ("arguments", "fields", "missing"),
    [
        ('{"f": 30}', {"f": 30}, ["g"]),
        ('{"f": null, "g": "a"}', {"g": "a"}, ["f"]),
        ('{"f": 3, "g": "\\ud800"}', {"f": 3, "g": "\ud800"}, []),
    ],
)
def test_what_the_last_answer_did_say_counts(
    model_of: Callable[..., Any], arguments: str, fields: dict[str, Any], missing: list[str]
):
    model = model_of(calls(arguments))
    assert reason(model) == fields
    assert model.last_reason_missing == missing


def test_a_number_that_is_none_is_handed_on_for_the_program_to_refuse(model_of: Callable[..., Any]):
    assert math.isnan(reason(model_of(calls('{"f": NaN, "g": "a"}')))["f"])


@pytest.mark.parametrize(
    ("first", "requests"),
    [
        (fails(408), 2),
        (fails(425), 2),
        (fails(429, retry_after_ms="30"), 2),
        (fails(500), 2),
        (fails(503), 2),
        (fails(529), 2),
        (Reply(b"{nope"), 2),
        (Reply(b'{"choices": 3}'), 2),
        (replace(calls(RIGHT), cut=True), 2),
    ],
)
def test_what_may_pass_is_tried_again(
    model_of: Callable[..., Any], provider: Provider, first: Reply, requests: int
):
    assert reason(model_of(first, calls(RIGHT))) == FIELDS
    assert len(provider.requests) == requests


def test_the_delay_that_the_provider_names_is_honoured(model_of: Callable[..., Any], provider: Provider):
    reason(model_of(fails(429, retry_after="1"), calls(RIGHT)))
    assert provider.times[1] - provider.times[0] >= 1


def test_a_delay_beyond_the_budget_ends_the_call_at_once(model_of: Callable[..., Any], provider: Provider):
    with pytest.raises(ModelFailure, match="HTTP 429"):
        reason(model_of(fails(429, retry_after="3600")))
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    ("reply", "requests", "told"),
    [
        (fails(503, "overloaded"), 3, "HTTP 503 oops: overloaded"),
        (fails(400, "bad thing"), 1, "HTTP 400 oops: bad thing"),
        (fails(404, "no such model"), 1, "HTTP 404"),
        (fails(401, "the key sk-1234567 is wrong"), 1, r"refuses the key \(HTTP 401\)$"),
        (message(content=None, refusal="I will not"), 1, "refuses to answer"),
        (message(content=None), 3, "empty"),
        (says("Let me think about that."), 3, "no JSON object"),
        (says("[" * 100_000), 3, "no JSON object"),
        (calls('{"f": 3, "g": "'), 3, "no JSON object: Unterminated string starting at: line 1 column 15"),
        (ended_by(calls('{"f": 3, "g": "'), "length"), 3, "column 15 .*; it was cut off, being too long$"),
        (ended_by(says('{"x": {"f": 1}, "g'), "length"), 3, "no JSON object: .*; it was cut off"),
        (calls('{"f": ' + "[" * 100_000), 3, "no JSON object: it is nested too deeply"),
        (calls('{"f": ' + "7" * 5_000 + "}"), 3, "no JSON object: a number in it is too long"),
        (says('It is {"x": {"f": 1}, oops}.'), 3, "no JSON object$"),
        (calls('{"h": 1}'), 3, "- f: Field required"),
        (Reply(b"<html>"), 3, "cannot be read"),
        (replace(calls(RIGHT), cut=True), 3, "connection"),
    ],
)
def test_what_does_not_pass_is_a_failure_with_its_reason(
    model_of: Callable[..., Any], provider: Provider, reply: Reply, requests: int, told: str
):
    model = model_of(reply)
    with pytest.raises(ModelFailure, match=told):
        reason(model)
    assert len(provider.requests) == requests


def test_a_slow_provider_is_given_up(model_of: Callable[..., Any]):
    model = model_of(replace(calls(RIGHT), delay=0.5), limits=replace(QUICK, timeout=0.1, retries=1))
    with pytest.raises(ModelFailure, match="no answer in time"):
        reason(model)


@pytest.mark.parametrize("reply", [says("x" * 10_000_000), calls('{"f": "' + "x" * 10_000_000 + '"}')])
def test_an_answer_of_ten_megabytes_is_not_read_and_not_paid_for_twice(
    model_of: Callable[..., Any], provider: Provider, reply: Reply
):
    with pytest.raises(ModelFailure, match="characters"):
        reason(model_of(reply))
    assert len(provider.requests) == 1


def test_judgements_have_a_value_and_a_probability(model_of: Callable[..., Any], provider: Provider):
    questions = {
        "ok": {"kind": "NOUL", "instructions": "is it?", "schema": "Bool", "abstain_below": None},
        "how": {
            "kind": "SCORE",
            "instructions": "how bad?",
            "levels": ["fine", "poor"],
            "schema": "Number IN [0, 1]",
            "abstain_below": 0.5,
        },
        "which": {
            "kind": "CHOICE",
            "instructions": "which?",
            "criteria": {"x": "one"},
            "schema": "Symbol IN [x]",
        },
    }
    said = {"ok": {"value": True, "p": 0.9}, "how": {"value": 7, "p": 0.9}, "which": None}
    right = {**said, "how": {"value": 1, "p": 0.75}}
    model = model_of(calls(json.dumps(said)), calls(json.dumps(right)))
    found = asyncio.run(model.judge("judge", {}, questions))
    assert found == {"ok": {"value": True, "p": 0.9}, "how": {"value": 1.0, "p": 0.75}}
    assert "how.value" in provider.asked(1)
    described = provider.requests[0]["tools"][0]["function"]["parameters"]["properties"]["how"]["description"]
    assert described == "how bad? (0 = fine; 1 = poor)"


@pytest.mark.parametrize(("said", "chosen"), [('{"plan": "pay"}', "pay"), ('{"plan": null}', None)])
def test_a_plan_is_chosen_among_the_candidates(model_of: Callable[..., Any], said: str, chosen: str | None):
    model = model_of(calls('{"plan": "invented"}'), calls(said))
    assert asyncio.run(model.select_plan({"tick": 1}, ["pay", "wait"])) == chosen


def test_the_cost_is_told_where_the_prices_are_known(
    model_of: Callable[..., Any], provider: Provider, monkeypatch: pytest.MonkeyPatch
):
    elsewhere = model_of(calls(RIGHT))
    reason(elsewhere)
    assert elsewhere.last_usage.cost is None
    monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
    known = model_named("openai-chat:gpt-4o", limits=QUICK)
    reason(known)
    assert 0 < known.last_usage.cost < 0.01


def test_no_key_of_the_environment_stands_in_an_error(
    model_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1234567")
    with pytest.raises(ModelFailure) as caught:
        reason(model_of(fails(400, "what is sk-1234567?")))
    assert "sk-1234567" not in str(caught.value)


def test_a_model_that_cannot_be_used_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    refusals = [
        ("nonsense:x", None, "Unknown model: nonsense:x"),
        ("openai:gpt-4o", None, "OPENAI_API_KEY is not set$"),
        ("test", None, "names no provider"),
        ("openrouter:a/b", "http://127.0.0.1:9", "leave AGENTL_MODEL_URL out"),
    ]
    for name, url, told in refusals:
        with pytest.raises(ModelError, match=told) as caught:
            model_named(name, url=url)
        assert caught.value.code == "M103"


@pytest.mark.parametrize("name", ["anthropic:x", "openai:x", "google:x", "ollama:x", "openai-responses:x"])
def test_the_great_providers_can_be_reached_at_an_address_of_ones_own(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(variable, "sk-1234567")
    monkeypatch.setenv("AGENTL_MODEL_URL", "http://127.0.0.1:9/v1")
    model: Any = model_named(name)
    assert model._model.base_url.rstrip("/") == "http://127.0.0.1:9/v1"


def test_a_provider_that_is_not_installed_is_refused(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(ModelError) as caught:
        model_named("mistral:large")
    assert caught.value.code == "M102"


def test_limits_come_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    assert Limits.of_environment() == Limits(retries=3, budget=90, timeout=60, output_tokens=4096)
    for name, value in (("RETRIES", "0"), ("RETRY_BUDGET", "2.5"), ("TIMEOUT", "7")):
        monkeypatch.setenv(f"AGENTL_LLM_{name}", value)
    monkeypatch.setenv("AGENTL_MAX_OUTPUT_TOKENS", "10")
    assert Limits.of_environment() == Limits(retries=0, budget=2.5, timeout=7, output_tokens=10)
    monkeypatch.setenv("AGENTL_LLM_RETRIES", "many")
    with pytest.raises(ModelError) as caught:
        Limits.of_environment()
    assert caught.value.code == "M103"
