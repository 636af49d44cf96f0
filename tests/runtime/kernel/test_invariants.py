"""What no program, host, model or person can undo: I1 to I5 of language.md §6.5, what may be done at all.

Each is a property over generated programs and worlds, and each has a mutant: a change of the product under
which the property must fail. I6 to I10 stand beside this file; I9 kills processes: tests/crash.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invariants import Invariants, few, run, values, words

from agentl import Host, MockLLM, PermitError, Symbol, parse_source
from agentl.interpreter.core import Core
from agentl.interpreter.names import Names
from agentl.policy import PolicyEngine
from agentl.run_state import RunState
from agentl.spaces import Space
from agentl.state import View
from agentl.trivalent import Truth, guard_of

INVARIANTS = Invariants()
kept, mutant = INVARIANTS.kept, INVARIANTS.mutant


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


test_the_property_holds, test_the_property_fails_on_its_mutant = INVARIANTS.pair_of_tests(
    {"i1": pytest.fail.Exception, "i5": KeyError}
)
