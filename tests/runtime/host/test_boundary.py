"""A host that hangs, raises, answers in a wrong shape: the stated trace, and never an action."""

from __future__ import annotations

import asyncio
import threading

import pytest

from agentl import (
    UNDEFINED,
    Host,
    InDoubt,
    Symbol,
    parse_source,
)
from agentl.drivers.live import LiveDriver
from agentl.durable import DurableRun, MemoryStore
from agentl.interpreter.crossings import Answered, Doubtful, Failed, Invoke
from agentl.kernel import Kernel

pytestmark = pytest.mark.usefixtures("no_waiting")
ACT = "TOOL act { INPUT { items: List } OUTPUT { n: Int } SIDE_EFFECT { lamp } EFFECT { lamp.state = lit } }"
PLAN = f"{ACT} PLAN p WHEN 1 == 1 {{ act(items = [1]) }}"


def codes(machine) -> list[str]:
    return [event.code for event in machine.trace.events]


# ------------------------------------------------------------------------------------------------ hangs


def test_a_tool_that_hangs_ends_in_doubt_and_the_run_goes_on(run_agent, host: Host):
    go = threading.Event()
    host.tool("act", timeout=0.02)(lambda items: go.wait(10))
    machine = run_agent(PLAN, host, ticks=2)
    go.set()
    assert codes(machine).count("tool.in_doubt") == 2
    assert machine.state.get("tools.act.in_doubt") is True
    assert machine.state.get("lamp.dirty") is True
    assert machine.state.get("lamp.state") is UNDEFINED


def test_a_sensor_that_hangs_is_mute_and_told(run_agent, host: Host):
    go = threading.Event()
    host.sensor("lamp.state", timeout=0.02)(lambda: go.wait(10))
    machine = run_agent("OBSERVE { lamp.state ON UNKNOWN DEGRADE dark }", host)
    go.set()
    failed = next(event for event in machine.trace.events if event.code == "sensor.failed")
    assert failed.arguments["message"] == "no answer within 0.02 s"
    assert machine.state.get("lamp.state") == Symbol("dark")


@pytest.mark.parametrize("kind", ["tool", "subagent", "compensation"])
def test_whatever_acts_is_in_doubt_when_it_takes_too_long(host: Host, live: LiveDriver, kind: str):
    go = threading.Event()
    action = {"tool": "invoke", "subagent": "delegate", "compensation": "compensate"}[kind]
    getattr(host, kind)("act", timeout=0.02)(lambda *given: go.wait(10))
    arguments = {"arguments": {}, "result": {}} if kind == "compensation" else {}
    permit = Kernel("run", "a", "p").mint(action, "act", arguments, tick=1, sequence=1)
    assert live.perform(permit) == Doubtful(reason="no answer within 0.02 s", under_way=True)
    go.set()


def test_a_coroutine_that_blocks_its_loop_is_left_behind_and_the_next_call_works(
    host: Host, live: LiveDriver
):
    go = threading.Event()

    @host.tool("act", timeout=0.02)
    async def act() -> dict:
        go.wait(10)
        return {}

    @host.sensor("lamp.state")
    async def lamp() -> str:
        await asyncio.sleep(0)
        return "lit"

    permit = Kernel("run", "a", "p").mint("invoke", "act", {}, tick=1, sequence=1)
    assert isinstance(live.perform(permit), Doubtful)
    assert live.read("lamp.state") == Answered(value="lit")
    go.set()


def test_what_a_coroutine_answers_after_its_timeout_is_too_late_although_it_blocked_the_loop(
    host: Host, live: LiveDriver
):
    @host.sensor("lamp.state", timeout=0.01)
    async def lamp() -> str:
        threading.Event().wait(0.1)
        return "lit"

    @host.tool("act", timeout=0.01)
    async def act() -> dict:
        threading.Event().wait(0.1)
        raise ValueError

    assert isinstance(live.read("lamp.state"), Failed)
    permit = Kernel("run", "a", "p").mint("invoke", "act", {}, tick=1, sequence=1)
    assert isinstance(live.perform(permit), Doubtful)


def test_a_reconciler_of_a_sub_agent_that_hangs_knows_nothing(host: Host, live: LiveDriver):
    go = threading.Event()

    @host.subagent("act", timeout=0.02)
    def act(payload: dict) -> dict:
        raise InDoubt("perhaps")

    host.reconciler("act")(lambda payload, action: go.wait(10))
    permit = Kernel("run", "a", "p").mint("delegate", "act", {}, tick=1, sequence=1)
    assert live.answer(Invoke(agent="a", tick=1, permit=permit)) == Doubtful(reason="perhaps")
    go.set()


# ------------------------------------------------------------------------------------------------ raises


