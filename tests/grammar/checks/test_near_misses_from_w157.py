"""Where a rule begins and ends, from W157 on, and programs that have none."""

from pathlib import Path

import pytest
from pieces_of_agents import PAY, Cases, each, fix_of, is_found, told

from agentl_grammar.checks import CODES, check
from agentl_grammar.parser import parse

ROOT = Path(__file__).parents[3]
OURS = [
    *sorted((ROOT / "tests" / "programs").rglob("*.agent")),
    *sorted((ROOT / "tests" / "grammar" / "samples").rglob("*.agent")),
    *sorted((ROOT / "tests" / "grammar" / "pointed").rglob("*.agent")),
    *sorted((ROOT / "docs").rglob("*.agent")),
]
NEW = {code for code in CODES if code >= "W157"}
IF = "PLAN p {\n  %s\n} PLAN q { } PLAN r { }"
WINDOW = "OBSERVE { window.state, a.b } TOOL shut { INPUT { door: String } OUTPUT { ok: Bool } } "
NEEDS = "TOOL pay { INPUT { amount: Number HIGH: Number } REQUIRES { %s } } "
CASES: Cases = {
    "W157": [
        ("TOOL t { RISK Hgih }", True),
        ("TOOL t { RISK DANGEROUS }", True),
        ("TOOL t { RISK { money: HIGH, privacy: LWO } }", True),
        ("TOOL t { RISK high }", False),
        ("TOOL t { RISK { severe: None, money: Moderate } }", False),
        ("TOOL t { RISK UNSET }", False),
        ("TOOL t { }", False),
    ],
    "W158": [
        (PAY + 'POLICY { ALLOW pay WHEN account == "a" OR "b" }', True),
        (PAY + 'POLICY { ALLOW pay WHEN "b" }', True),
        (PAY + 'POLICY { ALLOW pay WHEN account != "a" AND NOT "b" }', True),
        (PAY + 'POLICY { ALLOW pay WHEN amount < 5 AND (account == "a" OR "b" OR "c") }', True),
        (PAY + "POLICY { ALLOW pay WHEN amount == 5000 OR less }", True),
        (PAY + "POLICY { ALLOW pay WHEN a.b == HIGH OR CRITICAL }", True),
        (PAY + "POLICY { ALLOW pay WHEN TRUSTED AND amount <= 5 }", True),
        (PAY + "POLICY { ALLOW pay WHEN ATTESTED }", True),
        (PAY + "PLAN p WHEN a.b == 1 OR 2 { pay(1, 2) }", True),
        (PAY + "PLAN p { IF a.b == 1 AND UNTRUSTED THEN pay(1, 2) }", True),
        ("GOAL { TARGET { a.b == 1 OR 2 } }", True),
        (PAY + 'POLICY { ALLOW pay WHEN account == "a" OR account == "b" }', False),
        (PAY + "POLICY { ALLOW pay WHEN TRUSTED(account) AND amount <= 5 }", False),
        (PAY + "POLICY { ALLOW pay WHEN amount == 5000 OR true }", False),
        (PAY + "POLICY { ALLOW pay WHEN amount == 5000 OR account }", False),
        (PAY + "BELIEF { TRUSTED = true } POLICY { ALLOW pay WHEN TRUSTED }", False),
        (PAY + "BELIEF { less = true } POLICY { ALLOW pay WHEN amount == 5000 OR less }", False),
        (PAY + "POLICY { ALLOW pay WHEN less }", False),
        (PAY + "PLAN p WHEN a.b == 1 OR urgent { pay(1, 2) }", False),
        (PAY + "POLICY { ALLOW pay WHEN amount == 5000 OR a.b }", False),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1, 0.9 } }", False),
    ],
    "W159": [
        (PAY + "POLICY { NEVER pay WHEN a.b == (yes OR maybe) }", True),
        (PAY + "POLICY { NEVER pay WHEN a.b != (yes OR maybe) }", True),
        (PAY + 'POLICY { NEVER pay WHEN a.b == ("x" AND "y") }', True),
        (PAY + "POLICY { NEVER pay WHEN a.b == yes/maybe }", True),
        ("PLAN p { IF a.b == (1 OR 2 OR 3) THEN q } PLAN q { }", True),
        (PAY + "POLICY { NEVER pay WHEN a.b == yes OR a.b == maybe }", False),
        (PAY + "POLICY { NEVER pay WHEN a.b == (c.d OR maybe) }", False),
        (PAY + "POLICY { NEVER pay WHEN a.b == (c.d == 1 OR e.f == 2) }", False),
        (PAY + "BELIEF { maybe = true } POLICY { NEVER pay WHEN a.b == (yes OR maybe) }", False),
        (PAY + "POLICY { NEVER pay WHEN a.b == 1/2 }", False),
        (PAY + "POLICY { NEVER pay WHEN a.b == amount/2 }", False),
    ],
    "W160": [
        (IF % "IF a.b == 1 THEN\n    q\n    r", True),
        (IF % "IF a.b == 1 THEN\n    q\n    // then\n    r", True),
        (IF % "IF a.b == 1 THEN q ELSE\n    q\n    r", True),
        (IF % "IF a.b == 1 THEN q\n  ELSE IF c.d == 1 THEN\n    q\n    r", True),
        (IF % "IF a.b == 1 THEN\n    IF c.d == 1 THEN\n      q\n    r", True),
        (IF % "IF a.b == 1 THEN\n    IF c.d == 1 THEN\n      q\n      r", True),
        (IF % "IF a.b == 1 THEN q ELSE\n  r", True),
        (IF % "IF a.b == 1 THEN q\n  ELSE\n  r", True),
        (IF % "IF a.b == 1 THEN\n  q\n  r", True),
        (IF % "q\n  IF a.b == 1 THEN\n    q\n    r", True),
        (IF % "LOOP UNTIL a.b == 2 {\n  IF a.b == 1 THEN\n    q\n    r }", True),
        (IF % "IF a.b == 1 THEN\n    q\n  r", False),
        (IF % "IF a.b == 1 THEN {\n    q\n    r }", False),
        (IF % "IF a.b == 1 THEN {\n    q }\n    r", False),
        (IF % "IF a.b == 1 THEN q\n    r", False),
        (IF % "IF a.b == 1\n  THEN q\n  ELSE q\n  r", False),
        (IF % "IF a.b == 1 THEN\n    q\n  ELSE\n    r\n  q", False),
        (IF % "IF a.b == 1 THEN\n    q r", False),
        (IF % "IF a.b == 1 THEN q\n  ELSE IF c.d == 1 THEN\n    q\n  r", False),
        ("PLAN p {\nIF a.b == 1 THEN\nq\nr\n} PLAN q { } PLAN r { }", False),
        ("PLAN p { IF a.b == 1 THEN\n  q\n  r\n} PLAN q { } PLAN r { }", False),
    ],
    "W161": [
        (WINDOW + "PLAN p WHEN window.sate == open { q } PLAN q { }", True),
        (WINDOW + "PLAN p WHEN windwo.state == open { q } PLAN q { }", True),
        (WINDOW + "POLICY { NEVER shut WHEN NOT (window.sate == open) }", True),
        (WINDOW + "POLICY { NEVER shut WHEN tools.shtu.in_doubt == true }", True),
        (WINDOW + "POLICY { NEVER shut WHEN tools.shut.in_dobt == true }", True),
        (WINDOW + "POLICY { NEVER shut WHEN action.tol == x }", True),
        (WINDOW + "POLICY { NEVER shut WHEN action.args.dor == x }", True),
        (WINDOW + "PLAN p { VERIFY shut.okk == true }", True),
        (WINDOW + "PLAN p { shut(window.sate) }", True),
        (WINDOW + "PLAN p WHEN window.sate != open { q } PLAN q { }", False),
        (WINDOW + "PLAN p WHEN window.state == open { q } PLAN q { }", False),
        (WINDOW + "PLAN p WHEN window.frame == open { q } PLAN q { }", False),
        (WINDOW + "PLAN p WHEN window.state.since == open { q } PLAN q { }", False),
        ("OBSERVE { a.s1 } PLAN p WHEN a.s2 == open { q } PLAN q { }", False),
        ("OBSERVE { a.s a.bets } PLAN p WHEN a.t == 1 OR a.best == 1 { q } PLAN q { }", True),
        ("OBSERVE { a.s } PLAN p WHEN a.t == 1 { q } PLAN q { }", False),
        ("OBSERVE { a.bold a.cold } PLAN p WHEN a.told == 1 { q } PLAN q { }", False),
        ("OBSERVE { a.to } EVENT e { IF payload.ot == 1 THEN q } PLAN q { }", False),
        ("OBSERVE { a.list } PLAN p { FOREACH b IN a.list { IF b.lst == 1 THEN q } } PLAN q { }", False),
        (WINDOW + "BELIEF { window.sate = x } PLAN p WHEN window.sate == open { q } PLAN q { }", False),
    ],
    "W162": [
        (PAY + 'POLICY { NEVER * WHEN action.tool == "pya" }', True),
        (PAY + "POLICY { NEVER * WHEN action.tool IN [pay, pya] }", True),
        (PAY + 'POLICY { ALLOW * WHEN "other" != action.tool }', True),
        (PAY + "POLICY { NEVER * WHEN action.risk >= HGIH }", True),
        (PAY + 'POLICY { NEVER * WHEN action.tool == "pay" OR action.tool == pay }', False),
        (PAY + "POLICY { NEVER * WHEN action.risk >= high AND action.risk != SEVERE }", False),
        (PAY + "POLICY { NEVER * WHEN action.tool == a.b OR action.risk == c.d }", False),
        (PAY + "BELIEF { last = pay } POLICY { NEVER * WHEN action.tool == last }", False),
        (PAY + 'PLAN p { DELEGATE bot { TASK "x" } } POLICY { NEVER * WHEN action.tool == bot }', False),
        (PAY + 'POLICY { NEVER * WHEN action.args.account == "pya" }', False),
        (PAY + 'POLICY { NEVER * WHEN action.tool IN "payment" }', False),
        (PAY + "PLAN p { SET a.b = action.tool == pya }", False),
    ],
    "W163": [
        (PAY + "POLICY { ALLOW pay WHEN amount // 2 < 5\n}", True),
        (PAY + "POLICY { ALLOW pay WHEN a.b == 1 AND amount # 2 < 5\n DENY pay }", True),
        (PAY + "POLICY { ALLOW pay WHEN amount // 2.5 >= 5\n DENY pay WHEN amount > 5 }", True),
        (PAY + "POLICY { ALLOW pay WHEN amount // 2 of them\n}", False),
        (PAY + "POLICY { ALLOW pay WHEN amount // amount < 5\n}", False),
        (PAY + "POLICY { ALLOW pay WHEN amount < 5 // 2 < 5\n}", False),
        (PAY + "POLICY { ALLOW pay WHEN amount\n // 2 < 5\n}", False),
        (PAY + "POLICY { ALLOW pay // 2 < 5\n}", False),
    ],
    "W164": [
        (NEEDS % "amount < 100", True),
        (NEEDS % "100 > amount", True),
        (NEEDS % "x.y < amount", True),
        (NEEDS % "amount != 100", True),
        (NEEDS % "amount IN [1, 2]", True),
        (NEEDS % "NOT (amount > 100)", True),
        (NEEDS % "a.b == 1 AND (c.d == 2 OR amount < 100)", True),
        (NEEDS % "a.b == amount", False),
        (NEEDS % "a.b IN [amount, x]", False),
        (NEEDS % "a.b >= HIGH", False),
        (NEEDS % "a.b < 100", False),
        (NEEDS % "amount.left < 100", False),
        (NEEDS % "size < 100", False),
        ("OBSERVE { amount } " + NEEDS % "amount < 100", False),
        ("BELIEF { amount = 1 } " + NEEDS % "amount < 100", False),
        ("PLAN p { SET amount = 1 } " + NEEDS % "amount < 100", False),
        ("MEMORY { SHORT_TERM amount } " + NEEDS % "amount < 100", False),
        ("MEMORY { WRITE { STORE a.b INTO LONG_TERM.amount } } " + NEEDS % "len(amount) < 100", False),
        ("TOOL s { OUTPUT { amount: Number } } " + NEEDS % "amount < 100", False),
        ("TOOL s { EFFECT { amount = 1 } } " + NEEDS % "amount < 100", False),
        ("TOOL s { INPUT { size: Number } } " + NEEDS % "size < 100", False),
    ],
    "W135": [
        (WINDOW + "PLAN p WHEN window.sate != open { q } PLAN q { }", True),
        (WINDOW + "PLAN p WHEN NOT (window.sate == open) { q } PLAN q { }", True),
    ],
    "W137": [
        (PAY + "POLICY { ALLOW pay WHEN amount == 5000 OR less }", False),
        (PAY + "POLICY { ALLOW pay WHEN TRUSTED }", False),
        (PAY + "POLICY { ALLOW pay WHEN less }", True),
    ],
}
ALL, NAMES = each(CASES)


