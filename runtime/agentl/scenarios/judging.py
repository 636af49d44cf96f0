"""What came of a scenario's run: every expectation that was not fulfilled, and why (language.md §5.18)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agentl.drivers.scenario import SIMULATION_ERROR, ScenarioDriver
from agentl.interpreter.machine import Machine
from agentl.scenarios.reasons import Reasons
from agentl.scenarios.results import Shortfall
from agentl.scenarios.watching import Expectation, Watch
from agentl.trace import Event
from agentl.trivalent import Truth
from agentl.values import Value
from agentl_grammar.printer import print_node
from agentl_grammar.problems import Message, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import Agent, EventHandler, ExpectTrace, Scenario

_REFUSALS = frozenset({"policy.denied", "policy.failed", "approval.refused"})
"""What EXPECT BLOCKED counts: refusals of the policy and of people (§0 ⚠38)."""
_MOST_ERRORS = 5


class Judgement:
    """Looks back at the run of one scenario."""

    def __init__(
        self, agent: Agent, scenario: Scenario, machine: Machine, driver: ScenarioDriver, watch: Watch
    ) -> None:
        self._agent = agent
        self._scenario = scenario
        self._machine = machine
        self._driver = driver
        self._watch = watch
        self._reasons = Reasons(agent, machine, driver)

    def shortfalls(self) -> tuple[Shortfall, ...]:
        """Return what was not fulfilled: expectations, assertions, stimuli, then errors of the run."""
        return (
            *(self._unfulfilled(item) for item in self._watch.expectations if not item.fulfilled),
            *self._assertions(),
            *self._stimuli(),
            *self._simulation(),
            *self._errors(),
        )

    # ------------------------------------------------------------------------------------ expectations

    def _unfulfilled(self, expectation: Expectation) -> Shortfall:
        values = {"condition": print_node(expectation.condition), "tick": expectation.tick}
        if expectation.invariant:
            template = message_id("{condition} held at the start, and no longer at tick {tick}")
            if expectation.truth is Truth.UNKNOWN:
                template = message_id("{condition} held at the start, and is unknown at tick {tick}")
        else:
            template = message_id("{condition} never held until tick {tick}")
        notes, rule = self._reasons.of_expectation(expectation.condition)
        return Shortfall(
            "expectation",
            Message(template, values),
            expectation.condition.span,
            expectation.tick,
            self._shown(expectation.values),
            notes,
            rule,
        )

    def _shown(self, values: Mapping[str, Value]) -> dict[str, Value]:
        masked = self._machine.trace.masked
        return {path: masked({"path": path, "value": value})["value"] for path, value in values.items()}

    # ------------------------------------------------------------------------------------ trace forms

    def _assertions(self) -> Iterator[Shortfall]:
        for assertion in self._scenario.expectations:
            target = assertion.target if isinstance(assertion, ExpectTrace) else None
            if target is None or not isinstance(assertion, ExpectTrace):
                continue  # NO ERROR always counts
            failed = self._assertion(assertion.kind, target.text)
            if failed is not None:
                notes, rule = self._reasons.of_assertion(assertion.kind, target.text)
                yield Shortfall(
                    "assertion",
                    Message(failed, {"target": target.text}),
                    assertion.span,
                    self._machine.state.tick,
                    notes=notes,
                    rule=rule,
                )

    def _assertion(self, kind: str, target: str) -> str | None:
        """Return what is wrong, as a template; None when the assertion holds."""
        called = any(call.target == target for call in self._driver.calls)
        match kind:
            case "CALL":
                return None if called else message_id("{target} was not called")
            case "NEVER CALL":
                return message_id("{target} was called") if called else None
            case "BLOCKED":
                return None if self._blocked(target) else message_id("{target} was not blocked")
            case _:
                return None if self._fired(target) else message_id("no handler of the event {target} ran")

    def _blocked(self, tool: str) -> bool:
        return any(event.code in _REFUSALS and event.arguments["tool"] == tool for event in self._events())

    def _fired(self, source: str) -> bool:
        """Tell whether a handler ran: fewer declined than there were, over all events of that source."""
        handlers = sum(handler.source.text == source for handler in self._agent.of(EventHandler))
        codes = [event.code for event in self._events() if event.arguments.get("source") == source]
        return codes.count("event.declined") < handlers * codes.count("event.received")

    def _events(self) -> list[Event]:
        return self._machine.trace.events

    # ------------------------------------------------------------------------------------ the run itself

    def _stimuli(self) -> Iterator[Shortfall]:
        for stimulus in self._driver.untaken():
            template = message_id("the message {name} was never received: RECEIVE did not run")
            if stimulus.sender is None:
                template = message_id("the event {name} was never taken: SELECT_PLAN did not run")
            yield Shortfall(
                "stimulus",
                Message(template, {"name": stimulus.name}),
                stimulus.span,
                self._machine.state.tick,
            )

    def _simulation(self) -> Iterator[Shortfall]:
        for tick, error in self._driver.errors:
            yield Shortfall("simulation", error.explanation, error.span or self._scenario.name.span, tick)

    def _errors(self) -> Iterator[Shortfall]:
        errors = [event for event in self._events() if _is_error(event)]
        for event in errors[:_MOST_ERRORS]:
            message = Message(
                message_id("the run had an error: {text}"), {"text": self._machine.trace.text(event)}
            )
            yield Shortfall("error", message, self._no_error_span(), event.tick)

    def _no_error_span(self) -> Span:
        """Return the place of EXPECT NO ERROR; the name of the scenario when it is only understood."""
        for expected in self._scenario.expectations:
            if isinstance(expected, ExpectTrace) and expected.kind == "NO ERROR":
                return expected.span
        return self._scenario.name.span


def _is_error(event: Event) -> bool:
    return event.kind == "ERROR" and event.arguments.get("error") != SIMULATION_ERROR