class Unprintable(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise ValueError


EXCEPTIONS = [
    ValueError("bad"),
    StopIteration(),
    StopAsyncIteration(),
    RecursionError(),
    MemoryError(),
    AssertionError(),
    Unprintable(),
    ExceptionGroup("both", [ValueError(), OSError()]),
    UnicodeDecodeError("ascii", b"\xff", 0, 1, "odd"),
    TimeoutError(),
]


@pytest.mark.parametrize("error", EXCEPTIONS, ids=lambda error: type(error).__name__)
def test_an_exception_of_any_kind_is_told_and_the_run_goes_on(run_agent, host: Host, error: Exception):
    def fail(*_given: object, **_named: object) -> None:
        raise error

    host.sensors["lamp.state"] = fail
    host.tools["act"] = host.subagents["courier"] = host.compensations["done"] = host.asker = (
        host.approver
    ) = fail
    host.tools["done"] = dict
    host.trace_sink = fail
    machine = run_agent(
        f"""OBSERVE {{ lamp.state }} {ACT} TOOL done {{ }} TOOL paid {{ }}
        POLICY {{ DEFAULT ALLOW REQUIRE APPROVAL FOR paid }}
        PLAN p WHEN 1 == 1 {{ done() act(items = [1]) DELEGATE courier {{ EXPECT {{ x }} }} ASK guard "Who?"
          paid() ROLLBACK SET went.on = yes }}""",
        host,
    )
    wanted = {
        "sensor.failed",
        "tool.failed",
        "delegate.failed",
        "ask.failed",
        "approval.refused",
        "rollback.failed",
    }
    assert wanted <= set(codes(machine))
    assert machine.state.get("went.on") == Symbol("yes")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), GeneratorExit()])
@pytest.mark.parametrize("timeout", [None, 10])
def test_what_is_no_exception_ends_the_run_unchanged(
    run_agent, host: Host, error: BaseException, timeout: float | None
):
    @host.tool("act", timeout=timeout)
    def act(items: list) -> dict:
        raise error

    with pytest.raises(type(error)):
        run_agent(PLAN, host)


def test_a_tool_whose_task_was_cancelled_may_have_acted(host: Host, live: LiveDriver):
    @host.tool("act")
    async def act() -> dict:
        raise asyncio.CancelledError

    permit = Kernel("run", "a", "p").mint("invoke", "act", {}, tick=1, sequence=1)
    assert live.perform(permit) == Doubtful(reason="the call was cancelled")


# --------------------------------------------------------------------------------------- wrong shapes
# --------------------------------------------------------------------------------------- wrong shapes


@pytest.mark.parametrize(
    "result", [None, 5, "text", [], {}, {"n": "5"}, {"n": True}, {"n": float("nan")}, object(), lambda: 1]
)
def test_a_result_of_another_shape_is_a_failure_and_nothing_is_believed(
    run_agent, host: Host, result: object
):
    host.tools["act"] = lambda items: result
    machine = run_agent(PLAN, host)
    assert "tool.output_refused" in codes(machine)
    assert machine.state.get("lamp.state") is UNDEFINED
    assert machine.state.get("act.n") is UNDEFINED
    assert machine.metrics["tool_contract_failures"] == 1


@pytest.mark.parametrize(
    "value",
    [float("nan"), object(), b"\xff", 10**400, "\ud800", {1: {2: 3}}, {"$symbol": 5}, range(3), print],
)
def test_a_reading_of_any_kind_is_taken_and_journaled(value: object):
    host = Host()
    host.sensors["lamp.state"] = lambda: value
    program = parse_source(
        "AGENT a { OBSERVE { lamp.state } PLAN p WHEN lamp.state > 3 { SET a.b = 1 } "
        "LOOP MAX 1 { OBSERVE SELECT_PLAN EXECUTE } }"
    )
    store = MemoryStore()
    first = DurableRun(program, host, store=store, run_id="r").run()
    again = DurableRun(program, Host(), store=store).run()
    assert first.trace.render() == again.trace.render()


# ------------------------------------------------------------------------------------------------ sensors


def test_a_sensor_is_read_again_after_a_failure(run_agent, host: Host, codes):
    left: list[object] = [ValueError(), TimeoutError(), "lit"]

    @host.sensor("lamp.state", retries=2)
    def lamp() -> object:
        value = left.pop(0)
        if isinstance(value, Exception):
            raise value
        return value

    machine = run_agent("OBSERVE { lamp.state }", host)
    assert machine.state.get("lamp.state") == "lit"
    assert "sensor.failed" not in codes(machine)


def test_when_its_retries_are_spent_it_is_mute_and_muteness_itself_is_no_failure(
    host: Host, live: LiveDriver
):
    reads = []
    host.sensor("broken", retries=2)(lambda: reads.append(1) or 1 / 0)
    host.sensor("mute", retries=2)(lambda: reads.append(2))
    assert isinstance(live.read("broken"), Failed)
    assert live.read("mute") == Answered(value=None)
    assert reads == [1, 1, 1, 2]


@pytest.mark.parametrize("option", [{"timeout": 0}, {"timeout": "5"}, {"retries": -1}, {"retries": True}])
@pytest.mark.parametrize("kind", ["sensor", "subagent", "compensation"])
def test_an_option_that_cannot_be_meant_is_refused(host: Host, kind: str, option: dict):
    with pytest.raises(Exception, match=f"H104: the {kind} x: "):
        getattr(host, kind)("x", **option)
