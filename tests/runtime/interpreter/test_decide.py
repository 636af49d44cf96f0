"""DECIDE: rules, and the choice of a plan by the model (language.md §4.3 steps 3 and 5, §0 ⚠6)."""

import pytest

from agentl import Host, MockLLM, Symbol
from agentl.provenance import LLM

ASK = 'REASON "what now" { USING { a.b } PRODUCE { mood: Symbol } }'
PLANS = "PLAN first { SET ran.first = yes } PLAN second { SET ran.second = yes }"


def test_every_rule_acts_in_order_and_else_runs(run_agent):
    machine = run_agent(
        """DECIDE { IF 1 == 1 THEN { SET n.all = 1 }
        IF n.all == 2 THEN { SET n.a = yes } ELSE { SET n.b = yes }
        RULES { IF n.b == yes THEN SET n.c = yes } }"""
    )
    assert [machine.state.get(f"n.{name}") for name in ("all", "b", "c")] == [1, Symbol("yes"), Symbol("yes")]
    assert "n.a" not in machine.state.locals


def test_a_rule_that_cannot_be_told_is_false_and_traced(run_agent, codes):
    machine = run_agent("DECIDE { IF word + 1 > 0 THEN { SET n.a = yes } ELSE { SET n.b = yes } }")
    assert machine.state.get("n.b") == Symbol("yes")
    assert "guard.failed" in codes(machine)


def test_rules_come_after_events_and_plan_guards_and_see_what_they_set(run_agent):
    host = Host()
    host.emit("bell")
    machine = run_agent(
        "EVENT bell { SET bell.rang = yes } DECIDE { IF bell.rang == yes THEN late } "
        "PLAN early WHEN bell.rang == yes { SET order.all = [early] } "
        "PLAN late { SET order.late = order.all }",
        host,
    )
    assert machine.state.get("order.late") == [Symbol("early")]


def test_the_model_is_asked_only_when_no_plan_waits(run_agent, codes):
    model = MockLLM({"what now": {"mood": "calm"}}, lambda _context, _candidates: "second")
    machine = run_agent(f"{PLANS} DECIDE {{ IF 1 == 1 THEN first {ASK} }}", model=model)
    assert model.calls == []
    assert "plan.chosen" not in codes(machine)


def test_the_model_reasons_and_then_chooses_told_of_everything(run_agent):
    seen = []

    def choose(context: dict, candidates: list[str]) -> str:
        seen.append((context, candidates))
        return "second"

    model = MockLLM({"what now": {"mood": "calm"}}, choose)
    host = Host()
    host.sensors["room.cold"] = lambda: True
    machine = run_agent(f"OBSERVE {{ room.cold }} {PLANS} DECIDE {{ {ASK} }}", host, model)
    assert [call[0] for call in model.calls] == ["reason", "select_plan"]
    context, candidates = seen[0]
    assert candidates == ["first", "second"]
    assert context["beliefs"]["room.cold"]["value"] == "true"
    assert set(context) >= {"tick", "goals", "beliefs", "tools", "plans"}
    assert machine.state.get("ran.second") == Symbol("yes")
    assert machine.state.get("mood") == "calm" or machine.state.get("mood") == Symbol("calm")
    assert LLM in machine.state.label("ran.second")
    assert machine.metrics["llm_calls"] == 2


@pytest.mark.parametrize(
    ("choice", "code"),
    [
        ("third", "plan.choice_refused"),
        ("", "plan.choice_refused"),
        (5, "plan.choice_refused"),
        (["first"], "plan.choice_refused"),
        (None, "plan.none_chosen"),
        (ValueError("no idea"), "plan.choice_failed"),
    ],
)
def test_what_is_no_declared_plan_queues_nothing(run_agent, codes, choice: object, code: str):
    def choose(_context: dict, _candidates: list[str]) -> object:
        if isinstance(choice, Exception):
            raise choice
        return choice

    machine = run_agent(f"{PLANS} DECIDE {{ {ASK} }}", model=MockLLM(plan_choice=choose))
    assert code in codes(machine)
    assert "plan.queued" not in codes(machine)


def test_never_send_hides_its_paths_from_the_choice(run_agent):
    seen = []
    model = MockLLM(plan_choice=lambda context, _candidates: seen.append(context))
    run_agent(
        f"BELIEF {{ key.code = 1234 }} POLICY {{ NEVER SEND key.code }} {PLANS} DECIDE {{ {ASK} }}",
        model=model,
    )
    assert "1234" not in str(seen)


def test_a_guard_can_forbid_what_the_model_led_to(run_agent):
    acted = []
    host = Host()
    host.tools["act"] = lambda: acted.append(1) or {}
    program = "TOOL act { } POLICY { DEFAULT ALLOW NEVER act WHEN LLM_DERIVED(action) } PLAN p { act() }"
    run_agent(f"{program} DECIDE {{ {ASK} }}", host, MockLLM())
    assert acted == []
