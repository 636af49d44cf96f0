"""The live driver: codec, coroutines, timeouts, and whose stdout it is (durability.md §3, §5)."""

import asyncio
import contextvars
import logging
import sys
import threading

import pytest

from agentl import NOT_EXECUTED, UNDEFINED, Action, Host, InDoubt, MockLLM, Symbol, current_action
from agentl.drivers.live import LiveDriver
from agentl.interpreter.crossings import (
    ActionRequest,
    Answered,
    Approve,
    Ask,
    Doubtful,
    Failed,
    Invoke,
    Reason,
)
from agentl.kernel import Kernel, Permit


def permit(name: str = "act", **arguments: object) -> Permit:
    return Kernel("run", "a", "p").mint("invoke", name, arguments, tick=1, sequence=1)


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def live(host: Host):
    with LiveDriver(host, MockLLM({"t": {"f": 1}})) as driver:
        yield driver


def test_every_value_passes_the_codec(host: Host, live: LiveDriver):
    shared = {"items": (1, 2)}
    host.sensors["a.b"] = lambda: shared
    outcome = live.read("a.b")
    assert outcome == Answered(value={"items": (1, 2)})
    assert outcome.value is not shared
    host.sensors["a.b"] = object
    assert str(live.read("a.b").value) == "<object>"


def test_a_tool_gets_copies_of_its_arguments(host: Host, live: LiveDriver):
    wanted = permit(items=[1])
    host.tools["act"] = lambda items: items.append(2) or {"items": items}
    assert live.perform(wanted) == Answered(value={"items": [1, 2]})
    assert wanted.action.arguments == {"items": [1]}


@pytest.mark.parametrize(
    ("error", "expected"),
    [(ValueError("bad"), Failed), (InDoubt("perhaps"), Doubtful), (StopIteration(), Failed)],
)
def test_how_an_attempt_ends(host: Host, live: LiveDriver, error: Exception, expected: type):
    def act() -> dict:
        raise error

    host.tools["act"] = act
    assert type(live.perform(permit())) is expected


def test_an_attempt_is_one_call_and_its_number_is_told(host: Host, live: LiveDriver):
    attempts: list[int] = []

    @host.tool("act", retries=5)
    def act() -> dict:
        attempts.append(current_action().attempt)
        raise ValueError

    wanted = permit()
    live.perform(wanted)
    live.perform(wanted, attempt=2)
    assert attempts == [1, 2]


