"""DELEGATE (language.md §5.14, §0 ⚠18, ⚠35, ⚠37)."""

import pytest

from agentl import NOT_EXECUTED, UNDEFINED, Host, InDoubt, Symbol, current_action, untrusted
from agentl.provenance import DELEGATE, EXTERNAL

ASK = 'DELEGATE courier { TASK "bring it" INPUT { box.size } EXPECT { place, when.day } }'
BOX = "BELIEF { box.size = 3 }"


def courier(answer: object, **options: object) -> tuple[Host, list]:
    host, seen = Host(), []

    @host.subagent("courier", **options)
    def bring(payload: dict) -> object:
        seen.append((payload, current_action()))
        reply = answer.pop(0) if isinstance(answer, list) else answer
        if isinstance(reply, Exception):
            raise reply
        return reply

    return host, seen


def run(run_agent, host: Host, statement: str = ASK, extra: str = ""):
    return run_agent(f"{BOX} {extra} PLAN p WHEN 1 == 1 {{ {statement} }}", host)


def test_the_sub_agent_is_given_its_inputs_and_the_task_under_a_permit(run_agent):
    host, seen = courier({"place": "door", "when": {"day": 2}})
    run(run_agent, host)
    payload, action = seen[0]
    assert payload == {"box.size": 3, "task": "bring it"}
    assert (action.kind, action.target, action.action_id) == ("delegate", "courier", "run:a:t1:a1")
    assert len(action.idempotency_key) == 32


def test_only_the_expected_keys_are_bound_as_outside_data(run_agent):
    host, _ = courier({"place": "door", "when": {"day": 2}, "secret": 1})
    state = run(run_agent, host).state
    assert (state.get("courier.place"), state.get("courier.when.day")) == ("door", 2)
    assert dict(state.untrusted) == {"place": "door"}
    assert state.get("courier.secret") is UNDEFINED
    assert state.label("courier.place") >= {DELEGATE}
    assert "result" not in state.locals


def test_a_bare_key_hides_nothing_that_is_known(run_agent):
    host, _ = courier({"place": "forged", "when": {"day": 2}})
    state = run(run_agent, host, extra="BELIEF { place = home }").state
    assert state.get("place") == Symbol("home")


def test_what_the_sub_agent_marks_is_external_too(run_agent):
    host, _ = courier({"place": untrusted("door"), "when": {"day": 2}})
    state = run(run_agent, host).state
    assert EXTERNAL in state.label("courier.place")
    assert EXTERNAL not in state.label("courier.when.day")


def test_a_missing_key_is_an_error_and_the_rest_is_kept(run_agent, codes):
    host, _ = courier({"place": "door"})
    machine = run(run_agent, host)
    assert machine.state.get("courier.place") == "door"
    assert [event.arguments["key"] for event in machine.trace.events if event.code == "delegate.missing"] == [
        "when.day"
    ]


@pytest.mark.parametrize("answer", ["text", 5, [1], ValueError("lost")])
def test_what_is_no_dict_or_raises_binds_nothing(run_agent, answer: object):
    host, _ = courier([answer] if isinstance(answer, list) else answer)
    machine = run(run_agent, host)
    assert [event.kind for event in machine.trace.events if event.code == "delegate.failed"] == ["ERROR"]
    assert machine.state.get("courier.place") is UNDEFINED


def test_none_counts_as_an_empty_dict(run_agent, codes):
    host, _ = courier(None)
    assert codes(run(run_agent, host)).count("delegate.missing") == 2


def test_one_that_is_not_registered_is_an_error(run_agent):
    machine = run(run_agent, Host())
    assert [event.kind for event in machine.trace.events if event.code == "delegate.unknown"] == ["ERROR"]
    assert machine.state.get("last_action.blocked") is False


