"""Programs as text, run by the live driver."""

from collections.abc import Callable

import pytest

from agentl import Host, MockLLM, parse_source
from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.interpreter.machine import Machine
from agentl.interpreter.support import unsupported

Run = Callable[..., Machine]


@pytest.fixture
def run_agent() -> Run:
    """Return a function that runs the members of an agent, and returns the machine at its end."""

    def run(
        members: str,
        host: Host | None = None,
        model: MockLLM | None = None,
        *,
        ticks: int | None = 1,
    ) -> Machine:
        program = parse_source(f"AGENT a {{ {members} }}")
        assert unsupported(program) == ()
        machine = Machine(program, program.agents[0], length=ticks)
        with LiveDriver(host or Host(), model or MockLLM()) as driver:
            drive(machine, driver)
        return machine

    return run


@pytest.fixture
def codes() -> Callable[[Machine], list[str]]:
    """Return a function that lists the codes of a machine's events, in order."""
    return lambda machine: [event.code for event in machine.trace.events]
