"""Where a rule begins and ends, from W148 on, what E002 says of a statement, and programs that have none."""

from pathlib import Path

import pytest
from pieces_of_agents import PAY, Cases, each, fix_of, is_found, told

from agentl_grammar.checks import check
from agentl_grammar.parser import parse

ROOT = Path(__file__).parents[3]
PROGRAMS = [
    *sorted((ROOT / "tests" / "programs").rglob("*.agent")),
    *sorted((ROOT / "docs" / "examples").glob("*.agent")),
]
RETRY = "PLAN p { VERIFY { a.b == 1 ON FAIL { RETRY%s } } }"
CASES: Cases = {
    "W148": [
        ("SCENARIO s { EXPECT { NO ERROR } }", False),
        ("GOAL { a.b == 1 RO c.d == 2 }", True),
        ("GOAL { a.b == 1 or c.d == 2 WEIGHT 3 }", True),
        ("GOAL { a.b == 1 c.d == 2 }", True),
        ("GOAL { a.b == 1, c.d == 2 }", True),
        ("GOAL { NTO a.b == 1 }", True),
        ("GOAL { MAINTIAN a.b == 1 }", True),
        ("GOAL { MAINTAIN a.b == 1 ACHIEVE c.d == 2 }", True),
        ("GOAL { a.b == 1 WEIGHT 2 c.d == 2 }", True),
        ("GOAL { a.b == 1 OR c.d == 2 }", False),
        ("GOAL shut { MAINTAIN: a.b == 1, TARGET: c.d == 2, WEIGHT = 2 }", False),
        ("GOAL { MAINTAIN (a.b == 1) TARGET { c.d == 2 e.f == 3 } }", False),
        ("GOAL { /* x RO y */ a.b == 1 # b == 2\n }", False),
        ('GOAL { len(a.b) > 1 TARGET e.f == "a RO b" }', False),
        ("GOAL { TARGET a.b == 1 WEIGHT 2 WEIGHT 3 }", False),
        ("GOAL { TARGET { a.b == 1 ADN c.d == 2 } }", True),
        ("GOAL { TARGET { a.b == 1 and c.d == 2 } }", True),
        ("GOAL { TARGET { a.b == 1 DONE } }", False),
        ("GOAL { TARGET { a.b == 1 O } }", False),
        ("OBSERVE { ADN } GOAL { TARGET { a.b == 1 ADN } }", False),
        ("BELIEF { ADN = 1 } GOAL { TARGET { a.b == 1 ADN } }", False),
        ("SCENARIO s { EXPECT { a.b == 1 AN c.d == 2 } }", True),
        ("SCENARIO s { EXPECT { not a.b == 1 } }", True),
        ("SCENARIO s { EXPECT { a.b == 1 c.d == 2 } }", False),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 RO c.d == 2 LIKELIHOOD 0.9 } }", True),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1, c.d == 2 LIKELIHOOD 0.9 } }", False),
    ],
    "W149": [
        ("PLAN q { q } ON MESSAGE\n OBSERVE { q }", True),
        ("PLAN q { q } ON MESSAGE # what\n OBSERVE { q }", True),
        ("PLAN q { q } ON MESSAGE OBSERVE { q }", False),
        ("PLAN q { q } ON MESSAGE OBSERVE\n { q }", False),
        ('PLAN q { q } ON MESSAGE\n "OBSERVE" { q }', False),
        ("PLAN q { q } ON MESSAGE\n paid { q }", False),
        ("PLAN\n GOAL { q }", True),
        ("TOOL\n GOAL { COST 1 }", True),
        ("PLAN q { STEP\n VERIFY { q } }", True),
        ("PLAN q { STEP VERIFY { q }\n STEP\n two { q } }", False),
        ("SCENARIO\n GIVEN { EXPECT NO ERROR }", True),
        ("HYPOTHESIS\n PRIOR { PRIOR 0.2 }", True),
    ],
    "W150": [
        ("OBSERVE { d.s } PLAN q { q } LOOP { VERIFY d.s == 1 EXECUTE }", True),
        ("OBSERVE { d.s } PLAN q { q } LOOP { VERIFY { d.s == 1 ON FAIL { ESCALATE } } q }", True),
        ("OBSERVE { d.s } PLAN q { q } LOOP { OBSERVE VERIFY d.s == 1 }", False),
        ("OBSERVE { d.s } PLAN q { q } LOOP { OBSERVE VERIFY EXECUTE }", False),
        ("OBSERVE { d.s } PLAN q { VERIFY d.s == 1 q } LOOP { q EXECUTE }", False),
        ("OBSERVE { d.s } PLAN q { q } LOOP { IF d.s == 1 THEN { VERIFY d.s == 1 q } EXECUTE }", False),
    ],
    "W151": [
        ("SCENARIO s { EXPECT { NO ERROR } }", True),
        ("SCENARIO s { EXPECT { CALL pay } }", True),
        ("SCENARIO s { EXPECT { a.b == 1, BLOCKED pay } }", True),
        ("SCENARIO s { EXPECT NO ERROR }", False),
        ("SCENARIO s { EXPECT { call, no, event } }", False),
        ("GOAL { TARGET { CALL } }", False),
        ("PLAN p { REASON { PRODUCE { n: Number BETWEEN 0 AND 1 } } }", True),
        ("PLAN p { REASON { PRODUCE { n: Number MIN 0 } } }", True),
        ("PLAN p { REASON { PRODUCE { n: Number DEFALT 0 } } }", True),
        ("PLAN p { REASON { PRODUCE { n: Number 5 } } }", True),
        ("PLAN p { REASON { PRODUCE { n: Number, BETWEEN, 0, AND, 1 } } }", False),
        ("PLAN p { REASON { PRODUCE { n: Number\n BETWEEN\n 5 } } }", False),
        ('PLAN p { REASON { PRODUCE { n: Number "BETWEEN" } } }', False),
        ("PLAN p { REASON { PRODUCE { 0: Number 1: Number MIN: Number MAX: Number } } }", False),
        ("PLAN p { REASON { PRODUCE { a b CODE } } }", False),
        ("PLAN p { REASON { PRODUCE { a, Number } } }", True),
        ("TOOL t { OUTPUT { ok: Bool OPTIONAL } }", True),
        ("TOOL t { OUTPUT { ok: Bool OPTIONAL: Bool } }", False),
        ("TOOL t { OUTPUT { OPTIONAL ok: Bool } }", False),
        ("TOOL t { INPUT { to: String REQUIRED n: Number } }", True),
        ("TOOL t { INPUT { to: String NOT NULL } }", True),
        ("TOOL t { INPUT { to String } }", True),
        ("TOOL t { INPUT { String to } }", True),
        ("TOOL t { INPUT { string to number } }", False),
        ("TOOL t { INPUT { to: String BINDS other } }", True),
        ("TOOL t { INPUT { to: String GOAL POLICY } }", True),
        ("TOOL t { INPUT { to: String, GOAL, POLICY } }", False),
        ("TOOL t { SIDE_EFFECT { a.b c.d OPTIONAL } }", True),
        ("TOOL t { EFFECT { a.b = 1 INTERNL c.d } }", True),
        ("TOOL t { EFFECT { a.b = 1 INTERNL = 2 } }", False),
        ("TOOL { pay(n: Number) RISK HIGH }", True),
        ("TOOL { pay(n: Number) Bool }", True),
        ("TOOL { pay(n: Number) refund(n: Number) close }", False),
        ("TOOL { pay(n: Number), RISK }", False),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 LIKELYHOOD 0.9 } }", True),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 likelihood 0.9 } }", True),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 GIVENNOT 0.1 } }", True),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1, 0.9 } }", True),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 LIKELIHOOD 0.9 seen } }", False),
        ("BELIEF { a = 1 CONFIDNCE 0.5 }", True),
        ("BELIEF { a = 1 SORCE me }", True),
        ("BELIEF { a = 1 source = me }", False),
        ("BELIEF { a = 1, CONFIDNCE 0.5 }", False),
        ("OBSERVE { a.b c.d WEN e }", True),
        ("OBSERVE { a.b AS c }", True),
        ("OBSERVE { a.b WHEN c e f }", False),
        ("MEMORY { LONG_TERM a SHORTTERM b }", True),
        ("MEMORY { LONG_TERM { a } SHORT_TERM { b } c d }", False),
        ("PLAN p { REASON { USING { a.b OF c.d } PRODUCE { e } } }", True),
        ("PLAN p { REASON { USING { a.b c.d E } PRODUCE { e } } }", False),
        ('PLAN p { DELEGATE bot { TASK "x" INPUT { a AS b } EXPECT { c } } }', True),
        ('PLAN p { DELEGATE bot { TASK "x" INPUT { a } EXPECT { c OPTIONAL } } }', True),
        ("GOAL { TARGET { a.b == 1 WIEGHT 2 } }", True),
        ("GOAL { TARGET { a.b == 1 c.d } WEIGHT 2 }", False),
        ("SCENARIO s { EXPECT { a.b == 1 WITHN 5 } }", True),
        ("SCENARIO s { EXPECT { a.b == 1 } WITHIN 5 }", False),
    ],
    "W152": [
        (PAY + 'PLAN p { pay(account == "x", amount = 5) }', True),
        (PAY + 'PLAN p { pay(account = "x", amount = 5) }', False),
        (PAY + 'PLAN p { pay(5, other == "x") }', False),
        (PAY + 'PLAN p { pay(5, account != "x") }', False),
        (PAY + 'PLAN p { pay(5, account = account == "x") }', False),
        (PAY + 'BELIEF { account = y } PLAN p { pay(5, account == "x") }', False),
        (PAY + 'OBSERVE { account } PLAN p { pay(5, account == "x") }', False),
        (PAY + 'PLAN p { FOREACH account IN l { pay(5, account == "x") } }', False),
    ],
    "W153": [
        (PAY + "POLICY { NEVER pay WHEN amount > 2026-7-1 }", True),
        (PAY + "POLICY { NEVER pay WHEN amount > 2026/07/26 }", True),
        (PAY + "POLICY { NEVER pay WHEN amount > 26/7/2026 }", True),
        (PAY + "POLICY { NEVER pay WHEN amount > 2026-07-26 }", False),
        (PAY + "POLICY { NEVER pay WHEN amount > 2026 - 7 - 1 }", False),
        (PAY + "POLICY { NEVER pay WHEN amount > 2026-70-1 }", False),
        (PAY + "POLICY { NEVER pay WHEN amount > 10-5-3 }", False),
        (PAY + "POLICY { NEVER pay WHEN amount > 100/10/2 }", False),
        (PAY + "PLAN p { pay(1 000) }", True),
        (PAY + "PLAN p { pay(1, 000) }", False),
        (PAY + "PLAN p { pay(5 minutes) }", True),
        (PAY + "BELIEF { minutes = 1 } PLAN p { pay(5 minutes) }", False),
        (PAY + "PLAN p { pay(5 account) }", False),
        (PAY + "POLICY { NEVER pay WHEN amount IN [1 000 000, 5] }", True),
        (PAY + "POLICY { NEVER pay WHEN amount IN [1 500 200] }", False),
        (PAY + "POLICY { NEVER pay WHEN amount IN [5 hours] }", True),
    ],
    "W154": [
        (PAY + "POLICY { ALLOW pay\n WHEN amount > 5 DENY pay }", True),
        (PAY + "POLICY { ALLOW pay // small\n IF amount > 5 DENY pay WHEN amount > 6 }", True),
        (PAY + "POLICY { DENY *\n WHEN a.b == 1 NEVER SEND a.b }", True),
        (PAY + "POLICY { DENY pay\n WHEN a.b == 1 DEFAULT ALLOW }", True),
        (PAY + "POLICY { ALLOW pay\n WHEN amount < 5\n DENY pay }", False),
        (PAY + "POLICY { ALLOW pay\n WHEN amount < 5 }", False),
        (PAY + "POLICY { ALLOW\n pay WHEN amount < 5 DENY pay }", False),
        (PAY + "POLICY { ALLOW pay WHEN amount < 5 // small\n DENY pay WHEN amount > 5 }", False),
        (PAY + "POLICY { ALLOW pay WHEN amount < 5 DENY pay WHEN amount > 5 }", False),
    ],
    "W155": [
        (PAY + "POLICY { NEVER pay WHEN a.b == True }", True),
        (PAY + "POLICY { NEVER pay WHEN NOT (a.b != YES) }", True),
        (PAY + "POLICY { NEVER pay WHEN a.b IN [Off, no] }", True),
        (PAY + "PLAN p WHEN a.b == Null { pay(1, 2) }", True),
        ("SCENARIO s { EXPECT { a.b == False } }", True),
        (PAY + "POLICY { NEVER pay WHEN a.b == true }", False),
        (PAY + "POLICY { NEVER pay WHEN a.b == Open }", False),
        (PAY + 'POLICY { NEVER pay WHEN a.b == "True" }', False),
        (PAY + "BELIEF { a.b = True } POLICY { NEVER pay WHEN a.b == True }", False),
        (PAY + "PLAN p { REASON { PRODUCE { x: Symbol IN [Yes, No] } } IF x == Yes THEN pay(1, 2) }", False),
        (PAY + "OBSERVE { On } PLAN p WHEN On == 1 { pay(1, 2) }", False),
    ],
    "W156": [
        ("PLAN p { REASON { PRODUCE { x: Symbol DEFAULT a IN [a, b] } } }", True),
        ("PLAN p { REASON { PRODUCE { x DEFAULT a IN [a, b] } } }", True),
        ("PLAN p { REASON { PRODUCE { x: Symbol IN [a, b] DEFAULT a } } }", False),
        ("PLAN p { REASON { PRODUCE { x: Bool DEFAULT a == b } } }", False),
    ],
    "W137": [
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 LIKELYHOOD 0.9 } }", False),
        ("HYPOTHESIS h { EVIDENCE { a.b == 1 LIKELY } }", True),
    ],
    "E002": [
        (RETRY % " three", True),
        (RETRY % " p", False),
        ("PLAN p { ROLBACK }", True),
        ("PLAN ROLBACK { ROLLBACK } PLAN p { ROLBACK }", False),
    ],
}
ALL, NAMES = each(CASES)


