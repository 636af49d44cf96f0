"""The rows of language.md, Appendix A, that values and runs can show; the number in a name is the row's."""

from collections.abc import Callable

import pytest

from agentl import UNDEFINED, Host, MockLLM, Symbol, parse_source
from agentl.interpreter.contracts import ContractError, coerce
from agentl.interpreter.people import is_approval
from agentl.run_state import Belief, RunState
from agentl.state import View
from agentl.trivalent import Recorder, Truth, judge
from agentl.values import Datetime
from agentl_grammar.tree import InputField, Name

SAY = "TOOL say { INPUT { what: Any } }"


class Bench:
    """What a row needs: programs that run, and single guards."""

    def __init__(self, run_agent: Callable[..., object], codes: Callable[..., list[str]]) -> None:
        self._run = run_agent
        self.codes = codes
        self.said: list[object] = []
        self.host = Host()
        self.host.tools["say"] = self._say

    def _say(self, what: object) -> None:
        self.said.append(what)

    def run(self, members: str, model: MockLLM | None = None):
        self.said.clear()
        return self._run(f"{SAY} {members}", self.host, model)

    def plan_runs(self, guard: str, before: str = "") -> bool:
        self.run(f"{before} PLAN p WHEN {guard} {{ say(1) }}")
        return bool(self.said)

    def verifies(self, condition: str, before: str = "") -> bool:
        return self.run(f"{before} PLAN p WHEN 1 == 1 {{ VERIFY {condition} }}").metrics["verify_pass"] == 1

    def never_applies(self, guard: str, before: str = "") -> bool:
        machine = self.run(f"{before} POLICY {{ NEVER say WHEN {guard} }} PLAN p WHEN 1 == 1 {{ say(1) }}")
        return machine.metrics["blocked"] == 1

    def guard(self, text: str) -> Truth:
        rules = parse_source(f"AGENT a {{ POLICY {{ NEVER say WHEN {text} }} }}").agents[0].policy_rules
        return judge(rules[0].guard.condition, Recorder(View(RunState())))


@pytest.fixture
def bench(run_agent, codes) -> Bench:
    return Bench(run_agent, codes)


def test_06_duration_in_seconds(bench: Bench) -> None:
    assert bench.plan_runs("a.b == 300s", "BELIEF { a.b = 300 }")
    assert bench.plan_runs("a.b < 300s", "BELIEF { a.b = 299 }")


def test_07_percent(bench: Bench) -> None:
    assert bench.run("BELIEF { a.b = 99.9% }").state.get("a.b") == pytest.approx(0.999)


def test_08_datetime_is_one_token(bench: Bench) -> None:
    value = bench.run("BELIEF { a.b = 2026-07-26T20:15 }").state.get("a.b")
    assert isinstance(value, Datetime)
    assert value == "2026-07-26T20:15"


def test_10_symbol_no_takes_then(bench: Bench) -> None:
    machine = bench.run("BELIEF { flag = no } LOOP { IF flag THEN p EXECUTE } PLAN p { say(1) }")
    assert "plan.queued" in bench.codes(machine)


def test_11_unset_word_is_true_and_unset_path_is_not(bench: Bench) -> None:
    assert "plan.queued" in bench.codes(bench.run("LOOP { IF unset THEN p } PLAN p { say(1) }"))
    assert "plan.queued" not in bench.codes(bench.run("LOOP { IF un.set THEN p } PLAN p { say(1) }"))


def test_12_two_missing_paths_are_neither_equal_nor_unequal(bench: Bench) -> None:
    assert not bench.plan_runs("a.b == c.d")
    assert not bench.plan_runs("a.b != c.d")


def test_13_missing_unequal_yes(bench: Bench) -> None:
    assert bench.plan_runs("a.b != yes")
    assert not bench.verifies("a.b != yes")
    assert bench.guard("a.b != yes") is Truth.UNKNOWN


def test_14_text_over_a_number(bench: Bench) -> None:
    belief = 'BELIEF { cpu.load = "N/A" }'
    assert not bench.plan_runs("cpu.load > 90", belief)
    assert bench.never_applies("cpu.load > 90", belief)


def test_15_availability_is_true_from_the_start(bench: Bench) -> None:
    assert not bench.never_applies("tools.say.available == false")
    failing = (
        "TOOL t { } LOOP MAX 1 { t() t() t() say(1) } POLICY { NEVER say WHEN tools.t.available == false }"
    )
    assert bench.run(failing).metrics["blocked"] == 1


