"""Where a rule begins and ends, from W120 on: pieces of an agent, and whether the code is found in each."""

import pytest
from pieces_of_agents import (
    ASKED,
    BILL,
    BRANCHES,
    DEGRADED,
    EACH,
    GREETED,
    JUDGED,
    LIMIT,
    OK,
    PAY,
    REASONED,
    SHUT,
    STEERED,
    Cases,
    each,
    is_found,
)

from agentl_grammar.checks import HostFacts, check

CASES: Cases = {
    "W120": [
        (PAY + "POLICY { REQUIRE APPROVAL FOR * }", False),
        (PAY + "POLICY { NEVER pay }", False),
        (PAY + "POLICY { REQUIRE APPROVAL FOR pay WHEN action.risk >= CRITICAL }", True),
        (PAY + "POLICY { REQUIRE APPROVAL FOR pay WHEN action.risk IN [HIGH, CRITICAL] }", False),
        (PAY + "POLICY { ALLOW pay }", True),
        (PAY + "POLICY { DEFAULT DENY REQUIRE APPROVAL FOR pay WHEN amount > 9 }", False),
        (PAY + "POLICY { DEFAULT DENY ALLOW pay WHEN amount < 9 }", True),
        (PAY + "POLICY { REQUIRE APPROVAL FOR pay WHEN HIGH <= action.risk }", False),
        (PAY + "POLICY { REQUIRE APPROVAL FOR pay WHEN HIGH == action.risk }", False),
        (PAY + "POLICY { REQUIRE APPROVAL FOR pay WHEN NOT (HIGH > action.risk) }", False),
        (PAY + "POLICY { REQUIRE APPROVAL FOR pay WHEN true }", False),
        (PAY + "POLICY { REQUIRE APPROVAL FOR pay WHEN false }", True),
        (PAY + "POLICY { REQUIRE APPROVAL FOR pay WHEN CRITICAL <= action.risk }", True),
        (PAY + "POLICY { REQUIRE APPROVAL FOR pay WHEN action.origin == plan }", True),
        (PAY, False),
    ],
    "W121": [
        ("TOOL t { EFFECT { a.b = 1 } } PLAN p { VERIFY a.b == 1 }", True),
        ("OBSERVE { a } TOOL t { EFFECT { a.b = 1 } } PLAN p { VERIFY a.b == 1 }", False),
        ("PLAN p { VERIFY a.b == 1 }", False),
    ],
    "W123": [
        (
            "OBSERVE { q.pending } TOOL t { EFFECT { c = 1 } } GOAL { c == 1 } LOOP UNTIL goal.satisfied { }",
            True,
        ),
        (
            "OBSERVE { q.pending } TOOL t { EFFECT { c = 1 } REQUIRES q.pending == 0 } LOOP UNTIL c == 1 { }",
            False,
        ),
        (
            "OBSERVE { q.pending } TOOL t { EFFECT { c.d = 1 } } LOOP UNTIL c.d == 1 AND q.pending == 0 { }",
            False,
        ),
        ("OBSERVE { q.pending } TOOL t { EFFECT { c.e = 1 } } LOOP UNTIL c.d == 1 { }", False),
    ],
    "W124": [
        ("TOOL t { RISK HIGH EFFECT { a.b = 1 } } SCENARIO s { EXPECT { a.b == 1 } }", False),
        ("TOOL t { RISK LOW EFFECT { a.b = 1 } }", False),
        ("TOOL t { RISK HIGH }", False),
    ],
    "W125": [
        (STEERED % "NEVER pay WHEN LLM IN ORIGIN(amount)", False),
        (STEERED % "NEVER pay WHEN LLM IN ORIGIN(account)", True),
        (STEERED % "NEVER pay WHEN OBSERVED IN ORIGIN(amount)", True),
        (STEERED % "NEVER pay WHEN LLM_DERIVED(amount) AND amount > 1000", True),
        (STEERED % "NEVER pay WHEN LLM_DERIVED(amount) AND action.risk >= HIGH", False),
        (STEERED % "NEVER pay WHEN LLM_DERIVED(amount) OR amount > 1000", False),
        (STEERED % "NEVER pay WHEN LLM_DERIVED(amount) != no", False),
        (STEERED % "ALLOW pay WHEN TRUSTED(amount)", False),
        (STEERED % "ALLOW pay WHEN TRUSTED(amount) AND amount > 1", False),
        (STEERED % "ALLOW pay WHEN TRUSTED(amount) OR amount > 1", True),
        (STEERED % "ALLOW pay WHEN TRUSTED(amount) ALLOW pay WHEN amount < 100", True),
        (STEERED % "ALLOW pay WHEN TRUSTED(amount) ALLOW pay WHEN ATTESTED(amount)", False),
        (STEERED % "DEFAULT DENY", False),
        (STEERED % "DEFAULT DENY ALLOW pay", True),
        (EACH % ("a IN reason.them", 'pay(a.sum, "me")'), True),
        (EACH % ("a IN c.all", 'pay(a.sum, "me")'), False),
        (PAY + ASKED.replace("c.text", "c.raw_text") % "n: Number" + 'PLAN p { pay(reason.n, "me") }', True),
        (PAY + ASKED % "n: Number" + 'PLAN p { pay(reason.n, "me") }', False),
        (
            PAY
            + ASKED.replace("c.text", "c.raw_text") % "n: Number"
            + 'PLAN p { SET a.b = reason.n pay(a.b, "me") }',
            True,
        ),
        (
            PAY
            + ASKED.replace("c.text", "c.log") % "n: Number"
            + 'PLAN p { pay(reason.n, "me") } POLICY { REQUIRE APPROVAL FOR pay }',
            False,
        ),
        (
            PAY
            + ASKED.replace("c.text", "c.log") % "n: Number"
            + 'PLAN p { pay(reason.n, "me") } POLICY { ALLOW pay WHEN UNTRUSTED(amount) == no }',
            False,
        ),
        (
            PAY
            + ASKED.replace("c.text", "c.log") % "n: Number"
            + 'PLAN p { pay(reason.n, "me") } POLICY { ALLOW pay WHEN UNTRUSTED(amount) }',
            True,
        ),
    ],
    "W126": [
        ("PLANNER { TIME_WEIGHT 0 } TOOL t { EFFECT { a.b = 1 } }", False),
        ("PLANNER { TIME_WEIGHT 0.1 } TOOL t { EFFECT { a.b = 1 } }", True),
    ],
    "W128": [
        (PAY + "POLICY { NEVER pay WHEN EXTERNAL IN ORIGIN(amount) }", False),
        (PAY + "POLICY { NEVER pay WHEN root IN account }", False),
        (PAY + "POLICY { NEVER pay WHEN root IN [admin, root] }", True),
        (PAY + "POLICY { NEVER pay WHEN root IN roots }", True),
        (PAY + "POLICY { NEVER pay WHEN root == LEN(account) }", True),
        (PAY + "POLICY { NEVER pay WHEN amount > 9 }", False),
        (PAY + "POLICY { NEVER * WHEN amount > 9 }", False),
        (PAY + "TOOL other { } POLICY { NEVER other WHEN amount > 9 }", True),
        (PAY + "POLICY { ALLOW pay WHEN blocked == yes }", False),
        (PAY + "POLICY { NEVER pay WHEN blocked == yes } EVENT e { SET blocked = yes }", False),
        (PAY + "POLICY { NEVER pay WHEN answer == no OR confidence < 0.5 }", False),
        (PAY + "POLICY { NEVER pay WHEN NOT (x.y == 1 OR dry == no) }", True),
        (PAY + "POLICY { NEVER pay WHEN HIGH <= action.risk }", False),
        (
            PAY + "POLICY { NEVER pay WHEN blocked == yes } EVENT e { SET a = 1 } "
            "SCENARIO s { GIVEN EVENT e { blocked = yes } EXPECT NO ERROR }",
            True,
        ),
    ],
    "W129": [
        (GREETED % REASONED % "USING {}", True),
        (GREETED % JUDGED % "USING {}", True),
        (GREETED % REASONED % "USING { s.s }", False),
    ],
    "W131": [
        ("OBSERVE { a } TOOL t { } POLICY { NEVER t WHEN a.b.c == 1 }", True),
        ("OBSERVE { a.b } TOOL t { } POLICY { ALLOW t WHEN a.b == 1 }", False),
        ("OBSERVE { amount } " + PAY + "POLICY { NEVER pay WHEN amount > 1 }", False),
    ],
    "W132": [
        (DEGRADED % "yes" + "POLICY { NEVER t WHEN a.b == true }", True),
        (DEGRADED % "true" + "POLICY { NEVER t WHEN a.b == yes }", True),
        (DEGRADED % "true" + "POLICY { NEVER t WHEN a.b == true }", False),
        (DEGRADED % '"yes"' + "POLICY { NEVER t WHEN a.b == yes }", False),
        (DEGRADED % '"yes"' + "POLICY { NEVER t WHEN a.b == true }", True),
        (DEGRADED % "no" + "POLICY { NEVER t WHEN a.b == false }", True),
        (DEGRADED % "yes" + "POLICY { NEVER t WHEN a.b IN [true] }", True),
        (DEGRADED % "yes" + "POLICY { NEVER t WHEN a.b != true }", False),
        (DEGRADED % '"none"' + "POLICY { NEVER t WHEN a.b }", False),
        (DEGRADED % '"none"' + "POLICY { NEVER t WHEN NOT a.b }", True),
        (DEGRADED % "none" + "POLICY { NEVER t WHEN a.b }", True),
        (DEGRADED % "ok" + "POLICY { NEVER t WHEN a.b > 5 }", False),
        (DEGRADED % "ok" + "POLICY { NEVER t WHEN NOT 5 < a.b }", False),
        (DEGRADED % "ok" + "POLICY { NEVER t WHEN a.b > 5 AND c.d == 1 }", False),
        (DEGRADED % "high" + "POLICY { NEVER t WHEN a.b > 5 }", False),
        (DEGRADED % "high" + "POLICY { NEVER t WHEN a.b > critical }", True),
        (DEGRADED % "4" + "POLICY { NEVER t WHEN a.b > 5 }", True),
        (DEGRADED % '"4"' + "POLICY { NEVER t WHEN a.b > 5 }", True),
        (DEGRADED % "true" + "POLICY { NEVER t WHEN a.b > 5 }", True),
        (DEGRADED % "ok" + "POLICY { NEVER t WHEN a.b > c.d }", True),
        (DEGRADED % "ok" + "POLICY { NEVER t WHEN a.b == bad }", True),
        (DEGRADED % "yes" + "POLICY { NEVER t WHEN a.b == yes }", False),
        (DEGRADED % "no" + "POLICY { NEVER t WHEN a.b == yes }", True),
        (DEGRADED % "100%" + "POLICY { NEVER t WHEN c.d > 50% AND a.b > 1% }", False),
        (DEGRADED % "0" + "POLICY { NEVER t WHEN c.d > 50% AND a.b > 1% }", True),
        (DEGRADED % "100" + "POLICY { REQUIRE APPROVAL FOR t WHEN c.d > a.b }", True),
        (DEGRADED % "yes" + "POLICY { NEVER t WHEN a.b == yes DENY t WHEN NOT a.b == yes }", True),
        (DEGRADED % "no" + "POLICY { ALLOW t WHEN a.b == yes }", False),
    ],
    "W134": [
        (PAY + ASKED % "f: Symbol DEFAULT yes" + "POLICY { NEVER pay WHEN reason.f == true }", True),
        (PAY + ASKED % "f: Symbol DEFAULT true" + "POLICY { NEVER pay WHEN reason.f == yes }", True),
        (PAY + ASKED % 'f: String DEFAULT "yes"' + "POLICY { NEVER pay WHEN reason.f == true }", True),
        (PAY + ASKED % "f: Bool DEFAULT yes" + "POLICY { NEVER pay WHEN reason.f == true }", False),
        (PAY + ASKED % "f: Bool DEFAULT 1" + "POLICY { NEVER pay WHEN reason.f == yes }", False),
        (PAY + ASKED % "f: Bool DEFAULT off" + "POLICY { NEVER pay WHEN reason.f == false }", False),
        (PAY + ASKED % "f: Bool DEFAULT yes" + "POLICY { NEVER pay WHEN reason.f IN [true] }", False),
        (PAY + ASKED % "f: Bool DEFAULT yes" + 'POLICY { NEVER pay WHEN reason.f == "yes" }', True),
        (
            PAY
            + 'PLAN q { JUDGE { USING { a } f: NOUL "x?" DEFAULT no } } '
            + "POLICY { NEVER pay WHEN judge.f == true }",
            True,
        ),
        (
            PAY
            + 'PLAN q { JUDGE { USING { a } f: NOUL "x?" DEFAULT yes } } '
            + "POLICY { NEVER pay WHEN judge.f == true }",
            False,
        ),
        (PAY + ASKED % "f: Symbol" + "POLICY { NEVER pay WHEN reason.f == yes }", True),
        (PAY + ASKED % "f: Symbol DEFAULT yes" + "POLICY { NEVER pay WHEN reason.f == yes }", False),
        (
            PAY + ASKED % "f: Symbol DEFAULT no" + "POLICY { NEVER pay WHEN reason.f == yes AND x.y == 1 }",
            True,
        ),
        (
            PAY + ASKED % "f: Symbol DEFAULT no" + "POLICY { NEVER pay WHEN reason.f == yes OR x.y == 1 }",
            False,
        ),
        (PAY + ASKED % "f: Number DEFAULT 0" + "POLICY { NEVER pay WHEN NOT reason.f > 0.5 }", False),
        (PAY + ASKED % "f: Symbol DEFAULT LOW" + "POLICY { NEVER pay WHEN reason.f < HIGH }", False),
        (PAY + ASKED % "f: Symbol DEFAULT HIGH" + "POLICY { NEVER pay WHEN reason.f < HIGH }", True),
        (PAY + ASKED % "f: Bool DEFAULT no" + "POLICY { NEVER pay WHEN reason.f IN [yes, maybe] }", True),
        (PAY + ASKED % "amount: Number" + "POLICY { NEVER pay WHEN amount > 9 }", False),
        (PAY + ASKED % "f: Symbol" + "POLICY { ALLOW pay WHEN reason.f == yes }", False),
        (PAY + ASKED % "f: Symbol DEFAULT no" + "POLICY { NEVER pay WHEN yes == reason.f }", True),
        (PAY + ASKED % "m: Number DEFAULT 100" + "POLICY { NEVER pay WHEN amount > reason.m }", True),
        (LIMIT % 100 + "POLICY { NEVER pay WHEN amount > reason.m }", True),
        (LIMIT % 0 + "POLICY { NEVER pay WHEN amount > reason.m }", False),
        (LIMIT % 0 + "POLICY { NEVER pay WHEN NOT reason.m >= amount }", False),
        (LIMIT % 100 + "POLICY { NEVER pay WHEN NOT reason.m >= amount }", True),
        (LIMIT % 100 + "POLICY { NEVER pay WHEN amount < reason.m }", False),
    ],
    "W135": [
        ("PLAN p WHEN a.b != 1 { }", True),
        ("OBSERVE { a.b } PLAN p WHEN a.b != 1 { }", False),
        ("OBSERVE { a.b WHEN c.d == 1 } PLAN p WHEN a.b != 1 { }", True),
        ("BELIEF { a.b = 2 } PLAN p WHEN a.b != 1 { }", False),
        ("PLAN p WHEN a.b != yes { SET a.b = yes }", False),
        ("PLAN p WHEN a.b != yes { SET a.b = no }", True),
        ("PLAN p WHEN tools.t.in_doubt != true AND payload.x != 1 { }", False),
        ("PLAN p WHEN word != 1 { }", False),
        ("PLAN p { IF a.b != 1 THEN p }", False),
        ("DECIDE { IF a.b != 1 THEN p } PLAN p { }", True),
        ("PLAN p WHEN NOT (a.b == 1) { }", True),
        ("PLAN p WHEN NOT a.b > 1 { }", True),
        ("PLAN p WHEN NOT a.b != 1 { }", False),
        ("PLAN p WHEN NOT a.b == yes { SET a.b = yes }", False),
        ("PLAN p WHEN a.b == bad AND a.b != done { }", False),
        ("PLAN p WHEN a.b == bad OR a.b != done { }", True),
    ],
    "W137": [
        ("PLAN p WHEN a.b == 1 AND (c OR NOT d.e) { }", True),
        ("PLAN p WHEN goal.satisfied OR still_failed OR NOT planner.exhausted { }", False),
        ("TOOL t { OUTPUT { ok: Bool } } PLAN p { IF t.ok THEN t() IF result.ok THEN t() }", False),
        ("TOOL t { OUTPUT { ok: String } } PLAN p { IF t.ok THEN t() }", True),
        (ASKED % "f: Bool" + "PLAN p { IF reason.f THEN p }", False),
        (ASKED % "f: Symbol" + "PLAN p { IF reason.f THEN p }", True),
        ("TOOL t { INPUT { dry: Bool } } POLICY { NEVER t WHEN NOT dry OR action.args.dry }", False),
        ("BELIEF { a.b = true } PLAN p WHEN a.b { SET a.b = false }", False),
        ("BELIEF { a.b = true } PLAN p WHEN a.b { SET a.b = no }", True),
        ("BELIEF { a.b = true } OBSERVE { a.b } PLAN p WHEN a.b { SET a.b = false }", True),
        ("GOAL { a.b }", True),
        ("GOAL { TARGET { a.b } }", True),
        ("LOOP UNTIL a.b { }", True),
        ("PLAN p { SET a = b.c }", False),
    ],
    "W138": [
        ("OBSERVE { a.b } EVENT e { SET a.c = 1 }", False),
        ("TOOL t { EFFECT { a.b = 1 } } EVENT e { a.b = 2 }", True),
        ("OBSERVE { a.b } EVENT e { SET a.b.c = 1 }", True),
        ("OBSERVE { a.b } BELIEF { a.b.c = 0 } EVENT e { SET a.b.c = 1 }", False),
        ("OBSERVE { a.b } EVENT e { SET a.bc = 1 }", False),
    ],
    "W139": [
        ("TOOL t { } PLAN p { t() ROLLBACK }", True),
        ("TOOL made_good { } PLAN p { made_good() ROLLBACK }", False),
    ],
    "W147": [
        (SHUT + "PLAN p { shut() VERIFY { d.state == shut ON FAIL { RETRY } } }", False),
        (SHUT + "PLAN p { shut() VERIFY { d.state == shut ON FAIL { ESCALATE RETRY 2 } } }", False),
        (SHUT + "PLAN p { shut() VERIFY d.state == shut } ON VERIFY.FAIL { RETRY 2 }", False),
        (SHUT + "PLAN p { LOOP { VERIFY { d.state == shut ON FAIL { RETRY } } } }", False),
        (SHUT + "PLAN p { shut() VERIFY { d.state == shut ON FAIL { RETRY RETRY 2 } } }", True),
        (SHUT + "PLAN p { VERIFY { d.state == shut ON FAIL { LOOP { RETRY } } } }", True),
        (SHUT + "PLAN p { VERIFY { d.state == shut ON FAIL { FOREACH x IN a.b { RETRY } } } }", True),
        (SHUT + "PLAN p { VERIFY d.state == shut } ON VERIFY.FAIL { IF x.y == 1 THEN { RETRY } }", True),
        (SHUT + "PLAN p { shut() RETRY }", True),
        (SHUT + "EVENT e { VERIFY { d.state == shut ON FAIL { RETRY } } }", True),
    ],
    "W140": [
        (SHUT + "PLAN p { shut() VERIFY { d.state == shut ON FAIL { RETRY } } }", True),
        (SHUT + "PLAN p { VERIFY { d.state == shut ON FAIL { RETRY } } shut() }", False),
        (SHUT + "PLAN p { shut() VERIFY d.state == shut } ON VERIFY.FAIL { RETRY 2 }", True),
        (
            SHUT
            + "PLAN p { shut() VERIFY { d.state == shut ON FAIL { ESCALATE } } } ON VERIFY.FAIL { RETRY 2 }",
            False,
        ),
        (
            SHUT + "PLAN p { shut() VERIFY { d.state == shut ON FAIL { IF x.y == 3 THEN { RETRY 2 } } } }",
            False,
        ),
        (SHUT + "PLAN p { shut() VERIFY { d.state == shut ON FAIL { LOOP MAX 2 { RETRY } } } }", False),
        (
            SHUT + "PLAN p { shut() VERIFY d.state == shut } ON VERIFY.FAIL { IF x.y == 3 THEN { RETRY } }",
            False,
        ),
        (BRANCHES % ("shut()", "VERIFY { d.state == shut ON FAIL { RETRY } }"), False),
        (BRANCHES % ("shut() VERIFY { d.state == shut ON FAIL { RETRY } }", "p"), True),
        (SHUT + "PLAN p { shut() VERIFY { d.state == shut ON FAIL { IF x.y == 3 THEN ESCALATE } } }", False),
        ("TOOL read { } PLAN p { read() VERIFY { a.b == 1 ON FAIL { RETRY } } }", False),
        (
            SHUT + "PLAN p { LOOP { VERIFY { d.state == shut ON FAIL { RETRY } } shut() } }",
            True,
        ),
        (
            SHUT
            + "PLAN p { IF x.y == 1 THEN { shut() } "
            + "ELSE { VERIFY { d.state == shut ON FAIL { RETRY } } } }",
            False,
        ),
    ],
    "W144": [
        ("TOOL t { INPUT { a: number b: BOOL c: Any d } OUTPUT { e: list } }", False),
        ("TOOL t { INPUT { a: Money } }", True),
        ("TOOL t { OUTPUT { a: Sting } }", True),
        (ASKED % "f: Text", True),
        (ASKED % "f: Symbol, g: Any", False),
    ],
    "W145": [
        ('PLAN p { REASON { PRODUCE { answer: Symbol } } ASK boss { QUESTION "q" } }', True),
        ('PLAN p { JUDGE { answer: NOUL "Is it?" } } PLAN q { ESCALATE }', True),
        ("PLAN p { REASON { PRODUCE { answer: Symbol } } }", False),
        ('PLAN p { REASON { PRODUCE { answers: Symbol } } ASK boss { QUESTION "q" } }', False),
    ],
    "W146": [
        (OK + "PLAN p { IF t.ok == yes THEN { SET x = 1 } t() }", True),
        (OK + "PLAN p { IF result.t.ok == yes THEN { SET x = 1 } t() }", True),
        (OK + "PLAN p { t() IF t.ok == yes THEN { SET x = 1 } t() }", False),
        (OK + "PLAN p { IF t.ok == yes THEN { SET x = 1 } t() } PLAN q { t() }", False),
        (OK + "PLAN p { LOOP MAX 2 { IF t.ok == yes THEN { SET x = 1 } t() } }", False),
        (OK + "PLAN p WHEN t.ok != yes { t() }", False),
        (OK + "PLAN p { IF t.ok == yes THEN { SET x = 1 } t() SET t.ok = no }", False),
        (OK + "OBSERVE { t.ok } PLAN p { IF t.ok == yes THEN { SET x = 1 } t() }", False),
        (OK + "PLAN p { IF t.ok == yes THEN { SET x = 1 } DELEGATE t { EXPECT { ok } } t() }", False),
    ],
    "W143": [
        (BILL + "EVENT bill { p } PLAN p { put(to = iban) }", True),
        (BILL + "EVENT bill { put(to = payload.iban) }", False),
        (BILL.replace("to:", "iban:") + "EVENT bill { put(iban = iban) }", False),
        (BILL.replace("to:", "iban:") + "EVENT bill { put(iban = iban) } GOAL { iban.ok == yes }", True),
        (BILL + "EVENT bill { put(to = iban) } OBSERVE { iban }", False),
        (BILL + "EVENT other { put(to = iban) }", False),
        (OK + "PLAN p WHEN x.y == ok { t() IF ok == yes THEN t() }", True),
        (OK + "PLAN p WHEN x.y == ok { t() IF t.ok == yes THEN t() }", False),
        (OK + "PLAN p WHEN x.y == done { t() IF ok == yes THEN t() }", False),
        (OK + "OBSERVE { ok } PLAN p WHEN ok == no { t() }", True),
        (OK + "OBSERVE { ok } PLAN p WHEN ok == no { t() IF t.ok == yes THEN t() }", False),
        (OK + "OBSERVE { t.ok } PLAN p WHEN t.ok == no { t() }", True),
        (ASKED % "missing: Number" + "GOAL { reason.missing > 1 }", True),
        (ASKED % "gone: Number" + "GOAL { reason.gone > 1 }", False),
        ("OBSERVE { f } " + ASKED % "f: Number" + "GOAL { f > 1 }", True),
        ("OBSERVE { f } " + ASKED % "f: Number" + "GOAL { reason.f > 1 AND f > 1 }", False),
        (ASKED % "high: Bool" + "GOAL { high == yes }", True),
        (ASKED % "high: Bool" + "GOAL { x.y == high }", False),
        (OK + "PLAN p { FOREACH t IN l.m { SET a.b = t.ok } }", True),
        (OK + "PLAN p { FOREACH t IN l.m { SET a.b = t.sum } }", False),
        ("OBSERVE { o.state } PLAN p { FOREACH o IN l.m { SET a.b = o.state } }", True),
        ('OBSERVE { w } PLAN p { DELEGATE b { TASK "x" EXPECT { w } } IF w == 1 THEN p }', True),
        ('PLAN p { DELEGATE b { TASK "x" EXPECT { w } } IF w == 1 THEN p }', False),
    ],
}
ALL, NAMES = each(CASES)


@pytest.mark.parametrize(("code", "text", "has"), ALL, ids=NAMES)
def test_a_code_is_found_where_it_should_be_and_only_there(code: str, text: str, has: bool):
    assert is_found(code, text) == has


def test_a_key_that_another_agent_sends_is_known_where_it_is_handled():
    sender = "AGENT b { PLAN p { MESSAGE m { TO a PAYLOAD { iban 1 } } } } "
    handler = "AGENT a { TOOL put { INPUT { to: String } } ON MESSAGE m { put(to = iban) } }"
    assert "W143" in {problem.code for problem in check(sender + handler)}
    assert "W143" not in {problem.code for problem in check(handler)}
    assert "W143" not in {problem.code for problem in check(sender.replace("iban", "bic") + handler)}


def test_without_a_host_nothing_is_said_of_its_promises():
    text = f"AGENT a {{ {CASES['W140'][0][0]} {CASES['W139'][0][0].replace('PLAN p', 'PLAN r')} }}"
    assert {problem.code for problem in check(text)} & {"W139", "W140"} == set()
    unclear = HostFacts(complete=False)
    assert "W139" not in {problem.code for problem in check(text, host=unclear)}
