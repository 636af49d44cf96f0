"""The machine as data in, data out: crossings, determinism, and one home for the state (durability.md §6)."""

import json
from collections.abc import Callable, Iterator

import pytest

from agentl import UNDEFINED, Host, InDoubt, MockLLM, Symbol, parse_source
from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.event_chain import EventChain
from agentl.interpreter.crossings import Answered, Begin, Checkpoint, Crossing, Done, Outcome
from agentl.interpreter.machine import Machine
from agentl.run_state import RunState

TEXT = """
AGENT garden {
  GOAL wet { MAINTAIN soil.wet >= 3  TARGET { pump.runs < 9 } }
  BELIEF { pump.runs = 0 CONFIDENCE 0.5  mood = calm }
  OBSERVE { soil.wet ON UNKNOWN DEGRADE 1  air.temp ON UNKNOWN ESCALATE  note.text WHEN soil.wet < 9 }
  TOOL water { INPUT { liters: Number } OUTPUT { used: Number }
               SIDE_EFFECT { soil.wet } EFFECT { soil.wet = liters } RISK HIGH }
  TOOL call { INPUT { who: Symbol } }
  TOOL broken { }
  POLICY { NEVER call WHEN who == nobody  REQUIRE APPROVAL FOR water WHEN liters > 2  NEVER SEND note.text }
  EVENT bell.rang { SET heard = payload.by  THEN tell }
  PLAN pour WHEN soil.wet < 3 {
    STEP ask { REASON "how much" { USING { soil.wet } PRODUCE { amount: Number IN [0, 3] } } }
    STEP act { water(liters = amount) SET pump.runs = pump.runs + 1
               VERIFY "it is wet" { CONDITION soil.wet >= 3
                                    ON FAIL { RETRY 1 call(who = nobody) ESCALATE } } }
  }
  PLAN tell { call(who = heard) ASK owner "well?" DEFAULT fine broken() }
  LOOP UNTIL goal.satisfied MAX 6 { OBSERVE UPDATE_BELIEFS EVALUATE_GOALS SELECT_PLAN EXECUTE VERIFY }
}
"""


def world() -> Host:
    """Return a host with a will of its own, the same each time."""
    host = Host()
    wet: Iterator[object] = iter([1, 1.5, None, 2, 0, 2, 2, 1, 2, 2, 4, 2, 5, 5, 5, 5, 5, 5])
    temp: Iterator[object] = iter([20, None, None, 21, None, 22, 22])
    host.sensors["soil.wet"] = lambda: next(wet)
    host.sensors["air.temp"] = lambda: next(temp)
    host.sensors["note.text"] = lambda: {"lines": ["a", Symbol("b")], "pi": 3.14159265358979}
    poured: list[float] = []

    def water(liters: float) -> dict:
        poured.append(liters)
        if len(poured) == 2:
            raise InDoubt("the valve is stuck")
        return {"used": liters, "extra": 1}

    def broken() -> dict:
        raise ValueError("broken")

    host.tools.update({"water": water, "call": lambda who: {}, "broken": broken})
    host.approver = lambda request: "yes"
    host.asker = lambda question, reason: None if "well" in question else "go on"
    host.emit("bell.rang", by=Symbol("Ada"), nested={"x": [1, 2]})
    return host


def machine_of(text: str = TEXT, **options: object) -> Machine:
    program = parse_source(text)
    return Machine(program, program.agents[0], **options)


def model() -> MockLLM:
    return MockLLM({"how much": {"amount": 2.5}})


class Recording:
    """Answers through a live driver and keeps both sides."""

    def __init__(self, driver: LiveDriver) -> None:
        self.driver = driver
        self.crossings: list[Crossing] = []
        self.outcomes: list[Outcome] = []

    def answer(self, crossing: Crossing) -> Outcome:
        outcome = self.driver.answer(crossing)
        self.crossings.append(crossing)
        self.outcomes.append(outcome)
        return outcome


class Replaying:
    """Gives these outcomes, one after the other, and keeps the crossings."""

    def __init__(self, outcomes: list[Outcome]) -> None:
        self.outcomes = iter(outcomes)
        self.crossings: list[Crossing] = []

    def answer(self, crossing: Crossing) -> Outcome:
        self.crossings.append(crossing)
        return next(self.outcomes)


def described(crossing: Crossing) -> tuple[object, ...]:
    return (crossing.kind, crossing.key, crossing.tick, crossing.site, str(crossing.arguments))


@pytest.fixture
def recorded() -> tuple[Machine, Recording]:
    machine = machine_of()
    with LiveDriver(world(), model()) as live:
        recording = Recording(live)
        drive(machine, recording)
    return machine, recording


