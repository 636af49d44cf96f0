"""`agentl digest` and `agentl diff`."""

import json

import pytest

from agentl_grammar.digest import agent_digest, declaration_digests, program_digest
from agentl_grammar.parser import parse

BASE = """AGENT shop {
  VERSION "1"
  OBSERVE { queue.length  queue.next }
  POLICY {
    DEFAULT DENY
    ALLOW ship
    NEVER ship WHEN queue.length > 10
  }
  TOOL ship { INPUT { item: String }  RISK LOW }
  PLAN first { ship(item = queue.next) }
  PLAN second { ship(item = "x") }
  SCENARIO s { EXPECT { a } }
}
"""


@pytest.fixture
def agentl(in_process, monkeypatch, tmp_path):
    """Run a command line in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return in_process


@pytest.fixture
def diff(agentl, tmp_path):
    """Compare BASE with another text."""

    def compare(text, *words):
        (tmp_path / "a.agent").write_text(BASE)
        (tmp_path / "b.agent").write_text(text)
        return agentl("diff", "a.agent", "b.agent", *words)

    return compare


def test_digests_of_program_agents_and_declarations_are_printed(agentl, tmp_path):
    (tmp_path / "a.agent").write_text(BASE)
    program = parse(BASE).program
    ended = agentl("digest", "a.agent")
    parts = declaration_digests(program)
    told = {"a.agent": program_digest(program), "shop": agent_digest(program.agents[0]), **parts}
    assert ended.returncode == 0
    assert ended.stdout == "".join(f"{digest}  {key}\n" for key, digest in told.items())
    assert "shop/scenario:s" not in ended.stdout
    assert json.loads(agentl("digest", "a.agent", "--format", "json").stdout) == {
        "version": 1,
        "path": "a.agent",
        "program": program_digest(program),
        "agents": {"shop": agent_digest(program.agents[0])},
        "declarations": parts,
    }


def test_a_program_that_is_broken_or_missing_has_no_digest(agentl, tmp_path):
    (tmp_path / "a.agent").write_text("AGENT a { GOAL { x > } }")
    broken, missing = agentl("digest", "a.agent"), agentl("digest", "b.agent")
    assert (broken.returncode, broken.stdout, missing.returncode, missing.stdout) == (2, "", 2, "")
    assert "error S101" in broken.stderr
    assert "error U102" in missing.stderr


def test_an_unknown_format_is_refused(agentl, diff):
    assert agentl("digest", "a.agent", "--format", "xml").returncode == 2
    assert "the formats are text, json" in diff(BASE, "--format", "xml").stderr


def test_programs_that_mean_the_same_have_no_difference(diff):
    ended = diff(BASE.replace("\n  ", "\n\n// c\n").replace('"1"', '"2"').replace("{ a }", "{ b }"))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_changed_declaration_is_shown_from_both_sides(diff):
    ended = diff("\n" + BASE.replace("> 10", "> 20"))
    assert ended.returncode == 1
    assert ended.stdout == (
        "shop/policy was changed\n"
        "  a.agent:4:3\n"
        "  b.agent:5:3\n"
        "     DEFAULT DENY\n"
        "     ALLOW ship\n"
        "  -  NEVER ship WHEN queue.length > 10\n"
        "  +  NEVER ship WHEN queue.length > 20\n"
        "   }\n"
        "\n"
    )


def test_another_order_of_entries_is_named_as_such(diff):
    ended = diff(BASE.replace("queue.length  queue.next", "queue.next  queue.length"))
    assert ended.returncode == 1
    assert ended.stdout.startswith("shop/observe: the same parts in another order, which counts\n")


def test_a_declaration_that_moved_is_named_as_such(diff):
    lines = BASE.splitlines(keepends=True)
    first = next(line for line in lines if "first" in line)
    moved = [line for line in lines if line != first]
    moved.insert(2, first)
    ended = diff("".join(moved))
    assert ended.returncode == 1
    assert ended.stdout == (
        "shop/plan:first moved: its place among the others counts\n  a.agent:10:3\n  b.agent:3:3\n\n"
    )


def test_what_was_added_or_removed_is_named_with_its_place(diff):
    ended = diff(BASE.replace("PLAN second", "PLAN third"))
    assert [line for line in ended.stdout.splitlines() if line.startswith(("shop", "  a", "  b"))] == [
        "shop/plan:third was added",
        "  b.agent:11:3",
        "shop/plan:second was removed",
        "  a.agent:11:3",
    ]


def test_an_agent_of_another_name_is_another_agent(diff):
    ended = diff(BASE.replace("AGENT shop", "AGENT store"))
    assert [line for line in ended.stdout.splitlines() if line.startswith("s")] == [
        "store was added",
        "shop was removed",
    ]


def test_agents_in_another_order_moved(agentl, tmp_path):
    one, two = "AGENT a { GOAL { x } }\n", "AGENT b { GOAL { y } }\n"
    (tmp_path / "a.agent").write_text(one + two)
    (tmp_path / "b.agent").write_text(two + one)
    ended = agentl("diff", "a.agent", "b.agent")
    assert ended.returncode == 1
    assert ended.stdout == "b moved: its place among the others counts\n  a.agent:2:1\n  b.agent:1:1\n\n"


def test_parts_of_declarations_between_others_count_by_their_place(agentl, tmp_path):
    (tmp_path / "a.agent").write_text("AGENT a { POLICY { ALLOW x } GOAL { y } POLICY { DENY z } }")
    (tmp_path / "b.agent").write_text("AGENT a { POLICY { ALLOW x } POLICY { DENY z } GOAL { y } }")
    ended = agentl("diff", "a.agent", "b.agent")
    assert ended.returncode == 1
    assert ended.stdout.startswith("a: the same parts in another order, which counts\n")


def test_differences_as_data(diff):
    ended = diff(BASE.replace('"x"', '"y"'), "--format", "json")
    told = json.loads(ended.stdout)
    assert ended.returncode == 1
    assert (told["version"], told["same"], told["before"]["path"], told["after"]["path"]) == (
        1,
        False,
        "a.agent",
        "b.agent",
    )
    assert told["before"]["digest"] == program_digest(parse(BASE).program)
    (difference,) = told["differences"]
    assert (difference["key"], difference["change"]) == ("shop/plan:second", "changed")
    assert difference["before"]["text"] == 'PLAN second {\n  ship(item="x")\n}'
    assert difference["after"]["text"] == 'PLAN second {\n  ship(item="y")\n}'
    assert (difference["after"]["line"], difference["after"]["column"]) == (11, 3)
    same = json.loads(diff(BASE, "--format", "json").stdout)
    assert (same["same"], same["differences"]) == (True, [])


def test_a_program_that_cannot_be_read_ends_with_2(diff, agentl):
    assert diff("AGENT a { GOAL { x > } }").returncode == 2
    assert agentl("diff", "a.agent", "none.agent").returncode == 2
