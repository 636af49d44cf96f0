"""Pumping a machine (architecture.md "The interpreter is sans-I/O")."""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol

from agentl.interpreter.crossings import Crossing, Outcome
from agentl.interpreter.machine import Machine


class Driver(Protocol):
    """Who answers the crossings of a run."""

    def answer(self, crossing: Crossing) -> Outcome:
        """Return the outcome of `crossing`. What it raises ends the run."""
        ...


def drive(machine: Machine, driver: Driver) -> None:
    """Run `machine` to its end.

    What the driver raises is not thrown into the machine: it closes it, and goes on.
    """
    steps = machine.run()
    try:
        crossing = next(steps, None)
        while crossing is not None:
            crossing = _next(steps, driver.answer(crossing))
    finally:
        steps.close()


def _next(steps: Generator[Crossing, Outcome, None], outcome: Outcome) -> Crossing | None:
    try:
        return steps.send(outcome)
    except StopIteration:
        return None
