"""What makes a SCENARIO say nothing: E010, E014, W117, W118 (language.md §10.1, §10.2)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.checks.paths import ProgramPaths, covers, touches
from agentl_grammar.problems import Message, Problem, Severity, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import (
    Agent,
    EventHandler,
    Expect,
    ExpectTrace,
    Expression,
    Given,
    GivenEvent,
    GivenMessage,
    MessageHandler,
    Path,
    Scenario,
    SharedPath,
    walk,
)

_CONTROLS = frozenset({"operator.approval", "operator.answer", "llm.plan"})
"""What a GIVEN tells the simulated host, and not the agent (§5.18)."""
_CHOICE = "scenario.outcome."


def scenario_problems(agent: Agent, scenario: Scenario, paths: ProgramPaths) -> tuple[Problem, ...]:
    """Return what is wrong with a scenario, in the order of the text; `paths` are those of the agent."""
    found = [
        *_too_short(scenario),
        *_unknown_targets(agent, scenario, paths),
        *_unknown_paths(agent, scenario, paths),
        *_unmoved(scenario, paths),
    ]
    return tuple(sorted(found, key=lambda problem: problem.span.start))


def _too_short(scenario: Scenario) -> Iterator[Problem]:
    """E010."""
    if scenario.within is not None and scenario.within.value < 1:
        yield Problem(
            "E010",
            Severity.ERROR,
            scenario.within.span,
            Message(message_id("a scenario of less than one tick expects nothing")),
            hint=Message(message_id("write WITHIN 1 or more")),
        )


def _unknown_targets(agent: Agent, scenario: Scenario, paths: ProgramPaths) -> Iterator[Problem]:
    """E014: an assertion or a stimulus that names what is not there."""
    tools = {tool.name.text for tool in agent.tools} | paths.delegates.keys()
    events = {handler.source.text for handler in agent.of(EventHandler)}
    messages = {handler.name.text for handler in agent.of(MessageHandler)}
    for expectation in scenario.expectations:
        target = expectation.target if isinstance(expectation, ExpectTrace) else None
        if target is None or not isinstance(expectation, ExpectTrace):
            continue
        if expectation.kind == "EVENT" and target.text not in events:
            yield _no_handler("EVENT", target.text, target.span)
        elif expectation.kind != "EVENT" and target.text not in tools:
            message = Message(message_id("there is no tool {tool}"), {"tool": target.text})
            yield _unknown(target.span, message, Message(message_id("name a tool that the agent declares")))
    for given in scenario.given:
        if isinstance(given, GivenEvent) and given.source.text not in events:
            yield _no_handler("EVENT", given.source.text, given.source.span)
        elif isinstance(given, GivenMessage) and given.name.text not in messages:
            yield _no_handler("ON MESSAGE", given.name.text, given.name.span)


def _no_handler(word: str, name: str, span: Span) -> Problem:
    message = Message(message_id("there is no handler {word} {name}"), {"word": word, "name": name})
    hint = Message(message_id("declare {word} {name}, or leave this out"), {"word": word, "name": name})
    return _unknown(span, message, hint)


def _unknown(span: Span, message: Message, hint: Message) -> Problem:
    return Problem("E014", Severity.ERROR, span, message, hint=hint)


def _unknown_paths(agent: Agent, scenario: Scenario, paths: ProgramPaths) -> Iterator[Problem]:
    """W117: a GIVEN of a path that nothing in the program can come to know."""
    tools = {tool.name.text for tool in agent.tools}
    for given in scenario.given:
        for effect in given.effects if isinstance(given, Given) else ():
            path = effect.path.text
            choice = path.startswith(_CHOICE) and path.removeprefix(_CHOICE) in tools
            if choice or path in _CONTROLS or covers(paths.known, path):
                continue
            yield Problem(
                "W117",
                Severity.WARNING,
                effect.path.span,
                Message(
                    message_id("nothing in the program observes, believes or produces {path}"), {"path": path}
                ),
                hint=Message(message_id("observe it, or leave it out: outside of tests it is never known")),
            )


def _unmoved(scenario: Scenario, paths: ProgramPaths) -> Iterator[Problem]:
    """W118: an expectation on nothing that an action can change."""
    for expectation in scenario.expectations:
        for condition in expectation.conditions if isinstance(expectation, Expect) else ():
            if any(touches(paths.produced, path) for path in _mentioned(condition)):
                continue
            yield Problem(
                "W118",
                Severity.WARNING,
                condition.span,
                Message(message_id("nothing that the agent does can change what is expected here")),
                hint=Message(
                    message_id(
                        "expect an EFFECT, an output, or what a SET, REASON or a person's answer writes"
                    )
                ),
            )


def _mentioned(condition: Expression) -> Iterator[str]:
    for node in walk(condition):
        if isinstance(node, Path):
            yield node.text
        elif isinstance(node, SharedPath):
            yield ".".join(("SHARED", *(segment.text for segment in node.segments)))
