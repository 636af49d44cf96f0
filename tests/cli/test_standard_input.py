"""`-` in place of a program: `ast`, `check` and `fmt` read standard input."""

import io
import json
import sys

import pytest

BROKEN = "AGENT a {\n  GOAL { x > }\n}\n"
WARNED = "AGENT a {\n  GOAL { x.y == 1 AND flag }\n  OBSERVE { x.y }\n}\n"


@pytest.fixture
def given(monkeypatch, in_process, tmp_path):
    """Run a command line with a text on standard input."""

    def command(text: str | bytes, *words: str):
        raw = text.encode() if isinstance(text, str) else text
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        return in_process(*words)

    return command


@pytest.mark.parametrize("command", [("ast",), ("ast", "--json"), ("check",), ("fmt", "--check")])
def test_a_mistake_in_it_is_told_with_its_place_and_the_exit_code_of_a_file(given, command):
    ended = given(BROKEN, *command, "-")
    assert ended.returncode == 2
    assert "<stdin>:2:13" in ended.stdout + ended.stderr


@pytest.mark.parametrize("command", ["ast", "check", "fmt"])
def test_what_is_no_text_is_refused(given, command):
    ended = given(b"AGENT \xff", command, "-")
    assert ended.returncode == 2
    assert "U105" in ended.stdout + ended.stderr


def test_its_tree_is_printed_under_its_name(given):
    told = json.loads(given(WARNED, "ast", "-", "--json").stdout)
    assert (told["path"], told["complete"]) == ("<stdin>", True)
    assert told["agents"][0]["span"] == [[1, 1], [4, 2]]


def test_it_is_checked_with_the_settings_of_the_folder_and_without_a_host(given, tmp_path):
    (tmp_path / "-.py").write_bytes(b"\xff")
    assert "W137" in given(WARNED, "check", "-").stdout
    (tmp_path / "agentl.toml").write_text('ignore = ["W137"]')
    ended = given(WARNED, "check", "-")
    assert (ended.returncode, ended.stdout) == (0, "")


def test_it_is_no_file_to_fix(given):
    ended = given(WARNED, "check", "--fix", "-")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "error U101: --fix writes files" in ended.stderr
