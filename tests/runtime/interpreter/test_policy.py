"""The decision of a POLICY, its view, and approval (language.md §5.6 to §5.8)."""

import itertools

import pytest

from agentl import Host, InDoubt, MockLLM, Symbol, parse_source
from agentl.interpreter.people import is_approval
from agentl.policy import PolicyEngine
from agentl.run_state import RunState
from agentl.state import View

TRUTHS = {"true": "1 == 1", "false": "1 == 2", "unknown": "no.thing == 1", "none": None}


def decide(policy: str, target: str = "act", **world: object):
    agent = parse_source(f"AGENT a {{ POLICY {{ {policy} }} }}").agents[0]
    state = RunState()
    state.world.update({path.replace("_", "."): value for path, value in world.items()})
    return PolicyEngine(agent).decide(target, View(state))


def rule(kind: str, guard: str | None) -> str:
    return f"{kind} act" + ("" if guard is None else f" WHEN {guard}")


def expected(default: str, never: str, deny: str, allow: str, require: str) -> str:
    if {never, deny} & {"true", "unknown", "none"}:
        return "DENIED"
    if allow not in {"true", "none"} if allow != "absent" else default == "DENY":
        return "DENIED"
    return "APPROVAL_REQUIRED" if require in {"true", "unknown", "none"} else "ALLOWED"


CASES = ("absent", *TRUTHS)


@pytest.mark.parametrize("default", ["ALLOW", "DENY"])
@pytest.mark.parametrize("allow", CASES)
def test_every_combination_of_rules(default: str, allow: str):
    for never, deny, require in itertools.product(CASES, repeat=3):
        rules = [f"DEFAULT {default}"]
        # the order of the text is the opposite of the order of the decision: it must not matter
        for kind, guard in (("REQUIRE FOR", require), ("ALLOW", allow), ("DENY", deny), ("NEVER", never)):
            if guard != "absent":
                rules.append(rule(kind, TRUTHS[guard]))
        decision = decide("  ".join(rules))
        assert decision.verdict == expected(default, never, deny, allow, require), rules


def test_the_deciding_rule_is_told_in_canonical_text():
    assert decide("NEVER act IF   a.b ==   1  ALLOW *").rule == "NEVER act WHEN a.b == 1"
    assert decide("DEFAULT DENY").rule == "DEFAULT DENY"
    assert decide("").rule == "DEFAULT ALLOW"
    assert decide("ALLOW act WHEN 1 == 2").rule == "ALLOW act WHEN 1 == 2"
    assert decide("ALLOW act").rule == "ALLOW act"
    assert decide("REQUIRE APPROVAL FOR *").rule == "REQUIRE APPROVAL FOR *"


def test_a_rule_for_another_target_does_not_match_and_a_star_does():
    assert decide("NEVER other").verdict == "ALLOWED"
    assert decide("NEVER *").verdict == "DENIED"
    assert decide("ALLOW other  DEFAULT ALLOW").verdict == "ALLOWED"


def test_the_values_that_were_read_are_told():
    decision = decide("NEVER act WHEN a.b == 2  DENY act WHEN c.d == 3", a_b=1, c_d=3)
    assert decision.reads == {"a.b": 1, "c.d": 3}


OPERANDS = ("bank.open", "queue.length", "mood", "limits.max")
GUARDS = (
    "NEVER act WHEN bank.open != yes",
    "NEVER act WHEN queue.length > limits.max",
    "DENY act WHEN NOT queue.length < 10",
    "ALLOW act WHEN bank.open == yes AND queue.length <= limits.max",
    "REQUIRE APPROVAL FOR act WHEN queue.length + 1 > 4 OR bank.open IN [no, closed]",
    "NEVER act WHEN len(bank.open) > 9",
)
MILDNESS = ("DENIED", "APPROVAL_REQUIRED", "ALLOWED")


