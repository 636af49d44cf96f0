"""A stray `yield`, a forgotten `await`: what was never run is never done (durability.md §3)."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from agentl import Host, InDoubt, MockLLM
from agentl.drivers.live import LiveDriver
from agentl.errors import HostError
from agentl.interpreter.crossings import ActionRequest, Answered, Approve, Doubtful, Failed, Invoke, Lapsed
from agentl.kernel import Kernel

RAN: list[str] = []


def items(*_: Any, **__: Any) -> Any:
    yield RAN.append("ran")


async def later(*_: Any, **__: Any) -> Any:
    yield RAN.append("ran")


async def inner() -> dict:
    RAN.append("ran")
    return {}


async def awaitable(*_: Any, **__: Any) -> Any:
    return inner()


class Called:
    def __call__(self, *_: Any) -> Any:
        yield RAN.append("ran")


@pytest.fixture
def host() -> Host:
    RAN.clear()
    return Host()


def performed(host: Host, kind: Any, function: Callable[..., Any]) -> object:
    tables = {"invoke": host.tools, "delegate": host.subagents, "compensate": host.compensations}
    tables[kind]["act"] = function
    given = {"arguments": {}, "result": {}} if kind == "compensate" else {}
    permit = Kernel("run", "a", "p").mint(kind, "act", given, tick=1, sequence=1)
    with LiveDriver(host, MockLLM()) as live:
        return live.answer(Invoke(agent="a", tick=1, permit=permit))


@pytest.mark.parametrize("kind", ["invoke", "delegate", "compensate"])
@pytest.mark.parametrize("function", [items, later, partial(items), Called()])
def test_a_generator_function_did_not_act(host: Host, kind: str, function: Callable[..., Any]):
    answer = performed(host, kind, function)
    assert isinstance(answer, Failed)
    assert "nothing in it ran" in answer.failure.message
    assert RAN == []


@pytest.mark.parametrize("kind", ["invoke", "delegate", "compensate"])
@pytest.mark.parametrize(
    "function",
    [
        awaitable,
        lambda *_: items(),
        lambda *_: later(),
        lambda *_: [items()],
        lambda *_: {"n": inner()},
    ],
)
def test_a_function_that_ran_and_left_work_to_others_is_in_doubt(
    host: Host, kind: str, function: Callable[..., Any]
):
    assert isinstance(performed(host, kind, function), Doubtful)
    assert RAN == []


@pytest.mark.parametrize("function", [items, later, awaitable])
def test_a_sensor_that_only_promises_a_value_is_mute(host: Host, function: Callable[..., Any]):
    host.sensors["x"] = function
    with LiveDriver(host, MockLLM()) as live:
        assert isinstance(live.read("x"), Failed)


@pytest.mark.parametrize("function", [items, later, awaitable])
def test_a_person_who_was_not_asked_approved_nothing(host: Host, function: Callable[..., Any]):
    host.approver = function
    request = ActionRequest("act", {}, "LOW", (), "plan", 1.0)
    with LiveDriver(host, MockLLM()) as live:
        answer = live.answer(Approve(agent="a", tick=1, request=request, digest="d"))
    assert isinstance(answer, Failed | Lapsed)


@pytest.mark.parametrize("function", [items, later, awaitable, lambda *_: {"n": inner()}])
def test_a_reconciler_that_looked_nowhere_settles_nothing(host: Host, function: Callable[..., Any]):
    def act() -> None:
        raise InDoubt("perhaps")

    host.reconcilers["act"] = function
    assert isinstance(performed(host, "invoke", act), Doubtful)
    assert RAN == []


def test_a_coroutine_function_is_awaited_and_may_act(host: Host):
    async def act() -> dict:
        return await inner()

    assert performed(host, "invoke", act) == Answered(value={})
    assert RAN == ["ran"]


@pytest.mark.parametrize("kind", ["sensor", "tool", "subagent", "reconciler", "compensation"])
@pytest.mark.parametrize("function", [items, later, partial(items), Called()])
def test_a_generator_function_is_refused_where_it_is_registered(
    host: Host, kind: str, function: Callable[..., Any]
):
    with pytest.raises(HostError, match=rf"H104: the {kind} pay is a generator function"):
        getattr(host, kind)("pay")(function)


@pytest.mark.parametrize(
    "table", ["sensors", "tools", "subagents", "reconcilers", "compensations", "approver", "asker"]
)
def test_a_generator_function_in_a_table_is_refused_when_the_script_is_loaded(host: Host, table: str):
    setattr(host, table, items if table in {"approver", "asker"} else {"pay": items})
    with pytest.raises(HostError, match=r"H104: the \w+ \S+ is a generator function"):
        host.refuse_generators()
