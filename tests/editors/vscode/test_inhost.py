"""The suite in `inhost/`, run inside the extension host of a real VS Code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .project import Project
from .server import EXTENSION, running, wait_until

pytestmark = pytest.mark.needs("vsce", "code-server", "chromium", "playwright")

SUITE = EXTENSION / "dist-test" / "index.js"


def test_the_suite_in_the_extension_host(browser, vsix: Path, folder: Path, tmp_path: Path):
    results = tmp_path / "results.json"
    run = Project.create(folder).interrupted_run()
    ended: list[int] = []

    def end(code: int) -> None:
        ended.append(code)

    def log(kind: str, said: list[str]) -> None:
        print(kind, *said)

    with running(tmp_path / "vscode", vsix, AGENTL_TEST_RESULTS=str(results), AGENTL_TEST_RUN=run) as server:
        page = browser.new_page()
        page.expose_function("codeAutomationLog", log)
        page.expose_function("codeAutomationExit", end)
        page.goto(server.test_page(folder, EXTENSION, SUITE))
        wait_until(lambda: ended or page.wait_for_timeout(20), "the suite has run", seconds=300)
        page.close()
    assert results.exists(), "the suite did not run"
    outcome = json.loads(results.read_text())
    failed = [f"{test['title']}\n{test['error']}" for test in outcome if test["error"]]
    assert not failed, "\n\n".join(failed)
    assert ended == [0]
    assert outcome
