"""MEMORY, WRITE and SHARED (language.md §5.4, §5.16, §3.8, §6.4)."""

import pytest

from agentl import UNDEFINED, Host, Symbol
from agentl.provenance import DECLARED, MEMORY, OBSERVED, UNKNOWN

DOOR = "OBSERVE { door.state }"


def door(*states: object) -> Host:
    host, left = Host(), list(states)
    host.sensors["door.state"] = lambda: left.pop(0) if len(left) > 1 else left[0]
    return host


def test_every_declared_name_begins_as_an_empty_list(run_agent):
    state = run_agent("MEMORY { SHORT_TERM { a } LONG_TERM { b } KNOWLEDGE { c } SHARED { d } plain }").state
    assert [state.get(path) for path in ("a", "b", "c", "plain", "SHARED.d")] == [[]] * 5
    assert (state.get("SHARED.d.count"), state.get("SHARED.d.version")) == (0, 0)
    assert state.get("SHARED.d.last") is UNDEFINED


def test_short_term_is_read_before_long_term_before_knowledge(run_agent):
    members = """MEMORY { LONG_TERM { notes } KNOWLEDGE { notes, facts } SHORT_TERM { facts }
        WRITE { STORE a.b INTO %s } }"""
    state = run_agent(members % "KNOWLEDGE.notes").state
    assert (state.get("notes"), state.get("facts")) == ([], [])
    assert run_agent(members % "LONG_TERM.notes").state.get("notes") == [{"a.b": UNDEFINED}]


def test_a_write_stores_its_paths_under_their_names_undefined_ones_too(run_agent, codes):
    machine = run_agent(
        f"{DOOR} MEMORY {{ openings WRITE {{ STORE {{ door.state, door.key }} INTO LONG_TERM.openings }} }}",
        door("open"),
    )
    assert machine.state.get("openings") == [{"door.state": "open", "door.key": UNDEFINED}]
    assert machine.metrics["memory_writes"] == 1
    assert codes(machine)[-1] == "memory.written"


def test_without_into_the_records_are_in_long_term(run_agent):
    machine = run_agent("MEMORY { WRITE { STORE { a.b } } }")
    assert machine.state.long_term["records"] == [{"a.b": UNDEFINED}]


@pytest.mark.parametrize(
    ("into", "space", "key"), [("short_term.x.y", "short_term", "x.y"), ("KNOWLEDGE", "knowledge", "records")]
)
def test_the_first_segment_of_into_is_the_memory_in_any_case(run_agent, into: str, space: str, key: str):
    state = run_agent(f"MEMORY {{ WRITE {{ STORE {{ a.b }} INTO {into} }} }}").state
    assert getattr(state, space)[key] == [{"a.b": UNDEFINED}]


def test_into_what_is_no_memory_writes_nothing_and_is_told(run_agent, codes):
    machine = run_agent("MEMORY { WRITE { STORE { a.b } INTO attic.box } }")
    assert "memory.no_bucket" in codes(machine)
    assert machine.metrics["memory_writes"] == 0


def test_when_decides_and_writes_come_in_order(run_agent):
    state = run_agent(
        """BELIEF { n = 1 } MEMORY { SHORT_TERM { log, other }
            WRITE { WHEN n == 2 STORE n INTO SHORT_TERM.other }
            WRITE { WHEN n == 1 STORE n INTO SHORT_TERM.log }
            WRITE { WHEN len(log) > 0 STORE log INTO SHORT_TERM.other } }"""
    ).state
    assert (state.get("log"), state.get("other")) == ([{"n": 1}], [{"log": [{"n": 1}]}])


def test_what_was_read_of_a_memory_stays_as_it_was_when_the_memory_grows(run_agent):
    program = f"""{DOOR} MEMORY {{ log WRITE {{ STORE door.state INTO LONG_TERM.log }} }}
        PLAN keep WHEN door.state > 0 {{ SET before = log }}
        LOOP {{ OBSERVE UPDATE_MEMORY SELECT_PLAN EXECUTE OBSERVE UPDATE_MEMORY }}"""
    state = run_agent(program, door(1, 2, 3, 4), ticks=2).state
    states = [[record["door.state"] for record in state.get(path)] for path in ("before", "log")]
    assert states == [[1, 2, 3], [1, 2, 3, 4]]


def test_a_guard_that_cannot_be_told_writes_nothing(run_agent, codes):
    machine = run_agent("MEMORY { log WRITE { WHEN word + 1 > 0 STORE a.b INTO LONG_TERM.log } }")
    assert machine.state.get("log") == []
    assert "guard.failed" in codes(machine)


