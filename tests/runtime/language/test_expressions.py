"""Evaluation, arithmetic and functions (language.md §3.2 to §3.8)."""

import math

import pytest

from agentl import UNDEFINED, Symbol
from agentl.expressions import EvaluationError, evaluate
from agentl.state import View

WORLD = {
    "a.b": 5,
    "name": "Ada",
    "text": "12",
    "flag": Symbol("no"),
    "items": [1, 2, 3],
    "order": {"id": "o-1", "to": {"city": "Delft"}},
    "order.to": {"street": "Oude"},
    "load": "N/A",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("healthy", Symbol("healthy")),
        ("x.y", UNDEFINED),
        ("a.b", 5),
        ("order.id", "o-1"),
        ("order.to.street", "Oude"),
        ("order.to.city", "Delft"),
        ("order.id.more", UNDEFINED),
        ("items.count", UNDEFINED),
        ("99.9%", pytest.approx(0.999)),
        ("300s", 300.0),
        ("[1, healthy, x.y]", [1, Symbol("healthy"), UNDEFINED]),
        ("1 + 2 * 3", 7.0),
        ("1 - 2 - 3", -4.0),
        ("7 / 2", 3.5),
        ("1 / 0", math.inf),
        ("-a.b", -5.0),
        ("text + 1", 13.0),
        ("a.b == 5 AND name == Ada", True),
        ("NOT a.b == 5", False),
        ("x.y == open", False),
        ("x.y != open", True),
        ("c.d == e.f", False),
        ("c.d != e.f", False),
        ("load > 90", False),
        ("2 IN items", True),
        ("1 == true", False),
        ("len(items)", 3),
        ("len(x.y)", 0),
        ("len(5)", 0),
        ("abs(0 - 3)", 3.0),
        ("min(4, 2)", 2),
        ("max(items)", 3),
        ("round(7 / 2)", 4),
        ("CONFIDENCE(known)", 0.7),
        ("UNCERTAINTY(known)", pytest.approx(0.3)),
        ("CONFIDENCE(nothing)", 0.0),
        ("UNCERTAINTY(no.thing)", 1.0),
        ("known.confidence", 0.7),
        ("2026-07-26 < 2026-07-27T08:00", True),
    ],
)
def test_expressions(expression, state_of, text: str, expected: object):
    view = View(state_of(WORLD, beliefs={"known": 1}))
    assert evaluate(expression(text), view) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("name + 1", "not_a_number"),
        ("healthy * 2", "not_a_number"),
        ("x.y - 1", "not_a_number"),
        ("-name", "not_a_number"),
        ("abs(name)", "cannot_compute"),
        ("min(1, healthy)", "cannot_compute"),
        ("round(1, -100000000)", "cannot_compute"),
        ("len()", "no_such_function"),
        ("shout(1)", "no_such_function"),
        ("CONFIDENCE(1)", "needs_a_path"),
        ("UNCERTAINTY(a.b, c.d)", "needs_a_path"),
    ],
)
def test_what_has_no_value(expression, state_of, text: str, code: str):
    with pytest.raises(EvaluationError) as caught:
        evaluate(expression(text), View(state_of(WORLD)))
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("text", "plain", "strict"),
    [("a.x != yes", True, False), ("a.x == yes", False, False), ("NOT a.x == yes", True, True)],
)
def test_strict_mode_makes_unequal_to_nothing_false(
    expression, state_of, text: str, plain: bool, strict: bool
):
    view = View(state_of())
    assert evaluate(expression(text), view) is plain
    assert evaluate(expression(text), view, strict=True) is strict


def test_the_spaces_answer_in_their_order(state_of):
    state = state_of(
        {"p": "world", "q": "world", "r": "world"}, {"p": "local"}, {"p": "belief", "q": "belief"}
    )
    state.untrusted["p"] = state.untrusted["r"] = state.untrusted["s"] = "untrusted"
    assert [state.get(path) for path in "pqrs"] == ["local", "belief", "world", "untrusted"]
    assert state.get("t") is UNDEFINED


def test_a_key_that_holds_undefined_lets_the_next_space_answer(state_of):
    state = state_of({"risk": Symbol("low")}, {"risk": UNDEFINED})
    assert state.get("risk") == Symbol("low")


def test_a_longer_key_wins_over_descent_into_a_shorter_one(state_of):
    state = state_of({"a": {"b": {"c": 1}}, "a.b": {"c": 2}})
    assert state.get("a.b.c") == 2


def test_set_writes_to_a_belief_of_that_name_and_else_to_a_local(state_of):
    state = state_of(beliefs={"known": 1})
    state.assign("known", 2)
    state.assign("other", 3)
    assert (state.beliefs["known"].value, state.beliefs["known"].confidence) == (2, 0.7)
    assert state.beliefs["known"].source == "assignment"
    assert dict(state.locals) == {"other": 3}


def test_what_is_no_number_is_told_as_a_program_writes_it(expression, state_of):
    view = View(state_of({"x.big": 10**5000, "x.text": "abc", "x.list": [UNDEFINED]}))
    for text, subject in (("a.b", "undefined"), ("x.big", hex(10**5000)), ("x.text", "abc"), ("[1]", "[1]")):
        with pytest.raises(EvaluationError) as caught:
            evaluate(expression(f"1 + {text}"), view)
        assert caught.value.subject == subject
