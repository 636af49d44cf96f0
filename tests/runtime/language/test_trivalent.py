"""Three-valued guards (language.md §5.7)."""

import itertools
import math

import pytest

from agentl import UNDEFINED, Symbol
from agentl.run_state import Belief, RunState
from agentl.state import View
from agentl.trivalent import Recorder, Truth, judge

T, F, U = Truth.TRUE, Truth.FALSE, Truth.UNKNOWN
LEAF = {T: "1 == 1", F: "1 == 2", U: "no.thing == 1"}
AND = {(T, T): T, (T, F): F, (T, U): U, (F, F): F, (F, U): F, (U, U): U}
OR = {(T, T): T, (T, F): T, (T, U): T, (F, F): F, (F, U): U, (U, U): U}


def judged(expression, text: str, state: RunState | None = None) -> Truth:
    return judge(expression(text), Recorder(View(state or RunState())))


@pytest.mark.parametrize(("left", "right"), list(itertools.product((T, F, U), repeat=2)))
def test_and_and_or_are_strong_kleene(expression, left: Truth, right: Truth):
    key = (left, right) if (left, right) in AND else (right, left)
    assert judged(expression, f"{LEAF[left]} AND {LEAF[right]}") is AND[key]
    assert judged(expression, f"{LEAF[left]} OR {LEAF[right]}") is OR[key]


@pytest.mark.parametrize(("side", "expected"), [(T, F), (F, T), (U, U)])
def test_not(expression, side: Truth, expected: Truth):
    assert judged(expression, f"NOT {LEAF[side]}") is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x.y == 1", U),
        ("x.y != 1", U),
        ("1 < x.y", U),
        ("silent == low", U),
        ("silent != low", U),
        ("silent", U),
        ("x.y", U),
        ("load > 90", U),
        ("load == 90", F),
        ("LOW < 7", U),
        ("HIGH >= LOW", T),
        ("huge > 1", U),
        ("huge == huge", T),
        ("1 IN 5", U),
        ("1 IN [1, 2]", T),
        ("x.y IN [1]", U),
        ("1 IN [2, x.y]", U),
        ("name + 1 > 2", U),
        ("shout(1)", U),
        ("len(x.y) > 3", U),
        ("len([1]) == 1", T),
        ("CONFIDENCE(nobody) > 0.5", U),
        ("UNCERTAINTY(nobody) < 0.5", U),
        ("CONFIDENCE(known) > 0.5", T),
        ("P(nothing) > 0.5", U),
        ("PROBABILITY(nothing) < 0.5", U),
        ("POSTERIOR(leak) > 0.5", T),
        ("UNTRUSTED(no.where)", U),
        ("TRUSTED(no.where)", U),
        ("NOT LLM_DERIVED(no.where)", U),
        ("ATTESTED(no.where)", U),
        ("x IN ORIGIN(no.where)", U),
        ("UNTRUSTED(silent)", U),
        ("UNTRUSTED(word)", F),
        ("UNTRUSTED(action)", U),
        ("ATTESTED(action)", U),
        ("ATTESTED(load)", F),
        ("SHARED.nothing.count > 1", U),
        ("SHARED.nothing.version == 0", T),
        ("vast > 1", T),
        ("(x.y == 1) == true", U),
        ("(NOT x.y) == true", U),
        ("(load > 90) == true", U),
        ("(1 == 1) == true", T),
        ("dry_run == no", F),
        ("dry_run", T),
        ("flag", T),
        ("0", F),
        ("1", T),
        ('""', F),
        ("off", T),
        ("unknown", F),
        ("2026-01-01 < 2026-02-01", T),
        ("2026-01-01 < 5", U),
    ],
)
def test_leaves(expression, state_of, text: str, expected: Truth):
    world = {
        "load": "N/A",
        "flag": Symbol("no"),
        "name": "Ada",
        "huge": math.inf,
        "leak.posterior": 0.8,
        "vast": 10**400,
    }
    state = state_of(world, {"silent": UNDEFINED}, {"known": 1, "silent": Symbol("low")})
    assert judged(expression, text, state) is expected


def test_both_sides_are_read_even_when_one_decides(expression, state_of):
    recorder = Recorder(View(state_of({"a.b": 1, "c.d": 2})))
    assert judge(expression("a.b == 2 AND c.d == 2 AND e.f == 3"), recorder) is F
    assert recorder.reads == {"a.b": 1, "c.d": 2, "e.f": UNDEFINED}


def test_a_constant_word_is_no_read_and_a_confidence_is(expression, state_of):
    recorder = Recorder(View(state_of({"mode": 1}, beliefs={"known": 3})))
    judge(expression("mode == healthy OR CONFIDENCE(known) > 1 OR CONFIDENCE(nobody) > 1"), recorder)
    assert recorder.reads == {"mode": 1, "known.confidence": 0.7, "nobody.confidence": UNDEFINED}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max(1, odd) > 1", U),
        ("min([1, odd]) < 1", U),
        ("abs(odd) == 1", U),
        ("P(odd) == 0", F),
        ("P(told) > 0.5", U),
        ("len(load) > 0", T),
        ("len(one) == 0", U),
        ("len(word) == 0", U),
        ("len(items) == 2", T),
        ("true IN [one > 0]", T),
        ("true IN [load > 0]", U),
        ("max(0, 1 IN one) == 0", U),
        ("max(0, 1 IN items) == 1", T),
        ("odd == 1", F),
        ("odd IN [1, 2]", F),
    ],
)
def test_a_part_that_cannot_be_told_makes_a_guard_unknown(expression, state_of, text: str, expected: Truth):
    world = {"odd": math.nan, "load": "N/A", "one": 1, "word": Symbol("abc"), "items": [1, 2]}
    world |= {"told.posterior": "high", "odd.posterior": 1}
    assert judged(expression, text, state_of(world)) is expected


def test_a_reading_that_a_belief_contradicts_is_unknown_until_beliefs_are_updated(state_of):
    def outdated(value: object, reading: object, source: str = "observation") -> bool:
        state = state_of({"gate.shut": reading})
        state.beliefs["gate.shut"] = Belief(value, 0.9, source, 1)
        return View(state, observed=("gate.shut",)).bound_to_undefined("gate.shut")

    assert outdated(Symbol("no"), Symbol("yes"))
    assert outdated(Symbol("no"), Symbol("yes"), "declared")
    assert not outdated(Symbol("yes"), "yes")
    assert not outdated([math.nan], [float("nan")])
    assert not outdated(Symbol("no"), Symbol("yes"), "effect:shut")
    assert not outdated(Symbol("no"), Symbol("yes"), "assignment")
