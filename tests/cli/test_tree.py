"""`agentl ast`."""

import json

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
    assert ended.returncode != 0
    assert "Plan" in ended.stdout
    assert "error S101" in ended.stderr