def test_the_first_crossing_begins_and_the_last_is_the_checkpoint_of_the_last_tick(recorded):
    machine, recording = recorded
    assert isinstance(recording.crossings[0], Begin)
    last = recording.crossings[-1]
    assert isinstance(last, Checkpoint)
    assert (last.tick, last.state, last.events) == (
        machine.state.tick,
        machine.state.digest(),
        machine.trace.digest(),
    )
    assert sum(isinstance(c, Checkpoint) for c in recording.crossings) == machine.state.tick


def test_a_run_without_a_journal_works_out_no_digest(monkeypatch):
    def nobody_asks(_: object) -> str:
        raise AssertionError

    monkeypatch.setattr(RunState, "digest", nobody_asks)
    monkeypatch.setattr(EventChain, "digest", nobody_asks)
    machine = machine_of()
    with LiveDriver(world(), model()) as live:
        drive(machine, live)
    assert machine.trace.events


def test_digests_are_the_same_whether_they_are_asked_for_every_tick_or_at_the_end(recorded):
    machine, recording = recorded
    again, told = machine_of(), []
    replaying = Replaying(recording.outcomes)

    class Asking:
        def answer(self, crossing: Crossing) -> Outcome:
            if isinstance(crossing, Checkpoint):
                told.append((crossing.state, crossing.events))
            return replaying.answer(crossing)

    drive(again, Asking())
    assert told[-1] == (machine.state.digest(), machine.trace.digest())
    assert len(set(told)) == len(told) == machine.state.tick


def test_a_crossing_tells_where_in_the_program_it_stands(recorded):
    _, recording = recorded
    sites = {(c.kind, c.site) for c in recording.crossings}
    assert {
        ("read", "garden/observe/soil.wet"),
        ("reason", "garden/plan:pour/step:ask/0"),
        ("verdict", "garden/plan:pour/step:act/0"),
        ("approve", "garden/plan:pour/step:act/0"),
        ("invoke", "garden/plan:pour/step:act/0"),
        ("read", "garden/plan:pour/step:act/2"),
        ("ask", "garden/plan:tell/step:main/1"),
        ("verdict", "garden/plan:pour/step:act/2/on_fail/1"),
    } <= sites


def test_two_machines_with_the_same_outcomes_are_equal_in_every_digest(recorded):
    machine, recording = recorded
    again = machine_of()
    replaying = Replaying(recording.outcomes)
    drive(again, replaying)
    assert list(map(described, replaying.crossings)) == list(map(described, recording.crossings))
    assert (again.state.digest(), again.trace.digest()) == (machine.state.digest(), machine.trace.digest())
    assert again.trace.events == machine.trace.events


def checkpoints(recording: Recording) -> list[int]:
    return [index for index, crossing in enumerate(recording.crossings) if isinstance(crossing, Checkpoint)]


def test_a_run_goes_on_from_the_encoding_of_its_state_at_any_tick_end(recorded):
    machine, recording = recorded
    for index in checkpoints(recording):
        part = machine_of()
        steps = part.run()
        next(steps)
        for outcome in recording.outcomes[:index]:
            steps.send(outcome)
        kept = json.dumps(part.state.encoded())

        rest = machine_of(state=RunState.decoded(json.loads(kept)))
        assert rest.state.digest() == part.state.digest()
        replaying = Replaying(recording.outcomes[index + 1 :])
        drive(rest, replaying)
        assert list(map(described, replaying.crossings)) == [
            described(crossing) for crossing in recording.crossings[index + 1 :]
        ]
        assert rest.state.digest() == machine.state.digest()
        assert rest.trace.events == [e for e in machine.trace.events if e.tick > part.state.tick]


def test_the_state_digest_sees_every_field_and_forgets_rounding_noise():
    def digest(change: Callable[[RunState], object]) -> str:
        state = RunState()
        state.assign("a", 0.1 + 0.2)
        change(state)
        return state.digest()

    changes: list[Callable[[RunState], object]] = [
        lambda s: None,
        lambda s: setattr(s, "tick", 1),
        lambda s: s.world.update({"a": 1}),
        lambda s: s.world.update({"a": 1.0}),
        lambda s: s.world.update({"a": Symbol("1")}),
        lambda s: s.locals.update({"a": 1}),
        lambda s: s.untrusted.update({"a": 1}),
        lambda s: s.queue.append("p"),
        lambda s: s.guarded.update({"p": ["TOOL"]}),
        lambda s: s.world.join("a", frozenset({"TOOL"})),
        lambda s: s.count("ticks"),
        lambda s: setattr(s, "permits", 1),
        lambda s: setattr(s, "chain", EventChain("x")),
        lambda s: s.doubts.update({"t": ["a1"]}),
        lambda s: s.breakers.update({"t": [1, 1]}),
        lambda s: s.outages.append("p"),
        lambda s: s.drift.update({"t p": [1, 0]}),
        lambda s: setattr(s, "ended", True),
    ]
    assert len({digest(change) for change in changes}) == len(changes)
    assert digest(lambda s: s.assign("a", 0.3)) == digest(lambda s: None)


