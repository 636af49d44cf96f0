"""Runs a till, one attempt a line of stdin, each in a forked child whose system calls strace can break.

A line is {"run", "ledger", "promise", "wide", "inject", "paths", "trace", "output", "limit"}: with `wide` an
event brings a large value; `inject` is what strace is told (`write:signal=SIGKILL:when=3`), `paths` the only
files that count, `trace` where strace writes what it saw. Without `inject`, `trace` just lists the calls.
`limit` is RLIMIT_FSIZE in bytes. The answer is the exit code of the child, negative for a signal.

The till books once, tells so by an event from inside its tool, and its host emits another while it is built.
The ledger is a file of its own, synced before the tool goes on: it is the only witness.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from agentl import NOT_EXECUTED, Host, current_action, parse_source
from agentl.durable import DurableError, DurableRun, FileStore, StoreFailure
from agentl_grammar.problems import Message
from agentl_grammar.source import Source

TILL = """
AGENT till {
  OBSERVE { queue.pending }
  TOOL book { INPUT { amount: Number } OUTPUT { entry: Number } SIDE_EFFECT { till.ledger } }
  POLICY {
    DEFAULT ALLOW
    NEVER book WHEN tools.book.in_doubt == true
  }
  BELIEF { heard = 0 }
  EVENT till.opened { THEN SET heard = heard + 1 }
  EVENT money.moved { THEN SET heard = heard + 10 }
  PLAN pay WHEN queue.pending > 0 { STEP once { book(amount = 10) } }
  LOOP MAX 3 { RECEIVE OBSERVE SELECT_PLAN EXECUTE }
}
"""
SOURCE = Source(TILL, "till.agent")
PROGRAM = parse_source(TILL)
NOTE = {"note": "x" * 70_000}
"""What the first event of a wide till brings: too much for a line of the journal."""
ANYBODY = 2**64 - 1
SET_PTRACER = 0x59616D61


class Ledger:
    """Keys of what was booked, one a line."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def booked(self) -> list[str]:
        return self._path.read_text().splitlines() if self._path.exists() else []

    def book(self, key: str) -> None:
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(descriptor, f"{key}\n".encode())
        os.fsync(descriptor)
        os.close(descriptor)


def build(ledger: Ledger, promise: str, *, wide: bool = False) -> Host:
    host = Host()
    host.emit("till.opened", **(NOTE if wide else {}))
    host.sensors["queue.pending"] = lambda: 0 if ledger.booked() else 1

    @host.tool("book", idempotent=promise == "idempotent")
    def book(amount: float) -> dict[str, int]:
        key = current_action().idempotency_key
        if promise != "idempotent" or key not in ledger.booked():
            ledger.book(key)
        host.emit("money.moved", amount=amount)
        return {"entry": len(ledger.booked())}

    if promise == "reconcilable":

        @host.reconciler("book")
        def find(args: dict[str, Any], action: Any) -> Any:
            return {"entry": 1} if action.idempotency_key in ledger.booked() else NOT_EXECUTED

    return host


def attempt(cell: dict[str, Any]) -> None:
    """Start or resume the run of a cell; write what came of it, unless the fault comes first."""
    told: dict[str, Any] = {"pid": os.getpid()}
    notices: list[Message] = []
    limit = cell.get("limit")
    if limit is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        run = DurableRun(
            PROGRAM,
            build(Ledger(cell["ledger"]), cell["promise"], wide=cell["wide"]),
            store=FileStore(cell["run"]),
            run_id="run1",
            source=SOURCE,
            notify=notices.append,
        )
        machine = run.run()
        told |= {
            "trace": run.trace_text(),
            "heard": machine.state.get("heard"),
            "in_doubt": machine.state.get("tools.book.in_doubt"),
            "how": [resolution["how"] for resolution in run.journal.resolutions],
        }
    except (DurableError, StoreFailure) as error:
        told["refused"] = error.code
    finally:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    told["notices"] = [str(notice) for notice in notices]
    Path(cell["output"]).write_text(json.dumps(told))


def forked(cell: dict[str, Any]) -> tuple[int, int]:
    """Fork a child that waits until the returned descriptor is closed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            ctypes.CDLL(None).prctl(SET_PTRACER, ctypes.c_ulong(ANYBODY), 0, 0, 0)
            os.close(writer)
            os.read(reader, 1)
            os.close(reader)
            attempt(cell)
        except BaseException as error:  # noqa: BLE001  # the parent must hear of it, and nothing else may run here
            sys.stderr.write(f"{error!r}\n")
            sys.stderr.flush()
            os._exit(3)
        os._exit(0)
    os.close(reader)
    return child, writer


def traced(cell: dict[str, Any], child: int) -> subprocess.Popen[str]:
    command = ["strace", "-f", "-p", str(child), "-o", cell["trace"], "-s", "0"]
    command += [word for path in cell["paths"] for word in ("-P", path)]
    if cell.get("inject"):
        command += ["-e", f"inject={cell['inject']}"]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert tracer.stderr is not None
    for line in tracer.stderr:
        if "attached" in line:
            break
    return tracer


def serve(cell: dict[str, Any]) -> int:
    child, gate = forked(cell)
    tracer = traced(cell, child) if cell.get("trace") else None
    os.close(gate)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if tracer is not None:
        tracer.communicate()
    return code


def main() -> None:
    gc.freeze()
    for line in sys.stdin:
        sys.stdout.write(f"{serve(json.loads(line))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