@pytest.mark.parametrize(("code", "text", "has"), ALL, ids=NAMES)
def test_a_code_is_found_where_it_should_be_and_only_there(code: str, text: str, has: bool):
    assert is_found(code, text) == has


@pytest.mark.parametrize(
    ("code", "text", "says", "fix"),
    [
        ("W157", "TOOL t { RISK Hgih }", "did you mean HIGH?", ("HIGH", False)),
        ("W157", "TOOL t { RISK LWO }", "did you mean LOW?", ("LOW", True)),
        (
            "W158",
            PAY + 'POLICY { ALLOW pay WHEN account == "a" OR "b" OR "c" }',
            'write account IN ["a", "b", "c"]',
            ('account IN ["a", "b", "c"]', True),
        ),
        (
            "W158",
            PAY + "POLICY { ALLOW pay WHEN amount == 5000 OR less }",
            "write amount <= 5000",
            ("amount <= 5000", True),
        ),
        (
            "W158",
            PAY + 'POLICY { ALLOW pay WHEN account != "a" AND "b" }',
            'compare it: account != "b"',
            None,
        ),
        (
            "W158",
            PAY + "POLICY { ALLOW pay WHEN TRUSTED AND amount <= 5 }",
            "write TRUSTED(path | action)",
            None,
        ),
        (
            "W158",
            PAY + "POLICY { ALLOW pay WHEN amount <= 5000 OR less }",
            "compare it with something, or remove it",
            None,
        ),
        (
            "W158",
            PAY + 'POLICY { ALLOW pay WHEN "b" }',
            "compare it with something, or remove it",
            None,
        ),
        (
            "W159",
            PAY + "POLICY { NEVER pay WHEN a.b == (yes OR maybe) AND amount > 5 }",
            "write a.b IN [yes, maybe]",
            ("a.b IN [yes, maybe]", True),
        ),
        (
            "W159",
            PAY + "POLICY { NEVER pay WHEN a.b != (yes OR maybe) }",
            "write NOT (a.b IN [yes, maybe])",
            ("NOT (a.b IN [yes, maybe])", True),
        ),
        (
            "W160",
            IF % "IF a.b == 1 THEN\n    q\n    r",
            "write braces around what belongs together: THEN { … }",
            ("{ ", True),
        ),
        (
            "W160",
            IF % "IF a.b == 1 THEN q ELSE\n  r",
            "indent it, or write braces: ELSE { … }; else remove ELSE",
            None,
        ),
        (
            "W161",
            WINDOW + "POLICY { NEVER shut WHEN window.sate == open }",
            "did you mean window.state?",
            ("window.state", True),
        ),
        (
            "W103",
            "OBSERVE { window.state, a.b } PLAN p WHEN window.sate == open AND a.b == 1 { p }",
            "did you mean it where window.sate stands?",
            None,
        ),
        (
            "W103",
            "OBSERVE { window.state, a.b } PLAN p WHEN a.b == 1 { p }",
            "leave it out, or read it where it matters",
            ("", False),
        ),
        (
            "W162",
            PAY + 'POLICY { NEVER * WHEN action.tool == "pya" }',
            "did you mean pay?",
            ("pay", True),
        ),
        (
            "W162",
            PAY + "POLICY { NEVER * WHEN action.tool == refund }",
            "write the name of a tool that is declared",
            None,
        ),
        (
            "W162",
            PAY + "POLICY { NEVER * WHEN action.risk >= HGIH }",
            "did you mean HIGH?",
            ("HIGH", True),
        ),
        (
            "W163",
            PAY + "POLICY { ALLOW pay WHEN amount // 2 < 5\n}",
            "write `/` to divide; a comment that is meant begins with a word",
            None,
        ),
        (
            "W164",
            NEEDS % "a.b == 1 AND amount < 100",
            "a rule of POLICY sees them: NEVER pay WHEN amount >= 100",
            None,
        ),
        (
            "W164",
            NEEDS % "NOT (amount > 100)",
            "a rule of POLICY sees them: NEVER pay WHEN amount > 100",
            None,
        ),
        (
            "W164",
            NEEDS % "amount < 100 OR a.b == 1",
            "a rule of POLICY sees them: NEVER pay WHEN NOT (amount < 100 OR a.b == 1)",
            None,
        ),
        ("W157", "TOOL t { RISK danger }", "write one of LOW, MEDIUM, HIGH, CRITICAL", None),
    ],
)
def test_what_is_to_be_done(code: str, text: str, says: str, fix: tuple[str, bool] | None):
    problem = told(text, code)
    assert str(problem.hint) == says
    assert fix_of(problem) == fix


@pytest.mark.parametrize("path", OURS, ids=[path.stem for path in OURS])
def test_no_program_of_ours_has_one(path: Path):
    found = {problem.code for problem in check(parse(path.read_text(encoding="utf-8")))}
    assert not found & NEW


def test_there_are_programs():
    assert len(OURS) > 15
