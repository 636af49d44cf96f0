"""What a tick and a start cost without a journal, beside the same tick by hand and the bare imports."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from agentl import Host, MockLLM, parse_source
from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.interpreter.machine import Machine

TICKS = 1000
ROUNDS = 5
SENSORS = 10
PLANS = 5
HIGH = 90
PROGRAM = f"""
AGENT plant {{
  GOAL {{ MAINTAIN plant.s0 < 95  TARGET plant.s1 < 95 }}
  OBSERVE {{ {" ".join(f"plant.s{number}" for number in range(SENSORS))} }}
  TOOL act {{ INPUT {{ level: Number }}  OUTPUT {{ ok: Bool }} }}
  POLICY {{ NEVER act WHEN plant.s9 > 99  ALLOW act }}
  {
    " ".join(
        f"PLAN p{n} WHEN plant.s{n} > {HIGH} AND plant.s{n + 5} != closed {{ act(level = plant.s{n}) }}"
        for n in range(PLANS)
    )
}
}}
"""
Row = tuple[str, str, str]


EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
LIBRARIES = ("-c", "import lark, pydantic, typer, typer.main; pydantic.TypeAdapter(str)")


def plant(*, busy: bool) -> Host:
    """A world in which every reading changes, and a plan runs in one tick of ten; half of them if `busy`."""
    host, reads = Host(), [0]

    def read(number: int) -> int:
        reads[0] += 1
        turn = reads[0] // SENSORS
        high = (turn + number) % 2 if busy else number == turn % 50
        return 95 if high else (turn * 7 + number * 13) % 90

    for number in range(SENSORS):
        host.sensors[f"plant.s{number}"] = lambda number=number: read(number)
    host.tools["act"] = lambda level: {"ok": level > 0}
    return host


def run_agent(*, busy: bool = False) -> None:
    """Run the agent for so many ticks."""
    program = parse_source(PROGRAM)
    machine = Machine(program, program.agents[0], length=TICKS)
    with LiveDriver(plant(busy=busy), MockLLM()) as driver:
        drive(machine, driver)


def run_by_hand(*, busy: bool = False) -> None:
    """Do the same by hand: read, keep through JSON, compare, and act."""
    host, state = plant(busy=busy), {}
    for _ in range(TICKS):
        for path, sensor in host.sensors.items():
            state[path] = json.loads(json.dumps(sensor()))
        for number in range(PLANS):
            level = state[f"plant.s{number}"]
            if level > HIGH and state[f"plant.s{number + 5}"] != "closed":
                host.tools["act"](level)


def seconds(action: Callable[[], None]) -> float:
    """Return the processor time of the fastest of some rounds: other work on the machine counts least so."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


def process_seconds(*words: str) -> float:
    """Return the processor time of a process, the least of some rounds."""
    # as installed: a compiled module is kept
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    best = float("inf")
    for _ in range(ROUNDS):
        before = os.times()
        subprocess.run(
            [sys.executable, *words], cwd=EXAMPLES, env=environment, check=True, capture_output=True
        )
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        best = min(best, spent)
    return best


def tick_row(name: str, *, busy: bool) -> Row:
    by_hand = seconds(lambda: run_by_hand(busy=busy))
    agent = seconds(lambda: run_agent(busy=busy))
    return (
        f"{TICKS} ticks of {SENSORS} observations and {PLANS} plans, {name}",
        f"{TICKS / agent:,.0f} ticks/s",
        f"{agent / by_hand:.1f} × by hand ({TICKS / by_hand:,.0f} ticks/s)",
    )


def start_row() -> Row:
    run = process_seconds("-m", "agentl", "run", "thermostat.agent")
    imports = process_seconds(*LIBRARIES)
    return (
        "agentl run thermostat.agent, processor time",
        f"{run * 1000:.0f} ms",
        f"{run / imports:.1f} × the imports of its libraries ({imports * 1000:.0f} ms)",
    )


def runtime_rows() -> list[Row]:
    """The rows of the table."""
    return [tick_row("no journal", busy=False), tick_row("half of them run", busy=True), start_row()]


if __name__ == "__main__":
    for row in runtime_rows():
        print(*row, sep="  ")
