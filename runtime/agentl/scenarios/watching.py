"""Expectations, looked at after every step of a run (language.md §5.18)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from agentl.run_state import RunState
from agentl.scenarios.simulation import SimulatedWorld
from agentl.spaces import find
from agentl.state import View
from agentl.trivalent import Guard, Recorder, Truth, guard_of
from agentl.values import UNDEFINED, Value
from agentl_grammar.checks.paths import covers
from agentl_grammar.tree import Expect, ExpectTrace, Expression, Scenario

_ASSIGNED = "assignment"
"""Source of a belief that the program has SET."""


@dataclass(slots=True)
class Expectation:
    """One expression of EXPECT.

    True at the start, it is an invariant: not true once, it is `decided` for good. Otherwise it is an
    eventuality: true once, it is `decided` for good. `tick` and `values` are those of the last look.
    """

    condition: Expression
    judged: Guard
    invariant: bool = False
    decided: bool = False
    truth: Truth = Truth.UNKNOWN
    tick: int = 0
    values: Mapping[str, Value] = field(default_factory=dict[str, Value])

    @property
    def fulfilled(self) -> bool:
        """Tell whether it holds: an invariant that was never false, an eventuality that was once true."""
        return self.decided is not self.invariant


class Watch:
    """Looks at the expectations of a scenario, whenever it is told to; `words` are no constants (§5.18)."""

    def __init__(
        self, scenario: Scenario, state: RunState, world: SimulatedWorld, words: Collection[str]
    ) -> None:
        self.expectations = [
            Expectation(condition, guard_of(condition))
            for expected in scenario.expectations
            if isinstance(expected, Expect)
            for condition in expected.conditions
        ]
        self._asserts = any(isinstance(expected, ExpectTrace) for expected in scenario.expectations)
        self._state = state
        self._view = _ExpectationView(state, world, words)
        self._begun = False

    def begin(self) -> None:
        """Tell invariants from eventualities: the world is given, and nothing has happened yet."""
        for expectation in self.expectations:
            self._judge(expectation)
            expectation.invariant = expectation.truth is Truth.TRUE
        self._begun = True

    def look(self) -> None:
        """Look at every expectation that is not decided yet."""
        for expectation in self.expectations if self._begun else ():
            if not expectation.decided:
                self._judge(expectation)
                expectation.decided = (expectation.truth is Truth.TRUE) is not expectation.invariant

    @property
    def satisfied(self) -> bool:
        """Tell whether nothing that may still happen could change the outcome (§5.18 "Stops early")."""
        return not self._asserts and all(
            expectation.decided and not expectation.invariant for expectation in self.expectations
        )

    def _judge(self, expectation: Expectation) -> None:
        recorder = Recorder(self._view)
        expectation.truth = expectation.judged(recorder)
        expectation.values = recorder.reads
        expectation.tick = self._state.tick


class _ExpectationView(View):
    """What is so: facts, what the program wrote, what effects changed in the world, what the agent holds."""

    __slots__ = ("_words", "_world")

    def __init__(self, state: RunState, world: SimulatedWorld, words: Collection[str]) -> None:
        super().__init__(state)
        self._world = world
        self._words = words

    def read(self, path: str) -> Value:
        """Return the value of `path`; UNDEFINED when nothing answers to it."""
        state = self._state
        if path in state.facts:
            return state.facts[path]
        belief = state.beliefs.get(path)
        if belief is not None and belief.source == _ASSIGNED:
            return state.get(path)
        value = find(state.locals, path)
        if value is UNDEFINED and covers(self._world.changed, path):
            value = self._world.get(path)
        return state.get(path) if value is UNDEFINED else value

    def bound_to_undefined(self, path: str) -> bool:
        """Tell whether `path` is a word that the program gives a value, and has none."""
        return super().bound_to_undefined(path) or (path in self._words and self.read(path) is UNDEFINED)