@pytest.mark.parametrize("policy", GUARDS)
@pytest.mark.parametrize("missing", ["bank.open", "queue.length", "limits.max"])
def test_a_missing_operand_never_moves_the_verdict_toward_allowed(policy: str, missing: str):
    values = {
        "bank.open": [Symbol("yes"), Symbol("no"), "long text"],
        "queue.length": [1, 3, 50],
        "limits.max": [2, 9],
    }
    for bank, queue, limit in itertools.product(*values.values()):
        world = {"bank.open": bank, "queue.length": queue, "limits.max": limit}
        complete = decide(policy, **{path.replace(".", "_"): value for path, value in world.items()})
        del world[missing]
        lacking = decide(policy, **{path.replace(".", "_"): value for path, value in world.items()})
        assert MILDNESS.index(lacking.verdict) <= MILDNESS.index(complete.verdict) or missing not in policy


# ------------------------------------------------------------------------------------------------ in a run


def host_of(*names: str) -> tuple[Host, list[tuple[str, dict]]]:
    host, calls = Host(), []
    for name in names:
        host.tools[name] = lambda _name=name, **args: calls.append((_name, args)) or {}
    return host, calls


def test_an_argument_hides_a_local_of_its_name_from_the_guards(run_agent, codes):
    host, calls = host_of("delete")
    machine = run_agent(
        """TOOL delete { INPUT { target: Symbol } }
        POLICY { NEVER delete WHEN target == protected }
        LOOP { SET target = safe  delete(target = protected)  SET kept = target }""",
        host,
    )
    assert calls == []
    assert "policy.denied" in codes(machine)
    overrides = [e for e in machine.trace.events if e.code == "policy.argument_overrides"]
    assert [(e.kind, e.arguments["path"]) for e in overrides] == [("POLICY", "target")]
    assert machine.state.get("kept") == Symbol("safe")


def test_a_guard_sees_the_action(run_agent):
    host, calls = host_of("act")
    machine = run_agent(
        """TOOL act { INPUT { amount: Number }  RISK { speed MEDIUM  money SEVERE } }
        POLICY {
          NEVER act WHEN action.args.amount > 5
          DENY act WHEN action.risk != SEVERE OR action.tool != act OR action.origin != plan
          DENY act WHEN action.confidence < 1 OR confidence < 1
        }
        LOOP { act(amount = 6) act(5) SET confidence 0.5 act(4) }""",
        host,
    )
    assert calls == [("act", {"amount": 5})]
    assert machine.metrics["blocked"] == 2


def test_a_confidence_of_the_model_is_the_confidence_of_the_action(run_agent):
    host, calls = host_of("act")
    run_agent(
        "TOOL { act } POLICY { DENY act WHEN action.confidence < 0.6 } LOOP { SET confidence 0.5 act() }",
        host,
    )
    assert calls == []


@pytest.mark.parametrize(
    "answer",
    [
        True,
        "yes",
        "Y",
        " true ",
        "ok",
        "approve",
        "APPROVED",
        "Oui ",
        "accord",
        "accepte",
        "Accepté",
        Symbol("yes"),
    ],
)
def test_words_that_approve(answer: object):
    assert is_approval(answer)


@pytest.mark.parametrize(
    "answer", ["no", 1, 1.0, {"ok": True}, None, "", "yes please", Symbol("no"), False, ["yes"]]
)
def test_everything_else_refuses(answer: object):
    assert not is_approval(answer)


PAY = """TOOL pay { INPUT { amount: Number } RISK HIGH SIDE_EFFECT { bank.account } }
POLICY { REQUIRE APPROVAL FOR pay WHEN amount > 10 }
LOOP { pay(amount = 50) SET blocked = last_action.blocked }"""


