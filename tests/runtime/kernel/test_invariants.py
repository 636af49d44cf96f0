"""What no program, host, model or person can undo: I1 to I8 and I10 of language.md §6.5.

Each is a property over generated programs and worlds, and each has a mutant: a change of the product under
which the property must fail. I9 kills processes: tests/crash.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import agentl.durable
from agentl import Host, MockLLM, PermitError, ReplayDivergence, Symbol, parse_source
from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.drivers.replay import JournalEnded, ReplayDriver
from agentl.interpreter import authorising, reasoning
from agentl.interpreter.core import Core
from agentl.interpreter.machine import Machine
from agentl.interpreter.names import Names
from agentl.policy import PolicyEngine
from agentl.provenance import NOTHING, is_untrusted
from agentl.run_state import RunState
from agentl.spaces import Space
from agentl.state import View
from agentl.trivalent import Truth, guard_of

Property = Callable[[], None]
Mutant = Callable[[pytest.MonkeyPatch], None]
PROPERTIES: dict[str, Property] = {}
MUTANTS: dict[str, Mutant] = {}

few = settings(
    max_examples=25,
    deadline=None,
    database=None,
    derandomize=True,
    report_multiple_bugs=False,
    phases=(Phase.generate,),  # a mutant is found, not made small
)
words = st.sampled_from(["act", "level", "door", "amount", "x", "yes", "none"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.builds(Symbol, words),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)


def run(members: str, host: Host, model: Any = None, ticks: int = 1) -> Machine:
    program = parse_source(f"AGENT a {{ {members} }}")
    machine = Machine(program, program.agents[0], length=ticks)
    with LiveDriver(host, model or MockLLM()) as driver:
        drive(machine, driver)
    return machine


def kept(property_: Property) -> Property:
    PROPERTIES[property_.__name__.partition("_")[0]] = property_
    return property_


def mutant(change: Mutant) -> Mutant:
    MUTANTS[change.__name__.partition("_")[0]] = change
    return change


# ------------------------------------------------------------------------------------------------ I1


@kept
@few
@given(
    st.sampled_from(["invoke", "delegate", "compensate"]), words, st.dictionaries(words, values, max_size=3)
)
def i1_nothing_is_dispatched_outside_the_kernel(kind: str, name: str, arguments: dict) -> None:
    host, calls = Host(), []
    for registry in (host.tools, host.subagents, host.compensations):
        registry[name] = lambda *given, **named: calls.append((given, named))
    with pytest.raises(PermitError):
        getattr(host, kind)(name, arguments)
    assert calls == []


@mutant
def i1_dispatch_asks_for_no_permit(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("agentl.host.registry.present_permit", lambda *_: None)


# ------------------------------------------------------------------------------------------------ I2

LIFTING = ["ALLOW act", "ALLOW *", "ALLOW act WHEN 1 == 1", "REQUIRE APPROVAL FOR act", "DEFAULT ALLOW"]
FORBIDDING = ["NEVER act", "NEVER *", "NEVER act WHEN 1 == 1", "NEVER act WHEN no.where == 1"]


@kept
@few
@given(st.sampled_from(FORBIDDING), st.lists(st.sampled_from(LIFTING)), st.randoms(use_true_random=False))
def i2_nothing_lifts_a_never(never: str, lifting: list[str], order: Any) -> None:
    host, calls = Host(), []
    host.tools["act"] = lambda: calls.append(1)
    host.approver = lambda _request: True
    rules = [never, *lifting]
    order.shuffle(rules)
    run(f"TOOL act {{ }} POLICY {{ {'  '.join(rules)} }} LOOP {{ act() }}", host)
    assert calls == []


@mutant
def i2_never_is_not_looked_at(patch: pytest.MonkeyPatch) -> None:
    rules_on = PolicyEngine._rules_on

    def without_never(*given: Any) -> Any:
        rules = rules_on(*given)
        return rules._replace(forbidding=[rule for rule in rules.forbidding if rule.text[:5] != "NEVER"])

    patch.setattr(PolicyEngine, "_rules_on", without_never)


# ------------------------------------------------------------------------------------------------ I3

OPERANDS = {"a.one": 1, "a.two": 2, "a.yes": True, "a.low": Symbol("low"), "a.text": "x"}
operands = st.sampled_from([*OPERANDS, "1", "low", '"x"', "yes"])
leaves = (
    st.builds("({} {} {})".format, operands, st.sampled_from(["==", "!=", "<", ">=", "IN"]), operands)
    | st.builds("(max(1, {}) > 1)".format, operands)
    | st.builds("(len({}) == 0)".format, operands)
    | st.builds("(1 IN [1, {} > 0])".format, operands)
    | st.sampled_from(list(OPERANDS))
)
guards = st.recursive(
    leaves,
    lambda inner: (
        st.builds("(NOT {})".format, inner)
        | st.builds("({} {} {})".format, inner, st.sampled_from(["AND", "OR"]), inner)
    ),
    max_leaves=4,
)
rules = st.lists(
    st.builds(
        "{} act WHEN {}".format, st.sampled_from(["NEVER", "DENY", "ALLOW", "REQUIRE APPROVAL FOR"]), guards
    ),
    min_size=1,
    max_size=4,
)
TOWARD_ALLOWED = ["DENIED", "APPROVAL_REQUIRED", "ALLOWED"]


@kept
@settings(few, max_examples=100)
@given(st.sampled_from(["ALLOW", "DENY"]), rules)
def i3_a_missing_operand_never_moves_the_verdict_toward_allowed(default: str, policy: list[str]) -> None:
    text = f"AGENT a {{ POLICY {{ DEFAULT {default} {'  '.join(policy)} }} }}"
    engine = PolicyEngine(parse_source(text).agents[0])

    def allowed(world: Mapping[str, Any]) -> int:
        return TOWARD_ALLOWED.index(engine.decide("act", View(RunState(world=Space(world)))).verdict)

    full = allowed(OPERANDS)
    for missing in OPERANDS:
        assert allowed({path: value for path, value in OPERANDS.items() if path != missing}) <= full


@mutant
def i3_unknown_counts_as_false(patch: pytest.MonkeyPatch) -> None:
    def forgetful(condition: Any) -> Any:
        guard = guard_of(condition)
        return lambda recorder: Truth.FALSE if (told := guard(recorder)) is Truth.UNKNOWN else told

    patch.setattr("agentl.policy.guard_of", forgetful)


# ------------------------------------------------------------------------------------------------ I4

SENSORS = {"level": 5, "door.state": Symbol("shut"), "box": {"lid": "on"}}
KEYS = ["level", "state", "door.state", "door", "box", "lid", "box.lid"]


@kept
@few
@given(
    st.dictionaries(st.sampled_from(KEYS), values, min_size=1), st.sampled_from(list(SENSORS)), st.booleans()
)
def i4_what_comes_from_outside_leaves_readings_alone(forged: dict, path: str, mute: bool) -> None:
    host = Host()
    for name, reading in SENSORS.items():
        host.sensors[name] = lambda name=name, reading=reading: None if mute and name == path else reading
    for source in ("door", "box"):
        host.tools[source] = lambda: dict(forged)
        host.subagents[source] = lambda _payload: dict(forged)
    host.emit("e", **forged)
    outputs = " ".join(f'"{key}": Any' for key in forged)
    expected = " ".join(f"{key}" for key in forged)
    state = run(
        f"""OBSERVE {{ {" ".join(SENSORS)} }} TOOL door {{ OUTPUT {{ {outputs} }} }}
        TOOL box {{ OUTPUT {{ {outputs} }} }} EVENT e {{ SET seen.it = yes }}
        LOOP {{ OBSERVE door() box() SELECT_PLAN
          DELEGATE door {{ TASK "x" EXPECT {{ {expected} }} }}
          DELEGATE box {{ TASK "x" EXPECT {{ {expected} }} }} UPDATE_BELIEFS }}""",
        host,
    ).state
    alone = run(f"OBSERVE {{ {' '.join(SENSORS)} }}", host).state
    for read in (*SENSORS, "box.lid"):
        assert state.get(read) == alone.get(read)


@mutant
def i4_nothing_is_taken_for_observed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Names, "is_observed", lambda *_: False)


# ------------------------------------------------------------------------------------------------ I5


@kept
@few
@given(values | st.text().map(lambda name: f"{name}!"))
def i5_an_invented_plan_is_not_queued(invented: Any) -> None:
    model = MockLLM(plan_choice=lambda _context, _candidates: invented)
    host, calls = Host(), []
    host.tools["act"] = lambda: calls.append(1)
    machine = run(
        """TOOL act { } PLAN real { act() } DECIDE { REASON "Which?" { PRODUCE { why: String } } }
        LOOP { DECIDE EXECUTE }""",
        host,
        model,
    )
    assert calls == []
    assert [event for event in machine.trace.events if event.code in {"plan.queued", "plan.started"}] == []


@mutant
def i5_every_name_is_a_plan(patch: pytest.MonkeyPatch) -> None:
    class Everything(dict):
        def __contains__(self, _name: object) -> bool:
            return True

    begin = Core.__init__

    def welcoming(self: Core, *given: Any, **named: Any) -> None:
        begin(self, *given, **named)
        self.plans = Everything(self.plans)

    patch.setattr(Core, "__init__", welcoming)


# ------------------------------------------------------------------------------------------------ I6


def spoil(value: Any) -> None:
    """Change all that can be changed in a value."""
    if isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value["forged"] = 666
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value.append(666)


@kept
@few
@given(st.dictionaries(words, values, max_size=3), st.lists(values, max_size=3))
def i6_what_an_approver_does_to_a_request_changes_nothing(first: dict, second: list) -> None:
    host, calls = Host(), []
    host.sensors["a.first"] = lambda: first
    host.sensors["a.second"] = lambda: second
    host.tools["act"] = lambda p, q: calls.append((p, q))

    def approve(request: Any) -> bool:
        asked.append((repr(request.args["p"]), repr(request.args["q"])))
        spoil(request.args)
        for item in request.args.values():
            spoil(item)
        return True

    asked: list[tuple[str, str]] = []
    host.approver = approve
    run(
        """OBSERVE { a.first a.second } TOOL act { INPUT { p: Any q: Any } }
        POLICY { REQUIRE APPROVAL FOR act } LOOP { OBSERVE act(a.first, a.second) }""",
        host,
    )
    assert [(repr(p), repr(q)) for p, q in calls] == asked


@mutant
def i6_an_approver_is_given_the_action_itself(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(authorising, "round_trip", lambda value: value)
    patch.setattr("agentl.kernel.deepcopy", lambda value: value)


# ------------------------------------------------------------------------------------------------ I7


def paying(amounts: list[int]) -> str:
    calls = "  ".join(f"pay(amount = {amount})" for amount in amounts)
    return f"AGENT a {{ TOOL pay {{ INPUT {{ amount: Int }} }} PLAN p WHEN 1 == 1 {{ {calls} }} }}"


@kept
@few
@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), st.integers(0, 4), st.integers(1, 3))
def i7_a_journal_serves_no_call_that_it_does_not_hold(amounts: list[int], place: int, extra: int) -> None:
    host = Host()
    host.tools["pay"] = lambda amount: None
    recorded = agentl.durable.DurableRun(
        parse_source(paying(amounts)).agents, host, store=agentl.durable.MemoryStore()
    )
    recorded.run(max_ticks=1)
    changed = parse_source(paying([*amounts[:place], extra, *amounts[place:]]))
    machine = Machine(changed, changed.agents[0], run_id=recorded.run_id, length=1)
    with pytest.raises(ReplayDivergence):
        drive(machine, ReplayDriver(recorded.journal.records, "journal"))


@mutant
def i7_any_record_serves(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("agentl.drivers.recorded.matches", lambda *_: True)
    patch.setattr(ReplayDriver, "_compare", lambda *_: None)


# ------------------------------------------------------------------------------------------------ I8

COPIES = [
    "SET {to} = {of}",
    "SET {to} = [{of}, 1]",
    "SET {to} = {of} == 5",
    "SET {to} = 1 == 1 OR {of} == 5",
    "SET {to} = len({of})",
    "SET {to} = max(1, {of})",
    "IF {of} == 5 THEN SET {to} = 1 ELSE SET {to} = 2",
    "IF {of} != 5 THEN SET {to} = 1 ELSE SET {to} = 2",
    "SET {to} = 1 IF {of} == 7 THEN SET {to} = 2",
    "SET {to} = 1 FOREACH item IN [{of}] MAX 1 {{ IF item == 7 THEN SET {to} = 2 }}",
    "LOOP UNTIL {of} == 7 MAX 2 {{ SET {to} = 1 }}",
    "FOREACH item IN [{of}] {{ SET {to} = item }}",
    "FOREACH item IN [{of}, 2] {{ SET {to} = 3 }}",
]


@kept
@few
@given(st.lists(st.sampled_from(COPIES), min_size=1, max_size=5))
def i8_what_is_made_of_a_payload_stays_untrusted(copies: list[str]) -> None:
    host = Host()
    host.emit("e", amount=5)
    steps = "  ".join(
        copy.format(of=f"k.{number}" if number else "k.first", to=f"k.{number + 1}")
        for number, copy in enumerate(copies)
    )
    machine = run(
        f"EVENT e {{ SET taken.it = amount + 0 }} LOOP {{ SELECT_PLAN SET k.first = taken.it {steps} }}", host
    )
    state = machine.state
    for number in range(len(copies)):
        assert is_untrusted(state.label(f"k.{number + 1}")), copies


@mutant
def i8_decisions_leave_no_trace(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Core, "context", lambda _core: NOTHING)


# ------------------------------------------------------------------------------------------------ I10

FACTS = [
    "gate.open",
    "gate",
    "tools.act.in_doubt",
    "action.risk",
    "action.tool",
    "confidence",
    "advice",
    "note",
]


@kept
@few
@given(st.dictionaries(st.sampled_from(FACTS), values | st.just(Symbol("yes"))))
def i10_a_model_alone_allows_nothing(answer: dict[str, Any]) -> None:
    class Talker:
        last_reason_missing = None

        def reason(self, *_: Any) -> Any:
            return answer

    host, calls = Host(), []
    host.sensors["gate.open"] = lambda: Symbol("no")
    host.tools["act"] = lambda: calls.append(1)
    run(
        """OBSERVE { gate.open } TOOL act { RISK HIGH }
        POLICY { ALLOW act WHEN gate.open == yes AND action.risk == HIGH }
        LOOP { OBSERVE UPDATE_BELIEFS REASON "Well?" { PRODUCE { advice: Symbol note: Any } } act() }""",
        host,
        Talker(),
    )
    assert calls == []


@mutant
def i10_a_model_writes_what_it_likes(patch: pytest.MonkeyPatch) -> None:
    settle = reasoning.settle
    patch.setattr(Names, "holds", lambda *_: False)
    patch.setattr(reasoning, "present", lambda _wanted, outcome: dict(outcome.value["fields"]))
    labels = defaultdict(lambda: reasoning.MODEL)
    patch.setattr(
        reasoning,
        "settle",
        lambda core, fields, answers: ({**settle(core, fields, answers)[0], **answers}, labels),
    )


# ------------------------------------------------------------------------------------------------ both

FAILURES = {"i1": pytest.fail.Exception, "i5": KeyError, "i7": JournalEnded}
FAILURES |= dict.fromkeys(("i2", "i3", "i4", "i6", "i8", "i10"), AssertionError)
"""How a property fails under its mutant: by its assertion, or I1 as nothing is refused, I5 at the plan,
I7 as the call would go beyond the journal, to the host."""


@pytest.mark.parametrize("name", PROPERTIES)
def test_the_property_holds(name: str):
    PROPERTIES[name]()


@pytest.mark.parametrize("name", MUTANTS)
def test_the_property_fails_on_its_mutant(name: str, monkeypatch: pytest.MonkeyPatch):
    MUTANTS[name](monkeypatch)
    with pytest.raises(FAILURES[name]):
        PROPERTIES[name]()


def test_each_property_has_a_mutant():
    assert list(PROPERTIES) == list(MUTANTS) == ["i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "i10"]
