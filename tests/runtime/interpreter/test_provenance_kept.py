"""No statement washes a source away, and a mark of the host counts wherever it is said (language.md §6.4)."""

import pytest
from labelled_host import ACT, MODEL, labelled_host, sources

from agentl import Host, MockLLM, untrusted
from agentl.values import UNDEFINED


@pytest.fixture
def host() -> Host:
    return labelled_host()


# ------------------------------------------------------------------------- nothing washes a source away


PAY = "TOOL pay { INPUT { v: Any } } TOOL echo { INPUT { v: Any } OUTPUT { w: Any } }"
ASKED = 'REASON "Guess" { PRODUCE { guess: Number } }'


def paid(
    run_agent, host: Host, members: str, *, never: str = "UNTRUSTED(action)", ticks: int = 1
) -> list[object]:
    """Return what `pay` was called with, while it is never to be called when `never` is true."""
    payments: list[object] = []
    host.tools["pay"] = lambda v: payments.append(v) or {}
    host.tools["echo"] = lambda v: {"w": v}
    host.tools["fixed"] = lambda: {"n": 7}
    policy = f"POLICY {{ DEFAULT ALLOW NEVER pay WHEN {never} }}"
    run_agent(f"{PAY} {policy} {members}", host, MODEL, ticks=ticks)
    return payments


@pytest.mark.parametrize(
    "statements",
    [
        "echo(v = guess) pay(v = echo.w)",
        "echo(v = guess) pay(v = w)",
        "echo(v = guess) pay(v = result.w)",
        "IF guess == 1 THEN { fixed() } pay(v = fixed.n)",
        "DELEGATE helper { INPUT { guess } EXPECT { iban } } pay(v = helper.iban)",
        "DELEGATE helper { INPUT { guess } EXPECT { iban } } pay(v = iban)",
        "pay(v = reason.missing)",
        "IF reason.degraded == false THEN { pay(v = 1) }",
        "echo(v = guess) IF last_action.blocked == false THEN { pay(v = 1) }",
    ],
)
def test_what_was_made_of_a_model_s_answer_stays_of_the_model(run_agent, host: Host, statements: str):
    host.subagents["helper"] = lambda payload: {"iban": payload["guess"]}
    fixed = "TOOL fixed { OUTPUT { n: Number } }"
    members = f"{fixed} PLAN p WHEN 1 == 1 {{ {ASKED} {statements} }}"
    assert paid(run_agent, host, members, never="LLM_DERIVED(action)") == []


def test_what_a_tool_makes_of_trusted_arguments_is_no_model_s(run_agent, host: Host):
    members = f"PLAN p WHEN 1 == 1 {{ {ASKED} echo(v = 4) pay(v = echo.w) }}"
    assert paid(run_agent, host, members, never="LLM_DERIVED(action)") == [4]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('VERIFY "x" { CONDITION said == no ON FAIL { pay(v = 1) } }', "yes"),
        ('VERIFY "x" { CONDITION said == no ON FAIL { q } }', "yes"),
        ('VERIFY "x" { CONDITION said == yes } pay(v = 1)', "yes"),
        ('IF 1 == 1 THEN { VERIFY "x" { CONDITION said == yes } } pay(v = 1)', "yes"),
        ("LOOP UNTIL said == yes MAX 2 { SET c = 1 } pay(v = 1)", "yes"),
        ("LOOP UNTIL said == yes MAX 2 { SET c = 1 } pay(v = 1)", "no"),
        ('VERIFY "x" { CONDITION said == no ON FAIL { RETRY 1 pay(v = 1) } }', "yes"),
    ],
)
def test_what_a_stranger_decided_stays_the_stranger_s(run_agent, host: Host, body: str, said: str):
    host.emit("ev", ok=said)
    members = f"EVENT ev {{ SET said = payload.ok }} PLAN p WHEN 1 == 1 {{ {body} }} PLAN q {{ pay(v = 1) }}"
    assert paid(run_agent, host, members) == []


def test_a_plan_does_not_inherit_what_decided_in_the_plan_before(run_agent, host: Host):
    host.emit("ev", ok="yes")
    members = """EVENT ev { SET said = payload.ok }
    PLAN p WHEN 1 == 1 { VERIFY "x" { CONDITION said == yes } } PLAN q WHEN 1 == 1 { pay(v = 2) }"""
    assert paid(run_agent, host, members) == [2]


@pytest.mark.parametrize("fact", ["goal.satisfied == true", "goal.score == 1", "goals.g.score == 1"])
def test_a_goal_has_the_sources_of_what_it_reads(run_agent, host: Host, fact: str):
    host.emit("ev", ok="yes")
    members = f"""GOAL g {{ ACHIEVE said == yes }} EVENT ev {{ SET said = payload.ok }}
    PLAN p WHEN {fact} {{ pay(v = 1) }} LOOP {{ EVALUATE_GOALS SELECT_PLAN EXECUTE }}"""
    assert paid(run_agent, host, members, ticks=2) == []
    assert paid(run_agent, Host(), members.replace("said == yes", "1 == 1")) == [1]


