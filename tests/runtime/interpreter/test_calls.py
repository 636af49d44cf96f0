"""A call from its arguments to its effects (language.md §5.5)."""

import pytest

from agentl import UNDEFINED, Host, InDoubt, Symbol


def host_with(result: object = None, name: str = "act") -> tuple[Host, list[dict]]:
    host, calls = Host(), []

    def tool(**args: object) -> object:
        calls.append(args)
        if isinstance(result, BaseException):
            raise result
        return {} if result is None else result

    host.tools[name] = tool
    return host, calls


# ------------------------------------------------------------------------------------------------ input


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("Number", "3", 3),
        ("Float", "2.5", 2.5),
        ("Int", "3", 3),
        ("Int", "6 / 2", 3),
        ("String", '"x"', "x"),
        ("String", "word", "word"),
        ("String", "2026-07-26", "2026-07-26"),
        ("Bool", "yes", True),
        ("Boolean", "On", True),
        ("bool", "false", False),
        ("Symbol", "word", Symbol("word")),
        ("Symbol", '"text"', Symbol("text")),
        ("LIST", "[1]", [1]),
        ("Any", "x.y", UNDEFINED),
        ("Money", "[1]", [1]),
    ],
)
def test_an_argument_is_coerced_to_its_type(run_agent, type_: str, value: str, expected: object):
    host, calls = host_with()
    run_agent(f"TOOL act {{ INPUT {{ p: {type_} }} }} LOOP {{ act(p = {value}) }}", host)
    assert calls == [{"p": expected}]
    assert type(calls[0]["p"]) is type(expected) or isinstance(expected, str)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("Number", '"3"'),
        ("Number", "word"),
        ("Number", "1 / 0"),
        ("Number", "x.y"),
        ("Number", "switch.on"),
        ("Int", "2.5"),
        ("Int", "switch.on"),
        ("String", "3"),
        ("Bool", "maybe"),
        ("Bool", "1"),
        ("Bool", '"yes"'),
        ("Symbol", "3"),
        ("List", '"x"'),
    ],
)
def test_an_argument_of_another_type_is_refused(run_agent, codes, type_: str, value: str):
    host, calls = host_with()
    host.sensors["switch.on"] = lambda: True
    machine = run_agent(
        f"OBSERVE {{ switch.on }} TOOL act {{ INPUT {{ p: {type_} }} }} LOOP {{ OBSERVE act(p = {value}) }}",
        host,
    )
    assert calls == []
    assert "tool.input_refused" in codes(machine)
    assert machine.state.permits == 0


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("act()", "tool.input_refused"),
        ("act(1, 2, 3)", "tool.input_refused"),
        ("act(1, 2, r = 3)", "tool.input_refused"),
        ("act(1, p = 2)", "tool.argument_failed"),
        ("act(p = word + 1, q = 2)", "tool.argument_failed"),
        ("other(1)", "tool.undeclared"),
    ],
)
def test_a_call_that_does_not_fit_is_blocked(run_agent, codes, call: str, code: str):
    host, calls = host_with()
    machine = run_agent(f"TOOL act {{ INPUT {{ p q }} }} LOOP {{ {call} }}", host)
    assert calls == []
    assert code in codes(machine)
    assert machine.metrics["blocked"] == 1
    assert machine.state.get("last_action.blocked") is True


def test_positional_arguments_take_the_names_of_input(run_agent):
    host, calls = host_with()
    run_agent(
        "TOOL act { INPUT { p: Number q: Number } } LOOP { act(1, 2) act(q = 3, p = 4) act(5, q = 6) }", host
    )
    assert calls == [{"p": 1, "q": 2}, {"p": 4, "q": 3}, {"p": 5, "q": 6}]


def test_a_tool_without_input_accepts_anything(run_agent):
    host, calls = host_with()
    run_agent("TOOL { act } LOOP { act(1, word, x = 2) }", host)
    assert calls == [{"arg0": 1, "arg1": Symbol("word"), "x": 2}]


# ------------------------------------------------------------------------------------------------ requires


REQUIRES = """OBSERVE { door.state } TOOL act { REQUIRES { door.state != shut } }
LOOP { OBSERVE UPDATE_BELIEFS act() }"""