@pytest.mark.parametrize(("code", "text", "has"), ALL, ids=NAMES)
def test_a_code_is_found_where_it_should_be_and_only_there(code: str, text: str, has: bool):
    assert is_found(code, text) == has


@pytest.mark.parametrize(
    ("code", "text", "says", "fix"),
    [
        ("W148", "GOAL { a.b == 1 RO c.d == 2 }", "did you mean OR?", ("OR", True)),
        ("W148", "GOAL { NTO a.b == 1 }", "did you mean NOT?", ("NOT", True)),
        ("W148", "GOAL { MAINTIAN a.b == 1 }", "did you mean MAINTAIN?", ("MAINTAIN", True)),
        (
            "W148",
            "GOAL { a.b == 1 c.d == 2 }",
            "join them with AND or OR, or write what must hold as well behind TARGET",
            None,
        ),
        (
            "W151",
            "PLAN p { REASON { PRODUCE { n: Number BETWEEN 0 AND 1 } } }",
            "write the least and the greatest value in brackets: n: Number IN [0, 1]",
            None,
        ),
        (
            "W151",
            "PLAN p { REASON { PRODUCE { n: Number DEFALT 0 } } }",
            "did you mean DEFAULT?",
            ("DEFAULT", True),
        ),
        (
            "W151",
            "TOOL t { OUTPUT { ok: Bool OPTIONAL } }",
            "remove it: a field has a name and a type; a comma stands before what is a field",
            None,
        ),
        (
            "W151",
            "TOOL t { OUTPUT { ok Bool } }",
            "write `:` between the name of a field and its type, a comma between two fields",
            None,
        ),
        (
            "W151",
            "TOOL { pay(n: Number) RISK HIGH }",
            "write TOOL pay { … } for a tool that has more than parameters",
            None,
        ),
        (
            "W151",
            "OBSERVE { a.b AS c }",
            "remove it, or write a comma before it if it is one more",
            None,
        ),
        (
            "W151",
            "HYPOTHESIS h { EVIDENCE { a.b == 1 0.9 } }",
            "write LIKELIHOOD before a number; alone it is evidence that always holds",
            None,
        ),
        (
            "W151",
            "SCENARIO s { EXPECT { a.b == 1 5 } }",
            "remove it, or compare it: a number alone always holds",
            None,
        ),
        ("W151", "SCENARIO s { EXPECT { a.b == 1 WITHN 5 } }", "write WITHIN behind the braces", None),
        (
            "W152",
            PAY + 'PLAN p { pay(5, account == "x") }',
            "write account = … to give the parameter account its value",
            ("=", True),
        ),
        (
            "W151",
            "SCENARIO s { EXPECT { NO ERROR } }",
            "write it behind EXPECT itself, without braces: EXPECT NO ERROR",
            None,
        ),
        (
            "W155",
            "POLICY { NEVER pay WHEN a.b == True }",
            "write true; in quotes, True is the text",
            ("true", True),
        ),
        (
            "W156",
            "PLAN p { REASON { PRODUCE { x: Symbol DEFAULT a IN [a, b] } } }",
            "write the domain first: x: Symbol IN [a, b] DEFAULT a",
            ("x: Symbol IN [a, b] DEFAULT a", True),
        ),
        (
            "W153",
            "PLAN p { SET x = 2026-7-1 }",
            "a date is written with two digits for month and day: 2026-07-01",
            ("2026-07-01", True),
        ),
        (
            "W153",
            "PLAN p { SET x = 26/7/2026 }",
            "a date begins with its year, and has `-` between its parts: 2026-01-31",
            None,
        ),
        (
            "W153",
            PAY + "PLAN p { pay(1 000 000) }",
            "write 1000000 for one number, or a comma between two",
            ("1000000", True),
        ),
        ("W149", "PLAN\n GOAL { p }", "write the name behind PLAN, on its line", None),
        ("E002", RETRY % " three", "write how often in digits: RETRY 3", ("3", False)),
        ("E002", RETRY % " often", "write how often in digits: RETRY 3", None),
        ("E002", RETRY % "\n three", "declare it: PLAN three { … }", None),
        ("E002", "PLAN p { SET w.w = 5 minutes }", "write `5min`", ("5min", False)),
        ("E002", 'PLAN p { ASK bob "x" TIMEOUT 1.5  hours ESCALATE }', "write `1.5h`", ("1.5h", False)),
        (
            "E002",
            'PLAN p { ASK bob "x" TIMEOUT 2 weeks }',
            "write the number of days: 7d for a week, 30d for a month, 365d for a year",
            None,
        ),
        ("E002", "PLAN p { SET w.w = 50 percent }", "write `50%`", ("50%", False)),
        ("E002", "PLAN p { SET w.w = 5\n minutes }", "declare it: PLAN minutes { … }", None),
        ("E002", RETRY % " 3 minutes", "declare it: PLAN minutes { … }", None),
        ("E002", "PLAN p { ROLBACK }", "did you mean ROLLBACK?", ("ROLLBACK", True)),
        ("E002", "PLAN p { escalate }", "did you mean ESCALATE?", ("ESCALATE", True)),
        ("E002", "LOOP { OBSRVE EXECUTE }", "did you mean OBSERVE?", ("OBSERVE", True)),
        ("E002", "PLAN retries { retris }", "did you mean retries?", ("retries", False)),
    ],
)
def test_what_is_to_be_done(code: str, text: str, says: str, fix: tuple[str, bool] | None):
    problem = told(text, code)
    assert str(problem.hint) == says
    assert fix_of(problem) == fix


@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_no_program_of_ours_has_one(path: Path):
    found = {problem.code for problem in check(parse(path.read_text(encoding="utf-8")))}
    assert not found & {"W148", "W149", "W151", "W152", "W153", "W154", "W155", "W156"}


def test_there_are_programs():
    assert len(PROGRAMS) > 15
