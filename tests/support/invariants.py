"""Properties that no program, host, model or person can undo, each with a mutant under which it must fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st

from agentl import Host, MockLLM, Symbol, parse_source
from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.interpreter.machine import Machine

Property = Callable[[], None]
Mutant = Callable[[pytest.MonkeyPatch], None]

few = settings(
    max_examples=25,
    deadline=None,
    database=None,
    derandomize=True,
    report_multiple_bugs=False,
    phases=(Phase.generate,),  # a mutant is found, not made small
)
words = st.sampled_from(["act", "level", "door", "amount", "x", "yes", "none"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.builds(Symbol, words),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)


def run(members: str, host: Host, model: Any = None, ticks: int = 1) -> Machine:
    program = parse_source(f"AGENT a {{ {members} }}")
    machine = Machine(program, program.agents[0], length=ticks)
    with LiveDriver(host, model or MockLLM()) as driver:
        drive(machine, driver)
    return machine


class Invariants:
    """The properties of one file, and their mutants: both are named after their invariant, `i1_…`."""

    def __init__(self) -> None:
        self._properties: dict[str, Property] = {}
        self._mutants: dict[str, Mutant] = {}

    def kept(self, property_: Property) -> Property:
        """Add a property."""
        self._properties[property_.__name__.partition("_")[0]] = property_
        return property_

    def mutant(self, change: Mutant) -> Mutant:
        """Add a change of the product under which the property of its name must fail."""
        self._mutants[change.__name__.partition("_")[0]] = change
        return change

    def pair_of_tests(self, failures: dict[str, Any]) -> tuple[Callable[..., None], Callable[..., None]]:
        """Return the test that each property holds, and the one that each fails under its mutant.

        `failures` is how; an AssertionError where nothing is said.
        """
        assert list(self._properties) == list(self._mutants)

        @pytest.mark.parametrize("name", self._properties)
        def holds(name: str) -> None:
            self._properties[name]()

        @pytest.mark.parametrize("name", self._mutants)
        def fails(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
            self._mutants[name](monkeypatch)
            with pytest.raises(failures.get(name, AssertionError)):
                self._properties[name]()

        return holds, fails
