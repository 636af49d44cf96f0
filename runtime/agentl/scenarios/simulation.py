"""The simulated world: what GIVEN says, and what the effects of tools made of it (language.md §5.18)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from agentl.expressions import EvaluationError, evaluate
from agentl.provenance import OBSERVED, RUNTIME, of
from agentl.run_state import Belief, RunState
from agentl.spaces import find
from agentl.state import View
from agentl.values import UNDEFINED, Symbol, Value, boolean, is_finite_number, text_of
from agentl_grammar.checks.meanings import BOOLEAN, kind_of_fact
from agentl_grammar.checks.scenarios import never_so
from agentl_grammar.problems import Message, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import EffectEntry, Given, GivenEvent, GivenMessage, Scenario, Tool

_SOURCE = "scenario"
_LABEL = of(OBSERVED)


class SimulationError(Exception):
    """The scenario does not say what the simulated world needs. `explanation` says what; `span` where."""

    def __init__(self, explanation: Message, span: Span | None = None) -> None:
        super().__init__(str(explanation))
        self.explanation = explanation
        self.span = span


@dataclass(frozen=True, slots=True)
class Stimulus:
    """An event or message that a scenario puts in; `sender` is None for an event."""

    name: str
    sender: str | None
    payload: dict[str, Value]
    span: Span


class SimulatedWorld:
    """The world of one scenario.

    `changed` holds the paths that an effect of a tool has set. Raises SimulationError for a GIVEN whose value
    cannot be told.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._space = RunState()
        self.changed: set[str] = set()
        self.events: list[Stimulus] = []
        self.messages: list[Stimulus] = []
        for given in scenario.given:
            for effect in given.effects if isinstance(given, Given) else ():
                self._space.world.put(effect.path.text, self._as_kept(effect), _LABEL)
        for given in scenario.given:
            if isinstance(given, GivenEvent):
                payload = self._payload(given.payload)
                self.events.append(Stimulus(given.source.text, None, payload, given.span))
            elif isinstance(given, GivenMessage):
                payload = self._payload(given.payload)
                self.messages.append(Stimulus(given.name.text, given.sender.text, payload, given.span))

    def get(self, path: str) -> Value:
        """Return the value of a path, or of a field of it; UNDEFINED when nothing is known."""
        return find(self._space.world, path)

    def exactly(self, path: str) -> Value:
        """Return the value of exactly this path; None when there is none: what a sensor says."""
        return self._space.world.get(path)

    def first(self, *paths: str) -> Value:
        """Return the value of the first of these paths that has one; UNDEFINED when none has."""
        return next((value for path in paths if (value := self.get(path)) is not UNDEFINED), UNDEFINED)

    def seed(self, state: RunState) -> None:
        """Give the agent what it knows at the start.

        A declared belief takes its value, with confidence 1; a fact of the runtime is replaced; all else is
        in its world.
        """
        for path, value in self._space.world.items():
            if path in state.facts:
                state.facts.put(path, value, of(RUNTIME))
            elif path in state.locals:
                state.locals.put(path, value, of(RUNTIME))
            elif path in state.beliefs:
                state.beliefs.put(path, Belief(value, 1.0, _SOURCE, 0), _LABEL)
            else:
                state.world.put(path, value, _LABEL)

    def perform(
        self, tool: Tool, arguments: Mapping[str, Value], state: RunState, look: Callable[[], None]
    ) -> dict[str, Value] | None:
        """Apply the effects of a call, calling `look` after each, and return its outputs.

        An effect reads the arguments, then this world, then what the agent knows. Raises SimulationError.
        """
        reader = _EffectReader(self, arguments, state)
        for effect in self._effects_of(tool):
            self._apply(tool, effect, reader)
            look()
        if not tool.outputs:
            return None
        return {field.name.text: self._output(tool, field.name.text) for field in tool.outputs}

    def _effects_of(self, tool: Tool) -> tuple[EffectEntry, ...]:
        """Return the effects of the OUTCOME that the scenario chooses; of a tool without any, its EFFECT."""
        if not tool.outcomes:
            return tool.effects
        path = f"scenario.outcome.{tool.name.text}"
        chosen = self.get(path)
        if chosen is UNDEFINED and len(tool.outcomes) == 1:
            return tool.outcomes[0].effects
        names = [outcome.name.text for outcome in tool.outcomes]
        for outcome in tool.outcomes:
            if chosen is not UNDEFINED and text_of(chosen) == outcome.name.text:
                return outcome.effects
        message = message_id("{tool} has several OUTCOMEs; GIVEN {path} must name one of {names}")
        raise SimulationError(
            Message(message, {"tool": tool.name.text, "path": path, "names": ", ".join(names)})
        )

    def _apply(self, tool: Tool, effect: EffectEntry, reader: _EffectReader) -> None:
        path = effect.path.text
        try:
            value = evaluate(effect.value, reader)
        except EvaluationError:
            value = UNDEFINED
        if not _is_told(value):
            message = Message(
                message_id("the effect of {tool} on {path} cannot be told"),
                {"tool": tool.name.text, "path": path},
            )
            raise SimulationError(message, effect.span)
        self._space.world.put(path, value, _LABEL)
        self.changed.add(path)

    def _output(self, tool: Tool, key: str) -> Value:
        path = f"{tool.name.text}.{key}"
        value = self.first(path, key)
        if value is UNDEFINED:
            message = message_id("{tool} has no {key} to return: GIVEN {path} is missing")
            raise SimulationError(Message(message, {"tool": tool.name.text, "key": key, "path": path}))
        return value

    def _as_kept(self, effect: EffectEntry) -> Value:
        """Return what GIVEN says; of a fact of the runtime as it is kept, `yes` as a boolean."""
        path, value = effect.path.text, self._told(effect)
        kind = kind_of_fact(path)
        known = boolean(value) if kind == BOOLEAN and isinstance(value, Symbol) else value
        if kind is None or (isinstance(known, bool) if kind == BOOLEAN else is_finite_number(known)):
            return known
        raise SimulationError(never_so(path, kind)[0], effect.span)

    def _payload(self, entries: Iterable[EffectEntry]) -> dict[str, Value]:
        return {entry.path.text: self._told(entry) for entry in entries}

    def _told(self, entry: EffectEntry) -> Value:
        try:
            value = evaluate(entry.value, View(self._space))
        except EvaluationError:
            value = UNDEFINED
        if _is_told(value):
            return value
        message = Message(message_id("the value of {path} cannot be told"), {"path": entry.path.text})
        raise SimulationError(message, entry.span)


class _EffectReader(View):
    """Reads the arguments of a call, then the simulated world, then what the agent knows."""

    __slots__ = ("_arguments", "_world")

    def __init__(self, world: SimulatedWorld, arguments: Mapping[str, Value], state: RunState) -> None:
        super().__init__(state)
        self._arguments = arguments
        self._world = world

    def read(self, path: str) -> Value:
        """Return the value of `path`; UNDEFINED when nothing answers to it."""
        for value in (find(self._arguments, path), self._world.get(path)):
            if value is not UNDEFINED:
                return value
        return super().read(path)


def _is_told(value: Value) -> bool:
    if isinstance(value, list | tuple):
        return all(_is_told(item) for item in cast("Iterable[Value]", value))
    return value is not UNDEFINED