def test_requires_reads_the_sensor_again(run_agent):
    host, calls = host_with()
    readings = iter([Symbol("shut"), Symbol("open")])
    host.sensors["door.state"] = lambda: next(readings)
    run_agent(REQUIRES, host)
    assert len(calls) == 1


def test_requires_fails_closed_when_it_is_unknown(run_agent, codes):
    host, calls = host_with()
    host.sensors["door.state"] = lambda: None
    machine = run_agent(REQUIRES, host)
    assert calls == []
    assert "tool.skipped" in codes(machine)
    assert machine.metrics["blocked"] == 0
    assert machine.state.get("last_action.blocked") is True


# ------------------------------------------------------------------------------------------------ result


OUTPUT = """TOOL act { INPUT { p: Number } OUTPUT { n: Int s: Symbol } SIDE_EFFECT { the.thing }
            EFFECT { the.thing = p, other.thing = word + 1 } }
LOOP { act(p = 7) }"""


def test_outputs_are_published_under_their_names(run_agent, codes):
    host, _ = host_with({"n": 3.0, "s": "yes", "operator.confirmed": True})
    machine = run_agent(OUTPUT, host)
    state = machine.state
    outputs = {"n": 3, "s": Symbol("yes")}
    assert state.get("result") == state.get("result.act") == outputs
    assert (state.world["act.n"], state.untrusted["s"]) == (3, Symbol("yes"))
    assert state.get("operator.confirmed") is UNDEFINED
    assert "tool.output_dropped" in codes(machine)
    assert machine.metrics["tool_output_dropped"] == machine.metrics["tool_calls"] == 1
    assert state.world["the.thing.dirty"] is True


def test_an_effect_is_believed_with_the_arguments_in_scope(run_agent, codes):
    host, _ = host_with({"n": 1, "s": "x"})
    machine = run_agent(OUTPUT, host)
    belief = machine.state.beliefs["the.thing"]
    assert (belief.value, belief.confidence, belief.source) == (7, 0.8, "effect:act")
    assert "other.thing" not in machine.state.beliefs
    assert "effect.unknown" in codes(machine)


@pytest.mark.parametrize(
    "result", ["text", 5, {"n": 1}, {"n": 2.5, "s": "x"}, {"n": True, "s": "x"}, object()]
)
def test_a_result_that_breaks_the_contract_counts_as_a_failure(run_agent, codes, result: object):
    host, calls = host_with(result)
    machine = run_agent(OUTPUT, host)
    assert len(calls) == 1
    assert "tool.output_refused" in codes(machine)
    assert "the.thing" not in machine.state.beliefs
    assert machine.state.get("result") == Symbol("result") or machine.state.get("result") is UNDEFINED
    assert machine.metrics["tool_failures"] == machine.metrics["tool_contract_failures"] == 1
    assert machine.metrics["tool_calls"] == 0
    assert machine.state.facts["tools.act.failures"] == 1
    assert machine.state.world["the.thing.dirty"] is True


def test_a_failure_means_it_did_not_happen(run_agent):
    host, _ = host_with(ValueError("no money"))
    machine = run_agent(OUTPUT, host)
    failed = next(e for e in machine.trace.events if e.code == "tool.failed")
    assert (failed.kind, failed.arguments["error"], failed.arguments["message"]) == (
        "ERROR",
        "ValueError",
        "no money",
    )
    assert "the.thing.dirty" not in machine.state.world
    assert machine.state.facts["tools.act.in_doubt"] is False


def test_an_unknown_tool_of_the_host_is_a_failure(run_agent, codes):
    machine = run_agent("TOOL { act } LOOP { act() }")
    assert "tool.failed" in codes(machine)


# ------------------------------------------------------------------------------------------------ doubt


def test_a_doubt_is_a_failure_that_leaves_facts(run_agent):
    host, _ = host_with(InDoubt("no receipt"))
    machine = run_agent(OUTPUT, host)
    state = machine.state
    assert state.facts["tools.act.in_doubt"] is True
    assert state.get("last_action.in_doubt") is True
    assert state.world["the.thing.dirty"] is True
    assert state.doubts == {"act": ["run:a:t1:a1"]}
    assert machine.metrics["tool_failures"] == 1
    assert "the.thing" not in state.beliefs
    doubt = next(e for e in machine.trace.events if e.code == "tool.in_doubt")
    assert (doubt.kind, doubt.arguments["reason"]) == ("ERROR", "no receipt")


