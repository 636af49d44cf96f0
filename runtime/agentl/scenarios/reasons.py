"""Why a tool did or did not act in a scenario: what its call met, and the rule that decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from agentl.drivers.scenario import SIMULATION_ERROR, ScenarioDriver
from agentl.interpreter.crossings import ActionRequest, Authorised
from agentl.interpreter.machine import Machine
from agentl.trace import Event
from agentl_grammar.checks.paths import touches
from agentl_grammar.printer import print_node
from agentl_grammar.problems import Message, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import Agent, Expression, Path, Tool, walk

Why: TypeAlias = tuple[tuple[Message, ...], Span | None]
"""Sentences, and the place of the rule that decided."""

_ENDS = frozenset(
    {
        "policy.denied",
        "policy.failed",
        "approval.refused",
        "tool.skipped",
        "tool.failed",
        "tool.input_refused",
        "tool.output_refused",
        "tool.argument_failed",
        "tool.circuit_open",
        "tool.in_doubt",
    }
)
"""What keeps a call from acting."""
_MOST_TOOLS = 3


class Reasons:
    """Looks for reasons in the trace and in the decisions of the policy."""

    def __init__(self, agent: Agent, machine: Machine, driver: ScenarioDriver) -> None:
        self._machine = machine
        self._driver = driver
        self._produced = {tool.name.text: set(_produced(tool)) for tool in agent.tools}
        self._rules = {print_node(rule): rule.span for rule in agent.policy_rules}

    def of_expectation(self, condition: Expression) -> Why:
        """Tell what became of the tools that could have changed a path of `condition`."""
        paths = [node.text for node in walk(condition) if isinstance(node, Path)]
        tools = [
            tool
            for tool, produced in self._produced.items()
            if any(touches(produced, path) for path in paths)
        ]
        notes = [note for tool in tools[:_MOST_TOOLS] for note in self._story(tool)]
        refused = next((tool for tool in tools if self._end(tool) is not None), None)
        return tuple(notes), None if refused is None else self._rule(refused)

    def of_assertion(self, kind: str, target: str) -> Why:
        """Tell what became of the tool, or of the event, that an assertion names."""
        if kind == "EVENT":
            events = [event for event in self._events() if event.arguments.get("source") == target]
            return tuple(map(self._told, events)) or (self._never_raised(target),), None
        return tuple(self._story(target)), self._rule(target)

    def _story(self, tool: str) -> Iterator[Message]:
        """Yield the first call of a tool with the rule that allowed it, and what last kept one back."""
        call = next((call for call in self._driver.calls if call.target == tool), None)
        end = self._end(tool)
        if call is not None and not (end is not None and _was_not_simulated(end, call.tick)):
            decision = self._decision(tool, call.tick)
            shown = ActionRequest(tool, self._masked(tool, call.arguments), "", (), "", 1).render()
            template = message_id("tick {tick}: {call} was performed; allowed by {rule}")
            rule = "" if decision is None else decision.rule
            yield Message(template, {"tick": call.tick, "call": shown, "rule": rule})
        if end is not None:
            yield self._told(end)
        elif call is None:
            yield Message(message_id("no plan that ran tried {tool}"), {"tool": tool})

    def _masked(self, tool: str, arguments: object) -> dict[str, object]:
        return dict(self._machine.trace.masked({"tool": tool, "arguments": arguments})["arguments"])

    def _never_raised(self, source: str) -> Message:
        return Message(message_id("no event {source} was there"), {"source": source})

    def _told(self, event: Event) -> Message:
        values = {"tick": event.tick, "text": self._machine.trace.text(event)}
        return Message(message_id("tick {tick}: {text}"), values)

    def _end(self, tool: str) -> Event | None:
        found = [
            event for event in self._events() if event.code in _ENDS and event.arguments.get("tool") == tool
        ]
        return found[-1] if found else None

    def _rule(self, tool: str) -> Span | None:
        """Return the place of the rule that decided last; of several ALLOW that did not hold, the first."""
        decision = self._decision(tool)
        if decision is None:
            return None
        told = f"{decision.rule}, "
        return next((span for text, span in self._rules.items() if told.startswith(f"{text}, ")), None)

    def _decision(self, tool: str, tick: int | None = None) -> Authorised | None:
        """Return the last decision about a tool; with `tick`, the first of that tick."""
        found = [one for one in self._driver.decisions if one.target == tool and tick in (None, one.tick)]
        return (found[-1] if tick is None else found[0]) if found else None

    def _events(self) -> list[Event]:
        return self._machine.trace.events


def _was_not_simulated(end: Event, tick: int) -> bool:
    """Tell whether the call of this tick met a world that does not say what it does: nothing was done."""
    return end.tick == tick and end.arguments.get("error") == SIMULATION_ERROR


def _produced(tool: Tool) -> Iterator[str]:
    yield from (effect.path.text for effect in tool.effects)
    yield from (effect.path.text for outcome in tool.outcomes for effect in outcome.effects)
    for field in tool.outputs:
        yield from (field.name.text, f"{tool.name.text}.{field.name.text}")
