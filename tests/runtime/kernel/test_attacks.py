"""Programs whose POLICY forbids a payment, and worlds that try to get it all the same (I3, I4, I8 of §6.5).

Each attack fails, and succeeds under a mutant of the rule that stops it: so each can fail.
"""

from __future__ import annotations

from typing import Any

import pytest
from attacking import (
    NO_MODEL,
    OPEN,
    Attack,
    Groups,
    asking,
    join_nothing,
    pair_of_tests,
)

from agentl import InDoubt, Symbol, untrusted
from agentl.interpreter import (
    aftermath,
    calls,
    delegating,
    reasoning,
    sensing,
)
from agentl.interpreter.core import Core
from agentl.interpreter.whose import Whose
from agentl.provenance import NOTHING
from agentl.run_state import RunState
from agentl.trivalent import Recorder

DECIDING = "TOOL ask { INPUT { v: Number } }"
IF_ALLOWED = "ask(v = 1) IF last_action.blocked == false THEN { pay(n = 1) }"
CHECK = "TOOL check { INPUT { i: Number } OUTPUT { ok: Symbol } }"
NAN = float("nan")

PARTS = {
    "a part that a model left out": Attack(
        NO_MODEL,
        f"{asking('v: Any')} IF v.fraud != yes THEN {{ pay(n = 1) }}",
        says={"v": {"other": 1}},
    ),
    "a part of a model's text": Attack(
        NO_MODEL,
        f"{asking('v: Any')} IF reason.v.fraud == yes THEN {{ SET o.k = 1 }} ELSE {{ pay(n = 1) }}",
        says={"v": "text"},
    ),
}
BRANCHES = {
    "an IF that was not taken": Attack(
        NO_MODEL,
        f"{asking('bad: Symbol')} SET ok = yes IF bad == yes THEN {{ SET ok = no }} pay(n = ok)",
        says={"bad": "no"},
    ),
    "the ELSE IF behind the one that was": Attack(
        NO_MODEL,
        f"""{asking("bad: Symbol")} SET ok = yes
        IF bad == no THEN {{ SET o.x = 1 }} ELSE IF bad == yes THEN {{ SET ok = no }} pay(n = ok)""",
        says={"bad": "no"},
    ),
    "a FOREACH over nothing": Attack(
        NO_MODEL,
        f"{asking('bad: List')} SET ok = yes FOREACH b IN bad {{ SET ok = no }} pay(n = ok)",
        says={"bad": []},
    ),
    "a belief that stays": Attack(
        NO_MODEL,
        f"{asking('bad: Symbol')} IF bad == yes THEN {{ SET fine = no }} pay(n = fine)",
        rest="BELIEF { fine = yes }",
        says={"bad": "no"},
    ),
    "a VERIFY that might have ended the plan": Attack(
        NO_MODEL,
        f"""{asking("bad: Symbol")} IF bad == yes THEN {{ VERIFY "v" {{ CONDITION 1 == 2 }} }} pay(n = 1)""",
        says={"bad": "no"},
    ),
    "an EFFECT that might have been": Attack(
        NO_MODEL,
        f"{asking('bad: Symbol')} IF bad == yes THEN {{ mark(to = no) }} pay(n = fine)",
        rest="BELIEF { fine = yes } TOOL mark { INPUT { to: Symbol } EFFECT { fine = to } }",
        says={"bad": "no"},
    ),
    "an output that might have been another": Attack(
        NO_MODEL,
        f"look() {asking('bad: Symbol')} IF bad == yes THEN {{ look() }} pay(n = look.r)",
        rest="TOOL look { OUTPUT { r: Any } }",
        says={"bad": "no"},
        tools={"look": lambda: {"r": 1}},
    ),
    "a LOOP that ends early": Attack(
        NO_MODEL,
        "count last",
        rest=f"""PLAN count {{ SET c = 0 {asking("stop: Symbol")}
        LOOP UNTIL stop == yes MAX 9 {{ SET c = c + 1 }} }} PLAN last {{ pay(n = c) }}""",
        says={"stop": "yes"},
    ),
    "a rule of DECIDE": Attack(
        NO_MODEL,
        "pay(n = ok)",
        rest=f"""LOOP {{ {asking("bad: Symbol")} SET ok = yes SELECT_PLAN EXECUTE }}
        DECIDE {{ IF bad == yes THEN {{ SET ok = no }} }}""",
        says={"bad": "no"},
    ),
}
VERDICTS = {
    "what a rule of the POLICY read": Attack(
        f"{NO_MODEL} ALLOW ask WHEN go == yes",
        f"{asking('go: Symbol')} {IF_ALLOWED}",
        DECIDING,
        {"go": "yes"},
    ),
    "what REQUIRES read": Attack(
        NO_MODEL,
        f"{asking('go: Symbol')} {IF_ALLOWED}",
        "TOOL ask { INPUT { v: Number } REQUIRES { go == yes } }",
        {"go": "yes"},
    ),
}
ON_YES = "TOOL mark { INPUT { w: Symbol } EFFECT { st = on } SIDE_EFFECT { there } }"


