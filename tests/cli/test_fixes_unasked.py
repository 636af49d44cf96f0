"""What `--fix` writes unasked in rules, guards and arguments is the one thing that is meant, or nothing."""

# ruff: noqa: RUF001 (the signs that look alike are meant)

import pytest

from agentl.fixing import fixed
from agentl_grammar.parser import parse

RULE = "AGENT a {\n  POLICY {\n    DEFAULT DENY\n    %s\n  }\n}\n"
STATEMENT = "AGENT a {\n  PLAN p {\n    %s\n  }\n}\n"
MEMBER = "AGENT a {\n  %s\n}\n"
# The wrong text, and what it can only mean; nothing where two meanings are left, or none that is written so.
RULES = {
    "DISALLOW pay": "DENY pay",
    "FORBID pay": "DENY pay",
    "PROHIBIT pay WHEN x": "DENY pay WHEN x",
    "REJECT pay": "DENY pay",
    "BLOCK pay": "DENY pay",
    "APPROVE pay": None,
    "PERMIT pay": None,
    "ALOW pay": "ALLOW pay",
    "DNEY pay": "DENY pay",
    "UNALLOW pay": None,
    "NOALLOW pay": None,
    "NOTALLOW pay": None,
    "NO_ALLOW pay": None,
    "UNDENY pay": None,
    "NODENY pay": None,
    "ALLOWED pay": None,
    "WHENEVER pay": None,
    "REQUIRE DISAPPROVAL FOR pay": None,
    "ALLOW pay WEHN x": "ALLOW pay WHEN x",
    "ALLOW pay WHENEVER x": "ALLOW pay WHEN x",
    "ALLOW pay UNWHEN x": None,
    "ALLOW pay NIF x": None,
    "ALLOW pay UNLESS x": None,
    "ALLOW pay UNTIL spent.total > 100": None,
    "ALLOW pay until spent.total > 100": None,
    "NEVER pay UNTIL account.verified == yes": None,
    "ALLOW pay WHEN go NIN [yes, maybe]": "ALLOW pay WHEN NOT go IN [yes, maybe]",
    "ALLOW pay WHEN go NOT_IN [yes, maybe]": "ALLOW pay WHEN NOT go IN [yes, maybe]",
    "NEVER pay WHEN a.b not in [x, y]": "NEVER pay WHEN NOT a.b IN [x, y]",
    "ALLOW pay WHEN a + b NIN [1]": None,
    "ALLOW pay WHEN a == yes NAND b == yes": None,
    "ALLOW pay WHEN a == yes NOR b == yes": None,
    "ALLOW pay WHEN a == yes XOR b == yes": None,
    "ALLOW pay WHEN a == yes xor b == yes": None,
    "ALLOW pay WHEN a ANY [x]": None,
    "ALLOW pay WHEN ¬account.blocked == yes": "ALLOW pay WHEN NOT account.blocked == yes",
    "ALLOW pay WHEN ￢account.blocked == yes": "ALLOW pay WHEN NOT account.blocked == yes",
    "ALLOW pay WHEN ∄ x": None,
    "ALLOW pay WHEN x ∈ y": "ALLOW pay WHEN x IN y",
    "ALLOW pay WHEN x ∉ y": None,
    "ALLOW pay WHEN x == 1 ∧ y == 2": "ALLOW pay WHEN x == 1 AND y == 2",
    "ALLOW pay WHEN x == 1 ∨ y == 2": "ALLOW pay WHEN x == 1 OR y == 2",
    "ALLOW pay WHEN a.b -= 3": None,
    "ALLOW pay WHEN == yes": None,
    "ALLOW pay WHEN a == b AND == c": None,
    'ALLOW pay WHEN to =~ "^DE"': None,
    "ALLOW pay WHEN amount =! 5": None,
    "ALLOW pay WHEN amount < 1 000": "ALLOW pay WHEN amount < 1000",
    "ALLOW pay WHEN amount < 1 000 000.5 AND x": "ALLOW pay WHEN amount < 1000000.5 AND x",
    "ALLOW pay WHEN amount < 1 00": None,
    "ALLOW pay WHEN amount < 100 100 200": None,
    "ALLOW pay WHEN amount < 0 100": None,
    "ALLOW pay WHEN age < 5 minutes": "ALLOW pay WHEN age < 5min",
    "ALLOW pay WHEN age < 10 sec AND x": "ALLOW pay WHEN age < 10s AND x",
    "ALLOW pay WHEN age < 1 d": "ALLOW pay WHEN age < 1d",
    "ALLOW pay WHEN age < 1h 30m": None,
    'ALLOW pay WHEN iban == "a" or "b"': None,
    "ALLOW pay WHEN amount <= 5000 || equal": None,
    'ALLOW pay WHEN iban != "bad AND amount < 5': None,
    'ALLOW pay WHEN iban == "a" or iban == "b"': 'ALLOW pay WHEN iban == "a" OR iban == "b"',
    "ALLOW pay WHEN amount ** 2 < 5": None,
    "NEVER pay WHEN a.b == yes WHEN a.c > 5": None,
    "ALLOW pay WHEN a.b == yes WHEN a.c > 5": "ALLOW pay WHEN a.b == yes AND a.c > 5",
    "REQUIRE HUMAN APPROVAL FOR pay": "REQUIRE APPROVAL FOR pay",
    "REQUIRE NO APPROVAL FOR pay": None,
    "REQUIRE amount < 100 FOR pay": None,
    "NOT ALLOW pay WHEN x": None,
    "ALLOW DEFAULT": None,
    "ALLOW pay NEVER WHEN x": None,
    "ALLOW !pay": None,
    'DENY pay WHEN account.blocked == "yes”': 'DENY pay WHEN account.blocked == "yes"',
    'DENY pay WHEN account.blocked == "a “b” c”': None,
}
STATEMENTS = {
    "pay(amount = 50¢)": None,
    "pay(amount = 10‰)": None,
    "pay(amount = 1·5)": None,
    "pay(amount = 1٫5)": None,
    "pay(amount = √16)": None,
    "pay(amount = ±3)": None,
    "pay(amount = 10 · 3)": None,
    "pay(amount = 10 ± 3)": None,
    "pay(amount = 10 ∕ 4)": "pay(amount = 10 / 4)",
    "pay(amount = 10 ⁄ 4)": "pay(amount = 10 / 4)",
    "pay(amount = 10 ∗ 4)": "pay(amount = 10 * 4)",
    "pay(amount = 10 ⋅ 4)": "pay(amount = 10 * 4)",
    'pay(note = "x”)': 'pay(note = "x")',
    'pay(note = "x”, amount = 1)': None,
    "pay(a; b)": None,
    "IF a == b OR ¬c THEN pay(amount = 3)": "IF a == b OR NOT c THEN pay(amount = 3)",
    "SET x -= 3": "SET x = x - 3",
    "SET x.y += 3": "SET x.y = x.y + 3",
    "x -= 3": "x = x - 3",
    "x -= a + b": None,
    "x *= 3 + 2": None,
    "SET a = 5; -3": None,
    "SET a = 1; b()": "SET a = 1 b()",
    "SET a = $ b()": None,
    "FOREACH x IN y MIN 3 { f() }": None,
    "NOVERIFY x == 1": None,
    'send("to": "bob")': 'send(to: "bob")',
    'send("to the": "bob")': None,
    "ESCALATE: p": None,
    "-- a note\n    f()": "# a note\n    f()",
    "<!-- a note -->\n    f()": "/* a note */\n    f()",
    "RETRY: 3": "RETRY 3",
    "VERIFY a == 1; b()": "VERIFY a == 1 b()",
}
MEMBERS = {
    "TOOL t { EFFECT { paid.total -= 1 } }": "TOOL t { EFFECT { paid.total = paid.total - 1 } }",
    "BELIEF { p -= 1 }": "BELIEF { p = p - 1 }",
    "PLANNER { MIN_DEPTH 3 }": None,
    "PLANNER { MIN_NODES 3 }": None,
    "HYPOTHESIS h { PRIOR 0.5 MIN_EVIDENCE 3 }": None,
    "OBSERVE { x UNTIL c }": None,
    "EVENT e { UNTIL c }": None,
    "PLAN q UNTIL c { f() }": None,
    "MEMORY { WRITE { UNTIL c STORE x } }": None,
    "SCENARIO s { UNEXPECT { a == b } }": None,
    "SCENARIO s { EXPECT UNBLOCKED pay }": None,
    "TOOL t { NO_SIDE_EFFECT yes }": None,
    "POLICY { DEFAULT DISALLOW }": "POLICY { DEFAULT DENY }",
    "POLICY { DEFAULT ALOW }": "POLICY { DEFAULT ALLOW }",
    "POLICY { DEFAULT NOTALLOW }": None,
    "POLICY { DEFAULT NO_ALLOW }": None,
    "POLICY { DEFAULT UNALLOW }": None,
    "GOAL g { MAINTAIN x == 1; y == 2 }": None,
    "GOAL g { MAINTAIN x == 1;\n # and\n y == 2 }": None,
    "GOAL { ACHIEVE x == 1: y == 2 }": None,
    "GOAL { x == 1; y == 2 }": None,
    "GOAL { x == 1; WEIGHT 2 }": "GOAL { x == 1 WEIGHT 2 }",
    "GOAL { TARGET { x == 1: y == 2 } }": None,
    "TOOL t { REQUIRES { x == 1; y == 2 } }": None,
    "TOOL t { REQUIRES x == 1; COST 2 }": "TOOL t { REQUIRES x == 1 COST 2 }",
    "TOOL t { INPUT { to; String } }": None,
    "TOOL t { INPUT { to: String; amount: Number } }": "TOOL t { INPUT { to: String amount: Number } }",
    "HYPOTHESIS h { PRIOR 0.2 EVIDENCE { x; y } }": None,
    "HYPOTHESIS h { PRIOR 0.2 EVIDENCE { x LIKELIHOOD 0.9; y } }": None,
    "HYPOTHESIS h { EVIDENCE { x: 0.9 } }": "HYPOTHESIS h { EVIDENCE { x LIKELIHOOD 0.9 } }",
    "HYPOTHESIS h { PRIOR 0.2 EVIDENCE { x: y } }": None,
    "TOOL { refund(amount: Number): Bool }": None,
    "MEMORY { LONG_TERM { a: b } }": None,
    "OBSERVE { x: WHEN y }": "OBSERVE { x WHEN y }",
}
TABLE = [
    (frame, *case)
    for frame, cases in ((RULE, RULES), (STATEMENT, STATEMENTS), (MEMBER, MEMBERS))
    for case in cases.items()
]