def test_what_decided_that_nothing_is_there_outlives_the_encoding():
    state = RunState()
    for space in (state.locals, state.beliefs, state.facts):
        space.join("a", frozenset({"TOOL"}))
    state.guarded["p"] = ["TOOL"]
    copy = RunState.decoded(json.loads(json.dumps(state.encoded())))
    assert (copy.digest(), copy.locals.absent, copy.guarded) == (
        state.digest(),
        {"a": frozenset({"TOOL"})},
        {"p": ["TOOL"]},
    )
    assert copy.label("a") == {"TOOL", "DECLARED"}
    assert copy.get("a") is UNDEFINED


def test_a_changed_key_is_encoded_anew():
    state = RunState()
    state.world["a"] = 1
    first = state.digest()
    state.world["a"] = 2
    assert state.digest() != first
    state.world["a"] = 1
    assert state.digest() == first
    del state.world["a"]
    assert state.digest() == RunState().digest()


def test_the_events_digest_is_chained_over_codes_and_arguments_and_not_over_texts():
    machine = machine_of("AGENT a { LOOP { SET x = 1 } }", length=2)
    assert machine.trace.digest() == ""
    seen: list[str] = []
    machine.trace.subscribe(lambda event: seen.append(machine.trace.digest()))
    with LiveDriver(Host(), MockLLM()) as live:
        drive(machine, live)
    assert len(set(seen)) == len(seen) == len(machine.trace.events)
    assert machine.trace.digest() == seen[-1]


# ------------------------------------------------------------------------------------------------ resumes


RESUMED = (
    'AGENT a { OBSERVE { a.b } LOOP { OBSERVE SET saw = run.resumed ASK x "q" SET then = run.resumed } }'
)


class Interrupted:
    """Says with the answer to one kind of crossing that the run was resumed."""

    def __init__(self, kind: str, answer: object) -> None:
        self.kind, self.value = kind, answer

    def answer(self, crossing: Crossing) -> Outcome:
        resumes = 1 if crossing.kind == self.kind else None
        if crossing.kind in {"header", "checkpoint"}:
            return Done(resumes=resumes)
        return Answered(value=self.value, resumes=resumes)


@pytest.mark.parametrize(
    ("kind", "answer", "saw", "then"),
    [
        ("none", "yes", False, False),
        ("header", "yes", True, False),
        ("read", "yes", True, False),
        ("read", None, True, True),
        ("ask", "yes", False, True),
        ("checkpoint", "yes", False, False),
    ],
)
def test_a_resume_is_a_fact_until_a_person_speaks(kind: str, answer: object, saw: bool, then: bool):
    machine = machine_of(RESUMED, length=1)
    drive(machine, Interrupted(kind, answer))
    assert (machine.state.get("saw"), machine.state.get("then")) == (saw, then)
    assert machine.state.get("run.resumes") == (0 if kind == "none" else 1)


def test_an_approval_is_a_word_of_a_person():
    text = (
        "AGENT a { TOOL { act } POLICY { REQUIRE APPROVAL FOR act } LOOP { act() SET then = run.resumed } }"
    )
    machine = machine_of(text, length=1)
    drive(machine, Interrupted("header", "yes"))
    assert machine.state.get("then") is False


# ------------------------------------------------------------------------------------------------ driving


def test_what_a_driver_raises_closes_the_machine_and_goes_on():
    class Failing:
        def answer(self, crossing: Crossing) -> Outcome:
            if crossing.kind == "read":
                raise StopIteration("not the end of the run")
            return Done()

    with pytest.raises(StopIteration, match="not the end"):
        drive(machine_of(RESUMED), Failing())


def test_a_base_exception_of_a_tool_leaves_the_run_unchanged(run_agent):
    host = Host()

    def act() -> dict:
        raise KeyboardInterrupt

    host.tools["act"] = act
    with pytest.raises(KeyboardInterrupt):
        run_agent("TOOL { act } LOOP { act() }", host)