def test_coroutines_are_awaited_on_one_loop_under_the_permit(host: Host, live: LiveDriver):
    loops: set[object] = set()

    @host.sensor("a.b")
    async def read() -> int:
        loops.add(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return 5

    @host.tool("act")
    async def act() -> dict:
        loops.add(asyncio.get_running_loop())
        return {"id": current_action().action_id}

    async def asker(question: str, reason: str | None) -> str:
        return "yes"

    host.asker = asker
    assert live.read("a.b").value == 5
    assert live.perform(permit()).value == {"id": "run:a:t1:a1"}
    assert live.ask(Ask(agent="a", tick=1, addressee="x", question="q")).value == "yes"
    assert len(loops) == 1


def test_a_sync_tool_over_its_timeout_is_in_doubt_and_its_late_result_is_logged(
    host: Host, live: LiveDriver, caplog: pytest.LogCaptureFixture
):
    go, done = threading.Event(), threading.Event()

    @host.tool("act", timeout=0.05)
    def act() -> dict:
        go.wait(10)
        return {}

    with caplog.at_level(logging.WARNING, logger="agentl.live"):
        outcome = live.perform(permit())
        assert outcome == Doubtful(reason="no answer within 0.05 s", under_way=True)
        go.set()
        for thread in threading.enumerate():
            if thread.name == "agentl-tool":
                assert thread.daemon
                thread.join(10)
        done.set()
    assert "too late" in caplog.text


def test_an_async_tool_over_its_timeout_is_in_doubt(host: Host, live: LiveDriver):
    @host.tool("act", timeout=0.05)
    async def act() -> dict:
        await asyncio.sleep(60)
        return {}

    assert isinstance(live.perform(permit()), Doubtful)


VARIABLE = contextvars.ContextVar("VARIABLE", default="unset")


def test_a_tool_with_a_timeout_runs_under_a_copied_context(host: Host, live: LiveDriver):
    @host.tool("act", timeout=10)
    def act() -> dict:
        seen = {"value": VARIABLE.get(), "id": current_action().action_id}
        VARIABLE.set("changed")
        return seen

    token = VARIABLE.set("outer")
    assert live.perform(permit()).value == {"value": "outer", "id": "run:a:t1:a1"}
    assert VARIABLE.get() == "outer"
    VARIABLE.reset(token)


@pytest.mark.parametrize("timeout", [None, 10])
def test_a_base_exception_goes_through(host: Host, live: LiveDriver, timeout: float | None):
    @host.tool("act", timeout=timeout)
    def act() -> dict:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        live.perform(permit())


def test_what_a_host_prints_goes_to_stderr(host: Host, live: LiveDriver, capsys: pytest.CaptureFixture[str]):
    host.sensors["a.b"] = lambda: print("sensor")
    host.tools["act"] = lambda: print("tool") or {}
    live.read("a.b")
    live.perform(permit())
    print("trace", file=sys.stdout)
    assert capsys.readouterr() == ("trace\n", "sensor\ntool\n")


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_host_that_closes_a_stream_does_not_close_ours(
    host: Host, live: LiveDriver, capsys: pytest.CaptureFixture[str], name: str
):
    def act() -> dict:
        stream = getattr(sys, name)
        print("before", file=stream)
        with stream:
            stream.buffer.close()
            stream.detach().close()
        stream.close()
        return {}

    host.tools["act"] = act
    before = sys.stdout, sys.stderr
    assert live.perform(permit()) == Answered(value={})
    assert (sys.stdout, sys.stderr) == before
    print("trace", file=sys.stdout)
    print("notice", file=sys.stderr)
    assert capsys.readouterr() == ("trace\n", "before\nnotice\n")


def test_a_model_answers_with_its_fields_and_what_it_misses(live: LiveDriver):
    crossing = Reason(agent="a", tick=1, task="t", context={}, schema={"f": "Any", "g": "Any"})
    assert live.ask_model(crossing) == Answered(value={"fields": {"f": 1}, "missing": ["g"]})


def test_an_approver_is_asked_through_the_host(host: Host, live: LiveDriver):
    request = ActionRequest("pay", {"amount": 5, "to": Symbol("x")}, "HIGH", (), "plan", 1.0)
    host.approver = lambda request: request.render()
    outcome = live.approve(Approve(agent="a", tick=1, request=request, digest="d"))
    assert outcome == Answered(value="pay(amount=5, to=x)")


def test_what_an_overridden_drain_brings_and_is_no_event_is_dropped(caplog: pytest.LogCaptureFixture):
    class Mine(Host):
        def drain(self) -> list:
            odd = [{"source": "a", "payload": payload} for payload in ({1: 2}, [], None)]
            return [{"source": "a", "payload": {}}, "nonsense", {"source": 5, "payload": {}}, *odd]

    class Broken(Host):
        def drain(self) -> list:
            raise ValueError("not today")

    assert LiveDriver(Mine(), MockLLM()).drain() == [{"source": "a", "payload": {}}]
    assert LiveDriver(Broken(), MockLLM()).drain() == []
    assert caplog.messages == [
        '5 of what drain() brought is dropped, being no {"source": …, "payload": {…}}',
        "drain() failed, no event is taken: ValueError: not today",
    ]


def test_an_action_is_shown_to_a_person_so_that_no_text_can_pose_as_another_argument():
    request = ActionRequest("pay", {"to": 'x", amount=1\n\x1b[2K', "amount": 900}, "HIGH", (), "plan", 1.0)
    assert request.render() == 'pay(to="x\\", amount=1\\n\\x1b[2K", amount=900)'


# ---------------------------------------------------------------------------------------------- attempts


def invoked(live: LiveDriver, name: str = "act") -> object:
    return live.answer(Invoke(agent="a", tick=1, permit=permit(name)))


def tool_that(host: Host, *ends: object, **options: object) -> list[tuple[int, str]]:
    """Register `act` to end like this, attempt by attempt; return what each attempt read of its action."""
    left, seen = list(ends), []

    @host.tool("act", **options)
    def act() -> object:
        action = current_action()
        seen.append((action.attempt, action.idempotency_key))
        end = left.pop(0)
        if isinstance(end, Exception):
            raise end
        return end

    return seen


def test_a_failure_is_tried_again_under_the_same_key(host: Host, live: LiveDriver):
    seen = tool_that(host, ValueError(), {"n": 1}, retries=2)
    assert invoked(live) == Answered(value={"n": 1})
    assert [attempt for attempt, _ in seen] == [1, 2]
    assert len({key for _, key in seen}) == 1


def test_a_failure_without_retries_is_final(host: Host, live: LiveDriver):
    seen = tool_that(host, ValueError())
    assert isinstance(invoked(live), Failed)
    assert len(seen) == 1


def test_a_doubt_of_an_idempotent_tool_is_sent_again_once(host: Host, live: LiveDriver):
    seen = tool_that(host, InDoubt(), {"n": 1}, idempotent=True)
    assert invoked(live) == Answered(value={"n": 1})
    assert [attempt for attempt, _ in seen] == [1, 2]
    seen = tool_that(host, InDoubt("first"), InDoubt("second"), idempotent=True)
    assert invoked(live) == Doubtful(reason="second")
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("known", "expected", "attempts"),
    [
        ({"n": 7}, Answered(value={"n": 7}), 1),
        ({}, Answered(value={}), 1),
        (NOT_EXECUTED, Answered(value={"n": 1}), 2),
        (ValueError(), Doubtful(reason="perhaps"), 1),
    ],
)
def test_a_doubt_is_settled_by_the_reconciler(
    host: Host, live: LiveDriver, known: object, expected: object, attempts: int
):
    seen = tool_that(host, InDoubt("perhaps"), {"n": 1})

    @host.reconciler("act")
    def find(args: dict, action: Action) -> object:
        assert (args, action.action_id, action.attempt) == ({}, "run:a:t1:a1", 1)
        if isinstance(known, Exception):
            raise known
        return known

    assert invoked(live) == expected
    assert len(seen) == attempts


