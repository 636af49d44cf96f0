"""Labels follow values through every write, and decisions through what they decide (language.md §6.4)."""

from pathlib import Path

import pytest
from labelled_host import ACT, MODEL, labelled_host, sources

from agentl import Host, MockLLM, Symbol, parse_source, untrusted
from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.interpreter.crossings import ActionRequest
from agentl.interpreter.machine import Machine
from agentl.policy import PolicyEngine
from agentl.provenance import is_untrusted
from agentl.run_state import RunState
from agentl.spaces import Space
from agentl.state import policy_view

ROOT = Path(__file__).parents[3]
TOOL = "TOOL look { OUTPUT { seen: Any, also: Any } }"


@pytest.fixture
def host() -> Host:
    return labelled_host()


# ------------------------------------------------------------------------------------- the table of writes

WRITES = [
    ("BELIEF { a.b = 1 }", "a.b", {"DECLARED"}),
    ("BELIEF { a.b = 1, c.d = a.b }", "c.d", {"DECLARED"}),
    ("OBSERVE { room.temp }", "room.temp", {"OBSERVED"}),
    ("OBSERVE { room.temp } LOOP { OBSERVE }", "room.temp", {"OBSERVED"}),
    ("OBSERVE { mail.text }", "mail.text", {"OBSERVED", "EXTERNAL"}),
    ("OBSERVE { mail.parts }", "mail.parts.head", {"OBSERVED", "EXTERNAL"}),
    ("OBSERVE { room.dark ON UNKNOWN DEGRADE 3 }", "room.dark", {"FALLBACK", "DECLARED"}),
    (
        "OBSERVE { room.temp, room.dark ON UNKNOWN DEGRADE room.temp }",
        "room.dark",
        {"FALLBACK", "OBSERVED"},
    ),
    (f"{TOOL} LOOP {{ look() }}", "look.seen", {"TOOL"}),
    (f"{TOOL} LOOP {{ look() }}", "seen", {"TOOL"}),
    (f"{TOOL} LOOP {{ look() }}", "also", {"TOOL", "EXTERNAL"}),
    (f"{TOOL} LOOP {{ look() }}", "look.also", {"TOOL", "EXTERNAL"}),
    (f"{TOOL} LOOP {{ look() }}", "result.seen", {"TOOL", "EXTERNAL"}),
    (f"{ACT} LOOP {{ act(p = open) }}", "door.state", {"EFFECT", "DECLARED"}),
    (
        f"{TOOL} {ACT} LOOP {{ look() act(p = look.seen) }}",
        "door.state",
        {"EFFECT", "TOOL"},
    ),
    ('LOOP { ASK guard { QUESTION "Who?" } }', "answer", {"HUMAN"}),
    ('LOOP { ASK guard { QUESTION "Who?" } }', "answer.guard", {"HUMAN"}),
    ('LOOP { REASON "Guess" { PRODUCE { guess: Number } } }', "guess", {"LLM"}),
    ('LOOP { REASON "Guess" { PRODUCE { guess: Number } } }', "reason.guess", {"LLM"}),
    ('LOOP { REASON "Guess" { PRODUCE { guess: Number } } }', "reason.degraded", {"RUNTIME", "LLM"}),
    ("OBSERVE { room.temp } LOOP { OBSERVE SET x = room.temp }", "x", {"OBSERVED"}),
    ("OBSERVE { room.temp } LOOP { OBSERVE SET x = room.temp + 1 }", "x", {"OBSERVED", "DECLARED"}),
    (f"{TOOL} LOOP {{ look() SET x = [look.seen, 2] }}", "x", {"TOOL", "DECLARED"}),
    (f"{TOOL} LOOP {{ look() SET x = len(look.seen) }}", "x", {"TOOL", "DECLARED"}),
    (f"{TOOL} LOOP {{ look() SET x = -look.seen }}", "x", {"TOOL"}),
    (f"{TOOL} LOOP {{ look() SET x = 1 == 1 OR look.seen == 2 }}", "x", {"TOOL", "DECLARED"}),
    (f"{TOOL} LOOP {{ look() SET x = UNTRUSTED(look.seen) }}", "x", {"RUNTIME"}),
    (f"{TOOL} LOOP {{ look() SET x = CONFIDENCE(look.seen) }}", "x", {"RUNTIME", "TOOL"}),
    ("LOOP { SET x = word }", "x", {"DECLARED"}),
    ("LOOP { SET o.x = never.set }", "o.x", {"UNKNOWN"}),
    ("BELIEF { a.b = 1 } LOOP { SET x = a.b.confidence }", "x", {"RUNTIME", "DECLARED"}),
    ("LOOP { SET o.x = tools.nothing.failures }", "o.x", {"UNKNOWN"}),
    ("LOOP { SET x = run.resumes }", "x", {"RUNTIME"}),
    (f"{TOOL} LOOP {{ SET x = tools.look.failures }}", "x", {"RUNTIME"}),
    ("GOAL { MAINTAIN 1 == 1 } LOOP { EVALUATE_GOALS }", "goal.score", {"RUNTIME", "DECLARED"}),
    ("OBSERVE { room.temp } LOOP { OBSERVE }", "sensors.room.temp.available", {"RUNTIME"}),
    (f"{ACT} LOOP {{ act(p = 1) }}", "last_action.blocked", {"RUNTIME", "DECLARED"}),
    # what decides is in what it decides
    (f"{TOOL} LOOP {{ look() IF look.seen == 1 THEN SET x = 2 }}", "x", {"TOOL", "DECLARED"}),
    (f"{TOOL} LOOP {{ look() IF look.seen == 2 THEN SET y = 1 ELSE SET x = 2 }}", "x", {"TOOL", "DECLARED"}),
    (
        f"{TOOL} LOOP {{ look() IF look.seen == 1 THEN {{ IF 1 == 1 THEN SET x = 2 }} }}",
        "x",
        {"TOOL", "DECLARED"},
    ),
    (f"{TOOL} LOOP {{ look() IF look.seen == 1 THEN SET y = 1 SET x = 2 }}", "x", {"DECLARED"}),
    (f"{TOOL} LOOP {{ LOOP UNTIL look.seen == 2 MAX 2 {{ look() SET x = 1 }} }}", "x", {"TOOL", "DECLARED"}),
    (f"{TOOL} LOOP {{ LOOP UNTIL look.seen == 2 MAX 1 {{ look() SET x = 1 }} }}", "x", {"DECLARED"}),
    (
        f"{TOOL} {ACT} LOOP {{ look() IF look.seen == 1 THEN act(p = 1) }}",
        "door.state",
        {"EFFECT", "DECLARED", "TOOL"},
    ),
    (
        f'{TOOL} LOOP {{ look() IF look.seen == 1 THEN {{ ASK guard {{ QUESTION "Who?" }} }} }}',
        "answer",
        {"HUMAN", "TOOL", "DECLARED"},
    ),
    (
        f"{TOOL} LOOP {{ look() SELECT_PLAN EXECUTE }} PLAN p WHEN look.seen == 1 {{ SET x = 1 }}",
        "x",
        {"TOOL", "DECLARED"},
    ),
    (
        f"{TOOL} LOOP {{ look() IF look.seen == 1 THEN p EXECUTE }} PLAN p {{ SET x = 1 }}",
        "x",
        {"TOOL", "DECLARED", "RUNTIME"},
    ),
    ("LOOP { p EXECUTE } PLAN p { SET x = 1 }", "x", {"DECLARED", "RUNTIME"}),
    ("PLAN p WHEN 1 == 1 { q } PLAN q { SET x = 1 }", "x", {"DECLARED", "RUNTIME"}),
]


