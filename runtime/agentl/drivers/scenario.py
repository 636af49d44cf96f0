"""The scenario driver: a simulated host, model and person answer from what GIVEN says (language.md §5.18)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentl.codec import round_trip
from agentl.interpreter.crossings import (
    Answered,
    Approve,
    Ask,
    Authorised,
    Begin,
    Checkpoint,
    CompensationLookup,
    Crossing,
    Delegate,
    DelegateLookup,
    Done,
    Drain,
    Failed,
    Failure,
    Invoke,
    Judge,
    Outcome,
    Read,
    Reason,
    SelectPlan,
)
from agentl.kernel import present_permit
from agentl.run_state import RunState
from agentl.scenarios.simulation import SimulatedWorld, SimulationError, Stimulus
from agentl.scenarios.watching import Watch
from agentl.values import UNDEFINED, Value, text_of
from agentl_grammar.problems import Message, message_id
from agentl_grammar.tree import Agent

SIMULATION_ERROR = "SimulationError"
"""Class of the failures that the simulated host answers with."""


class ScenarioOver(Exception):  # noqa: N818  # leaves a run, it is no error
    """The scenario had its ticks, or nothing that may still happen could change its outcome."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the simulated host performed."""

    tick: int
    target: str
    arguments: Mapping[str, Value]


class ScenarioDriver:
    """Answers every crossing of one agent from a simulated world, and lets `watch` look after every effect.

    `calls` and `decisions` keep what was performed and what the POLICY decided, `errors` what the scenario
    does not say and the run needed. The run is over after `within` ticks; `expected` are the keys
    that the program expects of each sub-agent.
    """

    def __init__(  # noqa: PLR0913  # each has a name
        self,
        agent: Agent,
        state: RunState,
        world: SimulatedWorld,
        watch: Watch,
        *,
        within: int,
        expected: Mapping[str, Sequence[str]],
    ) -> None:
        self.calls: list[Call] = []
        self.decisions: list[Authorised] = []
        self.errors: list[tuple[int, SimulationError]] = []
        self._events = list(world.events)
        self._messages: list[tuple[Stimulus, dict[str, Any]]] = []
        self._tools = {tool.name.text: tool for tool in agent.tools}
        self._expected = expected
        self._state = state
        self._world = world
        self._watch = watch
        self._within = within

    def answer(self, crossing: Crossing) -> Outcome:
        """Return the outcome of `crossing`. Raises ScenarioOver when the run needs to go no further."""
        if isinstance(crossing, Begin):
            self._begin()
            return Done()
        ended = isinstance(crossing, Checkpoint) and crossing.tick >= self._within
        if ended or self._watch.satisfied:
            raise ScenarioOver
        try:
            return self._answer(crossing)
        except SimulationError as error:
            self.errors.append((crossing.tick, error))
            return Failed(failure=Failure(SIMULATION_ERROR, str(error)))

    def _answer(self, crossing: Crossing) -> Outcome:
        match crossing:
            case Authorised():
                self.decisions.append(crossing)
                return Done()
            case Invoke():
                return _answered(self._perform(crossing))
            case DelegateLookup() | CompensationLookup():
                return Answered(value=isinstance(crossing, DelegateLookup))
            case Reason() | Judge() | SelectPlan():
                return _answered(self._model(crossing))
            case Read() | Drain() | Ask() | Approve():
                return _answered(self._told(crossing))
            case _:
                return Done()

    def _told(self, crossing: Read | Drain | Ask | Approve) -> Value:
        """Return what a sensor, the queue of events, or a person says."""
        match crossing:
            case Read():
                return self._world.exactly(crossing.path)
            case Drain():
                return self._drain()
            case Ask():
                return self._world.get("operator.answer")
            case Approve():
                return self._world.get("operator.approval")

    def _model(self, crossing: Reason | Judge | SelectPlan) -> Value:
        match crossing:
            case Reason():
                return self._fields(crossing.schema, self._world.get)
            case Judge():
                return self._fields(crossing.questions, self._judgement)
            case SelectPlan():
                return self._plan(crossing)

    def _begin(self) -> None:
        self._world.seed(self._state)
        self._messages = [(stimulus, _message(stimulus)) for stimulus in self._world.messages]
        self._state.inbox.extend(message for _, message in self._messages)
        self._watch.begin()

    def untaken(self) -> list[Stimulus]:
        """Return the stimuli that the agent has not taken: events not drained, messages not received."""
        left = [stimulus for stimulus, message in self._messages if message in self._state.inbox]
        return self._events + left

    def _drain(self) -> list[dict[str, Any]]:
        events, self._events = self._events, []
        return [
            {"id": f"given:{number}", "source": event.name, "payload": round_trip(event.payload)}
            for number, event in enumerate(events)
        ]

    def _fields(self, names: Mapping[str, Any], answer: Callable[[str], Value]) -> dict[str, Any]:
        fields = {name: value for name in names if (value := answer(name)) is not UNDEFINED}
        return {"fields": fields, "missing": [name for name in names if name not in fields]}

    def _judgement(self, name: str) -> Value:
        value, certainty = self._world.get(name), self._world.get(f"judge.{name}.p")
        if value is UNDEFINED:
            return UNDEFINED
        return {"value": value, "p": 1.0 if certainty is UNDEFINED else certainty}

    def _plan(self, crossing: SelectPlan) -> Value:
        chosen = self._world.get("llm.plan")
        if chosen is UNDEFINED:
            raise SimulationError(
                Message(message_id("the model is asked for a plan: GIVEN llm.plan is missing"))
            )
        name = text_of(chosen)
        if name not in crossing.candidates:
            raise SimulationError(
                Message(message_id("GIVEN llm.plan names {plan}, which is no plan"), {"plan": name})
            )
        return name

    def _perform(self, crossing: Invoke) -> Value:
        action = crossing.permit.action
        arguments = round_trip(dict(action.arguments))
        with crossing.permit.active(1):
            present_permit(action.kind, action.target, arguments)
        self.calls.append(Call(crossing.tick, action.target, arguments))
        if isinstance(crossing, Delegate):
            result: Value = self._reply(action.target)
        else:
            tool = self._tools[action.target]
            result = self._world.perform(tool, arguments, self._state, self._watch.look)
        self._watch.look()
        return result

    def _reply(self, name: str) -> dict[str, Value]:
        found = {key: self._world.first(f"{name}.{key}", key) for key in self._expected.get(name, ())}
        return {key: value for key, value in found.items() if value is not UNDEFINED}


def _message(stimulus: Stimulus) -> dict[str, Any]:
    return {"name": stimulus.name, "from": stimulus.sender, "payload": round_trip(stimulus.payload)}


def _answered(value: Value) -> Outcome:
    return Answered(value=None if value is UNDEFINED else round_trip(value))
