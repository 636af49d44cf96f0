"""What `import agentl` offers, and what it does not load."""

import subprocess
import sys
from pathlib import Path

import pytest

import agentl

HEAVY = ("pygls", "lsprotocol", "rich", "typer", "pydantic", "asyncio", "agentl.durable")


def test_the_exports_are_these():
    assert agentl.__all__ == sorted(
        agentl.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name)
    )
    assert {
        "Host",
        "Symbol",
        "UNDEFINED",
        "MockLLM",
        "NOT_EXECUTED",
        "InDoubt",
        "current_action",
        "parse_source",
        "parse_file",
        "AgentlError",
        "DurableError",
        "ReplayDivergence",
        "PermitError",
    } <= set(agentl.__all__)
    for name in agentl.__all__:
        assert getattr(agentl, name) is not None
    assert set(agentl.__all__) <= set(dir(agentl))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nonsense"):
        _ = agentl.nonsense


def test_a_host_script_loads_nothing_heavy():
    code = (
        f"import sys, agentl; agentl.Host; agentl.MockLLM; print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_parse_source_and_parse_file(tmp_path: Path):
    file = tmp_path / "x.agent"
    file.write_text("AGENT a { }\nAGENT b { }", encoding="utf-8")
    assert [agent.name.text for agent in agentl.parse_file(file).agents] == ["a", "b"]
    assert agentl.parse_file(str(file)) == agentl.parse_source("AGENT a {} AGENT b {}")


def test_a_syntax_error_is_a_program_error_with_its_place(tmp_path: Path):
    file = tmp_path / "x.agent"
    file.write_text("AGENT a {\n  OBSERVE {", encoding="utf-8")
    with pytest.raises(agentl.ProgramError) as caught:
        agentl.parse_file(file)
    assert caught.value.code.startswith("S1")
    assert caught.value.source.name == str(file)


def test_a_file_that_cannot_be_read_is_a_usage_error(tmp_path: Path):
    file = tmp_path / "x.agent"
    file.write_bytes(b"AGENT a { }\n\xff")
    for path in (file, tmp_path / "missing.agent", tmp_path):
        with pytest.raises(agentl.UsageError):
            agentl.parse_file(path)
