"""Runs one attempt at a sample program a line of stdin, each in a forked child that may kill itself.

A line is {"program", "run", "witness", "promise", "fault", "output"}; `fault` is one of forkserver.py's that
concern the journal: {"write": 3, "side": "before"}. The answer is the exit code of the child, negative for a
signal.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

from forkserver import DyingStore

from agentl import parse_file
from agentl.durable import DurableRun
from agentl.host_loading import load_host
from agentl_grammar.tree import Program

PROGRAMS = {
    str(path): parse_file(path) for path in sorted((Path(__file__).parents[1] / "programs").glob("*.agent"))
}


def attempt(spec: dict[str, Any], program: Program) -> None:
    """Start or resume the run, and write down its trace."""
    os.environ |= {"AGENTL_WITNESS": spec["witness"], "AGENTL_PROMISE": spec["promise"]}
    loaded = load_host(Path(spec["program"]))
    store = DyingStore(spec["run"], spec.get("fault") or {})
    run = DurableRun(program, loaded.host, loaded.model, store=store, run_id="run1")
    run.run()
    Path(spec["output"]).write_text(json.dumps({"trace": run.trace_text()}))


def forked(spec: dict[str, Any]) -> int:
    """Make the attempt in a child and return its exit code."""
    child = os.fork()
    if child == 0:
        try:
            attempt(spec, PROGRAMS[spec["program"]])
        except BaseException as error:  # noqa: BLE001  # the parent must hear of it, and nothing else may run here
            sys.stderr.write(f"{error!r}\n")
            sys.stderr.flush()
            os._exit(3)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main() -> None:
    """Serve attempts until stdin ends."""
    gc.freeze()
    for line in sys.stdin:
        sys.stdout.write(f"{forked(json.loads(line))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
