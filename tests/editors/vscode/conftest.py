"""A real VS Code in a real browser, with the extension packaged from this tree."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .project import Project
from .server import EXTENSION, CodeServer, running
from .workbench import Workbench, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WINDOW = pytest.StashKey[tuple[Workbench, CodeServer]]()
CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]


@pytest.fixture(scope="session")
def vsix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packaged extension; made once, however many processes run the tests."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    target = shared / "agentl.vsix"
    with (shared / "vsix.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            for script in ("package", "build:tests"):
                made = subprocess.run(
                    ["npm", "run", script], cwd=EXTENSION, capture_output=True, text=True, check=False
                )
                assert made.returncode == 0, made.stdout + made.stderr
            shutil.copy(EXTENSION / "agentl.vsix", target)
    return target


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # closed with the module: it runs an event loop of its own, which asynchronous tests cannot share
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  # may be missing: see `needs`

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def code_server(vsix: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    with running(tmp_path_factory.mktemp("vscode"), vsix) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder to open."""
    project = tmp_path / "project"
    project.mkdir()
    return project


@pytest.fixture
def workbench(
    browser: Browser, code_server: CodeServer, folder: Path, request: pytest.FixtureRequest
) -> Iterator[Workbench]:
    """A window that has opened the folder."""
    with opened(browser, code_server.page(folder)) as workbench:
        request.node.stash[WINDOW] = (workbench, code_server)
        yield workbench


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say of a failed test what its window showed and what the extension and the server logged."""
    report = yield
    if report.failed and WINDOW in item.stash:
        workbench, code_server = item.stash[WINDOW]
        report.sections += [("what the window showed", workbench.account()), ("logs", code_server.logs())]
    return report


@pytest.fixture
def project(folder: Path) -> Iterator[Project]:
    project = Project.create(folder)
    yield project
    project.end()


@pytest.fixture
def run(project: Project) -> str:
    """The short id of a run that was killed while it paid."""
    return project.interrupted_run()
