"""Imports go downwards only: server, runtime, grammar (architecture.md)."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ABOVE = {
    "grammar/agentl_grammar": ("agentl", "agentl_server"),
    "runtime/agentl": ("agentl_server",),
    "server/agentl_server": (),
}
FOLDERS = {"grammar", "runtime", "server", "vscode-extension", "tests", "docs"}


def imported(text: str) -> set[str]:
    return {name.split(".")[0] for name in re.findall(r"^\s*(?:from|import)\s+([\w.]+)", text, re.MULTILINE)}


@pytest.mark.parametrize("package", ABOVE)
def test_a_package_imports_nothing_from_above(package: str):
    for path in (ROOT / package).rglob("*.py"):
        assert not imported(path.read_text(encoding="utf-8")) & set(ABOVE[package]), path


def test_one_module_of_the_grammar_imports_lark():
    users = [
        path.name
        for path in (ROOT / "grammar").rglob("*.py")
        if "lark" in imported(path.read_text(encoding="utf-8"))
    ]
    assert len(users) == 1


def test_the_tree_has_only_the_rooms_of_the_architecture():
    found = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
    assert found - {"build", "dist", "__pycache__", "htmlcov"} == FOLDERS


def test_nothing_that_runs_from_data_is_used():
    for package in ABOVE:
        for path in (ROOT / package).rglob("*.py"):
            assert not imported(path.read_text(encoding="utf-8")) & {"pickle", "marshal", "shelve"}, path


def test_no_file_of_the_packages_has_four_hundred_lines():
    for package in ABOVE:
        for path in (ROOT / package).rglob("*.py"):
            assert len(path.read_text(encoding="utf-8").splitlines()) < 400, path


def test_the_linter_of_imports_keeps_the_same_layers():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    assert [contract["layers"] for contract in contracts] == [["agentl_server", "agentl", "agentl_grammar"]]
