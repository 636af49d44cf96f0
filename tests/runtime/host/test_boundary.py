"""A host that hangs, prints, mutates, raises, forks threads: the stated trace, and never an action."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from copy import deepcopy

import pytest

from agentl import (
    NOT_EXECUTED,
    UNDEFINED,
    Host,
    InDoubt,
    MockLLM,
    PermitError,
    Symbol,
    current_action,
    parse_source,
)
from agentl.drivers.live import LiveDriver
from agentl.durable import DurableRun, MemoryStore
from agentl.interpreter.crossings import Answered, Ask, Doubtful, Failed, Invoke, Lapsed
from agentl.kernel import Kernel

ACT = "TOOL act { INPUT { items: List } OUTPUT { n: Int } SIDE_EFFECT { lamp } EFFECT { lamp.state = lit } }"
PLAN = f"{ACT} PLAN p WHEN 1 == 1 {{ act(items = [1]) }}"


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda seconds: None)


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def live(host: Host):
    with LiveDriver(host, MockLLM()) as driver:
        yield driver


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


# ------------------------------------------------------------------------------------------------ prints


def test_prints_of_every_function_stay_out_of_stdout(
    run_agent, host: Host, capsys: pytest.CaptureFixture[str]
):
    def says(word: str, result: object = None) -> Callable[..., object]:
        return lambda *_given, **_named: print(word) or result

    host.sensors["lamp.state"] = says("sensor", 1)
    host.tools["act"] = says("tool", {"n": 1})
    host.subagents["courier"] = says("courier", {})
    host.compensations["act"] = says("compensation")
    host.asker, host.approver = says("asker", "x"), says("approver", True)
    host.trace_sink = says("sink")
    run_agent(
        f"""OBSERVE {{ lamp.state }} {ACT} POLICY {{ DEFAULT ALLOW REQUIRE APPROVAL FOR act }}
        PLAN p WHEN 1 == 1 {{ act(items = [1]) DELEGATE courier {{ }} ASK guard "Who?" ROLLBACK }}""",
        host,
    )
    out, err = capsys.readouterr()
    assert out == ""
    assert set(err.split()) >= {"sensor", "tool", "courier", "compensation", "asker", "approver"}


# ------------------------------------------------------------------------------------------------ mutates


def test_what_the_host_does_to_its_arguments_changes_nothing(run_agent, host: Host):
    def spoil(given: dict) -> None:
        for value in given.values():
            value.append(99) if isinstance(value, list) else None
        given.clear()

    seen = []

    def approve(request: object) -> bool:
        spoil(request.args)
        return True

    def act(items: list) -> dict:
        seen.append(list(items))
        items.append(99)
        return {"n": 1}

    host.approver, host.tools["act"] = approve, act
    host.subagents["courier"] = lambda payload: seen.append(deepcopy(payload)) or spoil(payload) or {}
    host.compensations["act"] = lambda arguments, result: (
        seen.append(deepcopy((arguments, result))) or spoil(arguments)
    )
    host.trace_sink = lambda event: event.detail.clear()
    machine = run_agent(
        f"""BELIEF {{ box.items = [1, 2] }} {ACT} POLICY {{ DEFAULT ALLOW REQUIRE APPROVAL FOR act }}
        PLAN p WHEN 1 == 1 {{ act(items = box.items) DELEGATE courier {{ INPUT {{ box.items }} }}
          DELEGATE courier {{ INPUT {{ box.items }} }} ROLLBACK }}""",
        host,
    )
    assert seen == [[1, 2], {"box.items": [1, 2]}, {"box.items": [1, 2]}, ({"items": [1, 2]}, {"n": 1})]
    assert machine.state.get("box.items") == [1, 2]
    called = next(event for event in machine.trace.events if event.code == "tool.called")
    assert called.arguments["arguments"] == {"items": [1, 2]}


def test_a_reading_that_the_host_changes_later_is_not_changed(run_agent, host: Host):
    shared = [1]
    host.sensors["box.items"] = lambda: shared
    host.tools["act"] = lambda items: shared.append(2) or {"n": 1}
    machine = run_agent(f"OBSERVE {{ box.items }} {PLAN}", host)
    assert machine.state.get("box.items") == [1]


# ------------------------------------------------------------------------------------------------ threads


def in_a_thread(work: Callable[[], object], context: object = None) -> list[BaseException | None]:
    ends: list[BaseException | None] = []

    def run() -> None:
        try:
            context.run(work) if context else work()
            ends.append(None)
        except BaseException as error:  # noqa: BLE001
            ends.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(10)
    return ends


@pytest.mark.parametrize("keeps_context", [False, True])
def test_a_thread_that_a_tool_leaves_behind_can_perform_nothing(run_agent, host: Host, keeps_context: bool):
    import contextvars  # noqa: PLC0415

    contexts, acts = [], []

    def act(items: list) -> dict:
        acts.append(items)
        contexts.append(contextvars.copy_context())
        ends = in_a_thread(
            lambda: host.invoke("act", {"items": [1]}), contexts[-1] if keeps_context else None
        )
        assert isinstance(ends[0], PermitError)
        return {"n": 1}

    host.tools["act"] = act
    run_agent(PLAN, host)
    later = in_a_thread(lambda: host.invoke("act", {"items": [1]}), contexts[0] if keeps_context else None)
    assert isinstance(later[0], PermitError)
    assert acts == [[1]]


def test_the_thread_of_an_attempt_that_was_given_up_cannot_use_the_permit_of_the_next(
    host: Host, live: LiveDriver
):
    acts, ends, go = [], [], threading.Event()

    class Slow(Host):
        def invoke(self, name: str, args: dict) -> object:
            if current_action().attempt == 1:
                go.wait(10)
                try:
                    return super().invoke(name, args)
                except PermitError as error:
                    ends.append(error.code)
                    raise
            go.set()
            while not ends:
                time.sleep(0.001)
            return super().invoke(name, args)

    slow = Slow()
    slow.tool("act", timeout=1, idempotent=True, retries=1)(lambda: acts.append(1) or {})
    permit = Kernel("run", "a", "p").mint("invoke", "act", {}, tick=1, sequence=1)
    with LiveDriver(slow, MockLLM()) as driver:
        assert driver.answer(Invoke(agent="a", tick=1, permit=permit)) == Answered(value={})
    assert (acts, ends) == ([1], ["P103"])


def test_a_tool_cannot_call_another_one_or_itself(run_agent, host: Host):
    host.tools["act"] = lambda items: host.invoke("act", {"items": items})
    with pytest.raises(PermitError, match="P104"):
        run_agent(PLAN, host)
    host.tools["act"] = lambda items: host.delegate("courier", {})
    with pytest.raises(PermitError, match="P105"):
        run_agent(PLAN, host)


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


# ------------------------------------------------------------------------------------------------ overriding


def test_a_subclass_may_take_over_every_boundary():
    class Mine(Host):
        def read(self, path: str) -> object:
            return f"read {path}"

        def ask(self, question: str, reason: str | None) -> object:
            return f"{question} {reason}"

        async def approve(self, request: object) -> object:
            return request.tool == "act"

        def drain(self) -> list:
            return [{"source": "bell", "payload": {"n": 1}}]

        def invoke(self, name: str, args: dict) -> object:
            return super().invoke(name, args)

        def reconcile(self, name: str, args: dict, context: object) -> object:
            return {"n": 7}

    host = Mine()
    host.tools["act"] = lambda items: (_ for _ in ()).throw(InDoubt("perhaps"))
    host.reconcilers["act"] = lambda args, context: NOT_EXECUTED
    program = parse_source(
        f"""AGENT a {{ OBSERVE {{ lamp.mood }} {ACT} POLICY {{ DEFAULT ALLOW REQUIRE APPROVAL FOR act }}
        EVENT bell {{ act(items = [1]) ASK guard "Who?" }} }}"""
    )
    machine = DurableRun(program, host, store=MemoryStore()).run(1)
    assert machine.state.get("lamp.mood") == "read lamp.mood"
    assert machine.state.get("answer") == "Who? None"
    assert machine.state.get("act.n") == 7


def test_a_question_that_outlasts_its_time_is_lapsed_and_its_late_answer_dropped(
    host: Host, live: LiveDriver
):
    go = threading.Event()
    host.asker = lambda question, reason: go.wait(10)
    assert live.ask(Ask(agent="a", tick=1, addressee="x", question="q", timeout=0.02)) == Lapsed()
    assert live.ask(Ask(agent="a", tick=1, addressee="x", question="q", timeout=-1)) == Lapsed()
    go.set()


# ------------------------------------------------------------------------------------------------ the trace


def test_the_sink_hears_every_event_in_words_and_as_data():
    host, heard = Host(), []
    host.trace_sink = heard.append
    program = parse_source(
        "AGENT a { BELIEF { key.code = 1234 } POLICY { NEVER SEND key.code } OBSERVE { key.code } "
        "LOOP MAX 1 { OBSERVE } }"
    )
    host.sensors["key.code"] = lambda: 1234
    run = DurableRun(program, host, store=MemoryStore())
    run.run()
    assert [event.text for event in heard] == [
        run.runtime.trace.text(event) for event in run.runtime.trace.events
    ]
    assert (heard[0].tick, heard[0].kind, heard[0].detail) == (
        1,
        "TICK",
        {"code": "tick.started", "number": 1},
    )
    assert "1234" not in repr(heard)


# ------------------------------------------------------------------------------------------------ the program


def test_a_plan_that_triggers_itself_ends_the_tick_after_a_thousand_starts(run_agent):
    machine = run_agent("PLAN p WHEN 1 == 1 { p }")
    assert codes(machine).count("plan.started") == 1000
    assert [event.kind for event in machine.trace.events if event.code == "tick.cut"] == ["ERROR"]
