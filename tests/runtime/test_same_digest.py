"""Programs of one digest do the same: what they ask of their host, in order, and every event of a trace."""

import random
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentl import Host, InDoubt, MockLLM, Symbol, parse_source
from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.interpreter.machine import Machine
from agentl.interpreter.support import unsupported
from agentl.policy import PolicyEngine
from agentl_grammar.digest import declaration_digests, program_digest
from agentl_grammar.formatter import formatted

sys.path.insert(0, str(Path(__file__).parents[1] / "grammar"))
from edits import with_comments

PATHS = ("a.x", "b.y", "c.z")


class Fields(list[Any]):
    """The fields of a block whose order means nothing: each is a text, or a list of texts and Fields."""


def one_of(*texts: str) -> st.SearchStrategy[str]:
    return st.sampled_from(texts)


def some(item: st.SearchStrategy[Any], smallest: int = 0, largest: int = 3) -> st.SearchStrategy[list[Any]]:
    return st.lists(item, min_size=smallest, max_size=largest)


def fields(*parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Fields]:
    """Return each of the parts or not, in the order of the parts."""
    return st.tuples(*(st.none() | part for part in parts)).map(
        lambda found: Fields(part for part in found if part is not None)
    )


values = one_of(
    "0", "1", "2", "yes", "no", '"text"', "a.x", "b.y + 1", "c.z", "-a.x", "[1, yes]", "60s", "50%"
)
conditions = one_of(
    "a.x == 1", "b.y > 0", "c.z != yes", "a.x", "NOT b.y == c.z", "a.x IN [1, 2] OR c.z == no",
    "a.x >= b.y AND c.z != no", "tools.t.in_doubt != true", "last_action.blocked == true", "1 == 1",
)  # fmt: skip
calls = st.tuples(one_of("t", "u"), values, values).map(lambda c: f"{c[0]}(n = {c[1]}, m = {c[2]})")
assigns = st.tuples(one_of("SET ", ""), one_of("c.z", "seen"), values).map(lambda a: f"{a[0]}{a[1]} = {a[2]}")
produced = one_of("f: Number IN [0, 5] DEFAULT 1", "w: Symbol IN [yes, no] DEFAULT no", "v: Bool DEFAULT yes")
reasons = fields(
    st.just('TASK "weigh"'),
    st.just("USING { a.x, c.z }"),
    some(produced, 1, 2).map(lambda found: f"PRODUCE {{ {' '.join(dict.fromkeys(found))} }}"),
).map(lambda block: ["REASON", block])
asks = fields(
    st.just('QUESTION "which?"'), st.just("REASON why"), values.map(lambda value: f"DEFAULT {value}")
).map(lambda block: ["ASK person", block])
simple = calls | assigns | reasons | asks | one_of("p", "q", "ESCALATE", "RETRY 1")
statements = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.tuples(conditions, inner, inner).map(
            lambda parts: [f"IF {parts[0]} THEN {{", parts[1], "} ELSE {", parts[2], "}"]
        ),
        inner.map(lambda body: ["LOOP MAX 2 {", body, "}"]),
        st.tuples(conditions, inner).map(
            lambda parts: [f'VERIFY "v" {{ CONDITION {parts[0]} ON FAIL {{', parts[1], "} }"]
        ),
    ),
    max_leaves=4,
)
tools = fields(
    st.just('DESCRIPTION "does it"'),
    st.just("OUTPUT { o: Any }"),
    st.just("SIDE_EFFECT { a.x }"),
    one_of("RISK LOW", "RISK HIGH", "RISK { money: LOW, life: HIGH }"),
    conditions.map(lambda condition: f"REQUIRES {condition}"),
    values.map(lambda value: f"EFFECT {{ b.y = {value} }}"),
    st.just("COST 3"),
    st.just("DURATION 2s"),
)
goals = fields(
    conditions.map(lambda condition: f"MAINTAIN {condition}"),
    conditions.map(lambda condition: f"TARGET {{ {condition} }}"),
    st.just("WEIGHT 2"),
)
rules = st.tuples(
    one_of("REQUIRE APPROVAL FOR", "ALLOW", "NEVER", "DENY"), one_of("t", "u", "*"), conditions
).map(lambda rule: f"{rule[0]} {rule[1]} WHEN {rule[2]}")
guards = conditions.map(lambda condition: f"WHEN {condition}")
observed = st.tuples(
    one_of(*PATHS), fields(guards, one_of("ON UNKNOWN ESCALATE", "ON UNKNOWN DEGRADE 1"))
)  # fmt: skip
believed = st.tuples(
    one_of(*PATHS),
    values,
    fields(
        one_of("CONFIDENCE 0.5", "CONFIDENCE 90%"), st.just("SOURCE prior"), st.just("UPDATED 2026-01-01")
    ),
)
policies = st.tuples(one_of("DEFAULT ALLOW", "DEFAULT DENY"), some(rules, 0, 1))