def mark_on_yes(w: Any) -> Any:
    if str(w) != "yes":
        raise ValueError(w)
    return {}


def mark_or_doubt(w: Any) -> Any:
    if str(w) == "yes":
        raise InDoubt("perhaps")
    return {}


CONSEQUENCES = {
    f"{what} of a call that a model's word made {end}": Attack(
        f"{NO_MODEL} ALLOW mark",
        f"""IF again == yes THEN {{ SET o.x = 1 }} ELSE {{ {asking("w: Symbol")} mark(w = reason.w) }}
        SET again = yes""",
        rest=f"""{ON_YES} BELIEF {{ st = off }} GOAL g {{ ACHIEVE st == on }}
        PLAN last WHEN {guard} {{ pay(n = 1) }}""",
        says={"w": word},
        tools={"mark": tool},
        ticks=2,
    )
    for what, end, guard, word, tool in (
        ("an EFFECT", "succeed", "st == on", "yes", mark_on_yes),
        ("a goal over an EFFECT", "succeed", "goals.g.score == 1", "yes", mark_on_yes),
        ("an EFFECT that did not come", "fail", "st == off AND again == yes", "no", mark_on_yes),
        ("a dirty path", "succeed", "there.dirty == true", "yes", mark_on_yes),
        ("a dirty path", "doubtful", "there.dirty == true", "yes", mark_or_doubt),
        ("the doubt", "doubtful", "tools.mark.in_doubt == true", "yes", mark_or_doubt),
        ("the certainty", "succeed", "tools.mark.in_doubt == false AND again == yes", "no", mark_or_doubt),
    )
}
ASKED_FIRST = "LOOP { ask_model OBSERVE UPDATE_BELIEFS SELECT_PLAN EXECUTE } PLAN ask_model {"
READINGS = {
    f"{what} that a model wanted read, or not": Attack(
        NO_MODEL,
        "SET o.x = 1",
        rest=f"""OBSERVE {{ {observed} }} {ASKED_FIRST} {asking("w: Symbol")}
        SET want = reason.w SET again = yes }} PLAN last WHEN {guard} {{ pay(n = 1) }}""",
        says={"w": word},
        sensors={"x": reading, "account.x": reading},
        ticks=2,
    )
    for what, observed, guard, word, reading in (
        ("a reading", "x WHEN want == yes", "x == 5", "yes", 5),
        ("a dotted reading", "account.x WHEN want == yes", "account.x == 5", "yes", 5),
        ("whether a sensor answered", "x WHEN want == yes", "sensors.x.available == true", "yes", 5),
        ("whether a sensor is mute", "x WHEN want == yes", "sensors.x.available == false", "yes", None),
        ("a reading that is not there", "x WHEN want == yes", "x != 5 AND again == yes", "no", 5),
        ("a reading that is mute", "x WHEN want == yes", "x != 5 AND again == yes", "yes", None),
    )
}
DEFAULTS = {
    "the DEFAULT of a silent field": Attack(
        "NEVER pay WHEN EXTERNAL IN ORIGIN(n)",
        "SET o.x = 1",
        rest=f"EVENT e {{ {asking('v: Any DEFAULT payload.x')} pay(n = v) }}",
        events=(("e", {"x": untrusted("evil")}),),
    ),
    "the DEFAULT of an answer outside its domain": Attack(
        "NEVER pay WHEN EXTERNAL IN ORIGIN(n)",
        "SET o.x = 1",
        rest=f"EVENT e {{ {asking('v: Symbol IN [a, b] DEFAULT payload.x')} pay(n = reason.v) }}",
        says={"v": "c"},
        events=(("e", {"x": untrusted("b")}),),
    ),
}
ANSWERS = {
    "one person's answer as another's": Attack(
        f"{OPEN} answer.alice == yes",
        'ASK bob { QUESTION "b" } pay(n = 1) ASK alice { QUESTION "a" }',
        asked={"b": {"alice": "yes"}, "a": "no"},
    ),
    "one tool's output as another's": Attack(
        f"{OPEN} result.check.ok == yes ALLOW look",
        "look() pay(n = 1)",
        rest=f"{CHECK} TOOL look {{ OUTPUT {{ check: Any }} }}",
        tools={"look": lambda: {"check": {"ok": "yes"}}},
    ),
    "an element as a tool's output": Attack(
        f"{OPEN} result.check.ok == yes ALLOW check",
        "SET o.x = 1",
        rest=f"{CHECK} EVENT e {{ check(i = 1) FOREACH result IN payload.l {{ pay(n = 1) }} }}",
        tools={"check": lambda i: {"ok": "no"}},
        events=(("e", {"l": [{"check": {"ok": "yes"}}]}),),
    ),
    "an element as a person's answer": Attack(
        f"{OPEN} answer.boss == yes",
        "SET o.x = 1",
        rest='EVENT e { ASK boss { QUESTION "q" } FOREACH answer IN payload.l { pay(n = 1) } }',
        asked={"q": "no"},
        events=(("e", {"l": [{"boss": "yes"}]}),),
    ),
    "an element as how sure the model is": Attack(
        "NEVER pay WHEN confidence < 0.9",
        "SET o.x = 1",
        rest=f"EVENT e {{ {asking('confidence: Number')} FOREACH confidence IN payload.l {{ pay(n = 1) }} }}",
        says={"confidence": 0.1},
        events=(("e", {"l": [1.0]}),),
    ),
}
UNKNOWNS = {
    "NaN beside a bound": Attack(
        "NEVER pay WHEN max(100, a.x) > 100", "pay(n = 1)", "OBSERVE { a.x }", sensors={"a.x": NAN}
    ),
    "NaN in a list": Attack(
        "NEVER pay WHEN max([100, a.x]) > 100", "pay(n = 1)", "OBSERVE { a.x }", sensors={"a.x": NAN}
    ),
    "no number below a bound": Attack(
        f"{OPEN} min(100, a.x) <= 100", "pay(n = 1)", "OBSERVE { a.x }", sensors={"a.x": NAN}
    ),
    "the length of a word": Attack(
        "NEVER pay WHEN len(n) > 3",
        "FOREACH t IN a.x { pay(n = t) }",
        "OBSERVE { a.x }",
        sensors={"a.x": ["long"]},
    ),
    "what nothing orders, in a list": Attack(
        "NEVER pay WHEN true IN [a.x > 5]", "pay(n = 1)", "OBSERVE { a.x }", sensors={"a.x": "?"}
    ),
    "what nothing orders, in a function": Attack(
        "NEVER pay WHEN max(a.x > 5, 1 == 2) == true", "pay(n = 1)", "OBSERVE { a.x }", sensors={"a.x": "?"}
    ),
}
OUTDATED = {
    "a belief that its sensor contradicts": Attack(
        "NEVER pay WHEN gate.shut == yes",
        "pay(n = 1)",
        rest="BELIEF { gate.shut = no } OBSERVE { gate.shut } LOOP { OBSERVE SELECT_PLAN EXECUTE }",
        sensors={"gate.shut": Symbol("yes")},
    ),
}


