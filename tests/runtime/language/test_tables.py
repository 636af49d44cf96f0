"""The tables of language.md §3, row by row; what is counted here is what stands there."""

import math

import pytest

from agentl import UNDEFINED, Host, Symbol
from agentl.expressions import EvaluationError, evaluate
from agentl.labelling import EPISTEMIC, PROVENANCE
from agentl.provenance import LLM, OBSERVED, TOOL, of
from agentl.run_state import RunState
from agentl.state import View
from agentl.values import Datetime, rank

# ------------------------------------------------------------------------------------------------ §3.1 kinds

KINDS = [
    ("number", "1", 1),
    ("number", "1.5", 1.5),
    ("number by arithmetic, always float", "1 + 1", 2.0),
    ("boolean, which has no literal", "true", Symbol("true")),
    ("boolean from outside", "flag.on", True),
    ("string", '"yes"', "yes"),
    ("datetime", "2026-07-26", Datetime("2026-07-26")),
    ("symbol", "healthy", Symbol("healthy")),
    ("list", "[1, a]", [1, Symbol("a")]),
    ("dict from outside", "order.all", {"id": 1}),
    ("None is a stored value", "empty.one", None),
    ("UNDEFINED", "no.where", UNDEFINED),
]


@pytest.mark.parametrize(("_kind", "text", "expected"), KINDS)
def test_the_kinds_of_values(expression, state_of, _kind: str, text: str, expected: object):
    state = state_of({"flag.on": True, "order.all": {"id": 1}, "empty.one": None})
    value = evaluate(expression(text), View(state))
    assert value == expected
    assert type(value) is type(expected)


# ------------------------------------------------------------------------------------------------ §3.5 ranks

RANKS = {
    "NONE": 0,
    "INFO": 1,
    "LOW": 2,
    "MODERATE": 3,
    "MEDIUM": 3,
    "HIGH": 4,
    "SEVERE": 5,
    "CRITICAL": 6,
    "UNSET": 7,
}


@pytest.mark.parametrize(("left", "place"), list(RANKS.items()))
def test_every_pair_of_ordinal_words_is_ordered_by_rank(expression, state_of, left: str, place: int):
    assert rank(left) == rank(Symbol(left.lower())) == place
    view = View(state_of())
    for right, other in RANKS.items():
        for operator, expected in ((">", place > other), (">=", place >= other), ("<", place < other)):
            assert evaluate(expression(f"{left.lower()} {operator} {right}"), view) is expected


# ------------------------------------------------------------------------------------------------ §3.6

ARITHMETIC = [
    ("1 + 2", 3.0),
    ("1 - 2", -1.0),
    ("2 * 3", 6.0),
    ("1 / 4", 0.25),
    ("1 / 0", math.inf),
    ("-1 / 0", math.inf),
    ("-count.of", -4.0),
    ('"2" + 1', 3.0),
    ("flag.on + 1", 2.0),
]
NO_NUMBERS = ["healthy + 1", "no.where + 1", '"text" * 2', '"a" + "b"', "-healthy", "-no.where", "[1] + [2]"]


@pytest.mark.parametrize(("text", "expected"), ARITHMETIC)
def test_arithmetic_gives_floats(expression, state_of, text: str, expected: float):
    value = evaluate(expression(text), View(state_of({"count.of": 4, "flag.on": True})))
    assert value == expected
    assert type(value) is float


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_arithmetic_on_what_is_no_number_has_no_value(expression, state_of, text: str):
    with pytest.raises(EvaluationError):
        evaluate(expression(text), View(state_of()))


# ------------------------------------------------------------------------------------------------ §3.7

