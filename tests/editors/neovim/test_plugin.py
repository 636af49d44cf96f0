"""What the plugin does before any server is there."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentl_grammar.lexicon import WORDS

pytestmark = pytest.mark.needs("nvim")

PLUGIN = Path(__file__).parents[3] / "server" / "neovim"

PAGE = r"""// comment
AGENT payments { # comment
  VERIFY x.END WITHIN 20min
  transfer(to = "a \" b", at = 2026-07-26T10:00, rate = 12.5%)
  /* NEVER
     this */ SET low = 10
}
"""


@pytest.fixture
def found(headless, tmp_path: Path) -> dict[str, Any]:
    page = tmp_path / "page.agent"
    page.write_text(PAGE)
    return headless(
        "plugin.lua",
        page,
        INTERPRETER="/nowhere/python",
        VIRTUAL_ENV="/nowhere",
        TEST_PREFIX=sys.prefix,
    )


def test_a_program_without_a_usable_interpreter(found):
    first, *answers = found["messages"]
    assert "agentl: vim.g.agentl_interpreter is /nowhere/python, which cannot be executed" in first
    assert answers == [
        "agentl: the language server is not attached to this buffer: see :checkhealth agentl",
        "agentl: :AgentRun takes a number of ticks, not many",
        "agentl: no run of this program to show the output of",
        "agentl: this is not a program: go to a buffer with an .agent file first",
    ]
    assert "ERROR vim.g.agentl_interpreter is /nowhere/python" in "\n".join(found["health"])


def test_the_interpreter_is_looked_for_in_order_and_never_replaced_silently(found):
    assert found["interpreters"] == {
        "configured": "vim.g.agentl_interpreter",
        "environment": "$VIRTUAL_ENV",
        "path": "python3 on PATH",
        "none": "no python3 on PATH: install Python 3.11 or newer, or set vim.g.agentl_interpreter.",
        "unusable": "vim.g.agentl_interpreter is /nowhere/python, which cannot be executed:"
        " correct it or remove it.",
    }


def test_an_agent_file_has_its_filetype_comments_and_colours(found):
    assert (found["filetype"], found["commentstring"]) == ("agentl", "// %s")
    lines = [[tuple(part) for part in line] for line in found["highlights"]]
    assert lines[0] == [("agentlComment", "// comment")]
    assert lines[1] == [("agentlAgent", "AGENT"), ("agentlComment", "# comment")]
    assert lines[2] == [
        ("agentlVerify", "VERIFY"),
        ("agentlField", ".END"),
        ("agentlScenario", "WITHIN"),
        ("agentlTimespan", "20min"),
    ]
    assert lines[3] == [
        ("agentlCall", "transfer"),
        ("agentlString", '"a '),
        ("agentlEscape", r"\""),
        ("agentlString", ' b"'),
        ("agentlDatetime", "2026-07-26T10:00"),
        ("agentlNumber", "12.5%"),
    ]
    assert lines[4] == [("agentlComment", "/* NEVER")]
    assert lines[5] == [("agentlComment", "     this */"), ("agentlPlan", "SET"), ("agentlNumber", "10")]


def test_the_output_of_a_run_is_joined_followed_and_kept_short(found):
    assert found["output"] == {
        "name": "agentl://output/runs/payments",
        "lines": ["tick 1", "transfer sent", ""],
        "follows": 3,
        "kept": 10_000,
        "first": "more",
        "stays": 1,
        "writable": False,
        "modified": False,
    }


def test_the_syntax_file_is_what_the_generator_makes_of_the_lexicon(tmp_path):
    copy = tmp_path / "neovim"
    (copy / "syntax").mkdir(parents=True)
    shutil.copy(PLUGIN / "generate_syntax.py", copy)
    subprocess.run([sys.executable, str(copy / "generate_syntax.py")], check=True)
    made = (copy / "syntax" / "agentl.vim").read_text()
    assert (PLUGIN / "syntax" / "agentl.vim").read_text() == made
    declared = {
        word
        for line in made.replace("\n  \\", "").splitlines()
        if line.startswith("syntax keyword")
        for word in line.split()[3:]
    }
    assert declared - {"contained", "TODO", "FIXME", "NOTE"} == set(WORDS)


def test_the_help_file_has_a_tag_for_each_command_and_option(neovim, environment, tmp_path):
    documents = shutil.copytree(PLUGIN / "doc", tmp_path / "doc")
    command = [neovim, "--clean", "--headless", "-c", f"helptags {documents}", "-c", "qall!"]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    tags = {line.split("\t")[0] for line in (documents / "tags").read_text().splitlines()}
    commands = {":AgentRun", ":AgentResume", ":AgentInspect", ":AgentStop", ":AgentLog"}
    assert commands | {"agentl", "g:agentl_interpreter", "g:agentl_inlay_hints"} <= tags
