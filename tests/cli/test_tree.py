"""`agentl ast`."""

import json
import re
from pathlib import Path

import pytest

from agentl_grammar.tree.page import page

TEXT = "AGENT a {\n  GOAL g { x > 1 }\n  PLAN p { send(1) }\n}\n"
BROKEN = TEXT.replace("x > 1", "x >")


def test_the_tree_is_printed_with_the_place_of_every_node(agentl, tmp_path):
    file = tmp_path / "a.agent"
    file.write_text(TEXT)
    lines = agentl("ast", file).stdout.splitlines()
    assert lines[0].startswith("Program  1:1")
    assert "      Binary  2:12" in lines
    assert "          Name text='x'  2:12" in lines


def test_as_json_every_node_has_its_kind_and_span(agentl, tmp_path):
    file = tmp_path / "a.agent"
    file.write_text(TEXT)
    tree = json.loads(agentl("ast", "--json", file).stdout)
    goal = tree["agents"][0]["members"][0]
    assert (goal["node"], goal["span"], goal["name"]["text"]) == ("Goal", [[2, 3], [2, 19]], "g")


def test_of_a_broken_program_what_stands_is_printed_as_incomplete_and_then_refused(agentl, tmp_path):
    file = tmp_path / "a.agent"
    file.write_text(BROKEN)
    ended = agentl("ast", file)
    assert ended.returncode == 2
    assert ended.stdout.startswith("Program  1:1  incomplete\n  Agent  1:1\n")
    assert "    Plan  3:3\n" in ended.stdout
    assert "error S101" in ended.stderr


def test_of_a_broken_program_the_json_says_that_it_is_not_all_and_why(agentl, tmp_path):
    file = tmp_path / "a.agent"
    file.write_text(BROKEN)
    ended = agentl("ast", file, "--json")
    told = json.loads(ended.stdout)
    assert (ended.returncode, told["version"], told["path"], told["complete"]) == (2, 1, str(file), False)
    (agent,) = told["agents"]
    assert [member["node"] for member in agent["members"]] == ["Goal", "Plan"]
    assert told["problems"] == json.loads(agentl("check", "--format", "json", file).stdout)["problems"]
    assert ended.stderr.startswith("error S101: expected an expression")


@pytest.mark.parametrize(
    ("text", "code", "end"),
    [("", "S106", [1, 1]), ("no agent\nhere", "S116", [2, 5]), (" \n", "S106", [2, 1])],
)
def test_without_an_agent_the_program_has_none_and_is_incomplete(agentl, tmp_path, text, code, end):
    file = tmp_path / "a.agent"
    file.write_text(text)
    ended = agentl("ast", file, "--json")
    told = json.loads(ended.stdout)
    assert (ended.returncode, told["complete"], told["agents"]) == (2, False, [])
    assert (told["span"], [problem["code"] for problem in told["problems"]]) == ([[1, 1], end], [code])
    assert f"error {code}" in ended.stderr
    assert agentl("ast", file).stdout == "Program  1:1  incomplete\n"


def test_a_member_too_many_is_a_problem_of_a_tree_that_is_complete(agentl, tmp_path):
    file = tmp_path / "a.agent"
    file.write_text("AGENT a { LOOP { } LOOP { } }")
    ended = agentl("ast", file, "--json")
    told = json.loads(ended.stdout)
    assert (ended.returncode, ended.stderr, told["complete"]) == (0, "", True)
    assert [(problem["code"], problem["start"]) for problem in told["problems"]] == [
        ("E018", {"line": 1, "column": 20})
    ]
    assert "incomplete" not in agentl("ast", file).stdout


def test_a_column_counts_code_points_and_a_line_ends_at_every_line_end(agentl, tmp_path):
    file = tmp_path / "a.agent"
    file.write_bytes('AGENT a {\r\tDESCRIPTION "😀é" GOAL { x }\r\n GOAL { y } }'.encode())
    told = json.loads(agentl("ast", file, "--json").stdout)
    spans = [member["span"] for member in told["agents"][0]["members"]]
    assert spans == [[[2, 2], [2, 18]], [[2, 19], [2, 29]], [[3, 2], [3, 12]]]


def test_the_help_names_no_host(agentl):
    said = agentl("ast", "--help").stdout
    assert "standard input" in said
    assert "host" not in said


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_number_too_large_for_json_is_null_and_keeps_its_text(digits, agentl, tmp_path):
    file = tmp_path / "a.agent"
    number = "9" * digits
    file.write_text(f"AGENT a {{ LOOP MAX {number} {{ }} }}")
    (loop,) = json.loads(agentl("ast", file, "--json").stdout)["agents"][0]["members"]
    assert (loop["maximum"]["value"], loop["maximum"]["text"]) == (None, number)


ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "docs" / "tree.md"


def test_the_page_of_nodes_is_made_from_the_tree():
    assert SCHEMA.read_text(encoding="utf-8") == page()


def documented() -> dict[str, list[str]]:
    """Return the fields of each node as the page tells them."""
    rows = re.findall(r"^\| (\w+) \| (.*?) \| .* \|$", SCHEMA.read_text(encoding="utf-8"), re.MULTILINE)
    return {kind: re.findall(r"`(\w+)`:", told) for kind, told in rows}


def test_the_json_of_every_sample_is_what_the_page_says(agentl):
    fields = documented()
    seen = set()

    def check(value: object) -> None:
        if isinstance(value, list):
            for item in value:
                check(item)
        if isinstance(value, dict):
            kind, span, *names = value
            assert (kind, span, names) == ("node", "span", fields[value["node"]])
            seen.add(value["node"])
            for name in names:
                check(value[name])

    samples = ROOT / "tests" / "grammar"
    for file in [*samples.glob("samples/*.agent"), samples / "rare.agent", samples / "forms.agent"]:
        ended = agentl("ast", file, "--json")
        assert (ended.returncode, ended.stderr) == (0, "")
        told = json.loads(ended.stdout)
        head = {name: told.pop(name) for name in ("version", "path", "complete", "problems")}
        assert head == {"version": 1, "path": str(file), "complete": True, "problems": []}
        check(told)
    assert seen == fields.keys() - {"group", "node", "Member", "Statement", "Expression"}


def test_a_byte_order_mark_takes_no_column(agentl, tmp_path):
    file = tmp_path / "a.agent"
    file.write_text("\ufeff" + TEXT, encoding="utf-8")
    lines = agentl("ast", file).stdout.splitlines()
    assert "  Agent  1:1" in lines
    assert "    Name text='a'  1:7" in lines
    tree = json.loads(agentl("ast", "--json", file).stdout)
    assert tree["agents"][0]["span"] == [[1, 1], [4, 2]]
