"""One payment survives kill -9, told three times: `make demo`.

For each promise a bank can make, the run is started as a process, killed inside `transfer` after the money
moved and before anything was journaled, and resumed with the same command. Exits 1 if a claim is false.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

EXAMPLES = Path(__file__).parent
RUN = ["run", "payments.agent", "--durable", "runs/payments"]
STATUS = ["durable", "status", "runs/payments"]
PATIENCE = 30

PROMISES = {
    "idempotent": "A key that the bank has seen before is not booked again.",
    "reconcilable": "The bank does not look at keys, but it can be asked whether one was booked.",
    "none": "The bank promises nothing and cannot be asked.",
}

console = Console(highlight=False, width=None if sys.stdout.isatty() else 110)
TOLD = re.compile(r"\[t\d+\] (TOOL|ERROR|BLOCKED) ")
TRACE = re.compile(r"\[t\d+\] ")


@dataclass
class Story:
    """One bank: where its run lives, and what was claimed about it."""

    promise: str
    room: Path
    claims: dict[str, bool] = field(default_factory=dict)

    @property
    def bank(self) -> Path:
        return self.room / "bank.sqlite"

    def environment(self, delay: float) -> dict[str, str]:
        return os.environ | {
            "AGENTL_BANK": str(self.bank),
            "AGENTL_LANG": "en",
            "XDG_STATE_HOME": str(self.room / "state"),
            "PAYMENTS_PROMISE": self.promise,
            "PAYMENTS_DELAY": str(delay),
        }

    def agentl(self, *words: str, show: bool = True) -> subprocess.CompletedProcess[str]:
        """Run the command line, and show it as a person at a terminal would see it."""
        done = subprocess.run(
            [sys.executable, "-m", "agentl", *words],
            cwd=self.room,
            env=self.environment(0),
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        if show:
            show_terminal(words, done.stderr + done.stdout)
        return done

    def rows(self, query: str) -> list[tuple]:
        """Ask the bank's own file: the only witness of what happened."""
        if not self.bank.exists():
            return []
        with closing(sqlite3.connect(f"file:{self.bank}?mode=ro", uri=True)) as bank:
            try:
                return bank.execute(query).fetchall()
            except sqlite3.OperationalError:
                return []

    def ledger(self) -> list[tuple]:
        return self.rows('SELECT entry, key, "order", account, amount FROM ledger')

    def notices(self) -> list[str]:
        return [row[0] for row in self.rows("SELECT recipient FROM notices")]

    def claim(self, sentence: str, holds: bool) -> None:
        self.claims[sentence] = holds


def show_terminal(words: tuple[str, ...] | list[str], output: str) -> None:
    """Show a command and what it printed; of a trace, what was done, what failed and what was blocked."""
    console.print(Text(f"  $ agentl {' '.join(words)}", style="bold"))
    lines = output.partition("\n\nmetrics")[0].splitlines()
    shown = [line for line in lines if not TRACE.match(line) or TOLD.match(line)]
    for line in shown:
        console.print(Padding(Text(line, style=style_of(line)), (0, 0, 0, 4), expand=False))
    if len(shown) < len(lines):
        console.print(
            Text(f"    ({len(lines) - len(shown)} lines about reading, planning and goals left out)", "dim")
        )
    console.print()


def style_of(line: str) -> str:
    """Return the colour of a line: green for what was done, red for what went wrong or was held back."""
    if "TOOL" in line or line.lstrip().startswith(("↻", "✓", "→")):
        return "green"
    return "red" if re.search("ERROR|BLOCKED|in doubt", line) else "dim"


def say(text: str) -> None:
    """Tell one sentence of the story."""
    console.print(Padding(text, (0, 0, 1, 2)))


