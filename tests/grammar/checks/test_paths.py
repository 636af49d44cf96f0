"""What an agent can come to know, and what it can produce, construct by construct."""

import pytest

from agentl_grammar.checks.paths import covers, program_paths, touches
from agentl_grammar.parser import parse


def paths(members: str):
    result = parse(f"AGENT a {{ {members} }}")
    assert result.problems == ()
    return program_paths(result.program.agents[0])


PRODUCED = {
    "TOOL t { EFFECT { x.y = 1 } }": {"x.y"},
    "TOOL t { OUTCOME o { x.y = 1 } }": {"x.y"},
    "TOOL t { OUTPUT { n: Number } }": {"t.n", "n", "result.n", "result.t.n"},
    "TOOL t { SIDE_EFFECT { roof } }": {"roof.dirty"},
    "TOOL { t() }": {"tools.t.in_doubt", "tools.t.available", "tools.t.failures"},
    "PLAN p { SET x.y = 1 }": {"x.y"},
    "EVENT e { x = 1 }": {"x"},
    'PLAN p { REASON "?" { PRODUCE { f: Symbol } } }': {"f", "reason.f"},
    'PLAN p { JUDGE "?" { f NOUL "?" } }': {"f", "judge.f", "reason.f"},
    'DECIDE { REASON "?" { PRODUCE { f } } }': {"f"},
    "PLAN p { DELEGATE d { EXPECT { k } } }": {"d.k", "k", "tools.d.in_doubt"},
    'PLAN p { ASK boss { QUESTION "?" } }': {"answer.boss", "answer"},
    "MEMORY { LONG_TERM { log } SHORT_TERM { s } KNOWLEDGE { k } SHARED { b } }": {
        "log",
        "s",
        "k",
        "SHARED.b",
    },
    "MEMORY { WRITE { STORE { x } INTO LONG_TERM.kept.here } }": {"kept.here"},
    "GOAL air { MAINTAIN x == 1 }": {"goals.air.score", "goal.satisfied", "goal.score"},
    "GOAL { MAINTAIN x == 1 }": {"goals.main.score"},
    "HYPOTHESIS h { PRIOR 0.1 EXPLAINS cause.of }": {"h.posterior", "hypothesis.h.bits", "cause.of"},
}


@pytest.mark.parametrize("members", PRODUCED)
def test_what_an_action_can_produce_is_also_known(members: str) -> None:
    found = paths(members)
    assert found.produced >= PRODUCED[members]
    assert found.known >= found.produced


KNOWN = {
    "OBSERVE { x.y }": {"x.y", "sensors.x.y.available"},
    "BELIEF { x.y = 1 }": {"x.y", "x.y.confidence"},
    "PLAN p { FOREACH bed IN beds { SET n = 1 } }": {"bed"},
    "": {"run.resumed", "run.resumes", "run.age_s", "budget.cost.left", "budget.actions.used"},
}


@pytest.mark.parametrize("members", KNOWN)
def test_what_is_only_known_is_not_produced(members: str) -> None:
    found = paths(members)
    assert found.known >= KNOWN[members]
    assert not found.produced & KNOWN[members]


def test_what_is_only_read_is_not_known() -> None:
    found = paths("TOOL t { INPUT { n: Number BIND x.b } } PLAN p WHEN x.w == 1 { t(n = x.a) }")
    assert not found.known & {"x.b", "x.w", "x.a", "n"}


def test_a_scenario_makes_nothing_known() -> None:
    found = paths("OBSERVE { a } SCENARIO s { GIVEN { x.y = 1 } EXPECT { z.w == 1 } }")
    assert not found.known & {"x.y", "z.w"}


def test_words_are_the_single_words_among_them_and_the_inputs() -> None:
    found = paths(
        "OBSERVE { dark x.y } TOOL t { INPUT { n: Number } OUTPUT { m: Number } } PLAN p { SET s = 1 }"
    )
    assert found.words >= {"dark", "n", "m", "s", "answer", "still_failed"}
    assert not found.words & {"x.y", "t", "p", "yes"}


def test_the_keys_that_are_expected_of_a_sub_agent_are_collected_over_the_program() -> None:
    found = paths("PLAN p { DELEGATE d { EXPECT { k } } DELEGATE d { EXPECT { l } } DELEGATE e { } }")
    assert found.delegates == {"d": ("k", "l"), "e": ()}


@pytest.mark.parametrize(
    ("path", "covered", "touched"),
    [
        ("a.b", True, True),
        ("a.b.c", True, True),
        ("a", False, True),
        ("a.bc", False, False),
        ("b", False, False),
    ],
)
def test_a_path_is_covered_from_above_and_touched_from_both_sides(path, covered, touched) -> None:
    assert covers({"a.b"}, path) is covered
    assert touches({"a.b"}, path) is touched