FUNCTIONS = [
    ("len", "len(list.of)", 3),
    ("len", "len(12)", 0),
    ("len", 'len("four")', 4),
    ("len", "len(no.where)", 0),
    ("abs", "abs(-2)", 2),
    ("min", "min(3, 1, 2)", 1),
    ("max", "max(list.of)", 3),
    ("round", "round(2.6)", 3),
    ("round", "round(2.567, 1)", 2.6),
    ("CONFIDENCE", "CONFIDENCE(known)", 0.7),
    ("CONFIDENCE", "CONFIDENCE(nobody)", 0),
    ("UNCERTAINTY", "UNCERTAINTY(known)", pytest.approx(0.3)),
    ("UNCERTAINTY", "UNCERTAINTY(nobody)", 1),
    ("P", "P(leak)", 0.8),
    ("PROBABILITY", "PROBABILITY(leak)", 0.8),
    ("POSTERIOR", "POSTERIOR(leak)", 0.8),
    ("P", "P(nothing)", 0),
    ("ORIGIN", "ORIGIN(mixed)", [Symbol("LLM"), Symbol("TOOL")]),
    ("ORIGIN", "ORIGIN(no.where)", UNDEFINED),
    ("ORIGIN", "ORIGIN(word)", [Symbol("DECLARED")]),
    ("UNTRUSTED", "UNTRUSTED(mixed)", True),
    ("UNTRUSTED", "UNTRUSTED(seen)", False),
    ("UNTRUSTED", "UNTRUSTED(word)", False),
    ("UNTRUSTED", "UNTRUSTED(bare)", True),
    ("UNTRUSTED", "UNTRUSTED(no.where)", UNDEFINED),
    ("TRUSTED", "TRUSTED(mixed)", False),
    ("TRUSTED", "TRUSTED(seen)", True),
    ("TRUSTED", "TRUSTED(no.where)", UNDEFINED),
    ("LLM_DERIVED", "LLM_DERIVED(mixed)", True),
    ("LLM_DERIVED", "LLM_DERIVED(seen)", False),
    ("LLM_DERIVED", "LLM_DERIVED(no.where)", UNDEFINED),
    ("ATTESTED", "ATTESTED(seen)", False),
    ("ATTESTED", "ATTESTED(seen, check)", False),
    ("ATTESTED", "ATTESTED(no.where)", UNDEFINED),
    ("keyword arguments are ignored", "len(list.of, extra = 1)", 3),
    ("keyword arguments are ignored", "CONFIDENCE(known, of = other)", 0.7),
]
REFUSED = [
    ("another name", "sqrt(4)"),
    ("another name", "confidence(known)"),
    ("a value instead of a path", "CONFIDENCE(1)"),
    ("a value instead of a path", "UNCERTAINTY(1 + 1)"),
    ("a value instead of a path", 'P("leak")'),
    ("a value instead of a path", "ORIGIN(1)"),
    ("a value instead of a path", "UNTRUSTED([seen])"),
    ("a value instead of a path", "ATTESTED(5)"),
    ("a tool that is no name", "ATTESTED(seen, 5)"),
    ("too many arguments", "TRUSTED(seen, mixed)"),
    ("no argument", "LLM_DERIVED()"),
    ("action outside a guard", "UNTRUSTED(action)"),
    ("action has no value to attest", "ATTESTED(action)"),
]


@pytest.fixture
def function_state(state_of) -> RunState:
    state = state_of({"list.of": [1, 2, 3], "leak.posterior": 0.8}, beliefs={"known": 1})
    state.locals.put("mixed", 1, of(TOOL, LLM))
    state.locals.put("seen", 1, of(OBSERVED))
    state.locals["bare"] = 1
    return state


@pytest.mark.parametrize(("_name", "text", "expected"), FUNCTIONS)
def test_functions(expression, function_state, _name: str, text: str, expected: object):
    assert evaluate(expression(text), View(function_state)) == expected


@pytest.mark.parametrize(("_why", "text"), REFUSED)
def test_what_a_function_refuses(expression, function_state, _why: str, text: str):
    with pytest.raises(EvaluationError):
        evaluate(expression(text), View(function_state))


def test_every_function_stands_in_the_table():
    pure = {"len", "abs", "min", "max", "round"}
    assert {name for name, _, _ in FUNCTIONS if " " not in name} == pure | EPISTEMIC | PROVENANCE
    assert len(pure | EPISTEMIC | PROVENANCE) == 15


# ------------------------------------------------------------------------------------------------ §3.8

PLACES = ("locals", "beliefs", "world", "short_term", "long_term", "knowledge", "confidence", "untrusted")