def test_16_one_is_not_true(bench: Bench) -> None:
    assert not bench.plan_runs("1 == true")


def test_17_ordinals_in_any_case(bench: Bench) -> None:
    assert bench.plan_runs("severity >= HIGH", 'BELIEF { severity = "critical" }')


def test_18_rank_and_number_are_two_scales(bench: Bench) -> None:
    assert bench.guard("LOW < 7") is Truth.UNKNOWN
    assert not bench.plan_runs("LOW < 7")


def test_19_argument_overrides_a_local_in_guards(bench: Bench) -> None:
    machine = bench.run(
        "TOOL delete { INPUT { target: Symbol } } POLICY { NEVER delete WHEN target == protected }"
        "PLAN p WHEN 1 == 1 { SET target = safe delete(target = protected) }"
    )
    assert "policy.denied" in bench.codes(machine)
    event = next(event for event in machine.trace.events if event.code == "policy.argument_overrides")
    assert event.kind == "POLICY"
    assert event.arguments["value"] == Symbol("protected")


def test_20_unknown_allow_denies_even_under_default_allow(bench: Bench) -> None:
    bench.run("POLICY { DEFAULT ALLOW ALLOW say WHEN no.where == 1 } PLAN p WHEN 1 == 1 { say(1) }")
    assert bench.said == []


def test_21_what_approves() -> None:
    assert [is_approval(answer) for answer in ("no", 1, {"ok": True}, "Oui ")] == [False, False, False, True]


def test_22_int_parameter() -> None:
    field = InputField(None, Name(None, "n"), Name(None, "Int"), None, None)
    assert coerce(field, 3.0) == 3
    assert isinstance(coerce(field, 3.0), int)
    for refused in (True, Symbol("3")):
        with pytest.raises(ContractError):
            coerce(field, refused)


def test_23_undeclared_output_is_dropped(bench: Bench) -> None:
    bench.host.tools["t"] = lambda: {"ok": True, "operator.confirmed": True}
    machine = bench.run("TOOL t { OUTPUT { ok: Bool } } LOOP { t() }")
    assert machine.state.get("operator.confirmed") is UNDEFINED
    assert "tool.output_dropped" in bench.codes(machine)


def test_24_missing_output_is_a_contract_failure(bench: Bench) -> None:
    bench.host.tools["t"] = lambda: {"ok": True}
    machine = bench.run("TOOL t { OUTPUT { ok: Bool, id: String } EFFECT { done.it = yes } } LOOP { t() }")
    assert machine.metrics["tool_contract_failures"] == 1
    assert machine.state.get("done.it") is UNDEFINED


def test_25_payload_does_not_hide_an_observed_path(bench: Bench) -> None:
    bench.host.sensors["level"] = lambda: 1
    bench.host.emit("e", level=9)
    machine = bench.run("OBSERVE { level } EVENT e { say(level) say(payload.level) }")
    assert bench.said == [1, 9]
    event = next(event for event in machine.trace.events if event.code == "event.name_taken")
    assert event.kind == "BLOCKED"


def test_28_confidence_of_an_effect_follows_its_record(bench: Bench) -> None:
    for outcomes, expected in (((0, 0, 0), 0.125), ((1, 1), 2.5 / 3)):
        readings = iter(outcomes)
        bench.host.sensors["door.open"] = lambda readings=readings: next(readings, 1)
        bench.host.tools["open"] = dict
        rounds = " ".join("open() OBSERVE UPDATE_BELIEFS" for _ in outcomes)
        machine = bench.run(
            f"OBSERVE {{ door.open }} TOOL open {{ EFFECT {{ door.open = 1 }} }} LOOP {{ {rounds} open() }}"
        )
        belief = machine.state.beliefs["door.open"]
        assert isinstance(belief, Belief)
        assert belief.confidence == pytest.approx(expected)


def test_39_silent_number_makes_a_never_apply(bench: Bench) -> None:
    machine = bench.run(
        'POLICY { NEVER say WHEN risk > 5 } LOOP { REASON "How risky?" { PRODUCE { risk: Number } } say(1) }',
        MockLLM({}),
    )
    assert machine.metrics["blocked"] == 1


def test_every_row_stands_here():
    numbers = [int(name[5:7]) for name in globals() if name[5:7].isdigit()]
    assert numbers == [6, 7, 8, *range(10, 26), 28, 39]
