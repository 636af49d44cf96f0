"""A checker that remembers says the same as one that does not, and says it where the text is now."""

import random
from pathlib import Path

import pytest

from agentl_grammar.checks import Checker, HostFacts, check, remembering
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


TOOLS = "".join(f"  TOOL t{number} {{ RISK HIGH EFFECT {{ a.v{number} = 1 }} }}\n" for number in range(8))
RULES = "".join(f"    NEVER t{number} WHEN a.v{number} == bad\n" for number in range(8))
PLANS = "".join(f"  PLAN p{number} WHEN a.v{number} == 2 {{ t{number}() }}\n" for number in range(8))
WIDE = f"AGENT a {{\n  OBSERVE {{ a.v0, a.v1 }}\n{TOOLS}  POLICY {{\n{RULES}  }}\n{PLANS}}}\n"


def looked_at(monkeypatch, text: str, edited: str) -> int:
    """How many parts, and rules of the whole agent, are looked at after an edit."""
    looks: list[object] = []
    found = remembering._found  # what is not looked at again shows nowhere else
    monkeypatch.setattr(remembering, "_found", lambda *args: looks.append(args[2]) or found(*args))
    parser, checker = Parser(), Checker()
    checker.check(parser.parse(text))
    looks.clear()
    assert checker.check(parser.parse(edited)) == check(edited)
    return len([part for part in looks if part is not None])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("PLAN p3 WHEN a.v3 == 2", "PLAN p3 WHEN a.v3 == 3"),
        ("NEVER t5 WHEN a.v5 == bad", "NEVER t5 WHEN a.v5 == worse"),
        ("TOOL t2 { RISK HIGH", "TOOL t2 { RISK CRITICAL"),
    ],
)
def test_after_an_edit_only_what_it_can_concern_is_looked_at_again(monkeypatch, old: str, new: str):
    parts = len(parse(WIDE).program.agents[0].members) + RULES.count("\n")
    again = looked_at(monkeypatch, WIDE, WIDE.replace(old, new)) - parts  # a new checker looks at all
    assert 1 <= again <= 4


def test_what_depends_on_an_edited_declaration_is_looked_at_again():
    members = ("GOAL { x.y == 1 }", "TOOL pay { RISK LOW }", "EVENT e { pay() }", "POLICY { NEVER pay }")
    text = "AGENT a {\n  " + "\n  ".join(members) + "\n}"
    text = text.replace("NEVER pay", "ALLOW pay")
    parser, checker = Parser(), Checker()
    told = [
        [problem.code for problem in checker.check(parser.parse(version))]
        for version in (text, text.replace("RISK LOW", "RISK HIGH"), text.replace("pay {", "pey {"), text)
    ]
    assert told == [[], ["W120", "W102"], ["E001", "E003"], []]


def test_rules_of_one_text_are_told_apart():
    rule = "    NEVER pay WHEN blocked == yes\n"
    text = f"AGENT a {{\n  TOOL pay {{ RISK LOW }}\n  POLICY {{\n{rule}{rule}  }}\n}}\n"
    parser, checker = Parser(), Checker()
    for version in (text, text.replace(rule, "", 1), text, text.replace(rule, rule * 3, 1)):
        assert checker.check(parser.parse(version)) == check(version)
