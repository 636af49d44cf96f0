"""What the documents promise a newcomer is there."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from agentl.cli.testing import ScenarioOptions, run_tests
from agentl.interpreter.support import unsupported
from agentl_grammar.parser import parse

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(path for path in (ROOT / "docs").rglob("*.md") if "codes" not in path.parts)],
    key=str,
)
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.agent"))
PUBLIC = {
    "agentl": [
        "Abort",
        "Action",
        "AgentlError",
        "DurableError",
        "Host",
        "HostError",
        "InDoubt",
        "MockLLM",
        "ModelError",
        "NOT_EXECUTED",
        "PermitError",
        "ProgramError",
        "ReplayDivergence",
        "ScriptedLLM",
        "StoreFailure",
        "Symbol",
        "UNDEFINED",
        "UsageError",
        "current_action",
        "model_named",
        "parse_file",
        "parse_source",
        "untrusted",
    ],
    "agentl.durable": [
        "DurableError",
        "DurableRun",
        "Export",
        "FileStore",
        "Journal",
        "Line",
        "MemoryStore",
        "PostgresStore",
        "Record",
        "ReplayDivergence",
        "ReplayResult",
        "RunStatus",
        "SQLiteStore",
        "Store",
        "StoreFailure",
        "Word",
        "cancel_run",
        "export_run",
        "read_records",
        "replay",
        "send",
        "settle",
        "show",
        "status",
    ],
}


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_make_command_of_a_document_is_in_the_makefile(document: Path):
    commands = re.findall(r"^(?:sudo )?make ([a-z-]+)", document.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(commands) <= targets()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_of_a_document_leads_somewhere(document: Path):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (document.parent / link).exists()] == []


def test_ci_runs_what_the_readme_names_and_ends_with_the_tests():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert script[-1] == "CI=true make test"
    assert "make demo" in script


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_has_a_host_and_runs_today(program: Path):
    result = parse(program.read_text(encoding="utf-8"), program.name)
    assert result.problems == ()
    assert unsupported(result.program) == ()
    assert program.with_suffix(".py").exists()


@pytest.mark.parametrize("package", PUBLIC)
def test_the_public_names_are_these_and_all_of_them_load(package: str):
    module = import_module(package)
    assert sorted(module.__all__) == sorted(PUBLIC[package])
    for name in PUBLIC[package]:
        getattr(module, name)


def test_nothing_names_the_machine_it_was_written_on():
    for path in [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "runtime").rglob("*.py"),
        ROOT / "Makefile",
    ]:
        assert not re.search(r"/(root|work|home/(?!ada))\b", path.read_text(encoding="utf-8")), path


def test_the_page_about_scenarios_shows_what_is_really_printed(tmp_path: Path, capsys, monkeypatch):
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    program = re.search(r"```agentl\n(.*?)```", page, re.DOTALL)
    shown = re.search(r"```text\n\$ agentl test lamp.agent\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("lamp.agent").write_text(program[1], encoding="utf-8")
    assert run_tests(ScenarioOptions([Path("lamp.agent")], None, False, False, False)) == 1
    assert capsys.readouterr().out == shown[1]
