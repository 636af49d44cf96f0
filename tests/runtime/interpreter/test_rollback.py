"""ROLLBACK: the completed actions of the plan, the last first, each under a permit of its own (§0 ⚠18)."""

import pytest

from agentl import Host, InDoubt, current_action

TOOLS = """TOOL book { INPUT { n: Number } OUTPUT { reference: String } SIDE_EFFECT { hotel } }
    TOOL tell { INPUT { n: Number } }"""
TAKE_BACK = "VERIFY { 1 == 2 ON FAIL { ROLLBACK } }"


def world() -> tuple[Host, list]:
    host, done = Host(), []

    @host.tool("book")
    def book(n: float) -> dict:
        done.append(("book", n))
        if n < 0:
            raise InDoubt("perhaps")
        return {"reference": f"r-{n}"} if n else {"wrong": 1}

    host.tools["tell"] = lambda n: done.append(("tell", n))

    @host.compensation("book")
    def cancel(arguments: dict, result: dict) -> None:
        action = current_action()
        done.append(
            ("cancel", arguments["n"], result, action.kind, action.action_id, action.arguments["action_id"])
        )

    return host, done


def cancelled(done: list) -> list:
    return [entry[1] for entry in done if entry[0] == "cancel"]


def plan(body: str, extra: str = "") -> str:
    return f"{TOOLS} {extra} PLAN p WHEN 1 == 1 {{ {body} }}"


def test_completed_actions_are_undone_in_reverse_order(run_agent, codes):
    host, done = world()
    machine = run_agent(plan(f"book(1) tell(5) book(2) {TAKE_BACK}"), host)
    assert cancelled(done) == [2, 1]
    assert done[-1] == ("cancel", 1, {"reference": "r-1"}, "compensate", "run:a:t1:a5", "run:a:t1:a1")
    assert [code for code in codes(machine) if code.startswith("rollback")] == [
        "rollback.started", "rollback.undone", "rollback.kept", "rollback.undone",
    ]  # fmt: skip
    assert machine.state.get("hotel.dirty") is True


def test_without_any_compensation_it_only_traces(run_agent, codes):
    host, done = world()
    host.compensations.clear()
    machine = run_agent(plan(f"book(1) {TAKE_BACK}"), host)
    assert cancelled(done) == []
    assert "rollback.kept" in codes(machine)
    assert machine.state.permits == 1


def test_with_nothing_done_it_says_so(run_agent, codes):
    host, _ = world()
    assert "rollback.nothing" in codes(run_agent(plan("ROLLBACK"), host))
    host.emit("bell")
    assert "rollback.nothing" in codes(run_agent("EVENT bell { ROLLBACK }", host))


def test_the_actions_of_another_plan_stand(run_agent):
    host, done = world()
    run_agent(plan("book(1)", extra=f"PLAN q WHEN 2 == 2 {{ book(2) {TAKE_BACK} }}"), host)
    assert cancelled(done) == [2]


def test_a_plan_run_inside_a_plan_has_its_own_actions(run_agent):
    host, done = world()
    run_agent(plan("book(1) inner EXECUTE ROLLBACK", extra="PLAN inner { book(2) }"), host)
    assert cancelled(done) == [1]


def test_every_attempt_of_the_plan_is_undone(run_agent):
    host, done = world()
    run_agent(plan("book(1) VERIFY { 1 == 2 ON FAIL { RETRY 1 ROLLBACK } }"), host)
    assert cancelled(done) == [1, 1]


def test_what_was_undone_is_not_undone_again(run_agent, codes):
    host, done = world()
    machine = run_agent(plan("book(1) ROLLBACK book(2) ROLLBACK ROLLBACK"), host)
    assert cancelled(done) == [1, 2]
    assert codes(machine)[-2:] != ["rollback.undone"] * 2
    assert "rollback.nothing" in codes(machine)


def test_an_action_that_broke_its_contract_happened_and_one_in_doubt_may_not_have(run_agent):
    host, done = world()
    run_agent(plan("book(0) book(0 - 1) ROLLBACK"), host)
    assert cancelled(done) == [0]
    assert done[-1][2] == {"wrong": 1}


@pytest.mark.parametrize(
    ("rule", "undone"),
    [
        ("NEVER book WHEN action.origin == rollback", []),
        ("NEVER book WHEN action.origin == rollback AND n > 1", [1]),
        ("REQUIRE APPROVAL FOR book WHEN action.origin == rollback", []),
        ("NEVER book WHEN action.origin == plan AND n > 7", [2, 1]),
    ],
)
def test_the_policy_is_asked_for_each(run_agent, rule: str, undone: list):
    host, done = world()
    machine = run_agent(plan("book(1) book(2) ROLLBACK", extra=f"POLICY {{ DEFAULT ALLOW {rule} }}"), host)
    assert cancelled(done) == undone
    assert machine.metrics["blocked"] == 2 - len(undone)