def test_an_input_called_task_is_refused_when_there_is_a_task(run_agent, codes):
    host, seen = courier({})
    machine = run(run_agent, host, 'DELEGATE courier { TASK "a" INPUT { task } }')
    assert (seen, "delegate.refused" in codes(machine)) == ([], True)
    run(run_agent, host, "DELEGATE courier { INPUT { task } }")
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("rule", "performed"),
    [
        ("NEVER courier", False),
        ("NEVER courier WHEN action.risk >= CRITICAL", False),
        ("NEVER courier WHEN action.origin == delegate", False),
        ("NEVER courier WHEN box.size > 2", False),
        ("NEVER courier WHEN box.size > 3", True),
        ("REQUIRE APPROVAL FOR courier", False),
    ],
)
def test_the_policy_decides_as_for_a_call(run_agent, rule: str, performed: bool):
    host, seen = courier({"place": 1, "when": {"day": 1}})
    machine = run(run_agent, host, extra=f"POLICY {{ DEFAULT ALLOW {rule} }}")
    assert bool(seen) is performed
    assert machine.state.get("last_action.blocked") is not performed
    assert machine.metrics["blocked"] == int(not performed)


def test_risk_and_side_effects_come_from_a_tool_of_the_same_name(run_agent):
    host, seen = courier({"place": 1, "when": {"day": 1}})
    tool = "TOOL courier { RISK LOW SIDE_EFFECT { street } }"
    machine = run(
        run_agent, host, extra=f"{tool} POLICY {{ DEFAULT ALLOW NEVER courier WHEN action.risk > LOW }}"
    )
    assert len(seen) == 1
    assert machine.state.get("street.dirty") is True


def test_a_doubt_is_a_fact_without_any_tool_of_that_name(run_agent, codes):
    host, seen = courier(InDoubt("the line went dead"))
    guard = "POLICY { DEFAULT ALLOW NEVER courier WHEN tools.courier.in_doubt == true }"
    machine = run(run_agent, host, f"{ASK} {ASK}", extra=guard)
    assert len(seen) == 1
    assert machine.state.get("tools.courier.in_doubt") is True
    assert [code for code in codes(machine) if code in ("delegate.in_doubt", "policy.denied")] == [
        "delegate.in_doubt",
        "policy.denied",
    ]
    assert run(run_agent, Host()).state.get("tools.courier.in_doubt") is False


def test_last_action_in_doubt_is_told(run_agent):
    host, _ = courier(InDoubt("perhaps"))
    assert run(run_agent, host).state.get("last_action.in_doubt") is True


def test_an_idempotent_one_is_sent_again_and_retries_repeat_a_failure(run_agent):
    good = {"place": "door", "when": {"day": 2}}
    host, seen = courier([InDoubt("perhaps"), good], idempotent=True)
    assert run(run_agent, host).state.get("courier.place") == "door"
    assert [action.attempt for _, action in seen] == [1, 2]
    host, seen = courier([ValueError("busy"), good], retries=1)
    assert run(run_agent, host).state.get("courier.place") == "door"
    assert len({action.idempotency_key for _, action in seen}) == 1


@pytest.mark.parametrize(
    ("known", "calls", "doubt"),
    [({"place": 7, "when": {"day": 1}}, 1, False), (NOT_EXECUTED, 2, False), ("text", 1, True)],
)
def test_a_reconciler_settles_a_doubt(run_agent, known: object, calls: int, doubt: bool):
    host, seen = courier([InDoubt("perhaps"), {"place": 7, "when": {"day": 1}}])
    host.reconciler("courier")(lambda payload, action: known)
    machine = run(run_agent, host)
    assert len(seen) == calls
    assert machine.state.get("tools.courier.in_doubt") is doubt
    assert (machine.state.get("courier.place") == 7) is not doubt


def test_the_reconciler_of_a_tool_is_not_asked_about_a_sub_agent_of_its_name(run_agent):
    host, seen = courier([InDoubt("perhaps"), {"place": 7}])
    host.tools["courier"] = dict
    host.reconciler("courier")(lambda arguments, action: NOT_EXECUTED)
    assert host.promise("courier") == "reconcilable"
    assert host.promise("courier", "delegate") == "none"
    assert run(run_agent, host).state.get("tools.courier.in_doubt") is True
    assert len(seen) == 1
