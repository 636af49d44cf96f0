"""A fix that could make a rule of a POLICY weaker is a guess, and offers what is likely meant."""

# ruff: noqa: RUF001 (the signs that look alike are meant)

import pytest

from agentl_grammar.digest import program_digest
from agentl_grammar.parser import parse
from agentl_grammar.problems import Fix, Problem

RULE = "AGENT a {\n  POLICY {\n    DEFAULT DENY\n    %s\n  }\n}\n"
# A side of AND or OR that is no condition, and the help, which is the guess as well.
LIKELY = {
    'ALLOW pay WHEN iban == "a" or "b"': 'iban == "a" OR iban == "b"',
    'ALLOW pay WHEN iban == "a" || "b"': 'iban == "a" OR iban == "b"',
    'ALLOW pay WHEN iban != "a" and "b"': 'iban != "a" AND iban != "b"',
    'allow pay if iban != "a" && "b" ': 'iban != "a" AND iban != "b"',
    "ALLOW pay WHEN to.kind == new or old": "to.kind == new OR to.kind == old",
    "ALLOW pay WHEN x.y < 2 AND iban == a || b": "(iban == a OR iban == b)",
    'NEVER pay WHEN iban = "a" || "b"': 'iban == "a" OR iban == "b"',
    'NEVER pay WHEN iban is "a" or "b"': 'iban == "a" OR iban == "b"',
    "NEVER pay WHEN NOT x.y == 1 ∨ 2": "",
    "NEVER pay WHEN x.y == 1 ∨ 2": "x.y == 1 OR x.y == 2",
    "ALLOW pay WHEN amount == 5000 or less": "amount <= 5000",
    "ALLOW pay WHEN amount <= 5000 || equal": "amount <= 5000",
    "NEVER pay WHEN amount > 5000 or equal": "amount >= 5000",
    "NEVER pay WHEN amount == 5000 Or more": "amount >= 5000",
    'ALLOW pay WHEN iban != "a" or "b"': "",
    "ALLOW pay WHEN amount + 2 == 5 or 6": "",
    "ALLOW pay WHEN x.y == 1 OR x.z == 2 and 7": "",
    'NEVER pay WHEN x.y == "a" && NOT "b"': "",
    'ALLOW pay WHEN "a" or x.y == 2': "",
}
WHOLE = [
    "ALLOW pay WHEN x.y == 1 or x.z == 2",
    "ALLOW pay WHEN TRUSTED(a.b) && NOT ATTESTED(iban)",
    'ALLOW pay WHEN "a" IN x.y or x.z IN [1, 2]',
    'ALLOW pay WHEN x.y IN ["a", "b"] and (x.z == 1 OR x.z == 3)',
    "ALLOW pay WHEN account.open || x.y == 1",
    'NEVER pay WHEN account.note == "blocked',
    'NEVER pay WHEN account.note IN ["blocked]',
]
# A text without end, and where its quote is put.
OPEN = {
    'ALLOW pay WHEN iban != "bad AND amount < 5': 'ALLOW pay WHEN iban != "bad" AND amount < 5',
    'NEVER pay WHEN x.y == "no  OR x.z IN x.w': 'NEVER pay WHEN x.y == "no"  OR x.z IN x.w',
    'NEVER pay WHEN x.y == "this AND that': 'NEVER pay WHEN x.y == "this AND that"',
    'NEVER pay WHEN x.y == "a, amount > 5': 'NEVER pay WHEN x.y == "a, amount > 5"',
    'NEVER pay WHEN x.y IN ["bad, worse]': 'NEVER pay WHEN x.y IN ["bad, worse"]',
    'ALLOW pay WHEN iban IN ["a, "b"]': 'ALLOW pay WHEN iban IN ["a, "b""]',
}

JOIN = "join them: AND where {} is for both at once, OR where one of the two is enough"
# A second guard: the help, and the fixes with which words, the only sure one of which makes ALLOW narrower.
GUARDS: dict[str, tuple[str, list[tuple[str, bool]]]] = {
    "ALLOW pay WHEN x.y == 1 WHEN x.z > 5": ("join the two conditions with AND", [("AND", False)]),
    "ALLOW pay WHEN x.y == 1 OR x.w == 2 WHEN x.z > 5": (
        "join the two conditions with AND, each in parentheses: (…) AND (…)",
        [],
    ),
    "ALLOW pay IF x.y == 1 WHEN x.z > 5 OR x.w == 2": (
        "join the two conditions with AND, each in parentheses: (…) AND (…)",
        [],
    ),
    "NEVER pay WHEN x.y == 1 WHEN x.z > 5": (JOIN.format("NEVER"), [("OR", True), ("AND", True)]),
    "DENY pay WHEN x.y == 1 IF x.z > 5": (JOIN.format("DENY"), [("OR", True), ("AND", True)]),
    "DENY pay WHEN x.y == 1 IF x.z > 5\n    ALLOW pay WHEN x.y == 1 OR x.z == 2": (
        JOIN.format("DENY"),
        [("OR", True), ("AND", True)],
    ),
    "REQUIRE APPROVAL FOR pay WHEN x.y == 1 OR x.w == 2 WHEN x.z > 5": (
        JOIN.format("REQUIRE"),
        [("OR", True)],
    ),
}

