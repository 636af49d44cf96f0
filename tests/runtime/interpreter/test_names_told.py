"""W143 tells of a name where a run does not bind it, and is silent where a run does."""

import pytest

from agentl import Host, Symbol
from agentl_grammar.checks import check

SAY = "TOOL say { INPUT { word: Any } } "
GREET = "TOOL greet { INPUT { who: Any } } "
LOOK = "TOOL look { OUTPUT { ok: Any } } "
GIVEN = "SCENARIO s { GIVEN EVENT door.opened { who = ada } EXPECT NO ERROR } "
OPENED = GIVEN + "EVENT door.opened { %s }"


def tells(text: str) -> bool:
    return "W143" in {problem.code for problem in check(f"AGENT a {{ {text} }}")}


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        (SAY + OPENED % "say(who)", Symbol("who")),
        (SAY + OPENED % "say(payload.who)", "Ada"),
        (SAY + GREET + OPENED % "say(who)", "Ada"),
        (SAY + GREET + OPENED % "p" + " PLAN p { say(who) }", "Ada"),
        (SAY + GREET + OPENED % "p" + " PLAN p { say(who) } GOAL { who.there == yes }", Symbol("who")),
        (SAY + GREET + "POLICY { NEVER greet WHEN who == eve } " + OPENED % "say(who)", "Ada"),
        (SAY + GREET + "POLICY { NEVER say WHEN who == eve } " + OPENED % "say(who)", Symbol("who")),
        (SAY + GREET + "GOAL { a.b == who } " + OPENED % "say(who)", Symbol("who")),
        (SAY + GREET + "GOAL { a.b == who } " + OPENED % "say(payload.who)", "Ada"),
    ],
)
def test_a_payload_key_is_told_where_a_run_says_the_word_itself(run_agent, text, heard):
    host, said = Host(), []
    host.tools["say"] = lambda word: said.append(word) or {}
    host.emit("door.opened", who="Ada")
    run_agent(text, host)
    assert said == [heard]
    assert tells(text) == isinstance(heard, Symbol)


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        (LOOK + SAY + "EVENT door.opened { look() IF ok == 1 THEN say(yes) }", True),
        (LOOK + SAY + "GOAL { a.b == ok } EVENT door.opened { look() IF ok == 1 THEN say(yes) }", False),
        (LOOK + SAY + "GOAL { a.b == ok } EVENT door.opened { look() IF look.ok == 1 THEN say(yes) }", True),
        (LOOK + SAY + "GOAL { ok.so == 1 } EVENT door.opened { look() IF ok == 1 THEN say(yes) }", False),
        (LOOK + SAY + "OBSERVE { ok } EVENT door.opened { look() IF ok == 1 THEN say(yes) }", False),
        (
            LOOK + SAY + "OBSERVE { look.ok } EVENT door.opened { look() IF look.ok == 1 THEN say(yes) }",
            False,
        ),
    ],
)
def test_an_output_is_told_where_a_run_does_not_read_it(run_agent, text, heard):
    host, said = Host(), []
    host.tools |= {"say": lambda word: said.append(word) or {}, "look": lambda: {"ok": 1}}
    host.sensors |= {"ok": lambda: 0, "look.ok": lambda: 0}
    host.emit("door.opened")
    run_agent(text, host)
    assert (said != []) == heard
    assert tells(text) != heard
