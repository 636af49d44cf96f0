"""A second evaluator of language.md §3.4 and §5.7, written as tables, against the engine.

It shares nothing with the engine but `Symbol` and UNDEFINED. Where the two disagree on a generated program,
one of them reads the design wrongly.
"""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agentl import UNDEFINED, Symbol, parse_source
from agentl.expressions import evaluate
from agentl.policy import PolicyEngine
from agentl.run_state import RunState
from agentl.spaces import Space
from agentl.state import View
from agentl.trivalent import Recorder, Truth, judge
from agentl_grammar.tree import Goal

T, F, U = "true", "false", "unknown"

# ------------------------------------------------------------------------------------------------ operands

HELD: dict[str, Any] = {
    "n.one": 1,
    "n.two": 2.0,
    "n.zero": 0,
    "n.nan": math.nan,
    "n.inf": math.inf,
    "b.yes": True,
    "b.no": False,
    "t.plain": "plain",
    "t.part": "lai",
    "t.number": "1",
    "t.high": "high",
    "t.true": "true",
    "t.empty": "",
    "s.plain": Symbol("plain"),
    "s.low": Symbol("LOW"),
    "s.critical": Symbol("critical"),
    "s.no": Symbol("no"),
    "s.unknown": Symbol("unknown"),
    "l.mixed": [1, "plain", True],
    "l.words": [Symbol("low"), "1"],
    "l.empty": [],
    "nothing.kept": None,
}
WRITTEN: dict[str, Any] = {
    "1": 1,
    "2.0": 2.0,
    '"plain"': "plain",
    '"HIGH"': "HIGH",
    "plain": Symbol("plain"),
    "low": Symbol("low"),
    "Severe": Symbol("Severe"),
    "yes": Symbol("yes"),
    "false": Symbol("false"),
    "[1, plain]": [1, Symbol("plain")],
    "[]": [],
}
MISSING = dict.fromkeys(("no.where", "gone.too"), UNDEFINED)
OPERANDS = HELD | WRITTEN | MISSING

RANK = ["none", "info", "low", "medium", "high", "severe", "critical", "unset"]
BOOLEAN_WORD = {"true": True, "yes": True, "false": False, "no": False}
FALSE_WORD = {"none", "false", "unknown", "null"}
ORDER = {
    ">": {"more"},
    ">=": {"more", "same"},
    "<": {"less"},
    "<=": {"less", "same"},
}


def kind(value: Any) -> str:
    for types, name in (
        (Symbol, "symbol"),
        (bool, "boolean"),
        (int | float, "number"),
        (str, "string"),
        (list, "list"),
    ):
        if isinstance(value, types):
            return name
    return "undefined" if value is UNDEFINED else "none"


def text_of(value: Any) -> str:
    return value.text if kind(value) == "symbol" else str(value)


SAME = {
    frozenset({"symbol", "boolean"}): lambda a, b: (
        BOOLEAN_WORD.get(text_of(a if kind(a) == "symbol" else b).lower())
        is (b if kind(a) == "symbol" else a)
    ),
    **{
        frozenset({"symbol", other}): lambda a, b: text_of(a) == text_of(b)
        for other in ("symbol", "string", "number", "list", "none")
    },
    frozenset({"boolean", "number"}): lambda a, b: float(a) == float(b),
    **{frozenset({one}): lambda a, b: a == b for one in ("boolean", "number", "string", "list", "none")},
}
"""What makes two values of these kinds equal; kinds that stand in no row never are."""


def same(left: Any, right: Any) -> bool:
    rule = SAME.get(frozenset({kind(left), kind(right)}))
    return rule is not None and bool(rule(left, right))


def place(value: Any) -> int | None:
    word = text_of(value).lower() if kind(value) in {"symbol", "string"} else ""
    return RANK.index(word) if word in RANK else None


def number(value: Any) -> float | None:
    if kind(value) in {"number", "boolean"}:
        return float(value)
    return float(value) if kind(value) == "string" and value.isdigit() else None


