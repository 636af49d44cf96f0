"""RECEIVE, ON MESSAGE and MESSAGE of an agent that is alone (language.md §5.16, §5.11)."""

from agentl import UNDEFINED, Host, MockLLM, Symbol, parse_source
from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.interpreter.machine import Machine
from agentl.provenance import MESSAGE, RUNTIME


def run(members: str, *messages: tuple[str, str, dict], ticks: int = 1, host: Host | None = None) -> Machine:
    program = parse_source(f"AGENT a {{ {members} }}")
    machine = Machine(program, program.agents[0], length=ticks)
    for name, sender, payload in messages:
        machine.state.inbox.append({"name": name, "from": sender, "payload": payload})
    with LiveDriver(host or Host(), MockLLM()) as driver:
        drive(machine, driver)
    return machine


def codes(machine: Machine) -> list[str]:
    return [event.code for event in machine.trace.events]


def test_a_message_is_read_by_its_envelope_its_payload_and_bare_names():
    machine = run(
        "ON MESSAGE hello { SET seen.name = message.name SET seen.sender = message.from "
        "SET seen.n = payload.n SET seen.bare = n + 0 }",
        ("hello", "bob", {"n": 5}),
    )
    assert [machine.state.get(f"seen.{key}") for key in ("name", "sender", "n", "bare")] == [
        "hello",
        "bob",
        5,
        5,
    ]
    assert MESSAGE in machine.state.label("seen.n")
    assert machine.metrics["messages_received"] == 1


def test_the_envelope_is_the_runtimes_and_the_payload_is_outside_data():
    machine = run(
        "ON MESSAGE hello { SET a.n = UNTRUSTED(payload.n) SET a.o = ORIGIN(message.from) }",
        ("hello", "bob", {"n": 5}),
    )
    assert machine.state.get("a.n") is True
    assert machine.state.get("a.o") in ([Symbol(RUNTIME)], Symbol(RUNTIME))


def test_messages_come_in_order_each_to_every_handler_whose_when_holds():
    machine = run(
        """ON MESSAGE hello { WHEN n == 1 SET got.first = n + 0 } ON MESSAGE hello { SET got.last = n + 0 }
        ON MESSAGE other { SET got.other = yes }""",
        ("hello", "bob", {"n": 1}),
        ("hello", "bob", {"n": 2}),
    )
    assert (machine.state.get("got.first"), machine.state.get("got.last")) == (1, 2)
    assert machine.state.get("got.other") is UNDEFINED
    assert codes(machine).count("message.declined") == 1


def test_a_message_without_handler_is_told_and_dropped():
    machine = run("GOAL g { ACHIEVE a.b == 1 }", ("hello", "bob", {}))
    assert "message.unhandled" in codes(machine)
    assert machine.state.inbox == []


def test_without_receive_messages_stay_in_the_inbox():
    machine = run("ON MESSAGE hello { SET got.it = yes } LOOP { OBSERVE }", ("hello", "bob", {}), ticks=3)
    assert len(machine.state.inbox) == 1
    assert machine.state.get("got.it") is UNDEFINED


def test_a_payload_hides_nothing_and_its_names_end_with_the_tick():
    machine = run(
        "BELIEF { mood = calm } ON MESSAGE hello { SET seen.mood = mood } "
        "LOOP { RECEIVE SET seen.later = payload.mood }",
        ("hello", "bob", {"mood": "forged", "n": 1}),
        ticks=2,
    )
    assert machine.state.get("seen.mood") == Symbol("calm")
    assert machine.state.get("seen.later") is UNDEFINED
    assert "message.name_taken" in codes(machine)
    assert dict(machine.state.untrusted) == {}


def test_an_event_after_a_message_takes_the_message_envelope_away():
    host = Host()
    host.emit("bell", n=2)
    machine = run(
        "ON MESSAGE hello { SET a.b = 1 } EVENT bell { SET seen.from = message.from }",
        ("hello", "bob", {}),
        host=host,
    )
    assert machine.state.get("seen.from") is UNDEFINED


def test_what_is_sent_with_nobody_there_is_traced_as_not_delivered():
    machine = run(
        "PLAN p WHEN 1 == 1 { MESSAGE hello { TO bob PAYLOAD { n 5 } } MESSAGE hello { BROADCAST } }"
    )
    told = [
        event.arguments["recipient"] for event in machine.trace.events if event.code == "message.undelivered"
    ]
    assert told == ["bob", "everybody"]
    assert machine.state.inbox == []


def test_a_payload_that_cannot_be_told_ends_nothing():
    machine = run("PLAN p WHEN 1 == 1 { MESSAGE hello { TO bob PAYLOAD { n word + 1 } } SET went.on = yes }")
    assert machine.state.get("went.on") == Symbol("yes")