@pytest.mark.parametrize(("members", "path", "expected"), WRITES)
def test_the_label_of_what_is_written(run_agent, host: Host, members: str, path: str, expected: set[str]):
    assert sources(run_agent(members, host, MODEL), path) == expected


EVENTS = [
    ("EVENT e { SET x = 1 }", "x", {"EVENT", "DECLARED"}),
    ("EVENT e { SET x = amount }", "x", {"EVENT", "DECLARED"}),
    ("EVENT e { SET x = payload.amount }", "x", {"EVENT", "DECLARED"}),
    ("EVENT e { SET x = event.source }", "x", {"EVENT", "RUNTIME", "DECLARED"}),
    ("BELIEF { a.b = 1 } EVENT e { WHEN a.b == 1 SET x = 2 }", "x", {"EVENT", "DECLARED"}),
    ("EVENT e { p } PLAN p { SET x = 1 }", "x", {"EVENT", "DECLARED", "RUNTIME"}),
]


@pytest.mark.parametrize(("members", "path", "expected"), EVENTS)
def test_the_label_of_what_an_event_led_to(
    run_agent, host: Host, members: str, path: str, expected: set[str]
):
    host.emit("e", amount=5)
    assert sources(run_agent(members, host), path) == expected


def test_after_the_handler_its_event_no_longer_counts(run_agent, host: Host):
    host.emit("e")
    machine = run_agent("EVENT e { SET x = 1 } LOOP { SELECT_PLAN SET y = 1 }", host)
    assert sources(machine, "y") == {"DECLARED"}


