"""SCENARIO: tests that cannot pass, and risky tools without one (§5.18)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.meanings import BOOLEAN, NUMBER, kind_of_fact
from agentl_grammar.checks.naming import effects_of, prefixes
from agentl_grammar.checks.near_paths import known_paths
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.paths import covers
from agentl_grammar.checks.registry import Found, did_you_mean, error, nearest, renaming, said, warning
from agentl_grammar.problems import Fix, Message, message_id
from agentl_grammar.tree import (
    Ask,
    EffectEntry,
    EventHandler,
    Expect,
    ExpectTrace,
    Given,
    GivenEvent,
    GivenMessage,
    MessageHandler,
    NumberLiteral,
    Path,
    Question,
    Scenario,
    StringLiteral,
    Tool,
)

_CONTROLS = frozenset({"operator.approval", "operator.answer", "llm.plan"})
_FACTS_OF_TOOLS = frozenset({"in_doubt", "available", "failures"})
_FACT_OF_A_TOOL = 2
_BOOLEANS = frozenset({"yes", "no", "true", "false"})
_MADE = frozenset(
    {
        "goal",
        "goals",
        "last_action",
        "reason",
        "judge",
        "result",
        "planner",
        "tools",
        "hypotheses",
        "hypothesis",
        "still_failed",
    }
)


@error("E010", Scenario)
def scenario_without_time(index: Index) -> Iterator[Found]:
    """E010: WITHIN below 1: a scenario that runs no tick."""
    for part, scenario in index.own_scenarios():
        if scenario.within is not None and int(scenario.within.value) < 1:
            span = part.at(scenario.within)
            yield Found(
                span,
                said(message_id("WITHIN {text} leaves the scenario no tick"), text=scenario.within.text),
                said(message_id("write how many ticks it may take, 1 at least")),
                fixes=(Fix(said(message_id("Give it one tick")), ((span, "1"),)),),
            )


@error("E014", Scenario)
def assertion_on_nothing(index: Index) -> Iterator[Found]:
    """E014: EXPECT CALL, NEVER CALL or BLOCKED of no tool or sub-agent, or EXPECT EVENT of no handler."""
    for part, _ in index.own_scenarios():
        for node in part.all(ExpectTrace):
            known = (index.ask(_events),) if node.kind == "EVENT" else (index.tools, index.delegates)
            if node.target is None or any(node.target.text in names for names in known):
                continue
            name, span = node.target.text, part.at(node.target)
            near = nearest(name, [each for names in known for each in names])
            yield Found(
                span,
                _nothing(node.kind, name),
                did_you_mean(near, said(message_id("name one that is declared"))),
                fixes=renaming(span, name, near),
            )


def _events(index: Index) -> frozenset[str]:
    return frozenset(node.source.text for _, node in index.all(EventHandler))


def _messages(index: Index) -> frozenset[str]:
    return frozenset(node.name.text for _, node in index.all(MessageHandler))


def _nothing(kind: str, name: str) -> Message:
    if kind == "EVENT":
        return said(message_id("there is no handler EVENT {name}"), name=name)
    return said(message_id("there is no tool {name} to expect anything of"), name=name)


@warning("W117", Scenario)
def given_that_nobody_knows(index: Index) -> Iterator[Found]:
    """W117: GIVEN sets a path that nothing in the program defines, or brings what no handler takes.

    So does one that says of a fact of the runtime what it never is. `agentl test` fails such a scenario.
    Known as well are the answers of the simulated world: `operator.approval`, `operator.answer`, `llm.plan`,
    `scenario.outcome.T` of a tool with OUTCOME, `judge.f.p` of a question; the facts of declared tools and of
    observed paths; and what a FOREACH goes through.
    """
    events, messages = index.ask(_events), index.ask(_messages)
    for part, _ in index.own_scenarios():
        told = {effect.path.text for given in part.all(Given) for effect in given.effects}
        for given in part.all(Given):
            for effect in given.effects:
                yield from _not_as_kept(part, effect, told)
                if not _is_known(index, effect.path.text):
                    near = nearest(effect.path.text, {*index.defined, *index.ask(_answers_given)})
                    span = part.at(effect.path)
                    yield Found(
                        span,
                        said(
                            message_id("nothing in the program gets {path} from anywhere"),
                            path=effect.path.text,
                        ),
                        did_you_mean(near, said(message_id("observe it, or leave it out"))),
                        fixes=renaming(span, effect.path.text, near),
                    )
        for kind, known in ((GivenEvent, events), (GivenMessage, messages)):
            for node in part.all(kind):
                name = node.source if isinstance(node, GivenEvent) else node.name
                if name.text not in known:
                    near = nearest(name.text, known)
                    yield Found(
                        part.at(name),
                        said(message_id("no handler takes {name}"), name=name.text),
                        did_you_mean(near, said(message_id("add the handler, or leave this out"))),
                        fixes=renaming(part.at(name), name.text, near),
                    )


def _not_as_kept(part: Part, effect: EffectEntry, told: Collection[str]) -> Iterator[Found]:
    """Yield a fact of the runtime that is given as what it never is."""
    kind, value = kind_of_fact(effect.path.text), effect.value
    if isinstance(value, Path) and len(value.segments) == 1 and value.text not in told:
        fits = kind == BOOLEAN and value.text.lower() in _BOOLEANS
    else:
        fits = not isinstance(value, StringLiteral | NumberLiteral) or (
            kind == NUMBER and isinstance(value, NumberLiteral)
        )
    if kind is not None and not fits:
        yield Found(part.at(value), *never_so(effect.path.text, kind))


def never_so(path: str, kind: str) -> tuple[Message, Message]:
    """Return what is wrong with a fact that is given as something else, and what to write."""
    if kind == BOOLEAN:
        return said(message_id("{path} is true or false, and nothing else"), path=path), said(
            message_id("write yes or no")
        )
    return said(message_id("{path} is a number, and nothing else"), path=path), said(
        message_id("write a number")
    )


def _answers_given(index: Index) -> frozenset[str]:
    """Return what a scenario says of the simulated world itself: how people, models and chance answer."""
    chances = (f"scenario.outcome.{name}" for name, (_, tool) in index.tools.items() if tool.outcomes)
    certain = (f"judge.{question.name.text}.p" for _, question in index.all(Question))
    return frozenset({*_CONTROLS, *chances, *certain})


def _is_known(index: Index, path: str) -> bool:
    first, *rest = path.split(".")
    if first == "tools" and len(rest) == _FACT_OF_A_TOOL:
        return rest[1] in _FACTS_OF_TOOLS and (rest[0] in index.tools or rest[0] in index.delegates)
    return path in index.ask(_answers_given) or covers(index.ask(known_paths), path)


@warning("W118", Scenario)
def expectation_nothing_can_change(index: Index) -> Iterator[Found]:
    """W118: an expectation names no path that an action of the agent can change. `agentl test` fails it."""
    for part, scenario in index.own_scenarios():
        for expect in scenario.expectations:
            for condition in expect.conditions if isinstance(expect, Expect) else ():
                paths = part.reads(condition)
                shared = "SHARED" in index.source.slice(part.at(condition))
                if not shared and not any(_can_change(index, path) for path in paths):
                    yield Found(
                        part.at(condition),
                        said(message_id("no action of the agent can change this")),
                        said(message_id("expect a path of an EFFECT, a SET, a model's or a person's answer")),
                    )


def _can_change(index: Index, path: str) -> bool:
    """Tell whether an action of the agent can change a path, one above it or one below it."""
    made = index.ask(_made)
    return (
        path.split(".", maxsplit=1)[0] in index.ask(_made_below)
        or path.endswith(".dirty")
        or path in index.ask(_made_and_above)
        or any(above in made for above in prefixes(path))
    )


def _made(index: Index) -> frozenset[str]:
    made = (index.effects, index.sets, index.outputs, index.oracle_fields, index.explained)
    return frozenset(path for paths in made for path in paths)


def _made_and_above(index: Index) -> frozenset[str]:
    return frozenset(above for path in index.ask(_made) for above in prefixes(path))


def _made_below(index: Index) -> frozenset[str]:
    """Return the first words of paths that an action can change, all that begin so."""
    answers = {"answer"} if index.all(Ask) else set[str]()
    return frozenset({*_MADE, *answers, *index.hypotheses, *index.delegates})


@warning("W124", Tool)
def risky_without_scenario(index: Index) -> Iterator[Found]:
    """W124: a risky tool whose effects no scenario expects. EXPECT CALL, NEVER CALL and BLOCKED count."""
    for part, tool in index.own_tools():
        name, effects = tool.name.text, effects_of(tool)
        if index.is_risky(tool) and effects and not _is_expected(index, tool):
            yield Found(
                part.at(tool.name),
                said(message_id("{tool} is risky, and no scenario expects any of its effects"), tool=name),
                said(
                    message_id("add a SCENARIO with EXPECT {{ {path} == … }}, or EXPECT NEVER CALL {tool}"),
                    path=effects[0].path.text,
                    tool=name,
                ),
                (see(part, effects[0], said(message_id("an effect of it"))),),
            )


def _is_expected(index: Index, tool: Tool) -> bool:
    expected = index.ask(_expected)
    return tool.name.text in index.ask(_named) or any(
        effect.path.text in index.ask(_expected_and_above)
        or any(above in expected for above in prefixes(effect.path.text))
        for effect in effects_of(tool)
    )


def _named(index: Index) -> frozenset[str]:
    """Return the tools that scenarios name."""
    nodes = (node for part, _ in index.scenarios for node in part.all(ExpectTrace))
    return frozenset(node.target.text for node in nodes if node.target)


def _expected(index: Index) -> frozenset[str]:
    """Return the paths that scenarios expect something of."""
    expectations = ((part, each) for part, scenario in index.scenarios for each in scenario.expectations)
    return frozenset(
        path for part, each in expectations if isinstance(each, Expect) for path in part.reads(each)
    )


def _expected_and_above(index: Index) -> frozenset[str]:
    return frozenset(above for path in index.ask(_expected) for above in prefixes(path))


RULES = (
    scenario_without_time,
    assertion_on_nothing,
    given_that_nobody_knows,
    expectation_nothing_can_change,
    risky_without_scenario,
)
