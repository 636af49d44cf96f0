"""OBSERVE, UPDATE_BELIEFS and the audit of effects (language.md §5.2, §5.3, §0 ⚠11)."""

import pytest

from agentl import UNDEFINED, Host, Symbol

LOOP = "LOOP { OBSERVE UPDATE_BELIEFS }"


def scripted(host: Host, path: str, *readings: object) -> list[object]:
    """Let the sensor of `path` give these readings, one after the other; an exception is raised."""
    left = list(readings)

    def read() -> object:
        value = left.pop(0)
        if isinstance(value, Exception):
            raise value
        return value

    host.sensors[path] = read
    return left


def test_a_reading_is_in_the_world_and_believed(run_agent):
    host = Host()
    scripted(host, "air.temp", 21)
    state = run_agent(f"OBSERVE {{ air.temp }} {LOOP}", host).state
    belief = state.beliefs["air.temp"]
    assert state.world["air.temp"] == 21
    assert state.facts["sensors.air.temp.available"] is True
    assert (belief.value, belief.confidence, belief.source, belief.updated) == (21, 0.95, "observation", 1)


@pytest.mark.parametrize("reading", [None, ValueError("broken"), UNDEFINED])
def test_a_mute_sensor_leaves_its_path_undefined(run_agent, reading: object):
    host = Host()
    scripted(host, "air.temp", 21, reading)
    machine = run_agent(f"OBSERVE {{ air.temp }} {LOOP}", host, ticks=2)
    assert machine.state.get("air.temp") is UNDEFINED
    assert machine.state.facts["sensors.air.temp.available"] is False
    assert machine.metrics["sensor_unknown"] == 1


def test_a_sensor_that_raises_is_traced_as_an_error(run_agent):
    host = Host()
    scripted(host, "air.temp", ValueError("broken"))
    failed = next(
        e for e in run_agent(f"OBSERVE {{ air.temp }} {LOOP}", host).trace.events if e.kind == "ERROR"
    )
    assert (failed.code, failed.arguments["message"]) == ("sensor.failed", "broken")


def test_a_path_without_a_sensor_is_mute(run_agent, codes):
    assert "sensor.mute" in codes(run_agent(f"OBSERVE {{ air.temp }} {LOOP}"))


def test_a_mute_sensor_does_not_take_a_declared_belief_away(run_agent):
    state = run_agent(
        f"BELIEF {{ vent.state = shut CONFIDENCE 60% SOURCE prior }} OBSERVE {{ vent.state }} {LOOP}"
    ).state
    assert state.get("vent.state") == Symbol("shut")
    assert (state.beliefs["vent.state"].confidence, state.beliefs["vent.state"].source) == (0.6, "prior")


def test_a_path_that_is_not_read_is_not_believed_anew(run_agent):
    host = Host()
    scripted(host, "air.temp", 21)
    machine = run_agent(
        "OBSERVE { air.temp WHEN seen.once != yes } LOOP { OBSERVE UPDATE_BELIEFS SET seen.once = yes }",
        host,
        ticks=3,
    )
    assert machine.state.beliefs["air.temp"].updated == 1
    assert machine.state.get("air.temp") == 21


def test_degrade_takes_the_fallback_with_little_confidence(run_agent):
    host = Host()
    scripted(host, "air.temp", 21, None, 22)
    machine = run_agent(
        """OBSERVE { air.temp ON UNKNOWN DEGRADE 10 + 5 }
        LOOP { OBSERVE UPDATE_BELIEFS SET log.last = CONFIDENCE(air.temp) }""",
        host,
        ticks=2,
    )
    belief = machine.state.beliefs["air.temp"]
    assert (belief.value, belief.confidence, belief.source) == (15.0, 0.3, "fallback")
    assert machine.state.get("log.last") == 0.3
    assert machine.metrics["sensor_degraded"] == 1


def test_a_fallback_that_cannot_be_told_leaves_the_path_undefined(run_agent, codes):
    machine = run_agent(f"OBSERVE {{ air.temp ON UNKNOWN DEGRADE word + 1 }} {LOOP}")
    assert machine.state.get("air.temp") is UNDEFINED
    assert "guard.failed" in codes(machine)


def test_escalate_asks_a_person_once_per_outage(run_agent):
    host = Host()
    asked: list[str] = []
    host.asker = lambda question, reason: asked.append(question) or "wait"
    scripted(host, "air.temp", None, None, 21, None)
    machine = run_agent(f"OBSERVE {{ air.temp ON UNKNOWN ESCALATE }} {LOOP}", host, ticks=4)
    assert asked == ["The sensor air.temp does not answer. What should be done?"] * 2
    assert machine.state.get("answer") == "wait"


ACT = """OBSERVE { vent.state } TOOL act { EFFECT { vent.state = open } }
LOOP { OBSERVE UPDATE_BELIEFS act() }"""


def confidence_after(run_agent, *readings: str) -> float:
    host = Host()
    scripted(host, "vent.state", *map(Symbol, readings))
    host.tools["act"] = dict
    return run_agent(ACT, host, ticks=len(readings)).state.beliefs["vent.state"].confidence