def test_a_silent_model_has_its_part_in_what_is_read_as_a_word(run_agent, host: Host):
    machine = run_agent('LOOP { REASON "x" { PRODUCE { risk: Symbol } } SET y = risk }', host)
    assert machine.state.get("y") == Symbol("risk")
    assert sources(machine, "y") == {"LLM", "DECLARED"}


def test_a_belief_keeps_a_new_label_when_set_replaces_its_value(run_agent, host: Host):
    machine = run_agent(f"{TOOL} BELIEF {{ a.b = 1 }} LOOP {{ look() SET a.b = look.seen }}", host)
    assert sources(machine, "a.b") == {"TOOL"}


def test_marks_of_the_host_are_gone_where_a_program_reads(run_agent, host: Host):
    machine = run_agent(f"OBSERVE {{ mail.parts }} {TOOL} LOOP {{ OBSERVE look() }}", host)
    assert machine.state.get("mail.parts") == {"head": "h", "body": "b"}
    assert machine.state.get("also") == "third party"


def test_a_whole_result_may_be_marked(run_agent, host: Host):
    host.tools["look"] = lambda: untrusted({"seen": 1, "also": 2})
    machine = run_agent(f"{TOOL} LOOP {{ look() }}", host)
    assert sources(machine, "seen") == {"TOOL", "EXTERNAL"}
    assert machine.state.get("seen") == 1


# ------------------------------------------------------------------------------------- guards

CALLS = [
    ("SET x = 1", "NEVER act WHEN UNTRUSTED(p)", True),
    ("look() SET x = look.seen", "NEVER act WHEN UNTRUSTED(p)", False),
    ("look() SET y = look.seen SET x = y + 0", "NEVER act WHEN UNTRUSTED(p)", False),
    ("look() SET x = 1 IF look.seen == 1 THEN SET x = 2", "NEVER act WHEN UNTRUSTED(p)", False),
    ("look() SET x = look.seen", "ALLOW act WHEN TRUSTED(p)", False),
    ("SET x = 1", "ALLOW act WHEN TRUSTED(p)", True),
    ("look() SET x = look.seen", "NEVER act WHEN UNTRUSTED(action)", False),
    ("SET x = 1", "NEVER act WHEN UNTRUSTED(action)", True),
    ("look() SET x = look.seen", "NEVER act WHEN LLM_DERIVED(action)", True),
    ('REASON "Guess" { PRODUCE { guess: Number } } SET x = guess', "NEVER act WHEN LLM_DERIVED(p)", False),
    ("look() SET x = look.also", "NEVER act WHEN EXTERNAL IN ORIGIN(p)", False),
    ("SET x = 1", "NEVER act WHEN EXTERNAL IN ORIGIN(action)", True),
    ("SET x = 1", "NEVER act WHEN UNTRUSTED(no.where)", False),
    ("SET x = 1", "NEVER act WHEN ATTESTED(action)", False),
    ("SET x = 1", "ALLOW act WHEN ATTESTED(p)", False),
    ("SET x = 1 check(p = 1)", "ALLOW act WHEN ATTESTED(p)", True),
    ("SET x = 1 check(p = 1)", "ALLOW act WHEN ATTESTED(p, check)", True),
    ("SET x = 1 check(p = 1)", 'ALLOW act WHEN ATTESTED(p, "check")', True),
    ("SET x = 1 check(p = 1)", "ALLOW act WHEN ATTESTED(p, other)", False),
    ("SET x = 1 check(p = 2)", "ALLOW act WHEN ATTESTED(p)", False),
    ('SET x = word check(p = "word")', "ALLOW act WHEN ATTESTED(p)", True),
    ("SET x = 2 / 2 check(p = 1)", "ALLOW act WHEN ATTESTED(p)", True),
    ("SET x = 1 refuse(p = 1)", "ALLOW act WHEN ATTESTED(p)", False),
    ("SET x = 1 breaks(p = 1)", "ALLOW act WHEN ATTESTED(p)", False),
    ("look() check(p = look.seen) SET x = look.seen", "NEVER act WHEN UNTRUSTED(p)", False),
]