@pytest.mark.parametrize(
    ("known", "told"),
    [
        (None, "none"),
        (False, "false"),
        (True, "true"),
        (UNDEFINED, "undefined"),
        ("not found", '"not found"'),
        ([{}], "a list"),
        (InDoubt("?"), "<InDoubt>"),
    ],
)
def test_what_no_tool_could_have_answered_is_no_evidence_that_it_acted(
    host: Host, live: LiveDriver, known: object, told: str
):
    seen = tool_that(host, InDoubt("perhaps"), {})
    host.reconciler("act")(lambda arguments, action: known)
    reason = f"perhaps; the reconciler answered {told}, which is no result of it"
    assert invoked(live) == Doubtful(reason=reason)
    assert len(seen) == 1


def test_not_executed_is_not_believed_while_the_call_that_was_given_up_may_still_act(
    host: Host, live: LiveDriver
):
    go, acts = threading.Event(), []

    @host.tool("act", timeout=0.05, retries=3)
    def act() -> dict:
        go.wait(10)
        acts.append(current_action().attempt)
        return {}

    @host.reconciler("act")
    def find(_args: dict, _action: Action) -> object:
        return NOT_EXECUTED

    assert invoked(live) == Doubtful(reason="no answer within 0.05 s")
    go.set()
    for thread in [thread for thread in threading.enumerate() if thread.name == "agentl-tool"]:
        thread.join(10)
    assert acts == [1]


def test_a_reconciler_is_given_the_time_of_its_tool(host: Host, live: LiveDriver):
    go = threading.Event()
    tool_that(host, InDoubt("perhaps"), timeout=1)

    @host.reconciler("act")
    def find(_args: dict, _action: Action) -> object:
        go.wait(10)
        return {"n": 1}

    assert invoked(live) == Doubtful(reason="perhaps")
    go.set()


def test_a_doubt_without_a_promise_stays_and_is_never_sent_again(host: Host, live: LiveDriver):
    seen = tool_that(host, InDoubt("perhaps"), retries=5)
    assert invoked(live) == Doubtful(reason="perhaps")
    assert len(seen) == 1