@pytest.mark.parametrize("first", range(len(PLACES)))
def test_the_first_place_that_answers_wins(state_of, first: int):
    state = state_of(beliefs={"b": 0})
    for place in PLACES[first:]:
        if place == "beliefs":
            state.beliefs["b.confidence"] = state_of(beliefs={"x": place}).beliefs["x"]
        elif place != "confidence":
            getattr(state, place)["b.confidence"] = place
    expected = 0.7 if first >= PLACES.index("confidence") else PLACES[first]
    assert state.get("b.confidence") == expected


def test_outside_data_comes_last(state_of):
    state = state_of()
    state.untrusted["level"] = 9
    assert state.get("level") == 9
    state.long_term["level"] = [1]
    assert state.get("level") == [1]


LOOKUPS = [
    ({"a.b.c": 1, "a.b": {"c": 2}, "a": {"b": {"c": 3}}}, 1),
    ({"a.b": {"c": 2}, "a": {"b": {"c": 3}}}, 2),
    ({"a": {"b": {"c": 3}}}, 3),
    ({"a.b": {"x": 2}, "a": {"b": {"c": 3}}}, 3),
    ({"a.b": [1, 2]}, UNDEFINED),
    ({"a.b": 5}, UNDEFINED),
    ({"a.b.c": UNDEFINED, "a": {"b": {"c": 3}}}, 3),
]


@pytest.mark.parametrize(("world", "expected"), LOOKUPS)
def test_how_a_dotted_path_is_looked_up(state_of, world: dict, expected: object):
    assert state_of(world).get("a.b.c") == expected


SHARED = [
    ("SHARED.k", [{"n": 1}, {"n": {"m": 2}}]),
    ("SHARED.k.count", 2),
    ("SHARED.k.version", 5),
    ("SHARED.k.last", {"n": {"m": 2}}),
    ("SHARED.k.last.n", {"m": 2}),
    ("SHARED.k.last.n.m", 2),
    ("SHARED.k.last.x", UNDEFINED),
    ("SHARED.k.first", UNDEFINED),
    ("SHARED.empty", []),
    ("SHARED.empty.count", 0),
    ("SHARED.empty.last", UNDEFINED),
    ("SHARED.empty.last.n", UNDEFINED),
    ("SHARED.nothing", UNDEFINED),
    ("SHARED.nothing.count", UNDEFINED),
    ("SHARED.nothing.version", 0),
]


@pytest.mark.parametrize(("text", "expected"), SHARED)
def test_the_forms_of_shared(expression, state_of, text: str, expected: object):
    state = state_of({"SHARED.k": "never read", "SHARED.nothing": "never read"})
    state.shared["k"] = [{"n": 1}, {"n": {"m": 2}}]
    state.shared["empty"] = []
    state.shared_versions["k"] = 5
    assert evaluate(expression(text), View(state)) == expected


# ------------------------------------------------------------------------------------------------ §3.9

GUARDS = {
    "plan WHEN": "PLAN p WHEN {} {{ say(1) }}",
    "IF": "LOOP {{ IF {} THEN say(1) }}",
    "EVENT": "EVENT e {{ WHEN {} say(1) }}",
    "OBSERVE WHEN": "OBSERVE {{ a.b WHEN {} }} PLAN p WHEN a.b == 1 {{ say(1) }}",
    "GOAL": "GOAL {{ MAINTAIN {} }} PLAN p WHEN goal.satisfied == true {{ say(1) }}",
    "LOOP UNTIL": "LOOP {{ LOOP UNTIL {} MAX 2 {{ SET n.n = 1 }} IF stopped.early == yes THEN say(1) }}",
    "REQUIRES": "TOOL t {{ REQUIRES {} }} LOOP {{ t() }}",
    "VERIFY": "PLAN p WHEN 1 == 1 {{ VERIFY {} say(1) }}",
}


@pytest.mark.parametrize("place", GUARDS)
def test_a_condition_that_cannot_be_told_counts_as_false(run_agent, codes, place: str):
    host, said = Host(), []
    host.tools["say"] = lambda what: said.append(what) or {}
    host.tools["t"] = lambda: said.append("t")
    host.sensors["a.b"] = lambda: 1
    host.emit("e")
    machine = run_agent(f"TOOL say {{ INPUT {{ what: Any }} }} {GUARDS[place].format('word + 1 > 0')}", host)
    assert said == []
    assert ("guard.failed" in codes(machine)) is (place != "REQUIRES")  # REQUIRES is unknown, and skips
