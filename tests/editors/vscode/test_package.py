"""What is in the package and what its manifest promises."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest

from agentl_grammar.parser import parse

EXTENSION = Path(__file__).parents[3] / "vscode-extension"
MANIFEST = json.loads((EXTENSION / "package.json").read_text())
SNIPPETS = json.loads((EXTENSION / "snippets" / "agentl.json").read_text())
SOURCES = sorted((EXTENSION / "src").glob("*.ts"))

# Where a snippet of a member can stand.
SURROUNDINGS = {
    "Guard against doubt": "AGENT a { POLICY { %s } }",
    "Approval": "AGENT a { POLICY { %s } }",
    "Agent": "%s",
}


def expanded(body: list[str]) -> str:
    """What a snippet leaves when every placeholder is kept as it is."""
    kept: dict[str, str] = {}

    def keep(found: re.Match[str]) -> str:
        number, text, first_choice = found.groups()
        return kept.setdefault(number, first_choice or text or "")

    text = re.sub(r"\$\{(\d+)(?::([^}]*)|\|([^,]*)[^}]*\|)\}", keep, "\n".join(body))
    return re.sub(r"\$(\d+)", lambda found: kept[found[1]], text)


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_leaves_a_program_that_parses(name):
    program = SURROUNDINGS.get(name, "AGENT a { %s }") % expanded(SNIPPETS[name]["body"])
    assert parse(program, "snippet.agent").problems == ()


def test_the_lock_file_names_no_registry():
    lock = json.loads((EXTENSION / "package-lock.json").read_text())
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []


def test_every_command_of_the_manifest_is_registered_and_the_other_way_round():
    source = (EXTENSION / "src" / "extension.ts").read_text()
    registered = {f"agentl.{name}" for name in re.findall(r'register\("(\w+)"', source)}
    assert registered == {command["command"] for command in MANIFEST["contributes"]["commands"]}


def test_every_setting_is_read_and_every_setting_read_is_in_the_manifest():
    source = "\n".join(file.read_text() for file in SOURCES)
    declared = {
        name.removeprefix("agentl.") for name in MANIFEST["contributes"]["configuration"]["properties"]
    }
    assert set(re.findall(r'\bget(?:<[^>]*>)?\("([\w.]+)"', source)) == declared


def test_programs_are_not_run_and_no_interpreter_is_taken_from_an_untrusted_folder():
    untrusted = MANIFEST["capabilities"]["untrustedWorkspaces"]
    assert untrusted["supported"] == "limited"
    assert untrusted["restrictedConfigurations"] == ["agentl.interpreter"]


def test_the_extension_stays_small():
    lengths = {file.name: len(file.read_text().splitlines()) for file in SOURCES}
    assert sum(lengths.values()) <= 1500
    assert max(lengths.values()) <= 250, lengths


@pytest.mark.needs("vsce")
def test_the_package_holds_what_is_needed_and_nothing_else(vsix: Path):
    with zipfile.ZipFile(vsix) as package:
        names = {name for name in package.namelist() if name.startswith("extension/")}
        notices = package.read("extension/dist/THIRD-PARTY-NOTICES.txt").decode()
    assert names == {
        "extension/LICENSE.txt",
        "extension/changelog.md",
        "extension/dist/THIRD-PARTY-NOTICES.txt",
        "extension/dist/extension.js",
        "extension/icons/agent-dark.svg",
        "extension/icons/agent-light.svg",
        "extension/icons/agentl.png",
        "extension/language-configuration.json",
        "extension/package.json",
        "extension/readme.md",
        "extension/snippets/agentl.json",
        "extension/syntaxes/agentl.tmLanguage.json",
    }
    assert "vscode-languageclient" in notices
