"""Runs the sample programs of tests/programs, one attempt a line of stdin, as forkserver.py runs payments.

A line is {"program", "run", "witness", "promise", "fault", "output"}. A fault is one of forkserver.py
that concerns writes, or {"effect": 2}: die when the second effect of this process has been written down.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from forkserver import DyingStore, die

from agentl import Host, MockLLM, parse_source
from agentl.durable import DurableRun
from agentl.kernel import current_action
from agentl_grammar.source import Source

PROGRAMS = Path(__file__).parents[1] / "programs"
SOURCES = {path.stem: Source(path.read_text("utf-8"), str(path)) for path in PROGRAMS.glob("*.agent")}
PARSED = {name: parse_source(source.text, source.name) for name, source in SOURCES.items()}


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"sample_{name}", PROGRAMS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def die_at_effect(module: ModuleType, number: int) -> None:
    """Let the process die when its n-th effect is on the disk of the witness."""
    witness, seen = module.Witness, [0]
    record = witness.record

    def dying(self: Any, tool: str, arguments: dict[str, Any]) -> int:
        entry = record(self, tool, arguments)
        seen[0] += 1
        if seen[0] == number:
            die()
        return entry

    witness.record = dying


def run_cell(cell: dict[str, Any]) -> None:
    os.environ |= {"AGENTL_WITNESS": cell["witness"], "AGENTL_PROMISE": cell["promise"]}
    fault, module = cell["fault"] or {}, load(cell["program"])
    die_at_effect(module, fault.get("effect", 0))
    built = module.build()
    host, model = built if isinstance(built, tuple) else (built, MockLLM())
    assert isinstance(host, Host)
    source = SOURCES[cell["program"]]
    store = DyingStore(cell["run"], fault)
    run = DurableRun(PARSED[cell["program"]], host, model, store=store, run_id="run1", source=source)
    machine = run.run()
    told = {
        "trace": run.trace_text(),
        "doubts": machine.state.doubts,
        "how": [resolution["how"] for resolution in run.journal.resolutions],
        "intents": [record.body()["does"] for record in run.journal.entries if record.kind == "intent"],
    }
    Path(cell["output"]).write_text(json.dumps(told))


def main() -> None:
    assert current_action  # what a witness needs is imported before the first fork
    gc.freeze()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                run_cell(json.loads(line))
            except BaseException as error:  # noqa: BLE001  # the parent must hear of it
                sys.stderr.write(f"{line}{error!r}\n")
                sys.stderr.flush()
                os._exit(3)
            os._exit(0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