def test_shared_memory_keeps_the_sources_of_what_was_stored(run_agent, host: Host):
    members = f"""MEMORY {{ SHARED {{ notes }} WRITE {{ STORE {{ guess }} INTO SHARED.notes }} }}
    PLAN p WHEN SHARED.notes.count == 0 {{ {ASKED} }}
    PLAN q WHEN SHARED.notes.count > 0 {{ pay(v = SHARED.notes.last.guess) }}"""
    assert paid(run_agent, host, members, never="LLM_DERIVED(v)", ticks=2) == []
    assert paid(run_agent, host, members, never="LLM_DERIVED(action.risk)", ticks=2) == [1]


# ------------------------------------------------------------------------ marks, wherever a host says them


MARKED = [
    ('ASK boss { QUESTION "q" }', "answer", {"HUMAN", "EXTERNAL"}),
    ('ASK boss { QUESTION "q" }', "answer.boss", {"HUMAN", "EXTERNAL"}),
    ("ESCALATE", "answer", {"HUMAN", "EXTERNAL"}),
    ("DELEGATE sub { EXPECT { a.b, c } }", "sub.a.b", {"DELEGATE", "EXTERNAL"}),
    ("DELEGATE sub { EXPECT { a.b, c } }", "sub.c", {"DELEGATE"}),
    ("SET x = 1", "visits", {"MEMORY", "EXTERNAL"}),
    ("SET x = 1", "inner", {"MEMORY", "EXTERNAL"}),
    ("SET x = 1", "plain", {"MEMORY"}),
]


@pytest.mark.parametrize(("statement", "path", "expected"), MARKED)
def test_a_mark_of_the_host_is_a_source_and_no_value(
    run_agent, statement: str, path: str, expected: set[str]
):
    host = Host()
    host.asker = lambda question, reason: untrusted("EVIL")
    host.subagents["sub"] = lambda payload: {"a": {"b": untrusted("EVIL")}, "c": "EVIL"}
    host.memory = {
        "LONG_TERM.visits": untrusted(["EVIL"]),
        "LONG_TERM.inner": [{"a": untrusted("EVIL")}],
        "LONG_TERM.plain": ["EVIL"],
    }
    machine = run_agent(f"MEMORY {{ LONG_TERM {{ visits, inner, plain }} }} LOOP {{ {statement} }}", host)
    assert expected <= sources(machine, path)
    assert ("EXTERNAL" in expected) is ("EXTERNAL" in sources(machine, path))
    assert "Untrusted" not in machine.trace.render() + repr(machine.state.get(path))


def test_a_marked_key_of_an_event_is_external_and_plain(run_agent):
    host, calls = Host(), []
    host.tools["act"] = lambda p: calls.append(p) or {"ok": 1}
    host.emit("ev", marked=untrusted({"a": "EVIL"}), plain="x")
    host.emit("other", plain="x")
    handlers = """EVENT ev { act(p = payload.marked) SET m = payload.marked }
    EVENT other { SET n = payload.plain }"""
    machine = run_agent(f"{ACT} {handlers}", host)
    assert calls == [{"a": "EVIL"}]
    assert sources(machine, "m") == {"EVENT", "EXTERNAL", "DECLARED"}
    assert sources(machine, "n") == {"EVENT", "DECLARED"}
    assert "Untrusted" not in machine.trace.render()


def test_a_model_s_mark_is_taken_off(run_agent):
    class Marking(MockLLM):
        def reason(self, task, context, schema):
            return {"guess": untrusted("EVIL")}

    machine = run_agent(f"LOOP {{ {ASKED.replace('Number', 'Any')} }}", Host(), Marking())
    assert machine.state.get("guess") == "EVIL"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("LLM_DERIVED(SHARED.notes.last.guess)", True),
        ("UNTRUSTED(SHARED.notes)", True),
        ("TRUSTED(SHARED.notes.count)", False),
        ("LLM IN ORIGIN(SHARED.notes.last.guess)", True),
        ("UNTRUSTED(SHARED.nothing)", None),
        ("CONFIDENCE(SHARED.notes)", 0.0),
    ],
)
def test_shared_memory_can_be_asked_where_it_comes_from(
    run_agent, host: Host, codes, question: str, expected: object
):
    machine = run_agent(
        f"""MEMORY {{ SHARED {{ notes }} WRITE {{ STORE {{ guess }} INTO SHARED.notes }} }}
        LOOP {{ {ASKED} UPDATE_MEMORY SET told = {question} }}""",
        host,
        MODEL,
    )
    told = machine.state.get("told")
    assert (None if told is UNDEFINED else told) == expected
    assert "set.failed" not in codes(machine)


def test_a_guard_asks_where_shared_memory_comes_from(run_agent, host: Host):
    members = f"""MEMORY {{ SHARED {{ notes }} WRITE {{ STORE {{ guess }} INTO SHARED.notes }} }}
    LOOP {{ {ASKED} UPDATE_MEMORY pay(v = 1) }}"""
    assert paid(run_agent, host, members, never="LLM_DERIVED(SHARED.notes.last.guess)") == []
    assert paid(run_agent, host, members, never="LLM_DERIVED(SHARED.notes.last.other)") == []
    assert paid(run_agent, host, members, never="TRUSTED(SHARED.notes.last.guess)") == [1]
