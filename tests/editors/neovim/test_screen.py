"""The screen that docs/neovim.md shows is what Neovim draws in a terminal."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = [pytest.mark.needs("nvim"), pytest.mark.needs("tmux")]

ROOT = Path(__file__).parents[3]
SCREEN = ROOT / "docs" / "images" / "neovim.txt"
PAGE = ROOT / "docs" / "neovim.md"
SHOWN = re.compile(
    r"(?<=<!-- screen: made by tests/editors/neovim/test_screen.py -->\n```text\n).*?(?=```\n)", re.DOTALL
)
WIDTH, HEIGHT = 118, 48
RUN_IN_DOCUMENTS = "6c463a"


@dataclass(frozen=True)
class Terminal:
    """A tmux server of its own with one window."""

    socket: Path

    def tmux(self, *arguments: str) -> str:
        command = ["tmux", "-S", str(self.socket), "-f", "/dev/null", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def type(self, *keys: str) -> None:
        self.tmux("send-keys", "-t", "screen", *keys)

    def screen(self) -> str:
        lines = self.tmux("capture-pane", "-t", "screen", "-p").splitlines()
        return "".join(f"{line.rstrip()}\n" for line in lines)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path / "tmux")
    yield terminal
    terminal.tmux("kill-server")


def test_the_screen_in_the_documents_is_what_neovim_draws(terminal, project, neovim, environment, wait_until):
    run_id = project.interrupted_run()
    editor = [
        neovim,
        "--clean",
        "-n",
        "-i",
        "NONE",
        "-u",
        str(Path(__file__).with_name("init.lua")),
        "payments.agent",
    ]
    variables = [f"{name}={value}" for name, value in environment.items()]
    size = ["-x", str(WIDTH), "-y", str(HEIGHT)]
    terminal.tmux(
        "new-session",
        "-d",
        "-s",
        "screen",
        *size,
        "-c",
        str(project.folder),
        "env",
        "-i",
        *variables,
        *editor,
    )
    wait_until(lambda: all(text in terminal.screen() for text in ("D201", "Resume", "open intent (t1)")))
    screen = terminal.screen().replace(run_id[:6], RUN_IN_DOCUMENTS)
    terminal.type(":qall!", "Enter")

    page = PAGE.read_text()
    expected = SCREEN.read_text() if SCREEN.exists() else ""
    if screen != expected or SHOWN.findall(page) != [screen]:
        SCREEN.write_text(screen)
        PAGE.write_text(SHOWN.sub(lambda _: screen, page))
        pytest.fail(f"the screen has changed; {SCREEN.name} and {PAGE.name} were written anew: look at them")
