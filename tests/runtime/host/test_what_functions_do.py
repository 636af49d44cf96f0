"""What functions of a host do besides answering: they print, mutate, fork threads, or take over."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from copy import deepcopy

import pytest

from agentl import (
    NOT_EXECUTED,
    Host,
    InDoubt,
    MockLLM,
    PermitError,
    current_action,
    parse_source,
)
from agentl.drivers.live import LiveDriver
from agentl.durable import DurableRun, MemoryStore
from agentl.interpreter.crossings import Answered, Ask, Invoke, Lapsed
from agentl.kernel import Kernel

pytestmark = pytest.mark.usefixtures("no_waiting")
ACT = "TOOL act { INPUT { items: List } OUTPUT { n: Int } SIDE_EFFECT { lamp } EFFECT { lamp.state = lit } }"
PLAN = f"{ACT} PLAN p WHEN 1 == 1 {{ act(items = [1]) }}"


def codes(machine) -> list[str]:
    return [event.code for event in machine.trace.events]


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
