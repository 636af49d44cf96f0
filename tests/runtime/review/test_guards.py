"""D202–D205, D209, D210: what the program says, and how near it may come to a finding without having it."""

from __future__ import annotations

import pytest
from review_samples import found, repaired, reviewed

HOST = "from agentl import Host, InDoubt, current_action\nhost = Host()\n"
PLAIN = HOST + "host.tools['pay'] = f\nhost.tools['tell'] = f\n"


def promised(options: str = "idempotent=True", body: str = "return bank.pay(current_action())") -> str:
    return HOST + f"@host.tool('pay', {options})\ndef pay(amount):\n    {body}\n"


def agent(members: str) -> str:
    return (
        f"AGENT a {{\n  TOOL pay {{ INPUT {{ amount: Number }} SIDE_EFFECT {{ ledger }} }}\n{members}\n}}\n"
    )


GUARD = "  POLICY { NEVER pay WHEN tools.pay.in_doubt == true }"

# ----------------------------------------------------------------------------------------------- D202


def test_guard_on_a_tool_that_is_surely_idempotent_is_told_with_its_function():
    (problem,) = found(agent(GUARD), promised(), "D202")
    assert "pay is never in doubt" in str(problem.message)
    assert problem.related[0].name == "a.py"


@pytest.mark.parametrize(
    "host",
    [
        PLAIN,
        HOST + "host.tools['pay'] = f\nhost.reconcilers['pay'] = f\n",
        promised("idempotent=True, timeout=5"),
        HOST + "from bank import pay\nhost.tool('pay', idempotent=True)(pay)\n",
        promised(body="raise InDoubt('the line went dead')"),
        promised("idempotent=switch"),
        HOST + "host.tools['pay'] = f\nif x:\n    host.idempotent_tools.add('pay')\n",
        "from bank import host\n",
        "def build(:\n",
    ],
)
def test_guard_is_right_where_a_call_may_be_in_doubt_or_that_cannot_be_told(host: str):
    assert found(agent(GUARD), host, "D202") == []


def test_sub_agent_that_is_delegated_to_needs_no_tool_of_its_name():
    rule = "NEVER pay WHEN tools.clerk.in_doubt == true"
    program = agent(f'  PLAN p {{ DELEGATE clerk {{ TASK "x" }} }}\n  POLICY {{ {rule} }}')
    assert found(program, PLAIN, "D202") == []


def test_conditions_of_plans_are_guards_too_and_say_what_an_unknown_one_means_there():
    program = agent(
        "  PLAN p WHEN tools.pey.in_doubt == true { }\n  POLICY { ALLOW pay WHEN tools.x.in_doubt }"
    )
    first, second = found(program, PLAIN, "D202")
    assert str(first.message).endswith("never true")
    assert str(second.message).endswith("as good as false")
    assert "tools.pay.in_doubt" in repaired(first, program, PLAIN)[0]


REMOVED = {
    "a rule with a line of its own": (
        "  POLICY {\n    DEFAULT ALLOW\n    NEVER pay WHEN tools.pay.in_doubt == true\n  }",
        "  POLICY {\n    DEFAULT ALLOW\n  }",
    ),
    "a rule beside others": (
        "  POLICY { DENY pay WHEN tools.pay.in_doubt, DEFAULT ALLOW }",
        "  POLICY {  DEFAULT ALLOW }",
    ),
    "the right side of OR": (
        "  POLICY { NEVER pay WHEN amount < 0 OR tools.pay.in_doubt == true }",
        "  POLICY { NEVER pay WHEN amount < 0 }",
    ),
    "the left side of OR": (
        "  POLICY { NEVER pay WHEN tools.pay.in_doubt == yes OR amount < 0 }",
        "  POLICY { NEVER pay WHEN amount < 0 }",
    ),
}


@pytest.mark.parametrize("case", REMOVED)
def test_what_never_holds_is_left_out_and_nothing_else(case: str):
    before, after = (agent(members) for members in REMOVED[case])
    (problem,) = found(before, promised(), "D202")
    assert repaired(problem, before, promised())[0] == after


@pytest.mark.parametrize(
    "rule",
    [
        "NEVER pay WHEN amount < 0 AND tools.pay.in_doubt == true",
        "ALLOW pay WHEN tools.pay.in_doubt == false",
        "NEVER pay WHEN (amount < 0) OR (tools.pay.in_doubt == true)",
    ],
)
def test_nothing_is_left_out_where_that_would_mean_something_else(rule: str):
    program = agent(f"  POLICY {{ {rule} }}")
    (problem,) = found(program, promised(), "D202")
    assert problem.fixes == ()


# ----------------------------------------------------------------------------------------------- D203


