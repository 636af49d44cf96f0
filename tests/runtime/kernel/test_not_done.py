"""What a model kept from happening, read as if nobody had kept it: absence has sources too (I8 of §6.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attacking import NO_MODEL, Attack, Groups, asking, join_nothing, pair_of_tests, raising

from agentl.interpreter import memory, sensing, written
from agentl.interpreter.core import Core
from agentl.provenance import NOTHING

DECIDING = "TOOL ask { INPUT { v: Number } }"
VERIFIED = 'VERIFY "v" { CONDITION x == 5 }'
GO = asking("go: Symbol")
LOOK = "TOOL look { INPUT { i: Any } OUTPUT { r: Any } }"
LOOKED: dict[str, Callable[..., Any]] = {"look": lambda i: {"r": 1}}
NOT_MADE = {
    f"{path} of a call that {why} because of the model": Attack(
        f"{NO_MODEL} {rule}",
        f"{GO} {body} IF {path} != 1 THEN {{ pay(n = 1) }}",
        rest=f"TOOL look {{ INPUT {{ i: Number }} OUTPUT {{ r: Any }} {requires} }}",
        says={"go": "no"},
        tools=LOOKED,
    )
    for path in ("look.r", "r", "result.look.r", "result.r")
    for why, rule, requires, body in (
        ("the POLICY denied", "ALLOW look WHEN go == yes", "", "look(i = 1)"),
        ("REQUIRES kept back", "", "REQUIRES { go == yes }", "look(i = 1)"),
        ("its contract kept back", "", "", "look(i = go)"),
        ("was in a branch not taken", "", "", "IF go == yes THEN { look(i = 1) }"),
    )
} | {
    "an old output of a call that was denied": Attack(
        f"{NO_MODEL} ALLOW look WHEN i == 1 ALLOW look WHEN go == yes",
        f"look(i = 1) {GO} look(i = 2) pay(n = look.r)",
        rest=LOOK,
        says={"go": "no"},
        tools={"look": lambda i: {"r": i}},
    ),
    "an output of a call that was let through": Attack(
        f"{NO_MODEL} ALLOW look WHEN go == yes",
        f"{GO} look(i = 2) IF look.r == 1 THEN {{ pay(n = 1) }}",
        rest=LOOK,
        says={"go": "yes"},
        tools=LOOKED,
    ),
    "a reply that a denied DELEGATE left missing": Attack(
        f"{NO_MODEL} ALLOW helper WHEN go == yes",
        f"{GO} DELEGATE helper {{ EXPECT {{ k }} }} IF helper.k != 1 THEN {{ pay(n = 1) }}",
        says={"go": "no"},
        made={"helper": lambda: lambda: {"k": 1}},
    ),
    "an output that resting left missing": Attack(
        f"{NO_MODEL} ALLOW look",
        f"""{GO} look(i = go) look(i = go) look(i = go) look(i = 1)
        IF look.r != 1 THEN {{ pay(n = 1) }}""",
        rest=LOOK,
        says={"go": "no"},
        tools={"look": raising(ValueError())},
    ),
    "how often it failed": Attack(
        f"{NO_MODEL} ALLOW look",
        f"{GO} look(i = go) IF tools.look.failures == 1 THEN {{ pay(n = 1) }}",
        rest=LOOK,
        says={"go": "no"},
        tools={"look": raising(ValueError())},
    ),
    **{
        f"{name} that a branch not taken would have SET": Attack(
            NO_MODEL,
            f"{GO} IF go == yes THEN {{ SET {name} = yes }} IF {name} != yes THEN {{ pay(n = 1) }}",
            says={"go": "no"},
        )
        for name in ("stop", "stop.it")
    },
    "what a plan that was not queued would have SET": Attack(
        NO_MODEL,
        f"{GO} IF go == yes THEN {{ halt }} last",
        rest="""PLAN halt { further } PLAN further { SET stop = yes }
        PLAN last { IF stop != yes THEN { pay(n = 1) } }""",
        says={"go": "no"},
    ),
}
NOT_DONE = {
    f"{fact} of what a branch not taken would have done": Attack(
        NO_MODEL,
        f"{before} {GO} IF go == yes THEN {{ {inside} }} IF {fact} == {value} THEN {{ pay(n = 1) }}",
        rest=f"{DECIDING} TOOL look {{ SIDE_EFFECT {{ there }} }}",
        says={"go": "no"},
    )
    for fact, value, before, inside in (
        ("last_action.blocked", "false", "ask(v = 1)", "look()"),
        ("last_action.in_doubt", "false", "ask(v = 1)", "look()"),
        ("tools.look.failures", "0", "", "look()"),
        ("tools.look.in_doubt", "false", "", "look()"),
    )
}
GUARDED = {
    "what a plan that a model kept back would have SET": Attack(
        NO_MODEL,
        "SET x.y = 1",
        rest=f"""LOOP {{ ask_model SET ok = yes EXECUTE SELECT_PLAN EXECUTE }} PLAN ask_model {{ {GO} }}
        PLAN halt WHEN go == yes {{ SET ok = no }}
        PLAN last WHEN 1 == 1 {{ IF ok == yes THEN {{ pay(n = 1) }} }}""",
        says={"go": "no"},
    ),
    "what a handler that a model kept back would have SET": Attack(
        NO_MODEL,
        "IF stop != yes THEN { pay(n = 1) }",
        rest=f"""LOOP {{ ask_model EXECUTE SELECT_PLAN EXECUTE }} PLAN ask_model {{ {GO} }}
        EVENT e {{ WHEN go == yes SET stop = yes }}""",
        says={"go": "no"},
        events=(("e", {}),),
    ),
    "what a SET of no number left as it was": Attack(
        NO_MODEL,
        f"SET c = 1 {GO} SET c = go + 1 pay(n = c)",
        says={"go": "no"},
    ),
    "what ON FAIL would have SET": Attack(
        NO_MODEL,
        "check_it last",
        rest=f"""PLAN check_it {{ {GO} VERIFY "v" {{ CONDITION go == no ON FAIL {{ SET stop = yes }} }} }}
        PLAN last {{ IF stop != yes THEN {{ pay(n = 1) }} }}""",
        says={"go": "no"},
    ),
    "what a plan that failed would have SET": Attack(
        NO_MODEL,
        "check_it last",
        rest=f"""PLAN check_it {{ {GO} VERIFY "v" {{ CONDITION go == yes }} SET stop = yes }}
        PLAN last {{ IF stop != yes THEN {{ pay(n = 1) }} }}""",
        says={"go": "no"},
    ),
    "how often a plan ran": Attack(
        NO_MODEL,
        "SET c = 0 check_it last",
        rest=f"""PLAN check_it {{ SET c = c + 1 {GO}
        VERIFY "v" {{ CONDITION go == no ON FAIL {{ RETRY 1 }} }} }}
        PLAN last {{ pay(n = c) }}""",
        says={"go": "no"},
    ),
}
READ_AGAIN = {
    f"a reading that a {what}": Attack(
        NO_MODEL,
        "ask_model last",
        rest=f"""OBSERVE {{ x }} TOOL look {{ REQUIRES {{ x == 5 }} }}
        PLAN ask_model {{ {GO} IF go == yes THEN {{ {inside} }} }}
        PLAN last {{ IF x == 5 THEN {{ pay(n = 1) }} }}""",
        says={"go": word},
        sensors={"x": 5},
    )
    for what, inside, word in (
        ("VERIFY in a branch not taken would have read again", VERIFIED, "no"),
        ("call in a branch not taken would have read again", "look()", "no"),
        ("call in the branch read again", "look()", "yes"),
    )
}

PASSED = {
    "what stands behind a branch with a LOOP UNTIL that was not taken": Attack(
        NO_MODEL,
        f"{GO} IF go == yes THEN {{ LOOP UNTIL 1 == 1 MAX 2 {{ SET o.x = 1 }} }} pay(n = 1)",
        says={"go": "no"},
    ),
}
KEPT = {
    "a memory that a model kept from being written": Attack(
        NO_MODEL,
        "SET x.y = 1",
        rest=f"""MEMORY {{ SHORT_TERM {{ seen }}
        WRITE {{ WHEN go == yes STORE {{ go }} INTO SHORT_TERM.seen }} }}
        LOOP {{ {GO} UPDATE_MEMORY last EXECUTE }} PLAN last {{ IF len(seen) == 0 THEN {{ pay(n = 1) }} }}""",
        says={"go": "no"},
    ),
}


def decide_only_what_is_there(patch: pytest.MonkeyPatch) -> None:
    def only_there(core: Core, space: Any, path: str, label: Any) -> None:
        if path in space and space is not core.state.facts:
            space.join(path, label - {"LLM"})

    patch.setattr(Core, "decide", only_there)


def read_for_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Core, "context", lambda _: NOTHING)
    for module in (sensing, written):
        patch.setattr(module, "decide_reading", lambda *_: None)


GROUPS: Groups = [
    (NOT_MADE | NOT_DONE, decide_only_what_is_there),
    (GUARDED, join_nothing),
    (PASSED, lambda patch: patch.setattr(written, "_passes_on", lambda _: False)),
    (KEPT, lambda patch: patch.setattr(memory, "_keep", lambda *_: None)),
    (READ_AGAIN, read_for_nothing),
]


test_what_was_not_done_gets_no_payment, test_without_the_rule_that_stops_it_it_is_paid = pair_of_tests(GROUPS)