def mended(text: str) -> str:
    return fixed(text, lambda text: parse(text).problems)[0]


@pytest.mark.parametrize(("frame", "wrong", "meant"), TABLE, ids=[case[1] for case in TABLE])
def test_what_is_written_unasked_is_what_is_meant_or_nothing(frame: str, wrong: str, meant: str | None):
    text = frame % wrong
    assert len(parse(text).problems) > 0
    assert mended(text) == (frame % meant if meant else text)


SOUND = "REQUIRE APPROVAL FOR pay WHEN NOT a IN [b] AND c == d OR e"
WORDS = SOUND.split()
NEGATED = [
    " ".join([*WORDS[:at], negated, *WORDS[at + 1 :]])
    for at, word in enumerate(WORDS)
    if word.isupper()
    for negated in (
        *(f"{before}{word}" for before in ("UN", "NO", "NON", "DIS", "NOT_", "N", "X")),
        f"{word}NOT",
    )
]


@pytest.mark.parametrize("rule", NEGATED)
def test_a_word_of_a_rule_that_is_negated_is_never_written_without_its_negation(rule: str):
    assert mended(RULE % rule) != RULE % SOUND


def test_so_many_fixes_are_counted_as_were_applied():
    text = STATEMENT % "SET x -= 3 SET y -= 4"
    assert fixed(text, lambda text: parse(text).problems)[1] == 2
