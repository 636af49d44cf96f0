"""Events and the names of their payload (language.md §5.11, §0 ⚠14)."""

from agentl import UNDEFINED, Host, Symbol

SAY = "TOOL say { INPUT { word: Any } } TOOL greet { INPUT { who: Any  n: Any } }"


def host_with(*events: dict) -> tuple[Host, list]:
    host, said = Host(), []
    host.tools["say"] = lambda word: said.append(word) or {}
    for payload in events:
        host.emit("door.opened", **payload)
    return host, said


def test_a_payload_is_read_by_its_envelope_and_by_bare_names(run_agent):
    host, said = host_with({"who": "Ada", "level": Symbol("HIGH")})
    run_agent(
        f"{SAY} EVENT door.opened {{ WHEN level >= LOW say(payload.who) say(who) say(event.source) }}", host
    )
    assert said == ["Ada", "Ada", "door.opened"]


def test_a_payload_does_not_hide_what_the_program_knows(run_agent):
    host, said = host_with({"mood": "forged"})
    machine = run_agent(
        f"BELIEF {{ mood = calm }} {SAY} EVENT door.opened {{ say(mood) say(payload.mood) }}", host
    )
    assert said == [Symbol("calm"), "forged"]
    taken = [(e.kind, e.arguments["key"]) for e in machine.trace.events if e.code == "event.name_taken"]
    assert taken == [("BLOCKED", "mood")]


def test_a_payload_does_not_hide_an_observed_path(run_agent):
    host, said = host_with({"mood": "forged"})
    host.sensors["mood"] = lambda: "calm"
    run_agent(f"OBSERVE {{ mood }} {SAY} EVENT door.opened {{ say(mood) }}", host)
    assert said == ["calm"]


def test_the_bindings_last_until_the_tick_ends(run_agent):
    host, said = host_with({"who": "Ada"})
    machine = run_agent(
        f"{SAY} EVENT door.opened {{ tell }} PLAN tell {{ say(who) }}"
        "PLAN later WHEN told.once == yes { say(payload) say(who) }"
        "LOOP { SELECT_PLAN EXECUTE SET told.once = yes }",
        host,
        ticks=2,
    )
    assert said == ["Ada", Symbol("payload"), Symbol("who")]
    assert machine.state.get("payload.who") is UNDEFINED
    assert dict(machine.state.untrusted) == {}


def test_a_shadowed_local_comes_back(run_agent):
    host, said = host_with({"who": "Ada"})
    machine = run_agent(
        f"{SAY} EVENT door.opened {{ say(payload.who) }} LOOP {{ SET payload = mine SELECT_PLAN }}", host
    )
    assert said == ["Ada"]
    assert machine.state.get("payload") == Symbol("mine")


def test_handlers_run_in_order_and_a_false_guard_binds_nothing(run_agent):
    host, said = host_with({"n": 1}, {"n": 2})
    machine = run_agent(
        f"""{SAY} EVENT door.opened {{ WHEN n == 1 say(first) }}
        EVENT door.opened {{ WHEN word + 1 > 0 say(never) }}
        EVENT door.opened {{ say(n) }} EVENT window.opened {{ say(window) }}""",
        host,
    )
    assert said == [Symbol("first"), 1, 2]
    assert [e.code for e in machine.trace.events].count("event.declined") == 3


def test_after_a_declined_event_the_one_before_is_still_bound(run_agent):
    host, said = host_with({"n": 1}, {"n": 2})
    run_agent(f"{SAY} EVENT door.opened {{ WHEN n == 1 tell }} PLAN tell {{ say(n) }}", host)
    assert said == [1]


def test_an_event_without_handler_is_told(run_agent, codes):
    host, _ = host_with({})
    assert "event.unhandled" in codes(run_agent(SAY, host))


def test_events_are_taken_once(run_agent):
    host, said = host_with({"n": 1})
    run_agent(f"{SAY} EVENT door.opened {{ say(n) }}", host, ticks=3)
    assert said == [1]


def test_a_tool_output_of_the_same_name_outlives_the_payload(run_agent):
    host, _ = host_with({"n": 1})
    host.tools["count"] = lambda: {"n": 5}
    machine = run_agent("TOOL count { OUTPUT { n: Int } } EVENT door.opened { count() }", host)
    assert machine.state.untrusted["n"] == 5


def test_a_failing_verify_stops_the_handler_and_nothing_else(run_agent):
    host, said = host_with({"n": 1}, {"n": 2})
    run_agent(
        f"{SAY} EVENT door.opened {{ VERIFY {{ n == 2 ON FAIL {{ RETRY 3 say(bad) }} }} say(good) }}"
        "PLAN p WHEN 1 == 1 { say(plan) }",
        host,
    )
    assert said == [Symbol("bad"), Symbol("good"), Symbol("plan")]
