"""The client around the server: which Python, said aloud; restart; folders that are not trusted."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from pathlib import Path

import pytest

from .server import running, wait_until
from .workbench import Workbench, opened, plain

pytestmark = pytest.mark.needs("vsce", "code-server", "chromium", "playwright")

PROGRAM = "AGENT small { LOOP MAX 1 { OBSERVE } }\n"
VERSION = ".".join(map(str, sys.version_info[:3]))

PYTHON_EXTENSION = """
const vscode = require("vscode");
exports.activate = () => ({ environments: {
  getActiveEnvironmentPath: () => ({ path: process.env.TEST_ACTIVE_PYTHON }),
  resolveEnvironment: async ({ path }) => ({ executable: { uri: vscode.Uri.file(path) } }),
  onDidChangeActiveEnvironmentPath: () => ({ dispose() {} }),
} });
"""


def python_without_agentl(folder: Path) -> Path:
    """An interpreter that starts but finds none of the installed packages."""
    folder.mkdir(parents=True)
    python = folder / "python3"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    python.chmod(0o755)
    return python


def python_extension(target: Path) -> Path:
    """A stand-in for the Python extension, with the part of its API that is used."""
    manifest = {
        "name": "python",
        "publisher": "ms-python",
        "version": "1.0.0",
        "engines": {"vscode": "^1.90.0"},
        "main": "./extension.js",
        "extensionKind": ["workspace"],
        "activationEvents": [],
    }
    with zipfile.ZipFile(target, "w") as package:
        package.writestr("extension/package.json", json.dumps(manifest))
        package.writestr("extension/extension.js", PYTHON_EXTENSION)
    return target


@pytest.fixture
def program(folder: Path) -> Path:
    file = folder / "small.agent"
    file.write_text(PROGRAM)
    return file


def settle(folder: Path, **settings: object) -> None:
    """Write the settings of the folder."""
    target = folder / ".vscode" / "settings.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps({name.replace("__", "."): value for name, value in settings.items()}))


def test_the_status_says_which_python_serves_and_why(workbench: Workbench, program: Path):
    workbench.open(program.name)
    said = workbench.language_status("Python")
    assert f"Python {VERSION}, from the setting agentl.interpreter: {sys.executable}" in said
    assert "no runs" in said


def test_a_restart_starts_another_process(workbench: Workbench, program: Path):
    workbench.open(program.name)
    workbench.language_status("Python")
    first = server_process(workbench)
    workbench.palette("agentl: Restart Language Server")
    wait_until(lambda: not Path(f"/proc/{first}").exists(), "the first process has ended")
    workbench.open(program.name)
    workbench.language_status("Python")
    workbench.palette("agentl: Show Debug Information")
    # the page may draw what it showed before for a moment longer
    workbench.wait_for(lambda: shown_process(workbench) != first, "another process is shown")


def server_process(workbench: Workbench) -> str:
    workbench.palette("agentl: Show Debug Information")
    return shown_process(workbench)


def shown_process(workbench: Workbench) -> str:
    return plain(workbench.line("process ").inner_text()).split("process ")[1].split()[0]


def test_an_interpreter_without_agentl_is_named_and_another_can_be_chosen(
    browser, vsix, folder, program, tmp_path
):
    bare = python_without_agentl(tmp_path / "bare")
    (folder / ".venv" / "bin").mkdir(parents=True)
    good = folder / ".venv" / "bin" / "python"
    good.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    good.chmod(0o755)
    path = f"{bare.parent}{os.pathsep}{os.environ['PATH']}"
    with running(tmp_path / "vscode", vsix, PATH=path) as server:
        server.configure()
        with opened(browser, server.page(folder)) as workbench:
            workbench.open(program.name)
            toast = workbench.notification("The agentl language server is not running.")
            toast.wait_for()
            assert f"Python {VERSION} at {bare} (found on the PATH) has no agentl." in toast.inner_text()
            assert "agentl: no usable Python" in workbench.language_status("no usable Python")
            toast.locator("a.monaco-button", has_text="Choose Interpreter").click()
            workbench.choose("a virtual environment of this folder")
            said = workbench.language_status("from the setting")
            assert str(good) in said


def test_a_setting_that_names_no_python_is_not_passed_over(browser, code_server, folder, program):
    settle(folder, agentl__interpreter="/nowhere/python")
    with opened(browser, code_server.page(folder)) as workbench:
        workbench.open(program.name)
        said = workbench.language_status("no usable Python")
        assert "/nowhere/python (from the setting agentl.interpreter) cannot be started" in said


def test_a_feature_can_be_turned_off(browser, code_server, folder, program):
    settle(folder, agentl__features={"codeLens": False})
    with opened(browser, code_server.page(folder)) as workbench:
        workbench.open(program.name)
        workbench.language_status("Python")
        settle(folder, agentl__features={})
        workbench.lens("Run").wait_for()
        settle(folder, agentl__features={"codeLens": False})
        workbench.lens("Run").wait_for(state="hidden")


def test_the_python_extension_comes_before_the_path_and_after_the_setting(
    browser, vsix, folder, program, tmp_path
):
    bare = python_without_agentl(tmp_path / "bare")
    path = f"{bare.parent}{os.pathsep}{os.environ['PATH']}"
    home = tmp_path / "vscode"
    extra = python_extension(tmp_path / "python.vsix")
    with running(home, vsix, extra, PATH=path, TEST_ACTIVE_PYTHON=sys.executable) as server:
        server.configure()
        with opened(browser, server.page(folder)) as workbench:
            workbench.open(program.name)
            assert f"chosen in the Python extension: {sys.executable}" in workbench.language_status("Python")
            settle(folder, agentl__interpreter=str(bare))
            assert str(bare) in workbench.language_status("no usable Python")


def test_an_untrusted_folder_names_no_interpreter_and_runs_nothing(browser, vsix, folder, program, tmp_path):
    settle(folder, agentl__interpreter="/nowhere/python")
    (folder / "agentl_server").mkdir()
    (folder / "agentl_server" / "__init__.py").write_text("raise SystemExit('the folder was imported')\n")
    with running(tmp_path / "vscode", vsix) as server:
        trust = {"security.workspace.trust.enabled": True, "security.workspace.trust.startupPrompt": "never"}
        server.configure(agentl__interpreter=sys.executable, **trust)
        with opened(browser, server.page(folder)) as workbench:
            workbench.open(program.name)
            assert sys.executable in workbench.language_status("Python")
            workbench.lens("Run").click()
            workbench.notification("Programs are not run in a folder that is not trusted").wait_for()
            assert not (folder / "runs").exists()