@pytest.mark.parametrize(
    "condition",
    [
        'tools.pay.in_doubt == "yes"',
        "tools.pay.in_doubt == 1",
        "tools.pay.in_doubt != unknown",
        "maybe == tools.pay.in_doubt",
        "tools.pay.in_doubt IN [maybe]",
        'tools.pay.in_doubt IN ["yes", "true"]',
        "last_action.in_doubt == doubtful",
    ],
)
def test_doubt_compared_with_what_it_never_is(condition: str):
    program = agent(f"  POLICY {{ NEVER pay WHEN {condition} }}")
    (problem,) = found(program, PLAIN, "D203")
    mended, _ = repaired(problem, program, PLAIN)
    assert ".in_doubt == true }" in mended
    assert found(mended, PLAIN, "D203") == []


@pytest.mark.parametrize(
    "condition",
    [
        "tools.pay.in_doubt == TRUE",
        "tools.pay.in_doubt IN [yes]",
        "tools.pay.in_doubt IN [maybe, true]",
        "tools.pay.in_doubt != no",
        "tools.pay.in_doubt",
        "tools.pay.in_doubt == other.path",
        'tools.pay.available == "yes"',
    ],
)
def test_doubt_compared_with_what_it_may_be(condition: str):
    assert found(agent(f"  POLICY {{ NEVER pay WHEN {condition} }}"), PLAIN, "D203") == []


# ----------------------------------------------------------------------------------------------- D204

TELL = "  TOOL tell { }\n"


def test_doubt_of_a_tool_is_hinted_at_once_however_often_other_rules_read_it():
    rules = "NEVER tell WHEN tools.pay.in_doubt == true DENY tell WHEN tools.pay.in_doubt == yes"
    (problem,) = found(agent(f"{TELL}  POLICY {{ {rules} }}"), PLAIN, "D204")
    assert str(problem.fixes[0].title) == "Add NEVER pay WHEN tools.pay.in_doubt == true"


@pytest.mark.parametrize("own", ["NEVER pay", "REQUIRE APPROVAL FOR *", "DENY pay"])
def test_rule_on_the_tool_itself_is_enough(own: str):
    rules = f"NEVER tell WHEN tools.pay.in_doubt == true {own} WHEN tools.pay.in_doubt == true"
    assert found(agent(f"{TELL}  POLICY {{ {rules} }}"), PLAIN, "D204") == []


# ----------------------------------------------------------------------------------------------- D205

REPEATS = {
    "in front of a VERIFY that retries": "PLAN p { pay(amount=1) VERIFY { done == yes ON FAIL { RETRY } } }",
    "in front of a VERIFY without handler": (
        "PLAN p { pay(amount=1) VERIFY done == yes } ON VERIFY.FAIL { RETRY }"
    ),
    "in an earlier step": (
        "PLAN p { STEP a { pay(amount=1) } STEP b { VERIFY { x == 1 ON FAIL { RETRY 2 } } } }"
    ),
    "in one loop with the VERIFY": (
        "PLAN p { LOOP MAX 3 { VERIFY { x == 1 ON FAIL { RETRY } } pay(amount=1) } }"
    ),
    "for each, with the VERIFY": (
        "PLAN p { FOREACH o IN x.all { VERIFY { o.y == 1 ON FAIL { RETRY } } pay(amount=1) } }"
    ),
    "in a plan that triggers itself": "PLAN p { pay(amount=1) p }",
    "on one way through": "PLAN p { IF x == 1 THEN p  pay(amount=1) }",
    "through two other plans": "PLAN p { pay(amount=1) q } PLAN q { r } PLAN r { IF x == 1 THEN p }",
    "through ON VERIFY.FAIL": "PLAN p { pay(amount=1) VERIFY x == 1 } ON VERIFY.FAIL { p }",
}
ONCE = {
    "in the other branch": (
        "PLAN p { IF x == 1 THEN { pay(amount=1) } ELSE { VERIFY { y == 1 ON FAIL { RETRY } } } }"
    ),
    "behind the VERIFY": "PLAN p { VERIFY { x == 1 ON FAIL { RETRY } } pay(amount=1) }",
    "RETRY below IF counts for nothing": (
        "PLAN p { pay(amount=1) VERIFY { x == 1 ON FAIL { IF y == 1 THEN RETRY } } }"
    ),
    "RETRY below FOREACH counts for nothing": (
        "PLAN p { pay(amount=1) VERIFY { x == 1 ON FAIL { FOREACH o IN x.all { RETRY 2 } } } }"
    ),
    "in a loop behind the VERIFY": (
        "PLAN p { VERIFY { x == 1 ON FAIL { RETRY } } LOOP MAX 3 { pay(amount=1) } }"
    ),
    "VERIFY with a handler of its own": (
        "PLAN p { pay(amount=1) VERIFY { x == 1 ON FAIL { ESCALATE } } } ON VERIFY.FAIL { RETRY }"
    ),
    "triggers another plan": "PLAN p { pay(amount=1) q } PLAN q { }",
    "in a plan that a circle of others leads to": "PLAN p { pay(amount=1) q } PLAN q { r } PLAN r { q }",
    "a tool that only reads": "TOOL look { } PLAN p { look() p }",
}


