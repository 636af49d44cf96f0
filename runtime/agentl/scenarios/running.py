"""Running one scenario: check, world, the machine under its driver, judgement (language.md §5.18)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from agentl.drivers.driving import drive
from agentl.drivers.scenario import ScenarioDriver, ScenarioOver
from agentl.interpreter.machine import Machine
from agentl.scenarios.judging import Judgement
from agentl.scenarios.results import ScenarioResult, Shortfall
from agentl.scenarios.simulation import SimulatedWorld, SimulationError
from agentl.scenarios.watching import Watch
from agentl_grammar.checks.paths import ProgramPaths, program_paths
from agentl_grammar.problems import Problem, Severity
from agentl_grammar.tree import Agent, Program, Scenario


def run_scenario(
    program: Program,
    agent: Agent,
    scenario: Scenario,
    *,
    paths: ProgramPaths | None = None,
    problems: Iterable[Problem] = (),
) -> ScenarioResult:
    """Run a scenario of `agent` and return what came of it; nothing outside of the process is touched.

    The agent must have passed `support.unsupported`. `paths` are those of the agent, when they are at hand.
    `problems` are those that the checks found in the program: one that makes the scenario say nothing fails
    it.
    """
    known = program_paths(agent) if paths is None else paths
    try:
        shortfalls = _checked(scenario, problems)
        world = None if shortfalls else SimulatedWorld(scenario)
    except SimulationError as error:
        world = None
        shortfalls = (Shortfall("given", error.explanation, error.span or scenario.name.span),)
    if world is None:
        return ScenarioResult(agent.name.text, scenario.name.text, scenario.name.span, 0, shortfalls)
    return _run(program, agent, scenario, world, known)


def fails(problem: Problem, scenario: Scenario) -> bool:
    """Tell whether a problem of the checks fails this scenario before it runs: an error in it, W117, W118."""
    serious = problem.severity is Severity.ERROR or problem.code in ("W117", "W118")
    return serious and scenario.span.start <= problem.span.start < scenario.span.end


def _checked(scenario: Scenario, problems: Iterable[Problem]) -> tuple[Shortfall, ...]:
    return tuple(
        Shortfall("check", problem.message, problem.span, code=problem.code)
        for problem in problems
        if fails(problem, scenario)
    )


def _run(
    program: Program, agent: Agent, scenario: Scenario, world: SimulatedWorld, paths: ProgramPaths
) -> ScenarioResult:
    machine = Machine(program, agent)
    watch = Watch(scenario, machine.state, world, paths.words)
    within = 1 if scenario.within is None else int(scenario.within.value)
    driver = ScenarioDriver(agent, machine.state, world, watch, within=within, expected=paths.delegates)
    machine.follow(watch.look)
    with suppress(ScenarioOver):
        drive(machine, driver)
    return ScenarioResult(
        agent.name.text,
        scenario.name.text,
        scenario.name.span,
        machine.state.tick,
        Judgement(agent, scenario, machine, driver, watch).shortfalls(),
        machine.trace,
    )