def show_ledger(story: Story) -> None:
    """Show the rows of the bank's ledger."""
    table = Table(title="the bank's ledger", title_justify="left", title_style="bold")
    for head in ("entry", "idempotency key", "order", "account", "amount"):
        table.add_column(head)
    for entry, key, order, account, amount in story.ledger():
        table.add_row(str(entry), key[:12] + "…", order, account, f"{amount:.2f}")
    console.print(Padding(table, (0, 0, 1, 2)))


def kill_inside_transfer(story: Story) -> None:
    """Start the run, wait until the money has moved, and kill it with SIGKILL: nothing can be tidied up."""
    process = subprocess.Popen(
        [sys.executable, "-m", "agentl", *RUN],
        cwd=story.room,
        env=story.environment(delay=PATIENCE),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + PATIENCE
    while not story.ledger() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    _, told = process.communicate()
    show_terminal(RUN, told)
    if not story.ledger():
        console.print("[red]The run ended before the bank moved any money; the demo cannot go on.[/red]")
        sys.exit(1)


def tell(story: Story) -> None:
    """Kill, look, resume, count."""
    console.rule(f"[bold]{story.promise}[/bold]", align="left")
    say(PROMISES[story.promise])
    kill_inside_transfer(story)
    say("The bank moved the money and was slow to confirm. [red]kill -9[/red]: no result was written down.")
    show_ledger(story)
    say("What does the journal know?")
    story.agentl(*STATUS)
    before = json.loads(story.agentl(*STATUS, "--json", show=False).stdout)
    story.claim(
        "killed with the transfer under way",
        before["state"] == "interrupted" and len(before["open_intents"]) == 1,
    )
    say("The same command again:")
    resumed = story.agentl(*RUN)
    story.claim("resumed to the end", resumed.returncode == 0)
    show_ledger(story)
    story.claim("exactly one transfer on the ledger", len(story.ledger()) == 1)
    if story.promise == "none":
        claim_doubt(story, resumed.stdout)
    else:
        story.claim("the customer was told once", story.notices() == ["NL-0042"])
        say("One transfer, one notice, as if nothing had happened.")


def claim_doubt(story: Story, trace: str) -> None:
    """Without a promise nobody can know: nothing is done twice, and a person hears of it."""
    after = json.loads(story.agentl(*STATUS, "--json", show=False).stdout)
    story.claim(
        "the transfer is declared in doubt", [action["tool"] for action in after["in_doubt"]] == ["transfer"]
    )
    story.claim(
        "NEVER blocked a second one",
        "BLOCKED" in trace and "NEVER transfer WHEN tools.transfer.in_doubt" in trace,
    )
    story.claim("a person was told, not the customer", story.notices() == ["treasury"])
    say(
        "Nobody can know whether the money moved, so it is not sent again: the order is still in the queue, "
        "the NEVER rule holds, and the treasury was told."
    )


def summarise(stories: list[Story]) -> bool:
    """Print every claim, and tell whether all of them hold."""
    console.rule("[bold]what was claimed[/bold]", align="left")
    table = Table(show_header=True)
    table.add_column("bank")
    table.add_column("claim")
    table.add_column("holds")
    for story in stories:
        for index, (sentence, holds) in enumerate(story.claims.items()):
            mark = "[green]yes[/green]" if holds else "[bold red]NO[/bold red]"
            table.add_row(
                "" if index else story.promise, sentence, mark, end_section=index == len(story.claims) - 1
            )
    console.print(Padding(table, (1, 0, 1, 2)))
    return all(all(story.claims.values()) for story in stories)


def main() -> int:
    """Tell the three stories in a directory of their own."""
    stories: list[Story] = []
    with tempfile.TemporaryDirectory(prefix="agentl-demo-") as root:
        for promise in PROMISES:
            room = Path(root) / promise
            room.mkdir()
            for name in ("payments.agent", "payments.py"):
                shutil.copy(EXAMPLES / name, room)
            story = Story(promise, room)
            stories.append(story)
            tell(story)
    return 0 if summarise(stories) else 1


if __name__ == "__main__":
    sys.exit(main())