DENY = "write DENY pay, or NEVER pay for what no other rule may allow"
# What is denied with an apostrophe, and what is kept of it in the tree.
DENIED = {
    "DON'T ALLOW pay": (DENY, "DENY pay"),
    "Don\u2019t allow pay WHEN x.y == 1": (DENY, "DENY pay WHEN x.y == 1"),
    "ALLOW x\n    can't pay": (DENY, "ALLOW x\n    DENY pay"),
    "DON'T DENY pay": ("write ALLOW pay", "DENY pay"),
    "DON'T REQUIRE APPROVAL FOR pay": (
        "write ALLOW pay: no approval is asked for then",
        "REQUIRE APPROVAL FOR pay",
    ),
    "DON'T": (DENY.replace("pay", "<tool>"), ""),
}


def written(text: str, fix: Fix) -> str:
    for span, new in reversed(fix.replacements):
        text = text[: span.start] + new + text[span.end :]
    return text


def told(rule: str) -> Problem:
    return parse(RULE % rule).problems[-1]


@pytest.mark.parametrize(("rule", "likely"), LIKELY.items(), ids=[*LIKELY])
def test_a_value_alone_beside_and_or_or_is_written_by_a_person_only(rule: str, likely: str):
    problem = told(rule)
    (fix,) = problem.fixes
    assert fix.guess
    if likely:
        assert str(problem.hint) == str(fix.title) == f"write `{likely}`"
        assert likely in written(RULE % rule, fix)
    else:
        assert "stands a whole condition: compare `" in str(problem.hint)


@pytest.mark.parametrize("word", ["urgent", "more", "NOT urgent"])
def test_a_word_that_may_hold_by_itself_keeps_the_help_and_the_fix_is_a_guess(word: str):
    problem = told(f"ALLOW pay WHEN amount < 5 && {word}")
    assert (str(problem.hint), [fix.guess for fix in problem.fixes]) == ("write `AND` instead", [True])


@pytest.mark.parametrize("rule", WHOLE)
def test_whole_conditions_are_joined_unasked(rule: str):
    assert [fix.guess for fix in told(rule).fixes] == [False]


@pytest.mark.parametrize(("rule", "meant"), OPEN.items(), ids=[*OPEN])
def test_a_text_that_may_swallow_a_condition_is_closed_by_a_person_only(rule: str, meant: str):
    (fix,) = told(rule).fixes
    assert (written(RULE % rule, fix), fix.guess) == (RULE % meant, True)


def test_a_condition_in_no_policy_is_joined_unasked():
    (problem,) = parse('AGENT a {\n  PLAN p {\n    IF x == 1 or "b" THEN f()\n  }\n}\n').problems
    assert [fix.guess for fix in problem.fixes] == [False]


@pytest.mark.parametrize("rule", GUARDS)
def test_two_guards_are_joined_unasked_only_where_that_allows_less(rule: str):
    (problem,) = parse(RULE % rule).problems
    offered = [(fix.replacements[0][1], fix.guess) for fix in problem.fixes]
    assert (str(problem.hint), offered) == GUARDS[rule]


@pytest.mark.parametrize(
    ("value", "product"), [("x.y ** 2", "x.y * x.y"), ("2 ** x.y", "a * a"), ("(x.y + 1)**2", "a * a")]
)
def test_a_power_is_no_product_with_a_sign_too_many(value: str, product: str):
    for frame in (RULE % "ALLOW pay WHEN %s < 5", "AGENT a {\n  PLAN p {\n    SET z = %s\n  }\n}\n"):
        text = frame % value
        (problem,) = parse(text).problems
        told = problem.code, text[problem.span.start : problem.span.end], str(problem.hint), problem.fixes
        assert told == ("S105", "**", f"there is no power: write it as a product, {product}", ())


@pytest.mark.parametrize("rule", DENIED)
def test_a_denial_with_an_apostrophe_is_never_left_out(rule: str):
    hint, kept = DENIED[rule]
    text = RULE % rule
    result = parse(text)
    (problem,) = result.problems
    assert "\n" not in text[problem.span.start : problem.span.end]
    assert (problem.code, str(problem.hint), problem.fixes) == ("S105", hint, ())
    wanted = parse(RULE % kept).program
    assert result.program is not None
    assert wanted is not None
    assert program_digest(result.program) == program_digest(wanted)


def test_a_denial_with_an_apostrophe_in_a_plan_is_one_problem():
    (problem,) = parse("AGENT a {\n  PLAN p {\n    DON'T pay(x = 1)\n    f()\n  }\n}\n").problems
    assert "DENY or NEVER tells what must not be done" in str(problem.hint)