def test_what_equals_the_last_record_is_not_written_again(run_agent):
    program = f"{DOOR} MEMORY {{ log WRITE {{ STORE door.state INTO LONG_TERM.log }} }}"
    machine = run_agent(program, door("open", "open", "shut", "open"), ticks=4)
    assert [record["door.state"] for record in machine.state.get("log")] == ["open", "shut", "open"]
    assert machine.metrics["memory_writes"] == 3
    assert len(run_agent(program, door(1, True), ticks=2).state.get("log")) == 2


def test_memory_written_in_one_tick_is_read_in_the_next_and_without_the_phase_never(run_agent):
    write = "MEMORY { log WRITE { WHEN LEN(log) < 2 STORE log INTO LONG_TERM.log } }".replace("LEN", "len")
    assert len(run_agent(write, ticks=3).state.get("log")) == 2
    assert run_agent(f"{write} LOOP {{ OBSERVE }}", ticks=3).state.get("log") == []


def test_a_shared_record_counts_a_version_and_is_read_by_its_forms_only(run_agent):
    program = f"{DOOR} MEMORY {{ SHARED {{ log }} WRITE {{ STORE door.state INTO SHARED.log }} }}"
    machine = run_agent(program, door("open", "open", "shut"), ticks=3)
    state = machine.state
    assert state.get("SHARED.log") == [{"door.state": "open"}, {"door.state": "shut"}]
    assert (state.get("SHARED.log.count"), state.get("SHARED.log.version")) == (2, 2)
    assert state.get("SHARED.log.last") == {"door.state": "shut"}
    assert state.get("SHARED.log.last.door.state") == "shut"
    assert state.get("shared.log.version") == 2
    assert state.get("log") == Symbol("log") or state.get("log") is UNDEFINED
    assert (machine.metrics["shared_writes"], machine.metrics["memory_writes"]) == (2, 0)
    written = [event.arguments for event in machine.trace.events if event.code == "shared.written"]
    assert [(event["agent"], event["version"]) for event in written] == [("a", 1), ("a", 2)]


def test_a_shared_key_that_nobody_declared_or_wrote_is_undefined(run_agent):
    state = run_agent("GOAL g { ACHIEVE a.b == 1 }").state
    assert (state.get("SHARED.k"), state.get("SHARED.k.count")) == (UNDEFINED, UNDEFINED)
    assert state.get("SHARED.k.version") == 0


def test_the_label_of_a_memory_is_the_union_of_all_it_was_given_and_of_why(run_agent):
    program = (
        f"{DOOR} MEMORY {{ log WRITE {{ WHEN door.state == open STORE {{ x.y }} INTO LONG_TERM.log }} }}"
    )
    machine = run_agent(program, door(Symbol("open")))
    assert machine.state.label("log") == {DECLARED, OBSERVED, UNKNOWN}
    assert run_agent("MEMORY { log }").state.label("log") == {DECLARED}


def test_what_the_host_seeds_is_there_from_the_start_and_untrusted(run_agent):
    host = Host()
    host.memory = {"LONG_TERM.visits": [{"who": "Ada"}], "KNOWLEDGE.rules": [1]}
    machine = run_agent(
        "MEMORY { LONG_TERM { visits } KNOWLEDGE { rules } } GOAL g { ACHIEVE UNTRUSTED(visits) }", host
    )
    assert machine.state.get("visits") == [{"who": "Ada"}]
    assert machine.state.get("rules") == [1]
    assert machine.state.label("visits") == {MEMORY}
    assert machine.state.get("goal.satisfied") is True


@pytest.mark.parametrize(
    ("path", "records"),
    [("LONG_TERM", []), ("SHARED.k", []), ("world.x", []), ("LONG_TERM.other", []), ("LONG_TERM.k", "text")],
)
def test_a_seed_that_is_none_is_told_and_left_out(run_agent, codes, path: str, records: object):
    host = Host()
    host.memory = {path: records}
    assert "memory.seed_refused" in codes(run_agent("MEMORY { k }", host))


def test_a_seeded_drift_ledger_decides_how_far_an_effect_is_believed(run_agent):
    host = Host()
    host.tools["open"] = lambda: None
    host.memory = {
        "LONG_TERM.effect_drift": [{"tool": "open", "path": "door.state", "confirmed": 0, "refuted": 3}]
    }
    program = "TOOL open { EFFECT { door.state = open } } PLAN p WHEN 1 == 1 { open() }"
    machine = run_agent(f"MEMORY {{ LONG_TERM {{ effect_drift }} }} {program}", host)
    assert machine.state.get("door.state.confidence") == 0.125
    assert run_agent(program, host).state.get("door.state.confidence") == 0.8