def test_a_never_rule_holds_the_tool_back_while_it_is_in_doubt(run_agent):
    host, calls = host_with(InDoubt())
    run_agent(
        "TOOL { act } POLICY { NEVER act WHEN tools.act.in_doubt == true } LOOP { act() act() act() }", host
    )
    assert len(calls) == 1


def test_last_action_in_doubt_tells_of_the_last_action_only(run_agent):
    host, _ = host_with(InDoubt())
    host.tools["other"] = dict
    machine = run_agent("TOOL { act other } LOOP { act() other() }", host)
    assert machine.state.get("last_action.in_doubt") is False
    assert machine.state.facts["tools.act.in_doubt"] is True


def test_a_dirty_path_is_clean_when_it_is_observed_again(run_agent):
    host, _ = host_with()
    host.sensors["the.thing"] = lambda: 1
    machine = run_agent(
        """OBSERVE { the.thing } TOOL act { SIDE_EFFECT { the.thing } }
        LOOP { act() SET dirty = the.thing.dirty OBSERVE }""",
        host,
    )
    assert machine.state.get("dirty") is True
    assert machine.state.get("the.thing.dirty") is False


# ------------------------------------------------------------------------------------------------ the breaker


def test_three_failures_open_the_breaker_and_one_probe_goes_through_after_five_ticks(run_agent):
    host, calls = host_with(ValueError())
    ticks: list[int] = []
    host.sensors["clock"] = lambda: ticks.append(len(ticks) + 1) or ticks[-1]
    machine = run_agent("OBSERVE { clock } TOOL { act } LOOP { OBSERVE act() }", host, ticks=14)
    called = [event.tick for event in machine.trace.events if event.code == "tool.failed"]
    assert called == [1, 2, 3, 8, 13]
    assert len(calls) == 5
    assert machine.metrics["circuit_open"] == 9
    assert machine.metrics["blocked"] == 0
    assert machine.state.facts["tools.act.available"] is False
    assert machine.state.get("last_action.blocked") is True


def test_a_success_closes_the_breaker(run_agent):
    host, _ = host_with()
    outcomes = iter([ValueError(), ValueError(), ValueError(), None, ValueError(), None])

    def act() -> dict:
        error = next(outcomes)
        if error:
            raise error
        return {}

    host.tools["act"] = act
    machine = run_agent("TOOL { act } LOOP { act() }", host, ticks=10)
    codes = [(e.tick, e.code) for e in machine.trace.events if e.code in {"tool.called", "tool.failed"}]
    assert codes == [
        (1, "tool.failed"),
        (2, "tool.failed"),
        (3, "tool.failed"),
        (8, "tool.called"),
        (9, "tool.failed"),
        (10, "tool.called"),
    ]
    assert machine.state.facts["tools.act.available"] is True
    assert machine.state.facts["tools.act.failures"] == 0


def test_a_call_that_the_breaker_stops_still_spends_a_permit(run_agent):
    host, _ = host_with(ValueError())
    machine = run_agent("TOOL { act } LOOP { act() act() act() act() }", host)
    assert machine.state.permits == 4


@pytest.mark.parametrize(
    "refused", ["pay(amount = wrong)", "late(amount = 1)", "pay(amount = word + 1)", "nobody(1)"]
)
def test_last_action_tells_of_the_call_that_was_not_made_not_of_the_one_before(run_agent, refused: str):
    host = Host()
    for name in ("note", "pay", "late"):
        host.tools[name] = lambda **_: {}
    machine = run_agent(
        f"""TOOL note {{ INPUT {{ x: Any }} }} TOOL pay {{ INPUT {{ amount: Number }} }}
        TOOL late {{ INPUT {{ amount: Number }} REQUIRES {{ gate.open == yes }} }}
        LOOP {{ note(x = 1) {refused} SET said = last_action.blocked
                note(x = 1) SET later = last_action.blocked }}""",
        host,
    )
    assert (machine.state.get("said"), machine.state.get("later")) == (True, False)
