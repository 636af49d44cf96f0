"""Runs one attempt a line of stdin, each in a forked child that may kill itself with SIGKILL.

A line is a JSON object: {"run", "bank", "promise", "fault", "output"}. The answer is one line: the exit code
of the child, negative for a signal. The world is docs/examples/payments.py as it stands; every fault comes
from here.

    {"write": 3, "side": "before"}             die before, or after, the third append of this process
    {"tool": "transfer", "point": "booked"}    die when the tool is entered, has booked, or returns
"""

from __future__ import annotations

import gc
import importlib.util
import json
import os
import signal
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from agentl import parse_source
from agentl.durable import DurableError, DurableRun, FileStore, StoreFailure
from agentl.host.registry import Host
from agentl_grammar.problems import Message
from agentl_grammar.source import Source

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
SOURCE = Source((EXAMPLES / "payments.agent").read_text("utf-8"), str(EXAMPLES / "payments.agent"))
PROGRAM = parse_source(SOURCE.text, SOURCE.name)
LONGEST = 300
"""Seconds after which a process gives up waiting for others: one of them broke, which a test then tells."""
TABLES = {"transfer": "ledger", "notify": "notices"}


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class DyingStore(FileStore):
    """A directory whose process dies at one of its own writes."""

    def __init__(self, directory: str, fault: dict[str, Any]) -> None:
        super().__init__(directory)
        self._fault = fault
        self._writes = 0

    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        self._writes += 1
        here = self._fault.get("write") == self._writes
        if here and self._fault["side"] == "before":
            die()
        super().append(n, previous, line, sync=sync)
        if here:
            die()


def dying_tool(host: Host, world: ModuleType, fault: dict[str, Any]) -> None:
    """Make one tool of the host die at a point of its work."""
    name, point = fault.get("tool"), fault.get("point")
    if name is None:
        return
    perform, book = host.tools[name], world.Bank._book

    def dying(**arguments: Any) -> Any:
        if point == "entered":
            die()
        result = perform(**arguments)
        if point == "returned":
            die()
        return result

    def dying_book(bank: Any, table: str, *values: Any) -> Any:
        entry = book(bank, table, *values)
        if table == TABLES[name]:
            die()
        return entry

    host.tools[name] = dying
    if point == "booked":
        world.Bank._book = dying_book


def hold_until(host: Host, ended: list[str]) -> None:
    """Let the transfer wait until the other processes have told how they ended."""
    perform = host.tools["transfer"]
    last = time.monotonic() + LONGEST

    def waiting(**arguments: Any) -> Any:
        while not all(Path(output).exists() for output in ended) and time.monotonic() < last:
            time.sleep(0.01)
        return perform(**arguments)

    host.tools["transfer"] = waiting


def load_world() -> ModuleType:
    spec = importlib.util.spec_from_file_location("payments_of_the_test", EXAMPLES / "payments.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_cell(cell: dict[str, Any], world: ModuleType) -> None:
    """Start or resume the run of a cell; write what came of it, unless the fault comes first."""
    os.environ |= {"AGENTL_BANK": cell["bank"], "PAYMENTS_PROMISE": cell["promise"]}
    # A cell that takes over the run of another one stands for another life of it, not for a copy.
    os.environ["XDG_STATE_HOME"] = str(Path(cell["run"]).with_name("state"))
    os.environ["PAYMENTS_DELAY"] = "0"
    host = world.build()
    fault = cell.get("fault") or {}
    dying_tool(host, world, fault)
    hold_until(host, cell.get("awaits", []))
    notices: list[Message] = []
    told: dict[str, Any] = {}
    try:
        run = DurableRun(
            PROGRAM,
            host,
            store=DyingStore(cell["run"], fault),
            run_id=cell.get("run_id", "run1"),
            source=SOURCE,
            notify=notices.append,
        )
        machine = run.run()
        told["trace"] = run.trace_text()
        told["in_doubt"] = {name: machine.state.get(f"tools.{name}.in_doubt") for name in TABLES}
        told["doubt_told"] = str(machine.state.get("doubt.told"))
        told["resumes"] = machine.state.get("run.resumes")
    except (DurableError, StoreFailure) as error:
        told["refused"] = [error.code, str(error)]
    told["pid"] = os.getpid()
    told["notices"] = [str(notice) for notice in notices]
    Path(cell["output"]).write_text(json.dumps(told))


def forked(cell: dict[str, Any], world: ModuleType, gate: tuple[int, int] | None = None) -> int:
    child = os.fork()
    if child == 0:
        try:
            if gate is not None:
                os.close(gate[1])
                os.read(gate[0], 1)
            run_cell(cell, world)
        except BaseException as error:  # noqa: BLE001  # the parent must hear of it, and nothing else may run here
            sys.stderr.write(f"{error!r}\n")
            sys.stderr.flush()
            os._exit(3)
        os._exit(0)
    return child


def together(cells: list[dict[str, Any]], world: ModuleType) -> int:
    """Make many attempts at one moment, which is when the pipe is closed. Return 0 if all ended well."""
    reader, writer = os.pipe()
    children = [forked(cell, world, gate=(reader, writer)) for cell in cells]
    os.close(writer)
    os.close(reader)
    return max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)


def main() -> None:
    """Serve attempts until stdin ends; {"together": [attempt, …]} makes several at one moment."""
    world = load_world()
    gc.freeze()
    for line in sys.stdin:
        cell = json.loads(line)
        if "together" in cell:
            code = together(cell["together"], world)
        else:
            code = os.waitstatus_to_exitcode(os.waitpid(forked(cell, world), 0)[1])
        sys.stdout.write(f"{code}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
