"""The editor server, measured in one run: start, hover, and how soon a run shows on the page."""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
STARTS = 7
HOVERS = 300
EVENTS = 20
KILLS = 5
EMPTY = "from pygls.lsp.server import LanguageServer; LanguageServer('empty', '1').start_io()"
PROGRAM = (ROOT / "docs" / "examples" / "payments.agent").read_text(encoding="utf-8")
NEEDLE = "transfer(order"


class Wire:
    """A server process, spoken to in order."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.count = 0

    def send(self, method: str, params: Any, identifier: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if identifier is not None:
            message["id"] = identifier
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def until(self, wanted: Any) -> dict[str, Any]:
        while not wanted(message := self.read()):
            pass
        return message

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        self.count += 1
        self.send(method, params, self.count)
        return self.until(lambda message: message.get("id") == self.count and "method" not in message)

    def begin(self, folder: Path | None = None) -> None:
        capabilities = {"experimental": {"agentl": {"runChanged": True}}}
        root = folder.as_uri() if folder else None
        self.ask("initialize", {"processId": None, "rootUri": root, "capabilities": capabilities})

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def start(*words: str) -> float:
    before = time.perf_counter()
    wire = Wire(*words)
    wire.begin()
    seconds = time.perf_counter() - before
    wire.end()
    return seconds


def server_rows(room: Path) -> list[tuple[str, str, str]]:
    """Return the rows of the table of `make bench`; `room` is a folder to work in."""
    # an empty server before each of ours: a busy machine slows both
    pairs = [(start("-c", EMPTY), start("-m", "agentl_server")) for _ in range(STARTS)]
    empty, ours = (statistics.median(side) * 1000 for side in zip(*pairs, strict=True))
    note = f"median of {STARTS}"
    return [
        ("empty pygls server: spawn → initialize", f"{empty:.0f} ms", note),
        ("agentl_server: spawn → initialize", f"{ours:.0f} ms", f"{note}, ratio {ours / empty:.2f}"),
        ("hover", f"{_hover_p95(room):.1f} ms", f"p95 of {HOVERS}, payments.agent beside a run"),
        ("event in a run → notification", f"{_event(room):.0f} ms", f"median of {EVENTS} records"),
        ("run killed → told as interrupted", f"{_killed(room):.0f} ms", f"slowest of {KILLS}, budget 1 s"),
    ]


def _a_run(room: Path) -> tuple[Path, bytes]:
    """Return a finished run's directory, emptied, and the bytes of its journal."""
    program = room / "server" / "counter.agent"
    program.parent.mkdir(exist_ok=True)
    program.write_text("AGENT counter { OBSERVE { room.count } LOOP { OBSERVE } }\n")
    program.with_suffix(".py").write_text(
        "from agentl import Host\n\ndef build():\n    host = Host()\n"
        "    host.sensors['room.count'] = lambda: 1\n    return host\n"
    )
    directory = program.parent / "runs" / "counter"
    words = ["run", str(program), "--durable", str(directory), "--ticks", str(EVENTS)]
    subprocess.run([sys.executable, "-m", "agentl", *words], check=True, capture_output=True)
    journal = directory / "wal.jsonl"
    data = journal.read_bytes()
    journal.write_bytes(data[: data.index(b"\n") + 1])
    return directory, data


def _killed(room: Path) -> float:
    folder = room / "killed"
    folder.mkdir()
    program = folder / "waiting.agent"
    program.write_text("AGENT waiting { OBSERVE { room.count } }\n")
    program.with_suffix(".py").write_text(
        "import time\nfrom agentl import Host\n\ndef build():\n    host = Host()\n"
        "    host.sensors['room.count'] = lambda: time.sleep(60)\n    return host\n"
    )
    wire = Wire("-m", "agentl_server")
    wire.begin(folder)
    wire.send("initialized", {})
    waits = [_kill_one(wire, program, folder / "runs" / str(number)) for number in range(KILLS)]
    wire.end()
    return max(waits) * 1000


def _kill_one(wire: Wire, program: Path, directory: Path) -> float:
    words = [sys.executable, "-m", "agentl", "run", str(program), "--durable", str(directory)]
    run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wire.until(lambda message: message.get("params", {}).get("state") == "running")
    run.kill()
    run.wait()
    before = time.perf_counter()
    wire.until(lambda message: message.get("params", {}).get("state") == "interrupted")
    return time.perf_counter() - before


def _event(room: Path) -> float:
    directory, data = _a_run(room)
    wire = Wire("-m", "agentl_server")
    wire.begin(directory.parents[1])
    wire.send("initialized", {})
    wire.until(lambda message: message.get("method") == "agentl/runChanged")
    waits: list[float] = []
    for line in data.split(b"\n")[1 : EVENTS + 1]:
        time.sleep(0.037)  # so that the events do not fall into step with the server's own look
        before = time.perf_counter()
        with (directory / "wal.jsonl").open("ab") as journal:
            journal.write(line + b"\n")
        wire.until(lambda message: message.get("method") == "agentl/runChanged")
        waits.append(time.perf_counter() - before)
    wire.end()
    return statistics.median(waits) * 1000


def _hover_p95(room: Path) -> float:
    program = room / "hover" / "payments.agent"
    program.parent.mkdir(exist_ok=True)
    for suffix in (".agent", ".py"):
        text = (ROOT / "docs" / "examples" / f"payments{suffix}").read_text(encoding="utf-8")
        program.with_suffix(suffix).write_text(text)
    directory = program.parent / "runs" / "payments"
    words = [sys.executable, "-m", "agentl", "run", str(program), "--durable", str(directory)]
    subprocess.run(words, check=True, capture_output=True)
    wire = Wire("-m", "agentl_server")
    wire.begin(program.parent)
    wire.send("initialized", {})
    document = {"uri": program.as_uri(), "languageId": "agentl", "version": 1, "text": PROGRAM}
    wire.send("textDocument/didOpen", {"textDocument": document})
    wire.until(lambda message: message.get("method") == "agentl/runChanged")
    line = PROGRAM[: PROGRAM.index(NEEDLE)].count("\n")
    column = PROGRAM.split("\n")[line].index(NEEDLE)
    where = {"textDocument": {"uri": program.as_uri()}, "position": {"line": line, "character": column}}
    times: list[float] = []
    for _ in range(HOVERS):
        before = time.perf_counter()
        reply = wire.ask("textDocument/hover", where)
        times.append(time.perf_counter() - before)
        assert "tick 1" in reply["result"]["contents"]["value"]
    wire.end()
    return statistics.quantiles(times, n=20)[-1] * 1000


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory(prefix="agentl-bench-") as folder:
        for row in server_rows(Path(folder)):
            print(*row, sep=" | ")
