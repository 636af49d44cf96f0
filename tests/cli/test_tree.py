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


def test_of_a_broken_program_what_stands_is_printed_and_then_refused(agentl, tmp_path):
    file = tmp_path / "a.agent"
    file.write_text(BROKEN)
    ended = agentl("ast", file)
    assert ended.returncode == 2
    assert "Plan" in ended.stdout
    assert "error S101" in ended.stderr


def test_of_a_broken_program_the_json_is_whole_and_alone_on_the_output(agentl, tmp_path):
    file = tmp_path / "a.agent"
    file.write_text(BROKEN)
    ended = agentl("ast", file, "--json")
    assert ended.returncode == 2
    (agent,) = json.loads(ended.stdout)["agents"]
    assert [member["node"] for member in agent["members"]] == ["Goal", "Plan"]
    assert ended.stderr.startswith("error S101: expected an expression")


@pytest.mark.parametrize(("text", "code"), [("", "S106"), ("no agent here", "S116")])
def test_without_an_agent_nothing_is_printed_and_the_mistake_is_told(agentl, tmp_path, text, code):
    file = tmp_path / "a.agent"
    file.write_text(text)
    ended = agentl("ast", file, "--json")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"error {code}" in ended.stderr


def test_a_number_too_large_for_json_is_null_and_keeps_its_text(agentl, tmp_path):
    file = tmp_path / "a.agent"
    number = "9" * 5000
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
    for file in [*samples.glob("samples/*.agent"), samples / "rare.agent"]:
        ended = agentl("ast", file, "--json")
        assert (ended.returncode, ended.stderr) == (0, "")
        check(json.loads(ended.stdout))
    assert seen == fields.keys() - {"group", "node", "Member", "Statement", "Expression"}


def test_a_byte_order_mark_takes_no_column(agentl, tmp_path):
    file = tmp_path / "a.agent"
    file.write_text("\ufeff" + TEXT, encoding="utf-8")
    lines = agentl("ast", file).stdout.splitlines()
    assert "  Agent  1:1" in lines
    assert "    Name text='a'  1:7" in lines
    tree = json.loads(agentl("ast", "--json", file).stdout)
    assert tree["agents"][0]["span"] == [[1, 1], [4, 2]]