def test_an_approver_sees_a_copy_of_the_action(run_agent):
    host, calls = host_of("pay")
    seen = []

    def approve(request):
        seen.append((request.tool, dict(request.args), request.risk, request.side_effects, request.origin))
        request.args["amount"] = 1_000_000
        return "yes"

    host.approver = approve
    machine = run_agent(PAY, host)
    assert seen == [("pay", {"amount": 50}, "HIGH", ("bank.account",), "plan")]
    assert calls == [("pay", {"amount": 50})]
    assert machine.state.get("blocked") is False
    assert machine.metrics["approvals"] == 1


@pytest.mark.parametrize("approver", [None, lambda request: "no", lambda request: 1 / 0])
def test_without_an_approval_nothing_is_called(run_agent, codes, approver):
    host, calls = host_of("pay")
    host.approver = approver
    machine = run_agent(PAY, host)
    assert calls == []
    assert machine.state.get("blocked") is True
    assert "approval.refused" in codes(machine)


def test_never_beats_an_unconditional_allow_and_an_approving_person(run_agent):
    host, calls = host_of("act")
    host.approver = lambda request: True
    run_agent("TOOL { act } POLICY { NEVER act ALLOW act REQUIRE APPROVAL FOR act } LOOP { act() }", host)
    assert calls == []


def test_the_facts_of_the_start_are_known_to_the_guards(run_agent):
    host, calls = host_of("act")
    run_agent(
        """TOOL { act }
        POLICY { NEVER act WHEN tools.act.available == false OR tools.act.in_doubt == true
                 NEVER act WHEN tools.act.failures > 0
                 NEVER act WHEN reason.degraded == true OR reason.missing > 0 OR last_action.blocked == true
                 NEVER act WHEN planner.exhausted == true OR run.resumed == true OR run.resumes > 0 }
        LOOP { act() }""",
        host,
    )
    assert len(calls) == 1


def test_the_policy_digest_is_blind_to_layout_and_sees_every_rule():
    def digest(policy: str) -> str:
        return PolicyEngine(parse_source(f"AGENT a {{ POLICY {{ {policy} }} }}").agents[0]).digest

    assert digest("NEVER x WHEN a.b == 1") == digest("NEVER x // why\n IF a.b == 1,")
    assert len({digest(text) for text in ("", "DEFAULT DENY", "NEVER x", "NEVER SEND x", "ALLOW x")}) == 5


def test_a_policy_that_fails_denies(run_agent, codes, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("agentl.policy.guard_of", fail)
    host, calls = host_of("act")
    machine = run_agent("TOOL { act } POLICY { DENY act WHEN 1 == 2 } LOOP { act() }", host)
    assert calls == []
    assert codes(machine)[-2:] == ["policy.failed", "policy.denied"]


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ("NEVER act WHEN a.b > 3", " (unknown: a.b is undefined)"),
        ("DENY act WHEN CONFIDENCE(c) < 0.5 OR a.b == d.e", " (unknown: c.confidence is undefined, {}, {})"),
        ("ALLOW act WHEN a.b == 1 AND 1 == 2 ALLOW act WHEN d.e == 1", " (unknown: d.e is undefined)"),
        ('NEVER act WHEN "text" > 3', " (unknown: it cannot be told)"),
        ("REQUIRE APPROVAL FOR act WHEN a.b > 3", " (unknown: a.b is undefined)"),
        ("NEVER act WHEN a.b == 1 OR 1 == 1", ""),
        ("DEFAULT DENY", ""),
        ("ALLOW act WHEN 1 == 2", ""),
    ],
)
def test_what_an_unknown_guard_holds_back_is_told_with_what_is_undefined(run_agent, policy: str, why: str):
    host, calls = host_of("act")
    trace = run_agent(f"TOOL {{ act }} POLICY {{ {policy} }} LOOP {{ act() }}", host).trace
    told = next(event for event in trace.events if event.code in ("policy.denied", "approval.asked"))
    rule = told.arguments["rule"]
    assert trace.text(told).partition(rule)[2] == why.format("a.b is undefined", "d.e is undefined")
    assert (set(told.arguments), calls) == ({"tool", "arguments", "rule"}, [])