@pytest.mark.parametrize("case", REPEATS)
def test_call_that_is_made_again(case: str):
    (problem,) = found(agent(REPEATS[case]), PLAIN, "D205")
    assert problem.related


@pytest.mark.parametrize("case", ONCE)
def test_call_that_is_made_once(case: str):
    assert found(agent(ONCE[case]), PLAIN + "host.tools['look'] = f\n", "D205") == []


@pytest.mark.parametrize("case", REPEATS)
def test_call_with_a_promise_may_be_made_again(case: str):
    reconciled = HOST + "host.tools['pay'] = f\nhost.reconcilers['pay'] = f\n"
    for host in (promised(), reconciled):
        assert found(agent(REPEATS[case]), host, "D205") == []


def test_way_of_the_triggers_is_told():
    (problem,) = found(agent(REPEATS["through two other plans"]), PLAIN, "D205")
    assert "(p → q → r → p)" in str(problem.message)
    assert len(problem.related) == 3


def test_promise_that_depends_on_a_switch_is_no_promise_and_one_that_cannot_be_seen_is_not_told():
    program = agent(REPEATS["in a plan that triggers itself"])
    assert len(found(program, promised("idempotent=switch"), "D205")) == 1
    assert found(program, "from bank import host\n", "D205") == []


# ------------------------------------------------------------------------------------------ D209, D210

LOOP = "{ OBSERVE SELECT_PLAN EXECUTE }"


@pytest.mark.parametrize(
    "loop", [f"LOOP {LOOP}", f"LOOP UNTIL x == 1 {LOOP}", f"LOOP MAX 0 {LOOP}", f"LOOP MAX 5000 {LOOP}"]
)
def test_run_that_may_last(loop: str):
    assert len(found(agent(f"{GUARD}\n  {loop}"), PLAIN, "D209")) == 1


@pytest.mark.parametrize(
    "members",
    [
        f"LOOP MAX 1000 {LOOP}",
        f"LOOP {LOOP} POLICY {{ NEVER pay WHEN budget.actions.left < 3 }}",
        f"LOOP UNTIL budget.cost.used > 5 {LOOP}",
        f"LOOP {LOOP} POLICY {{ REQUIRE APPROVAL FOR pay WHEN run.resumed == true }}",
        f"LOOP {LOOP} POLICY {{ NEVER * WHEN run.age_s > 3600 }}",
        f"LOOP {LOOP} POLICY {{ REQUIRE APPROVAL FOR pay }}",
        "",
    ],
)
def test_run_that_is_bounded_or_attended(members: str):
    assert found(agent(f"  {members}"), PLAIN, "D209") == []


def test_agent_that_only_looks_may_run_for_ever():
    assert found(f"AGENT a {{ TOOL look {{ }} LOOP {LOOP} }}", PLAIN, "D209") == []


@pytest.mark.parametrize(
    "members",
    [
        "",
        "POLICY { DEFAULT ALLOW }",
        "POLICY { NEVER tell } TOOL tell { }",
        "PLAN p { VERIFY x == 1 pay(amount=1) }",
        "PLAN p { IF y == 1 THEN { pay(amount=1) } ELSE { VERIFY x == 1 } }",
    ],
)
def test_effect_without_control(members: str):
    assert len(found(agent(f"  {members}"), PLAIN, "D210")) == 1


@pytest.mark.parametrize(
    "members",
    [
        "POLICY { NEVER pay WHEN amount > 3 }",
        "POLICY { NEVER * WHEN x == 1 }",
        "POLICY { DEFAULT DENY }",
        "PLAN p { pay(amount=1) VERIFY x == 1 }",
        "PLAN p { IF y == 1 THEN { pay(amount=1) } ELSE { tell() } VERIFY x == 1 }",
        "PLAN p { pay(amount=1) } ON VERIFY.FAIL { VERIFY ledger.last == 1 }",
    ],
)
def test_effect_with_a_rule_or_a_look_at_what_it_did(members: str):
    assert found(agent(f"  {members}"), PLAIN, "D210") == []


# ----------------------------------------------------------------------------------------- together


def test_well_written_program_with_a_well_written_host_is_left_in_peace():
    program = agent(
        "  POLICY { NEVER pay WHEN tools.pay.in_doubt == true OR amount <= 0 }\n"
        f"  PLAN p WHEN queue.pending > 0 {{ pay(amount=1) VERIFY ledger.last == 1 }}\n  LOOP MAX 5 {LOOP}"
    )
    host = HOST + (
        "@host.tool('pay')\ndef pay(amount):\n    return bank.pay(amount, current_action().idempotency_key)\n"
        "@host.reconciler('pay')\ndef find(args, action):\n"
        "    entry = bank.find(action.idempotency_key)\n"
        "    return NOT_EXECUTED if entry is None else {'entry': entry}\n"
    )
    assert reviewed(program, host) == ()
