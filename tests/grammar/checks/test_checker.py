"""A checker that remembers says the same as one that does not, and says it where the text is now."""

import random
from pathlib import Path

import pytest

from agentl_grammar.checks import Checker, HostFacts, check
from agentl_grammar.parser import Parser, parse
from agentl_grammar.problems import Severity

ROOT = Path(__file__).parents[3]
PROGRAMS = [
    path.read_text(encoding="utf-8")
    for folder in ("tests/programs/naive", "tests/programs/good", "tests/grammar/samples", "docs/examples")
    for path in sorted((ROOT / folder).glob("*.agent"))
]
PIECES = [
    "\n",
    "// note\n",
    " ",
    "x",
    "9",
    "pay",
    ",",
    "GOAL { a.b == c }\n",
    "yes",
    "TOOL t { RISK HIGH }\n",
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_after_any_edit_a_remembering_checker_finds_what_a_new_one_finds(text: str):
    chance = random.Random(len(text))  # noqa: S311 (places of edits are no secret)
    parser, checker = Parser(), Checker()
    for _ in range(25):
        start = chance.randrange(len(text))
        text = text[:start] + chance.choice(PIECES) + text[start + chance.choice((0, 0, 1, 7)) :]
        assert checker.check(parser.parse(text)) == check(text)


def test_findings_of_an_agent_that_did_not_change_move_with_it():
    text = PROGRAMS[0]
    parser, checker = Parser(), Checker()
    before = checker.check(parser.parse(text))
    after = checker.check(parser.parse("// one line more\n" + text))
    assert [p.span.start + 17 for p in before] == [p.span.start for p in after]
    assert [edit[0].start + 17 for p in before for fix in p.fixes for edit in fix.replacements] == [
        edit[0].start for p in after for fix in p.fixes for edit in fix.replacements
    ]


def test_what_the_host_promises_is_asked_anew():
    text = """AGENT a {
      TOOL t { SIDE_EFFECT { x.y } }
      PLAN p WHEN x.y > 1 { t() VERIFY { x.y == 0 ON FAIL { RETRY } } }
    }"""
    checker, result = Checker(), parse(text)
    codes = [
        "W140" in {problem.code for problem in checker.check(result, host=host)}
        for host in (None, HostFacts(), HostFacts(unpromised=frozenset({"t"})))
    ]
    assert codes == [False, False, True]


def test_of_a_text_with_syntax_errors_only_they_are_told():
    assert {problem.code for problem in check("AGENT a { PLAN p { foo() } GOAL g { x > } }")} == {"S101"}


def test_a_declaration_that_may_stand_once_is_told_beside_the_rest():
    codes = [problem.code for problem in check("AGENT a { LOOP { b() } LOOP { } }")]
    assert codes == ["W105", "E001", "E018"]


def test_problems_are_in_the_order_of_the_text():
    for text in PROGRAMS:
        starts = [problem.span.start for problem in check(text)]
        assert starts == sorted(starts)


def test_no_rule_raises_on_a_program_made_of_pieces_of_others():
    chance = random.Random(7)  # noqa: S311 (as above)
    members = [
        text[member.span.start : member.span.end]
        for text in PROGRAMS
        for agent in parse(text).program.agents
        for member in agent.members
    ]
    for _ in range(40):
        text = "AGENT a {\n" + "\n".join(chance.sample(members, 12)) + "\n}"
        found = check(text, host=HostFacts(unpromised=frozenset({"pay", "transfer", "restart"})))
        assert all(problem.severity in Severity for problem in found)