# ------------------------------------------------------------------------------------------------ facts

GUARDED = "TOOL { act } POLICY { NEVER act WHEN tools.act.in_doubt == true }"


def test_nothing_hides_that_a_tool_is_in_doubt(run_agent, codes):
    host, calls = Host(), []

    def act() -> dict:
        calls.append(1)
        raise InDoubt

    host.tools["act"] = act
    host.sensors["tools"] = lambda: {"act": {"in_doubt": False}}
    host.emit("news", tools={"act": {"in_doubt": False}}, **{"tools.act.in_doubt": False})
    model = MockLLM({"task": {"tools": {"act": {"in_doubt": False}}, "tools.act.in_doubt": False}})
    machine = run_agent(
        GUARDED
        + """ OBSERVE { tools }
        EVENT news { SET x.y = 1 }
        PLAN p { REASON "task" { PRODUCE { tools "tools.act.in_doubt" } } act() }
        LOOP { act() OBSERVE UPDATE_BELIEFS SELECT_PLAN p EXECUTE }""",
        host,
        model,
    )
    assert len(calls) == 1
    assert codes(machine).count("policy.denied") == 1
    assert machine.state.get("tools.act.in_doubt") is True


def test_an_argument_named_like_a_fact_does_not_hide_it(run_agent, codes):
    host, calls = Host(), []

    def act(tools: object) -> dict:
        calls.append(tools)
        raise InDoubt

    host.tools["act"] = act
    host.sensors["sly"] = lambda: {"act": {"in_doubt": False}}
    machine = run_agent(
        "TOOL act { INPUT { tools } } POLICY { NEVER act WHEN tools.act.in_doubt == true }"
        " OBSERVE { sly } LOOP { OBSERVE act(tools = sly) act(tools = sly) }",
        host,
    )
    assert len(calls) == 1
    assert "policy.denied" in codes(machine)


@pytest.mark.parametrize(
    "policy",
    ["NEVER act WHEN risky == yes", "DENY act WHEN risky == yes", "ALLOW act WHEN risky != yes"],
)
def test_an_observed_word_whose_sensor_is_mute_is_unknown_not_a_constant(run_agent, codes, policy: str):
    calls = []
    host = Host()
    host.tools["act"] = lambda: calls.append(1)
    machine = run_agent(
        f"TOOL {{ act }} OBSERVE {{ risky }} POLICY {{ {policy} }} LOOP {{ OBSERVE act() }}", host
    )
    assert calls == []
    assert "policy.denied" in codes(machine)


@pytest.mark.parametrize(
    ("guard", "due"),
    [
        ("NEVER pay WHEN account.blocked == true", []),
        ("ALLOW pay WHEN account.kind == known", []),
        ("ALLOW pay WHEN action.args.account.kind == known", [5]),
    ],
)
def test_an_argument_stands_for_exactly_its_name_in_guards_and_for_nothing_below_it(
    run_agent, guard: str, due: list[int]
):
    host, paid = Host(), list[object]()
    host.sensors["account.blocked"] = lambda: True
    host.tools["pay"] = lambda account, amount: paid.append(amount) or {}
    host.emit("invoice", account={"blocked": False, "kind": "known"}, amount=5)
    run_agent(
        f"""OBSERVE {{ account.blocked }} TOOL pay {{ INPUT {{ account: Any amount: Number }} }}
        POLICY {{ {guard} DEFAULT ALLOW }}
        EVENT invoice {{ pay(account = payload.account, amount = payload.amount) }}""",
        host,
    )
    assert paid == due


def test_an_argument_that_stands_for_an_observed_name_is_traced(run_agent):
    host, _ = host_of("act")
    host.sensors["p"] = lambda: 1
    machine = run_agent(
        "OBSERVE { p } TOOL act { INPUT { p: Number } } PLAN x WHEN p == 1 { act(p = 2) }", host
    )
    assert "policy.argument_overrides" in [event.code for event in machine.trace.events]
