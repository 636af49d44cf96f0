"""Answers of odd shapes, and what a branch left alone: what they decide has them as a source (I8, §6.5)."""

from __future__ import annotations

from typing import Any

import pytest
from attacking import Attack, Groups, join_nothing, pair_of_tests

from agentl import untrusted
from agentl.interpreter import loops, reactions, sensing, statements, written
from agentl.interpreter.core import Core
from agentl.provenance import NOTHING
from agentl.run_state import RunState

NEVER = "NEVER pay WHEN UNTRUSTED(n)"
SCAN = "TOOL scan { OUTPUT { a: Any } }"


def scanning(answer: Any, body: str, *, rest: str = "", **world: Any) -> Attack:
    world["tools"] = world.get("tools", {}) | {"scan": lambda: {"a": answer}}
    return Attack(world.pop("rule", NEVER), body, rest=f"{SCAN} {rest}", **world)


BRANCH = "IF scan.a == yes THEN"
LOOPED = {
    f"a name that FOREACH over {what} left alone": scanning(
        answer, "SET ok = wire scan() FOREACH i IN scan.a { SET ok = cash } pay(n = ok)"
    )
    for what, answer in (("a text", "x"), ("a number", 3))
}
FORGOTTEN = {
    "an answer of before a FOREACH over a text": scanning(
        "x",
        "check(i = 0) scan() FOREACH i IN scan.a { check(i = i) } IF check.ok == yes THEN { pay(n = 1) }",
        rest="TOOL check { INPUT { i: Any } OUTPUT { ok: Any } }",
        rule="",
        tools={"check": lambda i: {"ok": "yes"}},
    )
}
EFFECTS = {
    f"a belief that an EFFECT of {what} left alone": scanning(
        answer,
        "scan() reset() pay(n = lim.x)",
        rest="BELIEF { lim.x = 5 } TOOL reset { EFFECT { lim.x = scan.a.n + 0 } }",
        tools={"reset": dict},
    )
    for what, answer in (("a text", {"n": "abc"}), ("nothing", {}))
}
UNSET = {
    "a reading behind a SET of nothing": scanning(
        {},
        "scan() SET limit = scan.a.n pay(n = limit)",
        rest="OBSERVE { limit }",
        sensors={"limit": 10},
    ),
    "a rule about a belief that SET took away": scanning(
        {},
        "scan() SET blocked = scan.a.b pay(n = 1)",
        rest="BELIEF { blocked = yes }",
        rule="NEVER pay WHEN blocked == yes",
    ),
}
FORGED = {
    "a name that a forged answer left alone": scanning(
        {"alice": "yes"},
        "SET answer = wire scan() SET answer = scan.a pay(n = answer)",
        rest='PLAN asks WHEN 1 == 2 { ASK alice { QUESTION "?" } }',
    )
}
WORLD = {
    "a reading that nobody believes yet": scanning(
        "no",
        f"scan() {BRANCH} {{ SET limit = 3 }} pay(n = limit)",
        rest="OBSERVE { limit } LOOP { OBSERVE SELECT_PLAN EXECUTE }",
        sensors={"limit": 10},
    )
}
PHASES = {
    f"{path} beside {words} in a branch not taken": scanning(
        "no",
        f"{before} scan() {BRANCH} {{ {words} }} later",
        rest=f"{rest} PLAN later {{ pay(n = {path}) }}",
        **world,
    )
    for path, words, before, rest, world in (
        ("limit", "OBSERVE UPDATE_BELIEFS", "", "OBSERVE { limit }", {"sensors": {"limit": 10}}),
        ("goal.score", "EVALUATE_GOALS", "", "BELIEF { w.x = 0 } GOAL { ACHIEVE w.x == 1 }", {}),
        (
            "len(seen)",
            "UPDATE_MEMORY",
            "SET w.x = 1",
            "MEMORY { LONG_TERM { seen } WRITE { STORE { w.x } INTO LONG_TERM.seen } }",
            {},
        ),
        ("way.x", "EXECUTE", "", "BELIEF { way.x = wire } PLAN other { SET way.x = cash }", {}),
    )
}
BELIEVED = {
    "a belief that only a branch let in": scanning(
        "yes",
        f"scan() {BRANCH} {{ UPDATE_BELIEFS }} pay(n = limit)",
        rest="BELIEF { limit = 5 } OBSERVE { limit } LOOP { OBSERVE SELECT_PLAN EXECUTE }",
        sensors={"limit": 10},
    )
}
SENSED = {
    "a handler that an untrusted sensor declined": Attack(
        NEVER,
        "pay(n = way.x)",
        rest="BELIEF { way.x = wire } OBSERVE { wx } EVENT ev { WHEN wx == 1 SET way.x = cash }",
        sensors={"wx": untrusted(2)},
        events=(("ev", {"k": 1}),),
    )
}
REMEMBERED = {
    "a record that is as the one before": scanning(
        5,
        "UPDATE_MEMORY scan() SET n.x = scan.a UPDATE_MEMORY pay(n = len(seen))",
        rest="BELIEF { n.x = 5 } MEMORY { LONG_TERM { seen } WRITE { STORE { n.x } INTO LONG_TERM.seen } }",
    )
}
FAILING = {
    "what ON VERIFY.FAIL would have written": scanning(
        "no",
        "pay(n = way.x)",
        rest=f"""BELIEF {{ way.x = wire }} ON VERIFY.FAIL {{ SET way.x = cash }}
        PLAN before WHEN 1 == 1 {{ scan() {BRANCH} {{ VERIFY 1 == 2 }} }}""",
    )
}


def unforgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(loops, "_clear", lambda *_: None)


def uncounted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("agentl.spaces.Space.join", lambda *_: None)


def never_unset(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(RunState, "is_unset", lambda *_: False)
    patch.setattr(RunState, "_passed", lambda *_: NOTHING)


def unguarded(patch: pytest.MonkeyPatch) -> None:
    for module in (statements, reactions):
        patch.setattr(module, "join_guard", lambda *_, **__: None)


def without_phases(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(written, "_is_phase", lambda *_: False)


def out_of_context(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Core, "context", lambda _: NOTHING)
    for module in (sensing, written):
        patch.setattr(module, "decide_reading", lambda *_: None)


def without_handlers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(written, "_made_to_run", lambda *_: ())


GROUPS: Groups = [
    (LOOPED, join_nothing),
    (FORGOTTEN, unforgotten),
    (EFFECTS, uncounted),
    (UNSET, never_unset),
    (FORGED | SENSED, unguarded),
    (WORLD, uncounted),
    (PHASES, without_phases),
    (BELIEVED, out_of_context),
    (REMEMBERED, uncounted),
    (FAILING, without_handlers),
]


test_an_odd_answer_gets_no_payment, test_without_the_rule_that_stops_it_it_is_paid = pair_of_tests(GROUPS)
