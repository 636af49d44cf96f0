"""`agentl test`: run the scenarios of programs, each against its own simulated world (language.md §5.18)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentl.cli.keywords import Selector, selector
from agentl.cli.reporting import report
from agentl.cli.scenario_report import JsonReport, ScenarioReport, TextReport
from agentl.errors import AgentlError, Place, ProgramError, UsageError
from agentl.files import read_text
from agentl.interpreter.support import unsupported
from agentl.scenarios.running import fails, run_scenario
from agentl_grammar.checks import check
from agentl_grammar.checks.paths import program_paths
from agentl_grammar.parser import parse
from agentl_grammar.problems import Message, Problem, Severity, message_id
from agentl_grammar.source import Source
from agentl_grammar.tree import Agent, Program, Scenario

_FAILED = 1


@dataclass(frozen=True, slots=True)
class ScenarioOptions:
    """The options of `agentl test`, as they were given."""

    files: Sequence[Path]
    keyword: str | None
    trace: bool
    as_json: bool
    allow_empty: bool


def run_tests(options: ScenarioOptions) -> int:
    """Run what is asked for and return the exit code.

    0: all passed; 1: one failed, or a program has errors; 2: a program cannot be read, or has no scenario.
    Raises UsageError U113.
    """
    select = selector(options.keyword)
    shown = JsonReport(trace=options.trace) if options.as_json else TextReport(trace=options.trace)
    code = 0
    for file in options.files:
        try:
            _test_file(file, select, shown, allow_empty=options.allow_empty)
        except AgentlError as error:
            report(error)
            code = max(code, error.exit_code)
    shown.finish()
    if not shown.count and not code and not options.allow_empty:
        report(_nothing_selected(options.keyword or ""))
        return UsageError.exit_code
    return max(code, _FAILED if shown.failed else 0)


def _test_file(file: Path, select: Selector, shown: ScenarioReport, *, allow_empty: bool) -> None:
    source, program, problems = _read(file)
    bare = [agent.name.text for agent in program.agents if not agent.of(Scenario)]
    for agent, scenarios in _selected(program, select):
        paths = program_paths(agent)
        for scenario in scenarios:
            shown.add(source, run_scenario(program, agent, scenario, paths=paths, problems=problems))
    if bare and not allow_empty:
        raise UsageError(
            "U114",
            Message(message_id("{agents} has no SCENARIO"), {"agents": ", ".join(bare)}),
            place=Place(path=str(file)),
            action=Message(message_id("write one, or say --allow-empty")),
        )


def _read(file: Path) -> tuple[Source, Program, Sequence[Problem]]:
    """Return a program whose scenarios can be run, and what the checks say of it.

    Raises ProgramError, UsageError.
    """
    result = parse(read_text(file), str(file))
    if result.program is None or not result.complete:
        raise ProgramError(result.source, result.problems)
    problems = check(result)
    scenarios = [scenario for agent in result.program.agents for scenario in agent.of(Scenario)]
    errors = [
        problem
        for problem in problems
        if problem.severity is Severity.ERROR and not any(fails(problem, scenario) for scenario in scenarios)
    ]
    for agent in result.program.agents:
        errors += unsupported(Program(result.program.span, (agent,)))
    if errors:
        raise ProgramError(result.source, errors, exit_code=1)
    return result.source, result.program, problems


def _selected(program: Program, select: Selector) -> Iterator[tuple[Agent, list[Scenario]]]:
    for agent in program.agents:
        name = agent.name.text
        yield (
            agent,
            [scenario for scenario in agent.of(Scenario) if select(f"{name}/{scenario.name.text}")],
        )


def _nothing_selected(keyword: str) -> UsageError:
    return UsageError(
        "U114",
        Message(message_id("no scenario matches -k {keyword}"), {"keyword": keyword}),
        action=Message(message_id("give a part of a name; `agentl test` without -k lists them")),
    )