@pytest.mark.parametrize(("answer", "said"), [(True, "is approved"), (False, "is not approved")])
def test_a_person_and_the_trace_tell_undoing_from_doing(run_agent, answer: bool, said: str):
    host, _ = world()
    asked = []
    host.approver = lambda request: asked.append(request.render()) or (answer or request.origin == "plan")
    rules = "REQUIRE APPROVAL FOR book NEVER tell WHEN action.origin == rollback"
    host.compensation("tell")(lambda *_: None)
    text = run_agent(plan("book(1) tell(2) ROLLBACK", extra=f"POLICY {{ {rules} }}"), host).trace.render()
    assert asked == ["book(n=1)", "undo book(n=1)"]
    assert "book is approved\n" in text
    assert f"book {said} (to undo it)\n" in text
    assert "tell(n=2) is denied: NEVER tell WHEN action.origin == rollback (to undo it)\n" in text
    assert "actions to be undone: 2\n" in text


def test_what_was_refused_or_failed_can_be_undone_later_and_the_others_are_undone_now(run_agent, codes):
    host, done = world()
    fails = [ValueError("closed"), None, None]

    def cancel(arguments: dict, result: dict) -> None:
        error = fails.pop(0)
        if error:
            raise error
        done.append(("cancel", arguments["n"]))

    host.compensation("book")(cancel)
    machine = run_agent(plan("book(1) book(2) ROLLBACK ROLLBACK"), host)
    assert cancelled(done) == [1, 2]
    assert codes(machine).count("rollback.failed") == 1


@pytest.mark.parametrize(("idempotent", "calls", "doubt"), [(False, 1, True), (True, 2, False)])
def test_a_doubt_is_settled_by_the_promise_of_the_compensation_alone(
    run_agent, idempotent: bool, calls: int, doubt: bool
):
    host, _ = world()
    attempts = []

    @host.compensation("book", idempotent=idempotent)
    def cancel(arguments: dict, result: dict) -> None:
        attempts.append(current_action().idempotency_key)
        if len(attempts) == 1:
            raise InDoubt("perhaps")

    host.reconciler("book")(lambda arguments, action: {"reference": "the tool was called"})
    machine = run_agent(plan("book(1) ROLLBACK ROLLBACK"), host)
    assert len(attempts) == calls
    assert len(set(attempts)) == 1
    assert machine.state.get("tools.book.in_doubt") is doubt


def test_a_compensation_cannot_be_called_as_the_tool_nor_with_other_arguments(run_agent):
    host, done = world()
    host.compensation("book")(lambda arguments, result: host.invoke("book", {"n": 9}))
    with pytest.raises(BaseException, match="P10"):
        run_agent(plan("book(1) ROLLBACK"), host)
    assert ("book", 9) not in done


def test_a_sub_agents_work_can_be_undone_too(run_agent):
    host, done = world()
    host.subagents["courier"] = lambda payload: {"place": "door"}
    host.compensation("courier")(lambda arguments, result: done.append(("cancel", arguments, result)))
    run_agent(plan('DELEGATE courier { TASK "bring it" EXPECT { place } } ROLLBACK'), host)
    assert done == [("cancel", {"task": "bring it"}, {"place": "door"})]


@pytest.mark.parametrize(("guard", "undone"), [("payload.n == 1", []), ("1 == 1", [3])])
def test_what_led_to_the_action_leads_to_its_undoing(run_agent, guard: str, undone: list):
    host, done = world()
    host.emit("bell", n=1)
    policy = "POLICY { DEFAULT ALLOW NEVER book WHEN action.origin == rollback AND UNTRUSTED(action) }"
    body = f"IF {guard} THEN {{ book(3) }} ROLLBACK"
    run_agent(plan(body, extra=f"{policy} EVENT bell {{ SET bell.rang = yes }}"), host)
    assert ("book", 3) in done
    assert cancelled(done) == undone


@pytest.mark.parametrize("loop", ["SELECT_PLAN", "pay(n = 0) SELECT_PLAN"])
def test_a_handler_undoes_what_it_did_itself_and_nothing_of_others(run_agent, loop: str):
    host, undone = Host(), list[object]()
    host.tools["pay"] = lambda n: {}
    host.compensations["pay"] = lambda arguments, result: undone.append(arguments["n"])
    host.emit("good")
    host.emit("bad")
    handlers = "EVENT good { pay(n = 1) } EVENT bad { pay(n = 2) ROLLBACK }"
    run_agent(f"TOOL pay {{ INPUT {{ n: Number }} }} {handlers} LOOP {{ {loop} }}", host)
    assert undone == [2]
