"""What an untrusted reading kept from happening: what is missing, does not wait, or comes later (§6.5)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from attacking import Attack, Change, Groups, join_nothing, paid, pair_of_tests

from agentl import Symbol, untrusted
from agentl.interpreter import loops, people, plans, queueing, statements, written
from agentl.interpreter.core import Core
from agentl.provenance import NOTHING

NEVER = "NEVER pay WHEN UNTRUSTED(action)"
LOOK = "TOOL look { OUTPUT { r: Any } }"
PAY = "PLAN z { pay(n = 1) }"


def reading(answer: Any, body: str, rest: str = "", **world: Any) -> Attack:
    sensors = world.pop("sensors", {}) | {"scan": untrusted(answer)}
    return Attack(NEVER, body, rest=f"OBSERVE {{ scan }} {rest}", sensors=sensors, **world)


LEFT_OUT = {
    f"a key that {what} left out": Attack(
        NEVER,
        "DELEGATE helper { EXPECT { mode } } IF mode != cash THEN { pay(n = 1) }",
        made={"helper": lambda answer=answer: lambda: answer},
    )
    for what, answer in (("a sub-agent", {}), ("outside data", untrusted({})), ("a text", "cash"))
} | {
    f"an output of a tool that {what}": Attack(
        NEVER, "look() IF r != 1 THEN { pay(n = 1) }", rest=LOOK, tools={"look": look}
    )
    for what, look in (
        ("broke its contract", lambda: untrusted("x")),
        ("raised", lambda: {}[1]),
    )
}
FROM_OUTSIDE = {
    f"{answer} of outside data to {statement}": Attack(
        "NEVER pay WHEN EXTERNAL IN ORIGIN(action)",
        f"{statement} IF answer == no_answer THEN {{ pay(n = 1) }}",
        asked={"?": untrusted(answer), "The agent a asks for help. What should be done?": untrusted(answer)},
    )
    for statement in ('ASK bob { QUESTION "?" }', "ESCALATE")
    for answer in (Symbol("no_answer"), None)
}
WAITING = {
    "a plan that a branch not taken would have queued": reading("no", "IF scan == yes THEN { z } z", PAY),
    "a plan whose WHEN did not hold": reading("no", "z", "PLAN z WHEN scan == yes { pay(n = 1) }"),
    "a plan that waits beside an EXECUTE not taken": reading("no", "z IF scan == yes THEN { EXECUTE }", PAY),
    "what a plan that it might have queued would have written": reading(
        "no",
        "IF scan == yes THEN { SELECT_PLAN } SET go.on = yes more",
        "PLAN more { z } PLAN z WHEN go.on == no { pay(n = 1) }",
    ),
}
AGAIN = {
    "a plan that waits again": reading(
        "yes", "later", "PLAN later { z } PLAN z WHEN scan == yes { pay(n = 1) }"
    ),
    "a plan behind an EXECUTE in a branch": reading(
        "yes",
        "SET k.x = 1",
        """PLAN z WHEN 1 == 1 { pay(n = 1) }
        LOOP { OBSERVE SELECT_PLAN IF scan == yes THEN { EXECUTE } z EXECUTE }""",
    ),
}
LATER = {
    "what a plan before the one that was not queued wrote": reading(
        "no",
        "pay(n = k.x)",
        "PLAN early WHEN 1 == 1 { SET k.x = 1 } PLAN q WHEN scan == yes { SET k.x = 2 }",
    )
}
COVERED = {
    "a reading that a SET in a branch would have hidden": reading(
        "no",
        """IF done.it == yes THEN { pay(n = limit) } IF scan == yes THEN { SET limit = 3 }
        SET done.it = yes""",
        "OBSERVE { limit } LOOP { OBSERVE SELECT_PLAN EXECUTE }",
        sensors={"limit": 10},
        ticks=2,
    ),
    "what a VERIFY in a branch kept from being written": reading(
        "yes",
        "pay(n = way.x)",
        """BELIEF { way.x = wire }
        PLAN early WHEN 1 == 1 { IF scan == yes THEN { VERIFY 1 == 2 } SET way.x = cash }""",
    ),
    "a doubt about a sub-agent that a branch never asked": reading(
        "no",
        "IF scan == yes THEN { DELEGATE helper { } } IF tools.helper.in_doubt == no THEN { pay(n = 1) }",
    ),
}
DECIDED = {
    "that nothing failed": reading(
        "yes", "IF still_failed != true THEN { pay(n = 1) }", "PLAN early WHEN 1 == 1 { VERIFY scan == yes }"
    ),
    "an answer that a sensor was not asked about": reading(
        "no",
        "IF answer != yes THEN { pay(n = 1) }",
        "OBSERVE { mute WHEN scan == yes ON UNKNOWN ESCALATE }",
    ),
}
TAKEN_AWAY = {
    "an answer that a FOREACH in a branch took away": reading(
        "yes",
        "look() IF scan == yes THEN { FOREACH i IN [1] { look() } } IF r != 1 THEN { pay(n = 1) }",
        LOOK,
        tools={"look": lambda: {"r": 1}},
    )
}
CARRIED = {
    "a name that a branch made known to a FOREACH": reading(
        "yes",
        "IF scan == yes THEN { SET k = 5 } FOREACH i IN [1, 2] { IF k == 1 THEN { pay(n = 1) } SET k = 1 }",
    )
}
ROUNDS = {
    "what the first round of a LOOP wrote": reading(
        "yes",
        "pay(n = k.x)",
        """PLAN early WHEN 1 == 1 { SET k.n = 0
        LOOP UNTIL scan == no MAX 2 { IF k.n == 0 THEN { SET k.x = 1 } SET k.n = 1 } }""",
    )
}


def forgetful(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Core, "forget", lambda _core, space, path, _label=NOTHING: space.forget(path, NOTHING))


def undecided(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Core, "decide", lambda *_: None)


def trusting(*modules: ModuleType) -> Change:
    def change(patch: pytest.MonkeyPatch) -> None:
        for module in modules:
            patch.setattr(module, "is_untrusted", lambda _: False)

    return change


def nothing_waits(patch: pytest.MonkeyPatch) -> None:
    for module in (queueing, written):
        patch.setattr(module, "guard_run", lambda *_: None)


GROUPS: Groups = [
    (LEFT_OUT, forgetful),
    (FROM_OUTSIDE, lambda patch: patch.setattr(people, "EXTERNAL", "HUMAN")),
    (WAITING, nothing_waits),
    (AGAIN, nothing_waits),
    (LATER, lambda patch: patch.setattr(plans, "guarded", lambda _: {})),
    (COVERED, join_nothing),
    (DECIDED, undecided),
    (TAKEN_AWAY, forgetful),
    (CARRIED, trusting(loops)),
    (ROUNDS, trusting(statements)),
]


test_what_was_left_alone_gets_no_payment, test_without_the_rule_that_stops_it_it_is_paid = pair_of_tests(
    GROUPS
)


def test_a_plan_that_waits_anyway_owes_nothing_to_what_might_have_queued_it(run_agent):
    early = "PLAN early WHEN 1 == 1 { IF scan == yes THEN { z } } PLAN z WHEN 1 == 1 { pay(n = 1) }"
    assert paid(run_agent, reading("no", "SET k.x = 1", early)) == [1]
