"""What is refused before anything runs, by name and line.

What the interpreter does not execute yet (C101), and what would set a fact of the runtime (E019).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentl_grammar.checks.naming import effects_of
from agentl_grammar.problems import Message, Problem, Severity, message_id
from agentl_grammar.tree import (
    Agent,
    Assign,
    BeliefEntry,
    Hypothesis,
    Node,
    Observation,
    Path,
    Planner,
    Program,
    Scenario,
    Tool,
    Utility,
    walk,
)

_LATER_FACTS = frozenset(
    {
        "run.age_s",
        *(
            f"budget.{name}.{side}"
            for name in ("actions", "model_calls", "tokens", "cost", "deadline")
            for side in ("used", "left")
        ),
    }
)
_FACTS = re.compile(
    r"tools\..+\.(in_doubt|available|failures)|run\.(resumed|resumes|age_s)|planner\.exhausted"
    r"|sensors\..+\.available|budget\..+\.(used|left)"
)
_NAMES: dict[type[Node], str] = {
    Hypothesis: "HYPOTHESIS",
    Planner: "PLANNER",
    Utility: "UTILITY",
}


def unsupported(program: Program) -> tuple[Problem, ...]:
    """Return one problem for each construct that is refused, in the order of the text.

    SCENARIO is not looked into, and OUTCOME, COST, DURATION and BIND are not refused: a run does not use
    them.
    """
    problems = [_problem("a second AGENT", agent) for agent in program.agents[1:]]
    for agent in program.agents[:1]:
        problems += (_problem(name, node) for node, name in _constructs(agent))
        problems += (_hidden_fact(path) for path in _written(agent) if _FACTS.fullmatch(path.text))
    return tuple(sorted(problems, key=lambda problem: problem.span.start))


def _written(agent: Agent) -> Iterator[Path]:
    """Yield every path that the program itself sets, observes or believes."""
    for member in agent.members:
        for node in () if isinstance(member, Scenario) else walk(member):
            if isinstance(node, Assign):
                yield node.target
            elif isinstance(node, BeliefEntry | Observation):
                yield node.path
            elif isinstance(node, Tool):
                yield from (effect.path for effect in effects_of(node))


def _constructs(agent: Agent) -> Iterator[tuple[Node, str]]:
    for member in agent.members:
        if isinstance(member, Scenario):
            continue
        for node in walk(member):
            name = _later(node)
            if name is not None:
                yield node, name


def _later(node: Node) -> str | None:
    """Return the name of a construct that is not executed yet, None for all others."""
    match node:
        case Path():
            return node.text if node.text in _LATER_FACTS else None
        case _:
            return _NAMES.get(type(node))


def _hidden_fact(path: Path) -> Problem:
    return Problem(
        "E019",
        Severity.ERROR,
        path.span,
        Message(message_id("{path} is a fact of the runtime; a program cannot set it"), {"path": path.text}),
        hint=Message(
            message_id("leave this out: the fact is there from the start, and only the runtime changes it")
        ),
    )


def _problem(name: str, node: Node) -> Problem:
    return Problem(
        "C101",
        Severity.ERROR,
        node.span,
        Message(message_id("{construct} is not executed yet"), {"construct": name}),
        hint=Message(message_id("leave it out, or wait for a release that executes it")),
    )
