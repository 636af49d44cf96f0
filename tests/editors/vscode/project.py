"""The payment example in a folder of its own, with a bank that promises nothing and waits when told to."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from agentl.durable.stores.file import FileStore

from .server import ROOT, wait_until

HOST = '''\
"""A bank that promises nothing: after a crash nobody can tell whether it moved the money."""

import time
from pathlib import Path

from agentl import Host

HERE = Path(__file__).parent


def build():
    host = Host()
    host.sensors["queue.pending"] = lambda: 1
    host.sensors["queue.next"] = lambda: {"id": "order-7", "account": "NL-0042", "amount": 250}

    @host.tool("transfer")
    def transfer(order, account, amount):
        (HERE / "asked").touch()
        while (HERE / "hold").exists():
            time.sleep(0.01)
        return {"order": order, "reference": "entry-1"}

    @host.tool("notify")
    def notify(recipient, text):
        print(f"notice to {recipient}: {text}", flush=True)
        return {"notice": "notice-1"}

    return host
'''


@dataclass(frozen=True)
class Project:
    """The folder with the program, its host and its runs."""

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> Project:
        shutil.copy(ROOT / "docs" / "examples" / "payments.agent", folder)
        (folder / "payments.py").write_text(HOST)
        # the story is about the run: what else could be said of the example is left out
        (folder / "agentl.toml").write_text('ignore = ["W1", "D210"]\n')
        return cls(folder)

    @property
    def program(self) -> Path:
        return self.folder / "payments.agent"

    def hold(self) -> None:
        """From now on the bank does not answer."""
        (self.folder / "hold").touch()

    def release(self) -> None:
        """The bank answers again."""
        (self.folder / "hold").unlink()

    def end(self) -> None:
        """Let every run that waits for the bank come to its end."""
        (self.folder / "hold").unlink(missing_ok=True)

    def place(self, text: str) -> tuple[int, int]:
        """Line and column, from 1, where the text first stands in the program."""
        before, found, _ = self.program.read_text().partition(text)
        assert found, text
        return before.count("\n") + 1, len(before) - before.rfind("\n")

    def holder(self, name: str) -> int:
        """The process that a run is held by."""
        holder = FileStore(self.folder / "runs" / name).holder()
        assert holder
        assert holder.pid
        return holder.pid

    def run_id(self, name: str = "payments") -> str:
        """The short id of a run, as lenses show it."""
        journal = self.folder / "runs" / name / "wal.jsonl"
        return json.loads(journal.read_text().splitlines()[0])["key"][:6]

    def interrupted_run(self) -> str:
        """Start a run, kill it while the bank has not answered; return its short id."""
        self.hold()
        run = self.folder / "runs" / "payments"
        command = [sys.executable, "-m", "agentl", "run", str(self.program), "--durable", str(run)]
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self._wait_until_asked(process)
        process.kill()
        process.communicate()
        self.release()
        return self.run_id()

    def _wait_until_asked(self, process: subprocess.Popen[bytes]) -> None:
        wait_until(
            lambda: (self.folder / "asked").exists() or process.poll() is not None, "the bank is asked"
        )
        assert process.poll() is None, process.communicate()[0].decode()