def test_the_confidence_of_an_effect_follows_how_often_it_came_true(run_agent):
    assert confidence_after(run_agent, "shut") == 0.8
    assert confidence_after(run_agent, "shut", "shut", "shut", "shut") == 0.125  # 0 of 3
    assert confidence_after(run_agent, "shut", "open", "open") == pytest.approx(2.5 / 3)  # 2 of 2


def test_an_effect_that_did_not_come_true_is_told(run_agent):
    host = Host()
    scripted(host, "vent.state", Symbol("shut"), Symbol("shut"))
    host.tools["act"] = dict
    machine = run_agent(ACT, host, ticks=2)
    refuted = next(e for e in machine.trace.events if e.code == "effect.refuted")
    assert (refuted.kind, refuted.arguments["tool"], refuted.arguments["path"]) == (
        "ERROR",
        "act",
        "vent.state",
    )
    assert machine.metrics["effect_drift"] == 1
    assert machine.state.drift == {"act vent.state": [0, 1]}


def test_a_mute_sensor_does_not_refute_an_effect(run_agent):
    host = Host()
    scripted(host, "vent.state", Symbol("shut"), None)
    host.tools["act"] = dict
    machine = run_agent(ACT, host, ticks=2)
    assert machine.metrics["effect_drift"] == 0
    assert machine.state.get("vent.state") == Symbol("open")


# ------------------------------------------------------------------------------------------------ the ledger

LEDGER = f"MEMORY {{ LONG_TERM {{ effect_drift }} }} {ACT}"


def test_the_ledger_is_rewritten_in_long_term_memory(run_agent):
    host = Host()
    scripted(host, "vent.state", *map(Symbol, ("shut", "open", "shut", "open")))
    host.tools["act"] = dict
    machine = run_agent(LEDGER, host, ticks=4)
    assert machine.state.get("effect_drift") == [
        {"tool": "act", "path": "vent.state", "confirmed": 2, "refuted": 1}
    ]


def test_without_the_declaration_there_is_no_ledger_in_memory(run_agent):
    host = Host()
    scripted(host, "vent.state", *map(Symbol, ("shut", "open")))
    host.tools["act"] = dict
    assert "effect_drift" not in run_agent(ACT, host, ticks=2).state.long_term


@pytest.mark.parametrize(
    ("records", "confidence"),
    [
        ([{"tool": "act", "path": "vent.state", "confirmed": 0, "refuted": 3}], 0.125),
        ([{"tool": Symbol("act"), "path": Symbol("vent.state"), "confirmed": 2, "refuted": 0}], 2.5 / 3),
        ([{"tool": "other", "path": "vent.state", "confirmed": 0, "refuted": 3}], 0.8),
        ([{"tool": "act", "path": "vent.state", "confirmed": -1, "refuted": 3}], 0.8),
        ([{"tool": "act", "path": "vent.state", "confirmed": True, "refuted": 3}], 0.8),
        ([{"tool": "act", "path": "vent.state", "confirmed": "2", "refuted": 3}], 0.8),
        ([{"tool": "act"}, 5, None, "x", {"confirmed": 1, "refuted": 2}], 0.8),
        ([], 0.8),
    ],
)
def test_a_seeded_ledger_is_taken_over_and_nonsense_is_not(run_agent, records: list, confidence: float):
    host = Host()
    host.memory["LONG_TERM.effect_drift"] = records
    host.sensors["vent.state"] = lambda: Symbol("shut")
    host.tools["act"] = dict
    machine = run_agent(LEDGER, host)
    assert machine.state.beliefs["vent.state"].confidence == pytest.approx(confidence)


# ------------------------------------------------------------------------------------ names of sensors

NAMES = [
    ("door", "state", "door.state"),
    ("door", "state", "door"),
    ("door", "state", "door.state.now"),
    ("other", "level", "level"),
]


@pytest.mark.parametrize("mute", [False, True])
@pytest.mark.parametrize(("source", "key", "observed"), NAMES)
def test_nothing_from_outside_takes_the_name_of_a_sensor(
    run_agent, source: str, key: str, observed: str, mute: bool
):
    """Neither while the sensor answers nor while it is mute: a value there would pass for a reading."""
    host = Host()
    host.sensors[observed] = lambda: None if mute else {"state": {"now": "seen"}}
    host.tools[source] = lambda: {key: "forged"}
    host.subagents[source] = lambda payload: {key: "forged"}
    for action in (f"{source}()", f'DELEGATE {source} {{ TASK "x" EXPECT {{ {key} }} }}', "SELECT_PLAN"):
        host.emit("e", **{observed: "forged", key: "forged", f"{source}.{key}": "forged"})
        members = (
            f"OBSERVE {{ {observed} }} TOOL {source} {{ OUTPUT {{ {key}: Any }} }} EVENT e {{ SET seen = 1 }}"
        )
        before = run_agent(f"{members} LOOP {{ OBSERVE UPDATE_BELIEFS }}", host).state
        after = run_agent(f"{members} LOOP {{ OBSERVE {action} UPDATE_BELIEFS }}", host).state
        for path in (observed, f"{source}.{key}" if observed.startswith("door") else observed):
            assert after.get(path) == before.get(path), action