@pytest.mark.parametrize(("before", "policy", "called"), CALLS)
def test_what_a_guard_learns_of_origins(run_agent, host: Host, before: str, policy: str, called: bool):
    calls: list[object] = []
    host.tools["act"] = lambda p: calls.append(p) or {"ok": 1}
    host.tools["check"] = host.tools["breaks"] = lambda p: {}

    def refuse(p: object) -> None:
        raise ValueError(p)

    host.tools["refuse"] = refuse
    tools = " ".join(
        f"TOOL {name} {{ INPUT {{ p: Any }} {output} }}"
        for name, output in (("check", ""), ("refuse", ""), ("breaks", "OUTPUT { ok: Bool }"))
    )
    run_agent(f"{TOOL} {ACT} {tools} POLICY {{ {policy} }} LOOP {{ {before} act(p = x) }}", host, MODEL)
    assert bool(calls) is called


def test_what_decides_on_a_call_is_an_origin_of_each_argument(run_agent, host: Host):
    host.emit("e")
    machine = run_agent(
        f"{ACT} EVENT e {{ act(p = 1) }} POLICY {{ NEVER act WHEN UNTRUSTED(p) }} LOOP {{ SELECT_PLAN }}",
        host,
    )
    assert machine.metrics["blocked"] == 1


def test_a_call_without_arguments_has_the_origin_of_what_led_to_it(run_agent, host: Host):
    policy = "POLICY { NEVER look WHEN UNTRUSTED(action) }"
    assert run_agent(f"{TOOL} {policy} LOOP {{ look() }}", host).metrics["blocked"] == 0
    host.emit("e")
    machine = run_agent(f"{TOOL} {policy} EVENT e {{ look() }} LOOP {{ SELECT_PLAN }}", host)
    assert machine.metrics["blocked"] == 1


def test_the_verdict_tells_the_origins_it_looked_at(expression_decision):
    decision = expression_decision("NEVER act WHEN UNTRUSTED(p) OR UNTRUSTED(action)")
    assert decision.reads["ORIGIN(p)"] == [Symbol("UNKNOWN")]
    assert decision.reads["ORIGIN(action)"] == [Symbol("UNKNOWN")]
    assert decision.verdict == "DENIED"


@pytest.fixture
def expression_decision():

    def decide(policy: str):
        """Decide on a request made by hand: nothing is known of where its argument comes from."""
        agent = parse_source(f"AGENT a {{ POLICY {{ {policy} }} }}").agents[0]
        request = ActionRequest("act", {"p": 1}, "LOW", (), "plan", 1.0)
        return PolicyEngine(agent).decide("act", policy_view(RunState(), request))

    return decide


@pytest.mark.parametrize("function", ["UNTRUSTED", "TRUSTED", "LLM_DERIVED", "ORIGIN"])
def test_action_means_nothing_outside_a_policy(run_agent, codes, function: str):
    machine = run_agent(f"LOOP {{ SET x = {function}(action) }}")
    assert "set.failed" in codes(machine)


def test_labels_are_in_the_digest_and_in_the_encoding(run_agent, host: Host):

    machine = run_agent(f"{TOOL} PLAN p WHEN 1 == 1 {{ look() }}", host)
    copy = RunState.decoded(machine.state.encoded())
    assert copy.digest() == machine.state.digest()
    assert copy.label("seen") == machine.state.label("seen")
    copy.untrusted.put("seen", 1, frozenset({"DECLARED"}))
    assert copy.digest() != machine.state.digest()


def test_what_is_stored_without_a_label_is_untrusted():

    space = Space({"a": 1})
    space["b"] = 2
    assert is_untrusted(space.label("a"))
    assert is_untrusted(space.label("b"))
    assert is_untrusted(frozenset())
    assert is_untrusted(space.label("a") | {"DECLARED"})
    assert is_untrusted(frozenset({"A SOURCE NOBODY KNOWS"}))


@pytest.mark.parametrize(("iban", "paid"), [("NL01", True), ("XX99", False)])
def test_the_guarded_payment_of_the_tour(iban: str, paid: bool):
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in text.split("```agentl")[1:]]
    program = parse_source(next(block for block in blocks if "ATTESTED" in block))
    payments: list[str] = []
    host = Host()

    @host.tool("check")
    def check(iban: str) -> dict:
        if not iban.startswith("NL"):
            raise ValueError(iban)
        return {}

    host.tools["pay"] = lambda iban, amount: payments.append(iban)
    host.emit("invoice", iban=iban)
    machine = Machine(program, program.agents[0], length=1)
    with LiveDriver(host, MockLLM()) as driver:
        drive(machine, driver)
    assert payments == ([iban] if paid else [])
