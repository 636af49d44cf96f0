"""What the interpreter does not execute yet: refused before anything runs, by name and line (code C101)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agentl_grammar.problems import Message, Problem, Severity, message_id
from agentl_grammar.tree import (
    Agent,
    Ask,
    Decide,
    Delegate,
    ForEach,
    FunctionCall,
    Hypothesis,
    Judge,
    Memory,
    MessageHandler,
    Node,
    Path,
    Planner,
    Program,
    Rollback,
    Scenario,
    SharedPath,
    Utility,
    walk,
)
from agentl_grammar.tree import Message as MessageStatement

EXECUTED_FUNCTIONS = frozenset({"len", "abs", "min", "max", "round", "CONFIDENCE", "UNCERTAINTY"})
LATER_FUNCTIONS = frozenset(
    {"P", "PROBABILITY", "POSTERIOR", "ORIGIN", "UNTRUSTED", "TRUSTED", "LLM_DERIVED", "ATTESTED"}
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
_NAMES: dict[type[Node], str] = {
    Memory: "MEMORY",
    SharedPath: "SHARED",
    ForEach: "FOREACH",
    Delegate: "DELEGATE",
    MessageStatement: "MESSAGE",
    MessageHandler: "ON MESSAGE",
    Rollback: "ROLLBACK",
    Hypothesis: "HYPOTHESIS",
    Planner: "PLANNER",
    Utility: "UTILITY",
    Decide: "DECIDE",
    Judge: "JUDGE",
}


def unsupported(program: Program) -> tuple[Problem, ...]:
    """Return one problem for each construct that is not executed yet, in the order of the text.

    SCENARIO is not looked into, and OUTCOME, COST, DURATION and BIND are not refused: a run does not use
    them.
    """
    problems = [_problem("a second AGENT", agent) for agent in program.agents[1:]]
    for agent in program.agents[:1]:
        observed = {entry.path.text for entry in agent.observations}
        problems += (_problem(name, node) for node, name in _constructs(agent, observed))
    return tuple(sorted(problems, key=lambda problem: problem.span.start))


def _constructs(agent: Agent, observed: set[str]) -> Iterator[tuple[Node, str]]:
    for member in agent.members:
        if isinstance(member, Scenario):
            continue
        for node in walk(member):
            name = _later(node, observed)
            if name is not None:
                yield node, name


def _later(node: Node, observed: set[str]) -> str | None:
    """Return the name of a construct that is not executed yet, None for all others."""
    look: Callable[[Node, set[str]], str | None] | None = _LOOKS.get(type(node))
    return _NAMES.get(type(node)) if look is None else look(node, observed)


def _ask(node: Node, _observed: set[str]) -> str | None:
    return "ASK … TIMEOUT" if isinstance(node, Ask) and node.timeout is not None else None


def _function(node: Node, _observed: set[str]) -> str | None:
    name = node.function.text if isinstance(node, FunctionCall) else ""
    return f"{name}()" if name in LATER_FUNCTIONS else None


def _fact(node: Node, observed: set[str]) -> str | None:
    if isinstance(node, Path) and node.text in _LATER_FACTS and node.text not in observed:
        return node.text
    return None


_LOOKS: dict[type[Node], Callable[[Node, set[str]], str | None]] = {
    Ask: _ask,
    FunctionCall: _function,
    Path: _fact,
}


def _problem(name: str, node: Node) -> Problem:
    return Problem(
        "C101",
        Severity.ERROR,
        node.span,
        Message(message_id("{construct} is not executed yet"), {"construct": name}),
        hint=Message(message_id("leave it out, or wait for a release that executes it")),
    )