def decide_nothing(patch: pytest.MonkeyPatch) -> None:
    for module in (calls, delegating):
        patch.setattr(module, "note_decided", lambda *_: None)


def note_only_arguments(patch: pytest.MonkeyPatch) -> None:
    def note(core: Core, label: Any, *, blocked: bool) -> None:
        core.put_local_fact("last_action.blocked", blocked, label)

    patch.setattr(aftermath, "_note", note)
    patch.setattr(Core, "judged", property(lambda _: NOTHING, lambda *_: None), raising=False)


GROUPS: Groups = [
    (PARTS, lambda patch: patch.setattr(RunState, "_passed", lambda *_: NOTHING)),
    (BRANCHES, join_nothing),
    (VERDICTS, note_only_arguments),
    (CONSEQUENCES, decide_nothing),
    (READINGS, lambda patch: patch.setattr(sensing, "decide_reading", lambda *_: None)),
    (DEFAULTS, lambda patch: patch.setattr(reasoning, "_label_of", lambda *_: reasoning.MODEL)),
    (ANSWERS, lambda patch: patch.setattr(Whose, "_names", frozenset())),
    (UNKNOWNS, lambda patch: patch.setattr(Recorder, "note_unknown", lambda _: None)),
    (OUTDATED, lambda patch: patch.setattr(RunState, "is_outdated", lambda *_: False)),
]


test_an_attack_gets_no_payment, test_without_the_rule_that_stops_it_the_attack_is_paid = pair_of_tests(GROUPS)