@st.composite
def agents(draw: st.DrawFn) -> list[Any]:
    """Return an agent as texts, lists of texts, and Fields."""
    parts: list[Any] = ["AGENT g {", "GOAL goal", draw(goals)]
    parts += [
        "OBSERVE {",
        *(item for path, options in draw(some(observed)) for item in (path, _bare(options))),
        "}",
    ]
    for path, value, metas in draw(some(believed)):
        parts += [f"BELIEF {{ {path} = {value}", _bare(metas), "}"]
    for name in ("t", "u"):
        inputs = "INPUT { n: Any  m: Any }"
        parts += [f"TOOL {name}", Fields([inputs, *draw(tools)])]
    default, found = draw(policies)
    parts += ["POLICY {", default, *found, "}"]
    for name in ("p", "q"):
        parts += [f"PLAN {name} WHEN {draw(conditions)} {{", draw(calls), *draw(some(statements)), "}"]
    parts += [f"EVENT bell {{ WHEN {draw(conditions)}", *draw(some(simple)), "}"]
    parts += ["LOOP MAX 3 { OBSERVE UPDATE_BELIEFS EVALUATE_GOALS SELECT_PLAN EXECUTE VERIFY }", "}"]
    return parts


def _bare(options: Fields) -> list[Any]:
    """Return options, which stand in no braces."""
    return ["", options, "bare"]


def written(part: Any, chance: random.Random | None) -> str:
    """Return a part as text; with `chance`, fields whose order means nothing stand in any order."""
    if isinstance(part, str):
        return part
    if isinstance(part, Fields):
        return "{ " + _shuffled(part, chance) + " }"
    if len(part) == 3 and part[2:] == ["bare"]:
        return _shuffled(part[1], chance)
    return " ".join(written(each, chance) for each in part)


def _shuffled(part: Fields, chance: random.Random | None) -> str:
    order = chance.sample(part, len(part)) if chance else list(part)
    return "  ".join(written(each, chance) for each in order)


ANSWERS = (0, 1, 2, True, "text", Symbol("yes"), Symbol("no"), {"o": 1}, {"o": Symbol("yes")}, {})
RAISED = (ValueError("bad"), InDoubt("perhaps"))


def run(text: str, answers: list[Any]) -> tuple[list[Any], list[Any]]:
    """Run a program with a host that gives these answers; return what it was asked, and the events."""
    program = parse_source(text)
    assert unsupported(program) == ()
    asked: list[Any] = []
    given_answers = cycle(answers)

    def answer(what: str) -> Any:
        def call(*args: object, **named: object) -> object:
            asked.append((what, len(args), sorted(named.items())))
            value = next(given_answers)
            if isinstance(value, Exception):
                raise value
            return value

        return call

    class Model(MockLLM):
        def reason(self, task: str, context: dict[str, Any], schema: dict[str, Any]) -> Any:
            asked.append((task, repr(context), repr(schema)))
            return answer("reason")()

    host = Host()
    host.sensors = {path: answer(path) for path in PATHS}
    host.tools = {name: answer(name) for name in ("t", "u")}
    host.approver, host.asker = answer("approver"), answer("asker")
    host.emit("bell", k=1)
    machine = Machine(program, program.agents[0], length=3)
    with LiveDriver(host, Model()) as driver:
        drive(machine, driver)
    return asked, [
        (event.tick, event.kind, event.code, repr(event.arguments)) for event in machine.trace.events
    ]


def edited(parts: list[Any], chance: random.Random) -> Iterator[str]:
    """Yield the agent with its fields in another order, with comments anywhere, and laid out."""
    other = written(parts, chance)
    yield other
    yield with_comments(other, chance, 0.2)
    yield formatted(other).text


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    agents(),
    st.randoms(use_true_random=False),
    st.lists(st.sampled_from(ANSWERS + RAISED), min_size=1, max_size=12),
)
def test_programs_of_one_digest_ask_and_tell_the_same(
    parts: list[Any], chance: random.Random, answers: list[Any]
):
    text = written(parts, None)
    before, told = parse_source(text), run(text, answers)
    for other in edited(parts, chance):
        after = parse_source(other)
        assert program_digest(after) == program_digest(before)
        assert declaration_digests(after) == declaration_digests(before)
        assert run(other, answers) == told


def test_the_generated_programs_act_fail_and_are_refused():
    wanted = {"TOOL", "BLOCKED", "LLM", "ASK", "VERIFY_FAIL", "ERROR", "GOAL"}
    chance = random.Random(0)  # noqa: S311 (any programs will do)
    seen: set[str] = set()

    @settings(max_examples=80, deadline=None, database=None, derandomize=True)
    @given(agents())
    def look(parts: list[Any]) -> None:
        answers = chance.choices(ANSWERS + RAISED, k=12)
        seen.update(kind for _, kind, _, _ in run(written(parts, None), answers)[1])

    look()
    assert wanted <= seen


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("NEVER t WHEN a.x > 0.50", "NEVER t WHEN a.x > 0.5"),
        ("NEVER t WHEN a.x > 60s", "NEVER t WHEN a.x > 1min"),
        ("NEVER t WHEN a.x > 50%", "NEVER t WHEN a.x > 0.5"),
        ("NEVER t WHEN a.x > 1.0", "NEVER t WHEN a.x > 1"),
        ("DEFAULT DENY ALLOW t", "ALLOW t DEFAULT DENY"),
        ("DEFAULT DENY ALLOW t", "DEFAULT ALLOW ALLOW t DEFAULT DENY"),
        ("NEVER t WHEN (a.x > 1)", "NEVER t IF a.x > 1,"),
    ],
)
def test_what_a_permit_tells_apart_the_digest_does_too(one: str, other: str):
    """A permit names the digest of the whole POLICY, as it is written."""
    programs = [parse_source(f"AGENT g {{ TOOL t {{ }} POLICY {{ {rules} }} }}") for rules in (one, other)]
    permits = {PolicyEngine(program.agents[0]).digest for program in programs}
    assert len(permits) == len({program_digest(program) for program in programs})
