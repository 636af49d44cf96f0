"""Where a rule begins and ends, E001 to W119: pieces of an agent, and whether the code is found in each."""

import pytest
from pieces_of_agents import ASKED, EACH, GIVEN, GREETED, JUDGED, PAY, REASONED, SHUT, Cases, each, is_found

from agentl_grammar.checks import check

CASES: Cases = {
    "E001": [
        ("PLAN p { pay(1, 2) }", True),
        (PAY + "PLAN p { pay(1, 2) }", False),
        ("EVENT e { LOOP { IF x.y == 1 THEN nix() } }", True),
        ("DECIDE { IF x.y == 1 THEN nix() }", True),
        ("LOOP { nix() }", True),
    ],
    "E002": [("EVENT e { p } PLAN p { }", False), (PAY + "EVENT e { pay }", True)],
    "E003": [
        ("POLICY { NEVER * }", False),
        ('POLICY { NEVER bot } PLAN p { DELEGATE bot { TASK "x" } }', False),
        ("PLAN p { } POLICY { NEVER p }", True),
    ],
    "E004": [
        ("GOAL { x.y == 1 } GOAL main { x.y == 2 }", True),
        ("TOOL { a b } TOOL a { }", True),
        ("TOOL { a a }", True),
        ("PLAN a { } TOOL a { }", False),
        ("EVENT e { SET a = 1 } EVENT e { SET a = 1 }", False),
    ],
    "E005": [("EVENT e { THEN p } PLAN p { }", False), ("EVENT e { }", True)],
    "E006": [
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 LIKELIHOOD 100% } }", True),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 GIVEN_NOT 0 } }", True),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 LIKELIHOOD 99% GIVEN_NOT 0.01 } }", False),
    ],
    "E007": [("PLAN p { MESSAGE m { } }", False)],
    "E008": [
        ("MEMORY { SHARED { k } WRITE { STORE a INTO shared.k } }", False),
        ("MEMORY { WRITE { STORE a INTO SHARED } }", True),
        ("MEMORY { WRITE { STORE a INTO LONG_TERM.k } }", False),
    ],
    "E009": [("TOOL f { } GOAL { f() > 1 }", True), ("GOAL { len(x.y) > 1 }", False)],
    "E010": [
        ("SCENARIO s { EXPECT NO ERROR WITHIN 0.5 }", True),
        ("SCENARIO s { EXPECT NO ERROR }", False),
    ],
    "E011": [("TOOL t { RISK { a LOW b unset } }", True), ("TOOL t { RISK HIGH }", False)],
    "E013": [
        (PAY + 'PLAN p { pay(1, "a") }', False),
        (PAY + 'PLAN p { pay(account = "a", 1) }', False),
        (PAY + 'PLAN p { pay(1, "a", 3) }', True),
        (PAY + "PLAN p { pay(1, amount = 2) }", True),
        (PAY + "PLAN p { pay(1) }", True),
        ("TOOL t { } PLAN p { t(1) }", True),
        ("TOOL t { } PLAN p { t() }", False),
    ],
    "E014": [
        ("SCENARIO s { EXPECT EVENT e } EVENT e { SET a = 1 }", False),
        ("SCENARIO s { EXPECT EVENT e }", True),
        ('SCENARIO s { EXPECT BLOCKED bot } PLAN p { DELEGATE bot { TASK "x" } }', False),
    ],
    "E015": [("GOAL { LEN(x.y) > 1 }", True), ("GOAL { ABS(x.y) > 1 }", True)],
    "E016": [
        ("GOAL { CONFIDENCE(x.y) > 0.5 }", False),
        ("GOAL { CONFIDENCE(1) > 0.5 }", True),
        ("GOAL { UNTRUSTED(action) }", True),
        (PAY + "POLICY { NEVER pay WHEN UNTRUSTED(action) }", False),
        (PAY + "POLICY { NEVER pay WHEN NOT ATTESTED(account, pay) }", False),
        (PAY + "POLICY { NEVER pay WHEN NOT ATTESTED(account, bank) }", True),
        (PAY + "POLICY { NEVER pay WHEN TRUSTED(account, amount) }", True),
        ("GOAL { ORIGIN() == x }", True),
    ],
    "E017": [
        ('PLAN p { JUDGE { USING { a } q: NOUL "  " } }', True),
        ('PLAN p { JUDGE { USING { a } q: SCORE "s?" ["bad"] } }', True),
        ('PLAN p { JUDGE { USING { a } q: SCORE "s?" ["bad", "good"] } }', False),
        ('PLAN p { JUDGE { USING { a } q: SCORE "s?" ["bad", "bad"] } }', True),
        ('PLAN p { JUDGE { USING { a } q: CHOICE "s?" { b "one", b "two" } } }', True),
        ('PLAN p { JUDGE { USING { a } q: CHOICE "s?" { b "one", c "one" } } }', False),
        ('PLAN p { JUDGE { USING { a } q: NOUL "s?" ABSTAIN BELOW 0 } }', True),
        ('PLAN p { JUDGE { USING { a } q: NOUL "s?" ABSTAIN BELOW 1 } }', False),
    ],
    "W101": [
        ("TOOL t { RISK MEDIUM }", False),
        ("TOOL t { RISK severe }", True),
        ("TOOL t { RISK { a LOW b HIGH } }", True),
        ("TOOL t { RISK HIGH } POLICY { ALLOW t WHEN x.y == 1 }", False),
        ("TOOL t { RISK UNSET }", False),
    ],
    "W102": [
        (SHUT + "PLAN p { shut() VERIFY d.state == shut }", False),
        (SHUT + "PLAN p { STEP a { shut() } STEP b { VERIFY d == shut } }", False),
        (SHUT + "PLAN p { VERIFY d.state == shut shut() }", True),
        (SHUT + "PLAN p { shut() VERIFY other.thing == 1 }", True),
        (SHUT + "PLAN p { IF a.b == 1 THEN { shut() VERIFY d.state == shut } }", False),
        (
            SHUT + "PLAN p { shut() IF a.b == 1 THEN VERIFY d.state == shut ELSE VERIFY d.state == open }",
            False,
        ),
        (SHUT + "PLAN p { shut() FOREACH x IN l.m { VERIFY d.state == shut } }", True),
        (SHUT + "PLAN p { shut() LOOP MAX 2 { VERIFY d.state == shut } }", False),
        (SHUT + "PLAN p { shut() look } PLAN look { VERIFY d.state == shut }", False),
        (SHUT + "PLAN p { VERIFY { a.b == 1 ON FAIL { shut() } } VERIFY d.state == shut }", True),
        ("TOOL t { EFFECT { a.b = 1 INTERNAL } } PLAN p { t() }", False),
        ("TOOL t { SIDE_EFFECT { a.b } } PLAN p { t() }", False),
        (PAY + "PLAN p { pay(1, 2) VERIFY pay.ref != none }", False),
    ],
    "W103": [
        (GREETED % REASONED % "USING {}", False),
        (GREETED % JUDGED % "USING {}", False),
        (GREETED % REASONED % "USING { c.d }", True),
        ("OBSERVE { a.b } GOAL { a.b.c == 1 }", False),
        ("OBSERVE { a.b } GOAL { a == 1 }", False),
        ("OBSERVE { a.b } GOAL { a.bc == 1 }", True),
        ("OBSERVE { a.b } GOAL { sensors.a.b.available }", False),
        ("OBSERVE { a.b } GOAL { sensors.a.c.available }", True),
        ("OBSERVE { a.b } TOOL t { EFFECT { a.b = 1 } }", False),
        ("OBSERVE { a.b } TOOL t { EFFECT { a.b = 1 INTERNAL } }", True),
        ('OBSERVE { a.b } PLAN p { REASON "x" { } }', False),
        ('OBSERVE { a.b } PLAN p { REASON "x" { USING { a.b } } }', False),
        ("OBSERVE { a.b } SCENARIO s { EXPECT { a.b == 1 } }", True),
    ],
    "W104": [
        ("BELIEF { a = 1 } GOAL { a > 1 }", True),
        ("BELIEF { a = 1 SOURCE me } GOAL { a > 1 }", False),
        ("BELIEF { a = 1 } GOAL { b > 1 }", False),
        ("BELIEF { a = 1 } GOAL { a > 1 } EVENT e { SET a = 2 }", False),
        ("BELIEF { a = 1 } GOAL { a > 1 } HYPOTHESIS h { EXPLAINS a = 2 }", False),
        ("BELIEF { a.b = 1 } GOAL { a.b > 1 } TOOL t { EFFECT { a.b = 2 } }", False),
    ],
    "W105": [("OBSERVE { a.b }", True), ("GOAL { a.b == 1 }", False)],
    "W106": [
        ("PLAN p { p }", True),
        ("PLAN p { q } PLAN q { p }", True),
        ("PLAN p { q } PLAN q { } EVENT e { SET a = 1 }", True),
        ("PLAN p { q } PLAN q { p } EVENT e { q }", False),
        ("PLAN p WHEN a.b == 1 { q } PLAN q { r } PLAN r { }", False),
        ("PLAN p { } ON VERIFY.FAIL { p }", False),
        ("PLAN p { } PLAN q WHEN a.b == 1 { p }", False),
        ('PLAN p { } DECIDE { REASON "which?" { USING { a.b } } }', False),
        ("PLAN p { } LOOP { p }", False),
    ],
    "W107": [
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 } } GOAL { h.posterior < 0.1 }", False),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 } } GOAL { hypothesis.h.supported }", False),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 } EXPLAINS c.d } GOAL { c.d == h }", False),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 } EXPLAINS c.d }", True),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 LIKELIHOOD 0.1 } } GOAL { P(h) < 0.1 }", True),
    ],
    "W109": [
        ("PLANNER { } TOOL t { INPUT { a: Number BIND b.c } EFFECT { x.y = 1 } } OBSERVE { b }", False),
        ("TOOL t { INPUT { a: Number } EFFECT { x.y = 1 } }", False),
    ],
    "W110": [
        ("GOAL { ACHIEVE x.y == 1 } PLANNER { } TOOL t { EFFECT { x.z = 1 } }", True),
        ("GOAL { MAINTAIN x.y == 1 } PLANNER { } TOOL t { EFFECT { x.z = 1 } }", False),
        ("GOAL { ACHIEVE x.y == 1 } TOOL t { EFFECT { x.z = 1 } }", False),
    ],
    "W111": [("PLAN p { MESSAGE m { BROADCAST } }", True)],
    "W112": [
        ("ON MESSAGE m { SET a = 1 }", True),
        ("ON MESSAGE m { SET a = 1 } SCENARIO s { GIVEN MESSAGE m FROM b { } EXPECT NO ERROR }", False),
    ],
    "W113": [
        ("TOOL t { OUTCOME a { x.y = 1 } }", False),
        ("TOOL t { OUTCOME a { x.y = 1 } OUTCOME b { x.y = 2 } }", True),
    ],
    "W116": [
        (
            "HYPOTHESIS h { PRIOR 0.5 THRESHOLD 0.05 EVIDENCE { a.b == 1 LIKELIHOOD 0.6 GIVEN_NOT 0.5 } }",
            True,
        ),
        ("HYPOTHESIS h { PRIOR 0.5 PRIOR FROM LONG_TERM.k THRESHOLD 0.99 EVIDENCE { a.b == 1 } }", False),
        ("HYPOTHESIS h { PRIOR 0.01 EVIDENCE { a.b == 1 } } GOAL { P(h) < 0.1 }", False),
    ],
    "W117": [
        (
            "OBSERVE { a.b } SCENARIO s { GIVEN { a.b.c = 1, llm.plan = p } EXPECT NO ERROR }",
            False,
        ),
        ("SCENARIO s { GIVEN EVENT e { x = 1 } EXPECT NO ERROR }", True),
        (
            "PLAN p { FOREACH x IN [1, 2] { } } SCENARIO s { GIVEN { x.id = 1 } EXPECT NO ERROR }",
            False,
        ),
        (PAY + "SCENARIO s { GIVEN { pay.ref = 1, ref = 2 } EXPECT NO ERROR }", False),
        (GIVEN % "scenario.outcome.roll = won", False),
        (GIVEN % "scenario.outcome.pay = won", True),
        (GIVEN % "scenario.outcome.nix = won", True),
        (GIVEN % "judge.sure.p = 0.4", False),
        (GIVEN % "judge.surely.p = 0.4", True),
        (GIVEN % "tools.pay.in_doubt = true", False),
        (GIVEN % "tools.bot.in_doubt = true", False),
        (GIVEN % "tools.nix.in_doubt = true", True),
        (GIVEN % "tools.pay.in_dout = true", True),
        (GIVEN % "sensors.a.b.available = false", False),
        (GIVEN % "sensors.a.c.available = false", True),
    ],
    "W118": [
        (SHUT + "SCENARIO s { EXPECT { d.state == shut AND e.f == 1 } }", False),
        (SHUT + "SCENARIO s { EXPECT { e.f == 1 } }", True),
        (SHUT + "SCENARIO s { EXPECT { goal.satisfied == yes } }", False),
    ],
    "W119": [
        (EACH % ("a IN reason.them", "pay(1, a)"), True),
        (EACH % ("a IN reason.them", "FOREACH b IN a.all { pay(1, b.account) }"), True),
        (EACH % ("a IN c.all", "pay(1, a)"), False),
        (EACH % ("a IN reason.them", "FOREACH a IN c.all { pay(1, a) }"), False),
        (EACH % ("a IN c.all", "b.c = a") + " EVENT e { pay(1, a) }", False),
        (
            EACH % ("a IN reason.them", "pay(1, a)") + " POLICY { NEVER pay WHEN NOT ATTESTED(account) }",
            False,
        ),
        (
            PAY.replace("account", "userId") + ASKED % "who: String" + "PLAN p { pay(1, reason.who) }",
            True,
        ),
        (
            PAY.replace("account", "userid") + ASKED % "who: String" + "PLAN p { pay(1, reason.who) }",
            False,
        ),
        (PAY + ASKED % "account: String" + "PLAN p { pay(1, reason.account) }", True),
        (PAY + ASKED % "account: String" + "PLAN p { pay(1, account) }", True),
        (PAY + ASKED % "amount: Number" + 'PLAN p { pay(reason.amount, "me") }', False),
        (PAY + ASKED % 'account: String IN ["a", "b"]' + "PLAN p { pay(1, reason.account) }", False),
        (
            PAY + ASKED % "account: String" + "PLAN p { pay(1, reason.account) } "
            "POLICY { REQUIRE APPROVAL FOR pay WHEN LLM_DERIVED(account) }",
            False,
        ),
        (
            PAY
            + ASKED % "account: String"
            + "PLAN p { pay(1, reason.account) } POLICY { REQUIRE APPROVAL FOR pay WHEN TRUSTED(account) }",
            True,
        ),
        (PAY.replace("HIGH", "LOW") + ASKED % "account: String" + "PLAN p { pay(1, reason.account) }", False),
        (PAY + ASKED % "account: String" + "PLAN p { SET to.acc = reason.account pay(1, to.acc) }", True),
        (
            PAY + ASKED % "account: String" + "PLAN p { a.b = reason.account c.d = a.b pay(1, c.d) }",
            True,
        ),
        (
            PAY + ASKED % "account: String" + "PLAN p { a.b = reason.account a.b = file.b pay(1, a.b) }",
            False,
        ),
        (
            PAY + ASKED % "account: String" + "OBSERVE { a.b } PLAN p { a.b = reason.account pay(1, a.b) }",
            False,
        ),
        (
            PAY
            + "TOOL check { INPUT { account: String ATTESTS account } } "
            + ASKED % "account: String"
            + "PLAN p { a.b = reason.account check(a.b) pay(1, a.b) }",
            False,
        ),
    ],
    "W115": [
        (
            PAY + ASKED % "f: Number" + "PLAN p { SET a.b = reason.f } POLICY { NEVER pay WHEN a.b > 0.5 }",
            True,
        ),
        (
            PAY
            + ASKED % "f: Number IN [0, 1]"
            + "PLAN p { SET a.b = reason.f } POLICY { NEVER pay WHEN a.b > 0.5 }",
            False,
        ),
    ],
}
ALL, NAMES = each(CASES)


@pytest.mark.parametrize(("code", "text", "has"), ALL, ids=NAMES)
def test_a_code_is_found_where_it_should_be_and_only_there(code: str, text: str, has: bool):
    assert is_found(code, text) == has


def test_messages_are_matched_without_case_and_a_broadcast_reaches_all_others():
    society = "AGENT a { PLAN p { MESSAGE m { %s } } } AGENT Bee { ON MESSAGE m { SET x = 1 } } AGENT c { }"
    for to in ("TO BEE", "BROADCAST"):
        codes = {problem.code for problem in check(society % to)}
        assert codes & {"E007", "W111", "W112"} == set()
    assert "W111" in {problem.code for problem in check(society % "TO c")}
