"""The screens that docs/neovim.md shows are what Neovim draws in a terminal."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = [pytest.mark.needs("nvim"), pytest.mark.needs("tmux")]

ROOT = Path(__file__).parents[3]
IMAGES = ROOT / "docs" / "images"
PAGE = ROOT / "docs" / "neovim.md"
WIDTH, HEIGHT = 144, 54
RUN_IN_DOCUMENTS = "6c463a7a4312"
SAID = "return vim.fn.execute('messages'):find('resuming runs/payments', 1, true) ~= nil"


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

    def shows(self, *texts: str) -> bool:
        screen = self.screen()
        return all(text in screen for text in texts)


@pytest.fixture
def terminal(tmp_path: Path, neovim, environment, project) -> Iterator[Terminal]:
    """Neovim in a terminal, in the folder of the project."""
    terminal = Terminal(tmp_path / "tmux")
    configuration = Path(__file__).with_name("init.lua")
    editor = [neovim, "--clean", "-n", "-i", "NONE", "-u", str(configuration), "payments.agent"]
    variables = [f"{name}={value}" for name, value in environment.items()]
    place = ["-x", str(WIDTH), "-y", str(HEIGHT), "-c", str(project.folder)]
    terminal.tmux("new-session", "-d", "-s", "screen", *place, "env", "-i", *variables, *editor)
    terminal.tmux("set-option", "-g", "exit-empty", "off")
    yield terminal
    terminal.tmux("kill-server")


def test_the_screens_in_the_documents_are_what_neovim_draws(project, request, wait_until):
    run_id = project.interrupted_run()
    terminal = request.getfixturevalue("terminal")
    wait_until(lambda: terminal.shows("may end in doubt", "Resume", "open intent (t1)", "1,1"))
    opened = terminal.screen()
    terminal.type(":AgentResume", "Enter")
    wait_until(lambda: terminal.shows("in doubt since tick 1", "⚠ in doubt (t1)", "(completed)", "notice-1"))
    # the reply to the command may come after the run is over; its message must not come after `:echo`
    terminal.type(f":lua vim.wait(10000, function() {SAID} end)", "Enter")
    terminal.type(":echo", "Enter", "37Gw", "K")
    wait_until(lambda: terminal.shows("promise: none", "37,7"))
    resumed = terminal.screen()
    terminal.type(":qall!", "Enter")
    shown = {"neovim": opened, "neovim-resumed": resumed}
    changed = [
        name for name, screen in shown.items() if not keep(name, with_ids_of_documents(screen, run_id))
    ]
    assert not changed, "these screens have changed and were written anew: look at them, in docs/neovim.md"


def with_ids_of_documents(screen: str, run_id: str) -> str:
    """Put fixed ids of the same length in the place of those that differ from run to run."""
    screen = re.sub(r"\b[0-9a-f]{32}\b", "5d41402abc4b2a76b9719d911017c592", screen)
    return screen.replace(run_id, RUN_IN_DOCUMENTS).replace(run_id[:6], RUN_IN_DOCUMENTS[:6])


def keep(name: str, screen: str) -> bool:
    """Write a screen to its file and to the page; tell whether both had it already."""
    file, page = IMAGES / f"{name}.txt", PAGE.read_text()
    block = re.compile(rf"(?<=<!-- {name}\.txt -->\n```text\n).*?(?=```\n)", re.DOTALL)
    had = file.exists() and file.read_text() == screen and block.findall(page) == [screen]
    file.write_text(screen)
    PAGE.write_text(block.sub(lambda _: screen, page, count=1))
    return had
