"""Real processes of the command line, each in a directory of its own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from agentl_process import clean_environment, start

from agentl.cli import run

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
Agentl = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A directory with the payment example in it."""
    for name in ("payments.agent", "payments.py"):
        shutil.copy(EXAMPLES / name, tmp_path)
    return tmp_path


@pytest.fixture
def beside(room: Path) -> Callable[..., subprocess.Popen[str]]:
    """Start `agentl` in `room` and do not wait; keyword arguments are those of Popen."""

    def popen(
        *words: str, environment: dict[str, str] | None = None, **options: object
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "agentl", *words],
            cwd=room,
            env=clean_environment(room, environment or {}),
            text=True,
            **options,
        )

    return popen


@pytest.fixture
def agentl(room: Path) -> Agentl:
    """Run `agentl` in `room` with its own bank; keyword arguments are environment variables."""
    return lambda *words, **environment: start(room, words, environment)


@pytest.fixture
def agentl_without_privilege(room: Path) -> Agentl:
    """The same; root loses the capability to pass over the rights of files."""
    drop = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
    prefix = drop if os.geteuid() == 0 else ()
    return lambda *words, **environment: start(room, words, environment, prefix)


@pytest.fixture
def in_process(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Agentl:
    """Run a command line in this process, in the current folder: a process costs more than most commands."""
    monkeypatch.setenv("AGENTL_LANG", "en")

    def command(*words: str | Path) -> subprocess.CompletedProcess[str]:
        code = run([str(word) for word in words])
        said = capsys.readouterr()
        return subprocess.CompletedProcess(words, code, said.out, said.err)

    return command
