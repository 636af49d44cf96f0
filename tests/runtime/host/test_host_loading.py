"""Loading X.py beside X.agent (language.md §8.1)."""

import shlex
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from agentl import HostError, MockLLM
from agentl.host.loading import load_host


def script(directory: Path, text: str) -> Path:
    (directory / "pay.py").write_text(text, encoding="utf-8")
    return directory / "pay.agent"


def refusal(agent_file: Path) -> HostError:
    with pytest.raises(HostError) as caught:
        load_host(agent_file)
    assert caught.value.action is not None
    assert caught.value.exit_code == 2
    return caught.value


BUILDS = {
    "a host": "from agentl import Host\ndef build(): return Host()",
    "a host and a model": "from agentl import Host, MockLLM\ndef build(): return Host(), MockLLM({'a': {}})",
    "three things": "from agentl import Host\ndef build(): return Host(), None, 'ignored'",
    "attributes": "from agentl import Host, MockLLM\nhost, llm = Host(), MockLLM()",
    "a host and no model": "from agentl import Host\nhost = Host()",
    "a subclass": "from agentl import Host\nclass Mine(Host): pass\ndef build(): return Mine()",
}


@pytest.mark.parametrize("text", BUILDS.values(), ids=BUILDS)
def test_what_a_script_may_offer(tmp_path: Path, text: str):
    agent_file = script(tmp_path, text)
    loaded = load_host(agent_file)
    assert loaded.path == tmp_path / "pay.py"
    assert loaded.digest == sha256(text.encode()).hexdigest()
    assert isinstance(loaded.model, MockLLM) is ("MockLLM(" in text)
    assert (loaded.model is None) is ("MockLLM(" not in text)
    assert loaded.host.drain() == []


def test_a_script_is_a_registered_module_and_finds_its_own_dataclasses(tmp_path: Path):
    text = "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom agentl import Host\n"
    text += "@dataclass\nclass P:\n  x: int\ndef build(): return Host()"
    path = list(sys.path)
    load_host(script(tmp_path, text))
    assert "agentl_host" in sys.modules
    assert sys.path == path


def test_what_a_script_prints_goes_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    load_host(
        script(
            tmp_path,
            "print('loading')\ndef build():\n  print('building')\n  from agentl import Host\n  return Host()",
        )
    )
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "loading\nbuilding\n")


def test_a_missing_script_is_told_with_the_name_it_must_have(tmp_path: Path):
    error = refusal(tmp_path / "pay.agent")
    assert error.code == "H101"
    assert str(tmp_path / "pay.py") in str(error.message)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("x = 1\n\nraise ValueError('no bank')", 3, "ValueError"),
        ("def build():\n  return helper()\ndef helper():\n  return {}['key']", 4, "KeyError"),
        ("x = (\n", 1, "SyntaxError"),
        ("import json\njson.loads('{')", 2, "JSONDecodeError"),
        ("import no_such_module_anywhere", 1, "ModuleNotFoundError"),
        ("import sys\nsys.exit(3)", 2, "SystemExit"),
    ],
)
def test_a_script_that_raises_is_told_with_class_and_line(tmp_path: Path, text: str, line: int, what: str):
    error = refusal(script(tmp_path, text))
    assert error.code == "H102"
    assert f"line {line}: {what}" in str(error.message)
    assert "agentl_host" not in sys.modules or text.startswith("def build")


@pytest.mark.parametrize(
    ("returned", "named"),
    [
        ("None", "None"),
        ("5", "int"),
        ("()", "None"),
        ("{}", "dict"),
        ("(Host(), 5)", "int"),
        ("Host", "type"),
    ],
)
def test_a_script_that_offers_something_else_is_refused(tmp_path: Path, returned: str, named: str):
    error = refusal(script(tmp_path, f"from agentl import Host\ndef build(): return {returned}"))
    assert error.code == "H103"
    assert named in str(error.message)


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("", "define build()"),
        (
            "from agentl import Host\ndef bild(): return Host()",
            "did you mean build where the script says bild?",
        ),
        ("from agentl import Host\nHOST = Host()", "did you mean host where the script says HOST?"),
        ("from agentl import Host\nhosts = 5", "define build()"),
    ],
)
def test_a_script_that_offers_nothing_is_refused_and_both_ways_are_told(
    tmp_path: Path, text: str, help_: str
):
    error = refusal(script(tmp_path, text))
    assert error.code == "H103"
    assert str(error.action).startswith(help_)
    assert "build() that returns a Host, or set host = Host()" in str(error.action)


def test_the_line_is_found_when_the_script_is_named_by_a_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    script(tmp_path, "x = 1\n\nraise ValueError('no bank')")
    monkeypatch.chdir(tmp_path)
    assert "pay.py, line 3: ValueError" in str(refusal(Path("pay.agent")).message)


def test_the_command_of_the_help_shows_the_error_of_build(tmp_path: Path):
    (tmp_path / "it's").mkdir()
    error = refusal(script(tmp_path / "it's", "def build():\n  raise ValueError('no bank')"))
    command = str(error.action).split("`")[1]
    words = [sys.executable, *shlex.split(command)[1:]]
    shown = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "in build" in shown.stderr
    assert shown.stderr.endswith("ValueError: no bank\n")


@pytest.mark.parametrize("raised", ["GeneratorExit", "BaseException('end')", "asyncio.CancelledError"])
def test_a_script_may_raise_anything_at_all(tmp_path: Path, raised: str):
    error = refusal(script(tmp_path, f"import asyncio\ndef build(): raise {raised}"))
    assert error.code == "H102"


def test_a_refused_declaration_goes_through_with_the_place_of_the_script(tmp_path: Path):
    text = "from agentl import Host\nhost = Host()\n@host.tool('pay', timeout=0)\ndef pay(): return {}"
    error = refusal(script(tmp_path, text))
    assert error.code == "H104"
    assert error.place.path == str(tmp_path / "pay.py")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("host.tools[5] = print", "host.tools has the name 5, which is no text"),
        ("host.sensors[None] = print", "host.sensors has the name None, which is no text"),
        ("host.sensors[('a',)] = print", "host.sensors has the name ('a',), which is no text"),
        ("host.memory = {5: []}", "host.memory has the name 5, which is no text"),
        ("host.memory = None", "host.memory is None, not a dict"),
        ("host.subagents = [1]", "host.subagents is [1], not a dict"),
        ("host.idempotent_tools = None", "host.idempotent_tools is None, not a set of names"),
        (
            "host.idempotent_compensations = 'pay'",
            "host.idempotent_compensations is 'pay', not a set of names",
        ),
    ],
)
def test_a_table_that_cannot_be_meant_is_refused(tmp_path: Path, line: str, told: str):
    error = refusal(script(tmp_path, f"from agentl import Host\nhost = Host()\n{line}"))
    assert (error.code, str(error.message), error.place.path) == ("H104", told, str(tmp_path / "pay.py"))
