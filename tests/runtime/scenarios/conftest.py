"""Scenarios as text, run in their simulated worlds."""

from collections.abc import Callable

import pytest

from agentl import parse_source
from agentl.interpreter.support import unsupported
from agentl.scenarios.results import ScenarioResult
from agentl.scenarios.running import run_scenario
from agentl_grammar.checks import check
from agentl_grammar.tree import Scenario

RunScenario = Callable[..., ScenarioResult]


@pytest.fixture
def scenario() -> RunScenario:
    """Return a function that runs one scenario, given by its items, of an agent, given by its members."""

    def run(members: str, items: str) -> ScenarioResult:
        text = f"AGENT a {{ {members} SCENARIO s {{ {items} }} }}"
        program = parse_source(text)
        assert unsupported(program) == ()
        agent = program.agents[0]
        return run_scenario(program, agent, agent.of(Scenario)[0], problems=check(text))

    return run


@pytest.fixture
def told() -> Callable[[ScenarioResult], list[str]]:
    """Return a function that lists what was not fulfilled, each with its kind."""
    return lambda result: [f"{one.kind}: {one.message}" for one in result.shortfalls]