def order(left: Any, right: Any, *, finite: bool) -> str | None:
    """Return how two values are ordered; None when they are not."""
    for scale in (place, number):
        one, two = scale(left), scale(right)
        if one is None or two is None:
            continue
        if scale is number and not all(
            math.isfinite(side) if finite else not math.isnan(side) for side in (one, two)
        ):
            return None
        return "less" if one < two else "more" if one > two else "same"
    return None


def within(item: Any, container: Any) -> bool | None:
    if kind(container) == "list":
        return any(same(item, member) for member in container)
    if kind(container) == "string":
        return kind(item) in {"string", "symbol"} and text_of(item) in container
    return None


def truthy(value: Any) -> bool:
    if kind(value) == "symbol":
        return value.text.lower() not in FALSE_WORD
    return value not in (None, 0, "", []) if value is not UNDEFINED else False


# ------------------------------------------------------------------------------------------------ §3.4

MISSING_SIDES = {  # (operator, how many sides are missing, strict): the answer
    ("==", 1, False): False,
    ("==", 2, False): False,
    ("==", 1, True): False,
    ("==", 2, True): False,
    ("!=", 1, False): True,
    ("!=", 2, False): False,
    ("!=", 1, True): False,
    ("!=", 2, True): False,
}


def ordinary(operator: str, left: Any, right: Any, *, strict: bool) -> bool:
    missing = (left is UNDEFINED) + (right is UNDEFINED)
    if operator in ORDER:
        return not missing and order(left, right, finite=False) in ORDER[operator]
    if operator == "IN":
        return bool(within(left, right))
    if missing:
        return MISSING_SIDES[operator, missing, strict]
    return same(left, right) is (operator == "==")


# ------------------------------------------------------------------------------------------------ §5.7

AND = {(T, T): T, (T, F): F, (F, T): F, (T, U): U, (U, T): U, (F, F): F, (F, U): F, (U, F): F, (U, U): U}
OR = {(T, T): T, (T, F): T, (F, T): T, (T, U): T, (U, T): T, (F, F): F, (F, U): U, (U, F): U, (U, U): U}
NOT = {T: F, F: T, U: U}


def guarded(operator: str, left: Any, right: Any) -> str:
    if left is UNDEFINED or right is UNDEFINED:
        return U
    if operator in ORDER:
        found = order(left, right, finite=True)
        return U if found is None else T if found in ORDER[operator] else F
    answer = within(left, right) if operator == "IN" else same(left, right) is (operator == "==")
    return U if answer is None else T if answer else F


Guard = tuple[Any, ...]
"""("leaf", operand), ("compare", operator, operand, operand), ("NOT", guard), ("AND"/"OR", guard, guard)."""


def written(guard: Guard) -> str:
    match guard:
        case ("leaf", operand):
            return f"({operand})"
        case ("compare", operator, left, right):
            return f"({left} {operator} {right})"
        case ("NOT", inner):
            return f"(NOT {written(inner)})"
        case (operator, left, right):
            return f"({written(left)} {operator} {written(right)})"
    raise AssertionError(guard)


def verdict_of(guard: Guard) -> str:
    match guard:
        case ("leaf", operand):
            value = OPERANDS[operand]
            return U if value is UNDEFINED else T if truthy(value) else F
        case ("compare", operator, left, right):
            return guarded(operator, OPERANDS[left], OPERANDS[right])
        case ("NOT", inner):
            return NOT[verdict_of(inner)]
        case (operator, left, right):
            return (AND if operator == "AND" else OR)[verdict_of(left), verdict_of(right)]
    raise AssertionError(guard)


def plain_truth(guard: Guard, *, strict: bool) -> bool:
    match guard:
        case ("leaf", operand):
            return truthy(OPERANDS[operand])
        case ("compare", operator, left, right):
            return ordinary(operator, OPERANDS[left], OPERANDS[right], strict=strict)
        case ("NOT", inner):
            return not plain_truth(inner, strict=strict)
        case (operator, left, right):
            sides = plain_truth(left, strict=strict), plain_truth(right, strict=strict)
            return all(sides) if operator == "AND" else any(sides)
    raise AssertionError(guard)


