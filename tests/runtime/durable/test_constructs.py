"""Every construct live, durable, stopped at every record, and replayed: one trace, and each effect once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentl import Host, InDoubt, MockLLM, Symbol, current_action, parse_source
from agentl.cli.output import print_settled
from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.durable import DurableRun, MemoryStore, notices, replay
from agentl.interpreter.machine import Machine
from agentl.interpreter.support import unsupported
from agentl.run_state import RunState

TOOLS = """
  TOOL book {
    INPUT { n: Number } OUTPUT { reference: String } SIDE_EFFECT { hotel } EFFECT { hotel.booked = n } }
  TOOL tell { INPUT { text: Any } }
"""
PROGRAMS = {
    "memory": f"""{TOOLS} OBSERVE {{ door.state }}
      MEMORY {{ LONG_TERM {{ log, effect_drift }} SHARED {{ board }}
        WRITE {{ WHEN door.state != shut STORE {{ door.state, log }} INTO LONG_TERM.log }}
        WRITE {{ STORE door.state INTO SHARED.board }} }}
      PLAN p WHEN SHARED.board.count > 0 {{ tell(text = SHARED.board.last.door.state) }} LOOP MAX 2 {{
        OBSERVE UPDATE_BELIEFS SELECT_PLAN EXECUTE UPDATE_MEMORY }}""",
    "foreach": f"""{TOOLS} OBSERVE {{ guests }}
      PLAN p WHEN 1 == 1 {{ FOREACH g IN guests MAX 2 {{ book(n = g.beds) tell(text = book.reference) }} }}
      LOOP MAX 1 {{ OBSERVE SELECT_PLAN EXECUTE }}""",
    "decide": f"""{TOOLS} PLAN first {{ tell(text = one) }} PLAN second {{ tell(text = mood) }}
      DECIDE {{ IF n.told == yes THEN {{ tell(text = two) }} ELSE {{ SET n.told = yes }}
        REASON "what now" {{ USING {{ n.told }} PRODUCE {{ mood: Symbol }} }} }}
      LOOP MAX 1 {{ SELECT_PLAN EXECUTE }}""",
    "delegate": f"""{TOOLS} BELIEF {{ box.size = 3 }}
      PLAN p WHEN 1 == 1 {{ DELEGATE courier {{ TASK "bring it" INPUT {{ box.size }} EXPECT {{ place }} }}
        DELEGATE ghost {{ EXPECT {{ place }} }} tell(text = courier.place) }}
      LOOP MAX 1 {{ SELECT_PLAN EXECUTE }}""",
    "rollback": f"""{TOOLS} PLAN p WHEN 1 == 1 {{ book(n = 1) tell(text = x) book(n = 2)
        VERIFY {{ 1 == 2 ON FAIL {{ ROLLBACK }} }} }} LOOP MAX 1 {{ SELECT_PLAN EXECUTE }}""",
    "people": f"""{TOOLS} POLICY {{ DEFAULT ALLOW REQUIRE APPROVAL FOR book }}
      PLAN p WHEN 1 == 1 {{ ASK guard {{ QUESTION "Which way?" REASON fork TIMEOUT 10min DEFAULT right }}
        ASK guard "And then?" ESCALATE tell(text = answer.guard) book(n = 1) }}
      LOOP MAX 1 {{ SELECT_PLAN EXECUTE }}""",
    "events": f"""{TOOLS} EVENT bell {{ WHEN n > 1 tell(text = payload.n) MESSAGE hello {{ TO bob }} }}
      ON MESSAGE hello {{ tell(text = message.from) }} LOOP MAX 2 {{ RECEIVE SELECT_PLAN EXECUTE }}""",
}


class Crash(BaseException):
    """Stands for the death of the process."""


class DyingStore(MemoryStore):
    """Dies before or after its next writes, when `fault` says (number, side)."""

    fault: tuple[int, str] | None = None
    writes = 0

    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        self.writes += 1
        fault = self.fault or (0, "")
        if fault == (self.writes, "before"):
            raise Crash
        super().append(n, previous, line, sync=sync)
        if fault == (self.writes, "after"):
            raise Crash


class World:
    """A host that writes down what happened, once a key when it promises to be idempotent."""

    def __init__(self, *, idempotent: bool = True) -> None:
        self.idempotent = idempotent
        self.effects: list[tuple[str, str]] = []

    def act(self, what: str) -> None:
        entry = (what, current_action().idempotency_key)
        if not self.idempotent or entry not in self.effects:
            self.effects.append(entry)

    def host(self, text: str = "") -> Host:
        host = Host()
        options: dict[str, Any] = {"idempotent": self.idempotent}

        @host.tool("book", **options)
        def book(n: float) -> dict:
            self.act(f"book {n}")
            return {"reference": f"r-{n}"}

        host.tool("tell", **options)(lambda text: self.act(f"tell {text}"))
        host.compensation("book", **options)(
            lambda arguments, result: self.act(f"cancel {result['reference']}")
        )

        @host.subagent("courier", **options)
        def courier(payload: dict) -> dict:
            self.act(f"courier {json.dumps(payload)}")
            return {"place": "door"}

        host.sensors["door.state"] = lambda: Symbol("open")
        host.sensors["guests"] = lambda: [{"beds": 1}, {"beds": 2}, {"beds": 3}]
        host.asker = lambda question, reason: f"{question} {reason}"
        host.approver = lambda request: True
        if "LONG_TERM" in text:
            host.memory = {"LONG_TERM.log": [1]}
        host.emit("bell", n=2)
        return host


def model() -> MockLLM:
    return MockLLM({"what now": {"mood": "calm"}}, lambda _context, _candidates: "second")


def durable(store: MemoryStore, world: World, text: str) -> DurableRun:
    return DurableRun(
        parse_source(f"AGENT a {{ {text} }}"), world.host(text), model(), store=store, run_id="run"
    )


def live(world: World, text: str) -> Machine:
    program = parse_source(f"AGENT a {{ {text} }}")
    assert unsupported(program) == ()
    machine = Machine(program, program.agents[0], run_id="run")
    with LiveDriver(world.host(text), model()) as driver:
        drive(machine, driver)
    return machine


def once(world: World) -> bool:
    return max(Counter(world.effects).values(), default=0) <= 1


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_live_run_a_durable_one_and_its_replay_have_the_same_trace(name: str, tmp_path: Path) -> None:
    expected, world, store = World(), World(), MemoryStore()
    machine = live(expected, PROGRAMS[name])
    run = durable(store, world, PROGRAMS[name])
    run.run()
    assert run.trace_text() == machine.trace.render()
    assert world.effects == expected.effects != []
    export = tmp_path / "journal.json"
    export.write_text(run.export().text())
    replayed = replay(export)
    assert replayed.outcome == "conforming"
    assert replayed.runtime.trace.render() == machine.trace.render()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_run_goes_on_from_the_encoding_of_its_state_at_any_tick_end(name: str) -> None:
    program = parse_source(f"AGENT a {{ {PROGRAMS[name]} }}")
    whole, first = (Machine(program, program.agents[0], run_id="run", length=length) for length in (3, 1))
    world, other = World(), World()
    with LiveDriver(world.host(PROGRAMS[name]), model()) as driver:
        drive(whole, driver)
    with LiveDriver(other.host(PROGRAMS[name]), model()) as driver:
        drive(first, driver)
        state = RunState.decoded(json.loads(json.dumps(first.state.encoded())))
        rest = Machine(program, program.agents[0], run_id="run", length=3, state=state)
        drive(rest, driver)
    assert first.trace.render() + rest.trace.render() == whole.trace.render()
    assert (rest.state.digest(), other.effects) == (whole.state.digest(), world.effects)


def stopped_everywhere(text: str, make: Callable[[], World]) -> tuple[int, list[tuple[World, DurableRun]]]:
    """Stop a run before and after each of its writes, and resume it; return how many writes there are."""
    whole = DyingStore()
    durable(whole, make(), text).run()
    ended: list[tuple[World, DurableRun]] = []
    for number in range(1, whole.writes + 1):
        for side in ("before", "after"):
            store, world = DyingStore(), make()
            store.fault = (number, side)
            with pytest.raises(Crash):
                durable(store, world, text).run()
            store.fault = None
            run = durable(store, world, text)
            run.run()
            ended.append((world, run))
    return whole.writes, ended


WRITES = {"memory": 11, "foreach": 17, "decide": 9, "delegate": 13, "rollback": 22, "people": 15, "events": 9}


@pytest.mark.parametrize("name", PROGRAMS)
def test_stopped_at_any_write_and_resumed_it_ends_as_if_nothing_had_been(name: str) -> None:
    machine, expected = live(undisturbed := World(), PROGRAMS[name]), undisturbed.effects
    writes, ended = stopped_everywhere(PROGRAMS[name], World)
    for world, run in ended:
        assert run.trace_text() == machine.trace.render()
        assert world.effects == expected
    assert (writes, len(ended)) == (WRITES[name], 2 * WRITES[name])


@pytest.mark.parametrize("name", PROGRAMS)
def test_without_a_promise_nothing_happens_twice_and_what_is_open_is_in_doubt(name: str) -> None:
    _, ended = stopped_everywhere(PROGRAMS[name], lambda: World(idempotent=False))
    for world, run in ended:
        assert once(world)
        doubts = [how for how in run.journal.resolutions if how["how"] == "in_doubt"]
        assert bool(doubts) is ("may have" in run.trace_text())
    assert any("may have" in run.trace_text() for _, run in ended)


def test_how_an_interrupted_undoing_was_settled_says_that_it_is_one(capsys) -> None:
    _, ended = stopped_everywhere(PROGRAMS["rollback"], lambda: World(idempotent=False))
    settled = [how for _, run in ended for how in run.journal.resolutions if how["how"] == "in_doubt"]
    assert {how["does"] for how in settled} == {"invoke", "compensate"}
    undoing = next(how for how in settled if how["does"] == "compensate")
    print_settled([undoing])
    action = undoing["action_id"]
    assert f"  undo book ({action}): in doubt; it will not be sent again\n" in capsys.readouterr().out
    told = notices.settled("book", action, "in_doubt", "compensate")
    assert str(told) == f"  ? undo book ({action}): in doubt, it will not be sent again"


def test_the_records_of_a_sub_agent_and_of_an_undoing_say_what_they_are() -> None:
    run = durable(MemoryStore(), World(), PROGRAMS["delegate"])
    run.run()
    kinds = [record.kind for record in run.journal.entries]
    assert kinds[1:7] == ["verdict", "delegate_lookup", "intent", "delegate", "verdict", "delegate_lookup"]
    intent = run.journal.entries[3].body()
    assert (intent["does"], intent["promise"], intent["args"]) == (
        "delegate",
        "idempotent",
        {"box.size": 3, "task": "bring it"},
    )
    run = durable(MemoryStore(), World(), PROGRAMS["rollback"])
    run.run()
    undoing = [record for record in run.journal.entries if record.kind == "intent"][3].body()
    assert (undoing["does"], undoing["args"]["arguments"], undoing["args"]["result"]) == (
        "compensate",
        {"n": 2},
        {"reference": "r-2"},
    )


def test_a_resumed_run_is_refused_when_the_host_has_lost_the_sub_agent() -> None:
    class Poorer(World):
        def host(self, text: str = "") -> Host:
            host = super().host(text)
            host.subagents.clear()
            return host

    store = DyingStore()
    store.fault = (5, "after")
    with pytest.raises(Crash):
        durable(store, World(), PROGRAMS["delegate"]).run()
    store.fault = None
    with pytest.raises(Exception, match=r"R305.*sub-agent courier"):
        durable(store, Poorer(), PROGRAMS["delegate"]).run()


def test_a_sub_agent_in_doubt_stays_so_over_a_resume() -> None:
    class Broken(World):
        def act(self, what: str) -> None:
            super().act(what)
            if what.startswith("courier"):
                raise InDoubt("the line went dead")

    store, world = MemoryStore(), Broken(idempotent=False)
    run = durable(store, world, PROGRAMS["delegate"])
    run.run()
    assert run.runtime.state.get("tools.courier.in_doubt") is True
    again = durable(store, world, PROGRAMS["delegate"])
    assert again.run().state.get("tools.courier.in_doubt") is True
    assert len([effect for effect in world.effects if effect[0].startswith("courier")]) == 1


# ------------------------------------------------------------------------------------------------ the timer

QUESTION = """PLAN p WHEN 1 == 1 { ASK guard { QUESTION "Which way?" TIMEOUT 60 DEFAULT right } }
  LOOP MAX 1 { SELECT_PLAN EXECUTE }"""


def asked_and_stopped(
    monkeypatch: pytest.MonkeyPatch, *, later: float, answer: object = "left"
) -> tuple[DurableRun, list]:
    """Stop when the question is written down, and resume `later` seconds after."""
    asked: list[str] = []

    class Asked(World):
        def host(self, text: str = "") -> Host:
            host = super().host(text)
            host.asker = lambda question, reason: asked.append(question) or answer
            return host

    clock = [1000.0]
    monkeypatch.setattr("agentl.drivers.durable.time.time", lambda: clock[0])
    store = DyingStore()
    store.fault = (3, "after")
    with pytest.raises(Crash):
        durable(store, Asked(), QUESTION).run()
    assert asked == []
    wait = durable(store, Asked(), QUESTION).journal.entries[-1].body()
    assert (wait["expires"], wait["id"]) == (1060.0, "run:a:w2")
    clock[0] += later
    store.fault = None
    run = durable(store, Asked(), QUESTION)
    run.run()
    return run, asked


def test_a_question_asked_before_a_stop_is_asked_again_while_its_time_lasts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, asked = asked_and_stopped(monkeypatch, later=59)
    assert asked == ["Which way?"]
    assert run.runtime.state.get("answer") == "left"
    assert [record.kind for record in run.journal.entries[1:4]] == ["wait", "resumed", "answer"]
    assert run.runtime.state.get("run.resumed") is False
    again = durable(run._store, World(), QUESTION).run()
    assert (again.trace.render(), again.state.get("run.resumed")) == (run.trace_text(), False)


@pytest.mark.parametrize("later", [60, 1e9])
def test_when_its_time_is_over_nobody_is_asked_and_the_timer_fires_at_the_resume(
    monkeypatch: pytest.MonkeyPatch, later: float
) -> None:
    run, asked = asked_and_stopped(monkeypatch, later=later)
    assert asked == []
    assert run.runtime.state.get("answer") == Symbol("right")
    assert run.runtime.state.get("run.resumed") is True
    expired = run.journal.entries[3]
    assert (expired.kind, expired.body()["wait"]) == ("expired", "run:a:w2")
    again = DurableRun(parse_source(f"AGENT a {{ {QUESTION} }}"), Host(), store=run._store)
    assert again.run().trace.render() == run.trace_text()


def test_a_clock_that_was_set_back_gives_nobody_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []
    monkeypatch.setattr(
        "agentl.drivers.live.Caller.call",
        lambda self, function, *arguments, timeout=None: given.append(timeout) or function(*arguments),
    )
    asked_and_stopped(monkeypatch, later=-500)
    assert [timeout for timeout in given if timeout is not None] == [60.0]


def test_a_question_without_timeout_writes_no_wait() -> None:
    run = durable(MemoryStore(), World(), PROGRAMS["people"])
    run.run()
    assert [record.kind for record in run.journal.entries].count("wait") == 1
