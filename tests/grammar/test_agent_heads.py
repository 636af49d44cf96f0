"""One mistake in the head of an agent leaves its name and its members, be it the only one or not."""

import pytest

from agentl_grammar.parser import Parser, parse

BODY = "\n  GOAL g { x }\n  PLAN p { a() }\n}\n"
BROKEN = [
    ("AGENT a (", "a"),
    ("AGENT a [", "a"),
    ("AGENT a(x, y)", "a"),
    ("AGENT a, b {", "a"),
    ("AGENT (a) {", "unnamed"),
    ("AGENT * {", "unnamed"),
    ("AGENT -a {", "unnamed"),
    ("AGENT 5s {", "unnamed"),
    ("AGENT 2026-01-01 {", "unnamed"),
]


@pytest.mark.parametrize(("head", "name"), BROKEN)
@pytest.mark.parametrize("before", ["", "# note\n", "AGENT z {\n  GOAL x { y }\n}\n"])
def test_the_name_and_the_members_of_a_broken_head_stand(before: str, head: str, name: str):
    result = parse(before + head + BODY)
    assert len(result.problems) == 1
    assert result.program
    agent = result.program.agents[-1]
    assert (agent.name.text, len(agent.members)) == (name, 2)


@pytest.mark.parametrize(("head", "name"), BROKEN)
def test_a_head_typed_wrong_is_told_as_in_a_new_reading(head: str, name: str):
    parser = Parser()
    parser.parse("AGENT a {" + BODY)
    edited = parser.parse(head + BODY)
    anew = parse(head + BODY)
    assert (edited.program, edited.problems) == (anew.program, anew.problems)


def test_members_without_an_agent_are_in_no_tree():
    assert parse("GOAL g { x }\nPLAN p { a() }\n").program is None
