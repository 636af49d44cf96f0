"""What some tests need from the system. Where it is missing they are left out, and the run ends by saying so.

    @pytest.mark.needs("strace")

With CI=true anything left out makes the run fail.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from agentl.messages import choose_language

# no test depends on how fast a machine is
settings.register_profile(
    "any machine", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

NEEDS = {
    "strace": "faults at the system call (strace)",
    "tmpfs": "runs on a full disk (a user who may mount one)",
    "postgres": "runs in PostgreSQL (postgresql)",
    "nvim": "the plugin in a real Neovim (nvim)",
    "tmux": "the screen of Neovim (tmux)",
    "vsce": "the VS Code extension and its colours (npm ci in vscode-extension)",
    "code-server": "the extension in a real VS Code (code-server)",
    "chromium": "the page of VS Code (chromium)",
    "playwright": "the hand on that page (playwright)",
}

ROOT = Path(__file__).parents[1]

# programs that pip installs, such as nvim, stand beside this Python; those of npm in folders of this tree
BESIDE = (
    Path(sys.executable).parent,
    ROOT / "vscode-extension" / "node_modules" / ".bin",
    ROOT / ".cache" / "code-server" / "node_modules" / ".bin",
    # Debian keeps the programs of PostgreSQL out of the PATH
    *sorted(Path("/usr/lib/postgresql").glob("*/bin")),
)
SEARCHED = os.pathsep.join((*map(str, BESIDE), os.environ.get("PATH", "")))


@cache
def _can_mount() -> bool:
    with tempfile.TemporaryDirectory() as place:
        command = ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", place]
        if os.geteuid() or subprocess.run(command, check=False, capture_output=True).returncode:
            return False
        return subprocess.run(["umount", place], check=False).returncode == 0


def _missing() -> dict[str, str]:
    return {
        name: what
        for name, what in NEEDS.items()
        if not (_can_mount() if name == "tmpfs" else shutil.which(name, path=SEARCHED))
    }


@pytest.fixture(scope="session", autouse=True)
def _no_runs_of_the_person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or fills the list of runs of the person who tests; pytest uses its places again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(autouse=True)
def _in_the_language_of_the_environment() -> Iterator[None]:
    """A test that runs a command line in this process may choose a language for it: the next one has not."""
    yield
    choose_language(None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    missing = _missing()
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        wanted = [name for mark in item.iter_markers("needs") for name in mark.args]
        unknown = [name for name in wanted if name not in NEEDS]
        if unknown:
            raise pytest.UsageError(f"{item.nodeid} needs {unknown[0]}, unknown to tests/conftest.py")
        (left_out if missing.keys() & wanted else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if _is_worker(session.config) or not _missing():
        return
    if os.environ.get("CI") == "true" and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config: pytest.Config) -> None:
    missing = _missing()
    if missing and not _is_worker(config) and not config.option.collectonly:
        print("\nLeft out here:", *(f"  - {what}" for what in missing.values()), sep="\n")
        print("They are added by: sudo make setup")


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")
