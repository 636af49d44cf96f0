"""The VS Code server of the npm package code-server, alone in private directories."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).parents[3]
EXTENSION = ROOT / "vscode-extension"
CODE_SERVER = ROOT / ".cache" / "code-server" / "node_modules" / "code-server" / "lib" / "vscode"

QUIET: dict[str, Any] = {
    "telemetry.telemetryLevel": "off",
    "workbench.enableExperiments": False,
    "update.mode": "none",
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "window.commandCenter": False,
    "chat.commandCenter.enabled": False,
    "workbench.layoutControl.enabled": False,
    "chat.disableAIFeatures": True,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "remote.autoForwardPorts": False,
    "git.enabled": False,
    "files.autoSave": "off",
    "editor.minimap.enabled": False,
    "editor.hover.delay": 100,
    "workbench.reduceMotion": "on",
    "security.workspace.trust.enabled": False,
}


def wait_until(condition: Callable[[], Any], what: str, seconds: float = 180) -> Any:
    """Return the first true value of the condition; fail when there is none in time."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.02)
    return value


@dataclass(frozen=True)
class CodeServer:
    """A running server; every browser window of it opens one folder."""

    address: str
    home: Path

    def page(self, folder: Path) -> str:
        """The URL that opens the folder."""
        return f"http://{self.address}/?folder={quote(str(folder))}"

    def test_page(self, folder: Path, extension: Path, suite: Path) -> str:
        """The URL that opens the folder and runs a test suite in the extension host."""
        remote = f"vscode-remote://{self.address}"
        payload = [
            ["extensionDevelopmentPath", f"{remote}{extension}"],
            ["extensionTestsPath", f"{remote}{suite}"],
            ["skipWelcome", "true"],
        ]
        return f"{self.page(folder)}&payload={quote(json.dumps(payload))}"

    def logs(self) -> str:
        """The last lines of the newest logs: the extension, its server, the extension host."""
        found = (self.home / "data" / "logs").glob("**/*.log")
        newest = sorted(found, key=lambda log: log.stat().st_mtime)[-6:]
        tails = ("\n".join(log.read_text(errors="replace").splitlines()[-60:]) for log in newest)
        return "\n".join(f"--- {log.name}\n{tail}" for log, tail in zip(newest, tails, strict=True))

    def configure(self, **settings: Any) -> None:
        """Write the person's settings: the quiet ones and these (`__` stands for a dot)."""
        chosen = {name.replace("__", "."): value for name, value in settings.items()}
        file = self.home / "data" / "User" / "settings.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({**QUIET, **chosen}))


def _environment(home: Path) -> dict[str, str]:
    private = {
        f"XDG_{kind}_HOME": str(home / "xdg" / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")
    }
    return {**private, "HOME": str(home), "SHELL": "/bin/sh", "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def _write_profile(home: Path, path: str) -> None:
    home.mkdir(parents=True, exist_ok=True)
    # Extension hosts have the environment of a login shell, and /etc/profile may set the PATH anew.
    (home / ".profile").write_text(f"PATH='{path}'\n")


def _directories(home: Path) -> list[str]:
    places = {"--server-data-dir": "server", "--user-data-dir": "data", "--extensions-dir": "extensions"}
    return [part for option, name in places.items() for part in (option, str(home / name))]


@contextmanager
def running(home: Path, *extensions: Path, **environment: str) -> Iterator[CodeServer]:
    """Install the extensions in a fresh server below `home` and keep the server up."""
    program = [shutil.which("node") or "node", str(CODE_SERVER / "out" / "server-main.js")]
    common = [*program, "--accept-server-license-terms", *_directories(home)]
    variables = {**_environment(home), **environment}
    _write_profile(home, variables["PATH"])
    CodeServer("", home).configure(agentl__interpreter=sys.executable)
    wanted = [part for vsix in extensions for part in ("--install-extension", str(vsix))]
    installed = subprocess.run(
        [*common, *wanted, "--force"],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert installed.stdout.count("successfully installed") == len(extensions), (
        installed.stdout + installed.stderr
    )
    log = home / "server.log"
    options = ["--host", "127.0.0.1", "--port", "0", "--without-connection-token", "--telemetry-level", "off"]
    with log.open("w") as output:
        process = subprocess.Popen(
            [*common, *options, "--enable-smoke-test-driver"],
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        port = wait_until(lambda: re.search(r"listening on (\d+)", log.read_text()), "the server listens")
        yield CodeServer(f"127.0.0.1:{port[1]}", home)
    finally:
        # Extension hosts outlive their page, and language servers their host: the whole group ends here.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
