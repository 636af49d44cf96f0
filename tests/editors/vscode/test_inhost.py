"""The suite in `inhost/`, run inside the extension host of a real VS Code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .server import EXTENSION, running, wait_until

pytestmark = pytest.mark.needs("vsce", "code-server", "chromium", "playwright")

SUITE = EXTENSION / "dist-test" / "index.js"


def test_the_suite_in_the_extension_host(browser, vsix: Path, folder: Path, tmp_path: Path):
    results = tmp_path / "results.json"
    ended: list[int] = []
    with running(tmp_path / "vscode", vsix, AGENTL_TEST_RESULTS=str(results)) as server:
        page = browser.new_page()
        page.expose_function("codeAutomationLog", lambda kind, said: None)
        page.expose_function("codeAutomationExit", lambda code: ended.append(code))
        page.goto(server.test_page(folder, EXTENSION, SUITE))
        wait_until(lambda: ended or page.wait_for_timeout(20), "the suite has run", seconds=120)
        page.close()
    outcome = json.loads(results.read_text())
    failed = [f"{test['title']}\n{test['error']}" for test in outcome if test["error"]]
    assert not failed, "\n\n".join(failed)
    assert ended == [0]
    assert outcome
