"""A real Neovim, alone in private directories, and a program beside a run that was killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PLUGIN = ROOT / "server" / "neovim"
EXAMPLE = ROOT / "docs" / "examples" / "payments.agent"


@pytest.fixture(scope="session")
def neovim() -> str:
    """The path of Neovim: the one of this Python's environment, else the one on PATH."""
    found = shutil.which("nvim", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert found is not None
    return found


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Environment variables that keep an editor and its server inside `tmp_path`."""
    private = {
        f"XDG_{kind}_HOME": str(tmp_path / "xdg" / kind.lower())
        for kind in ("CONFIG", "DATA", "STATE", "CACHE")
    }
    return {
        **private,
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "VIRTUAL_ENV": sys.prefix,
        "AGENTL_PLUGIN": str(PLUGIN),
    }


@dataclass(frozen=True)
class Project:
    """A copy of the example with a host that promises nothing."""

    folder: Path

    @property
    def program(self) -> Path:
        return self.folder / "payments.agent"

    def interrupted_run(self) -> str:
        """Start a run, kill it while the bank has not answered; return its id."""
        run = self.folder / "runs" / "payments"
        command = [sys.executable, "-m", "agentl", "run", str(self.program), "--durable", str(run)]
        environment = {**os.environ, "PAYMENTS_DELAY": "60"}
        printed = self.folder.parent / "printed"
        with printed.open("wb") as output:
            process = subprocess.Popen(
                command,
                env=environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            wait_until(lambda: process.poll() is not None or (self.folder / "asked").exists())
            assert process.poll() is None, printed.read_text()
        finally:
            process.kill()
            process.wait()
        return json.loads((run / "wal.jsonl").read_text().splitlines()[0])["key"]


def wait_until(condition: Callable[[], bool], seconds: float = 180) -> None:
    """Wait for a condition; it must come true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition did not come true"
        time.sleep(0.01)


@pytest.fixture(name="wait_until")
def wait_until_fixture() -> Callable[[Callable[[], bool]], None]:
    """Wait for a condition; it must come true."""
    return wait_until


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The example in a folder of its own."""
    folder = tmp_path / "project"
    folder.mkdir()
    shutil.copy(EXAMPLE, folder / "payments.agent")
    shutil.copy(HERE / "promise_free_host.py", folder / "payments.py")
    # the story is about the run: what else could be said of the example is left out
    (folder / "agentl.toml").write_text('ignore = ["W1", "D210"]\n')
    return Project(folder)


@dataclass(frozen=True)
class Headless:
    """Runs a probe, a Lua script, in a Neovim without a screen."""

    executable: str
    environment: dict[str, str]

    def __call__(self, probe: str, file: Path, **variables: str) -> dict[str, Any]:
        """Open `file`, run `probe` there, return the one JSON object that it prints."""
        command = [self.executable, "--clean", "--headless", "-n", "-i", "NONE", "-u", str(HERE / "init.lua")]
        process = subprocess.Popen(
            [*command, str(file), "-c", f"luafile {HERE / probe}"],
            env={**self.environment, "PROBES": str(HERE), **variables},
            cwd=file.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        assert process.returncode == 0, errors
        found = json.loads(output.splitlines()[-1])
        assert "failure" not in found, (
            f"{found['failure']}\n{json.dumps(found, indent=1, ensure_ascii=False)}"
        )
        return found


@pytest.fixture
def headless(neovim: str, environment: dict[str, str]) -> Headless:
    return Headless(neovim, environment)
