"""The paths that journal records carry."""

from pathlib import Path

import pytest

from agentl_grammar.digest import declarations
from agentl_grammar.parser import parse
from agentl_grammar.sites import SiteIndex
from agentl_grammar.tree import CallStatement, Node, Program, Rule, Statement, walk

SAMPLES = [p.read_text(encoding="utf-8") for p in sorted((Path(__file__).parent / "samples").glob("*.agent"))]


def program(text: str) -> Program:
    result = parse(text)
    assert result.program is not None, result.problems
    return result.program


def sites(members: str, kind: type[Node]) -> list[str]:
    tree = program(f"AGENT a {{ {members} }}")
    index = SiteIndex(tree)
    return [index.site(node) for node in walk(tree) if isinstance(node, kind)]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("PLAN p { f() g() }", ["a/plan:p/step:main/0", "a/plan:p/step:main/1"]),
        ("PLAN p { STEP s { f() } STEP s { g() } }", ["a/plan:p/step:s/0", "a/plan:p/step:s#2/0"]),
        (
            "PLAN p { IF x THEN f() ELSE { y g() } }",
            ["a/plan:p/step:main/0/then/0", "a/plan:p/step:main/0/else/1"],
        ),
        (
            "PLAN p { IF x THEN y ELSE IF z THEN f() }",
            ["a/plan:p/step:main/0/else/0/then/0"],
        ),
        ("PLAN p { VERIFY { x ON FAIL { RETRY f() } } }", ["a/plan:p/step:main/0/on_fail/1"]),
        ("PLAN p { LOOP { FOREACH i IN l { f() } } }", ["a/plan:p/step:main/0/body/0/body/0"]),
        ("PLAN p { THEN THEN f() }", ["a/plan:p/step:main/0/then/0/then/0"]),
        ("EVENT door.open { WHEN x f() THEN g() }", ["a/event:door.open/0", "a/event:door.open/1/then/0"]),
        ("ON MESSAGE m { f() }", ["a/message:m/0"]),
        ("ON VERIFY.FAIL { x f() }", ["a/verify_fail/1"]),
        ("DECIDE { IF x THEN y RULES { IF x THEN f() } }", ["a/decide/1/then/0"]),
        ("LOOP { OBSERVE f() }", ["a/loop/1"]),
        ("PLAN p { f() } PLAN p { g() }", ["a/plan:p/step:main/0", "a/plan:p#2/step:main/0"]),
        ('PLAN "a/b" { STEP "c#1" { f() } }', ["a/plan:a%2Fb/step:c%231/0"]),
    ],
)
def test_a_call_has_the_path_that_leads_to_it(members: str, expected: list[str]):
    assert sites(members, CallStatement) == expected


def test_rules_are_counted_over_all_policies():
    members = "POLICY { DEFAULT DENY ALLOW b } GOAL { c } POLICY { NEVER SEND d NEVER e }"
    assert sites(members, Rule) == ["a/policy/1", "a/policy/3"]


@pytest.mark.parametrize(
    ("members", "site", "kind"),
    [
        ("OBSERVE { queue.pending }", "a/observe/queue.pending", "Observation"),
        ("OBSERVE { b } OBSERVE { b }", "a/observe/b#2", "Observation"),
        ("BELIEF { door.state = shut }", "a/belief/door.state", "BeliefEntry"),
        ("TOOL { t() }", "a/tool:t", "Tool"),
        ("TOOL t { OUTCOME ok { } }", "a/tool:t/outcome:ok", "ToolOutcome"),
        ("GOAL { b }", "a/goal:main", "Goal"),
        ("GOAL g { b }", "a/goal:g", "Goal"),
        ("MEMORY { WRITE { } WRITE { } }", "a/memory/write/1", "MemoryWrite"),
        ("UTILITY { b VALUE 1 }", "a/utility/0", "UtilityEntry"),
        ("HYPOTHESIS h { EVIDENCE { b } PREDICT c }", "a/hypothesis:h/evidence/1", "Evidence"),
        ('DECIDE { REASON "x" { } }', "a/decide/reason", "Reason"),
        ("SCENARIO s { GIVEN { } EXPECT CALL t }", "a/scenario:s/expect/0", "ExpectTrace"),
        ("SCENARIO s { GIVEN { } EXPECT CALL t }", "a/scenario:s/given/0", "Given"),
        ("PLAN p { STEP one { } }", "a/plan:p/step:one", "Step"),
        ('VERSION "1"', "a/version", "Version"),
        ("", "a", "Agent"),
    ],
)
def test_a_member_or_entry_is_found_at_its_site(members: str, site: str, kind: str):
    index = SiteIndex(program(f"AGENT a {{ {members} }}"))
    node = index.node(site)
    assert type(node).__name__ == kind
    assert node is not None
    assert index.site(node) == site


@pytest.mark.parametrize("text", SAMPLES)
def test_every_statement_has_a_site_of_its_own_that_leads_back(text: str):
    tree = program(text)
    index = SiteIndex(tree)
    statements = [node for node in walk(tree) if isinstance(node, Statement)]
    found = [index.site(node) for node in statements]
    assert len(set(found)) == len(statements) > 20
    assert all(index.node(site) is node for site, node in zip(found, statements, strict=True))


@pytest.mark.parametrize("text", SAMPLES)
def test_the_declaration_of_a_site_is_a_key_of_the_digests(text: str):
    tree = program(text)
    index = SiteIndex(tree)
    for agent in tree.agents:
        keys = declarations(agent)
        for node in walk(agent):
            if isinstance(node, Statement):
                assert index.declaration(index.site(node)) in keys


def test_the_declaration_of_an_agent_is_the_agent():
    assert SiteIndex(program("AGENT a { }")).declaration("a") == "a"


def test_equal_statements_are_told_apart():
    assert sites("PLAN p { f() f() }", CallStatement) == ["a/plan:p/step:main/0", "a/plan:p/step:main/1"]


def test_a_layout_edit_keeps_every_site():
    tree = program(SAMPLES[0])
    moved = program("# moved\n\n" + SAMPLES[0].replace("\n", "\n\n"))
    before, after = SiteIndex(tree), SiteIndex(moved)
    pairs = zip(walk(tree), walk(moved), strict=True)
    assert all(before.site(a) == after.site(b) for a, b in pairs if isinstance(a, Statement))


def test_a_node_of_another_program_has_no_site():
    index = SiteIndex(program("AGENT a { }"))
    with pytest.raises(KeyError):
        index.site(program("AGENT a { }").agents[0])
    assert index.node("a/plan:p") is None
