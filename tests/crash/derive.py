"""Runs every sample program once, live, and prints what it did as JSON.

python derive.py <directory for the witnesses> <program> …

It needs the grammar, the runtime and their dependencies in pure Python, so that any Python can run it.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.host.loading import load_host
from agentl.interpreter.machine import Machine
from agentl.programs import parse_file


def derive(program: Path, witness: Path) -> dict[str, str]:
    """Return the trace of a live run, the digest of its events and that of its state."""
    os.environ["AGENTL_WITNESS"] = str(witness)
    parsed, loaded = parse_file(program), load_host(program)
    machine = Machine(parsed, parsed.agents[0], run_id="run1")
    with LiveDriver(loaded.host, loaded.model) as driver:
        drive(machine, driver)
    return {
        "trace": machine.trace.render(),
        "events": machine.trace.digest(),
        "state": machine.state.digest(),
    }


def main() -> None:
    """Derive all of them."""
    room = Path(sys.argv[1])
    told = {path.stem: derive(path, room / f"{path.stem}.sqlite") for path in map(Path, sys.argv[2:])}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