# ------------------------------------------------------------------------------------------------ the engine

operands = st.sampled_from(list(OPERANDS))
comparisons = st.tuples(st.just("compare"), st.sampled_from(["==", "!=", "IN", *ORDER]), operands, operands)
guards = st.recursive(
    comparisons | st.tuples(st.just("leaf"), operands),
    lambda inner: st.tuples(st.just("NOT"), inner) | st.tuples(st.sampled_from(["AND", "OR"]), inner, inner),
    max_leaves=5,
)
TRUTHS = {Truth.TRUE: T, Truth.FALSE: F, Truth.UNKNOWN: U}


def state() -> RunState:
    return RunState(world=Space(HELD))


def parsed(text: str):
    condition = parse_source(f"AGENT a {{ GOAL {{ MAINTAIN {text} }} }}").agents[0].of(Goal)[0].condition
    assert condition is not None
    return condition


@settings(max_examples=400, deadline=None)
@given(guards)
def test_the_engine_and_the_tables_agree_on_conditions(guard: Guard):
    expression, view = parsed(written(guard)), View(state())
    for strict in (False, True):
        value = evaluate(expression, view, strict=strict)
        assert truthy(value) is plain_truth(guard, strict=strict), written(guard)
    assert TRUTHS[judge(expression, Recorder(view))] == verdict_of(guard), written(guard)


def test_every_pair_of_operands_under_every_comparison():
    view = View(state())
    for left in OPERANDS:
        for right in (
            "n.one",
            "n.nan",
            "b.yes",
            "t.plain",
            "t.number",
            "s.low",
            "l.mixed",
            "no.where",
            "plain",
        ):
            for operator in ("==", "!=", "IN", *ORDER):
                guard = ("compare", operator, left, right)
                expression = parsed(written(guard))
                assert TRUTHS[judge(expression, Recorder(view))] == verdict_of(guard), written(guard)
                assert evaluate(expression, view) is plain_truth(guard, strict=False), written(guard)


# ------------------------------------------------------------------------------------------------ the policy

Rule = tuple[str, str, Guard | None]
rules = st.lists(
    st.tuples(
        st.sampled_from(["NEVER", "DENY", "ALLOW", "REQUIRE APPROVAL FOR"]),
        st.sampled_from(["act", "other", "*"]),
        st.none() | guards,
    ),
    max_size=5,
)
APPLIES = {"NEVER": {T, U}, "DENY": {T, U}, "ALLOW": {T}, "REQUIRE APPROVAL FOR": {T, U}}


def decided(default: str, policy: list[Rule], target: str) -> str:
    matching: dict[str, list[bool]] = {name: [] for name in APPLIES}
    for name, of, guard in policy:
        if of in {target, "*"}:
            truth = T if guard is None else verdict_of(guard)
            matching[name].append(truth in APPLIES[name])
    if any(matching["NEVER"]) or any(matching["DENY"]):
        return "DENIED"
    if not (any(matching["ALLOW"]) if matching["ALLOW"] else default == "ALLOW"):
        return "DENIED"
    return "APPROVAL_REQUIRED" if any(matching["REQUIRE APPROVAL FOR"]) else "ALLOWED"


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["ALLOW", "DENY"]), rules, st.sampled_from(["act", "other", "third"]))
def test_the_engine_and_the_tables_agree_on_policies(default: str, policy: list[Rule], target: str):
    lines = [f"DEFAULT {default}"]
    for name, of, guard in policy:
        lines.append(f"{name} {of}" + ("" if guard is None else f" WHEN {written(guard)}"))
    agent = parse_source(f"AGENT a {{ POLICY {{ {'  '.join(lines)} }} }}").agents[0]
    assert PolicyEngine(agent).decide(target, View(state())).verdict == decided(default, policy, target), (
        lines
    )
