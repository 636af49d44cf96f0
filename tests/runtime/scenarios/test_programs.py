"""The sample programs: every scenario holds, and a live run has the effects that a reader expects."""

import json
import runpy
from pathlib import Path

import pytest

from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.host.loading import load_host
from agentl.interpreter.machine import Machine
from agentl.programs import parse_file
from agentl.scenarios.running import run_scenario
from agentl_grammar.checks import check
from agentl_grammar.tree import Scenario

ROOT = Path(__file__).parents[3]
PROGRAMS = ROOT / "tests" / "programs"
EXAMPLES = ROOT / "docs" / "examples"

EFFECTS = {
    "payouts": [("transfer", "inv-1"), ("transfer", "inv-2"), ("transfer", "inv-3")],
    "isolation": [("isolate", "pc-7")],
    "mail": [("reply", "l-1"), ("refund", "o-1"), ("reply", "l-2"), ("reply", "l-3")],
    "greenhouse": [("beep", ""), ("open_vent", "40"), ("water", "mint"), ("water", "basil"), ("beep", "")],
    "deployment": [("build", "2.4"), ("shift", "app:2.4"), ("unshift", "app:2.4"), ("tell", "")],
    "triage": [("nudge", "lead"), ("answer_ticket", "t-1"), ("hand_on", "t-2"), ("hand_on", "t-3")],
}
"""What each program does in its own world: the tool, and the argument that says to what."""
SUBJECTS = ("invoice", "letter", "order", "ticket", "host", "bed", "angle", "version", "image", "person")


def scenarios() -> list[tuple[Path, str]]:
    paths = [*sorted(PROGRAMS.glob("*.agent")), *sorted(EXAMPLES.glob("*.agent"))]
    return [
        (path, scenario.name.text)
        for path in paths
        for agent in parse_file(path).agents
        for scenario in agent.of(Scenario)
    ]


@pytest.mark.parametrize(
    ("path", "name"), [pytest.param(*one, id=f"{one[0].stem}/{one[1]}") for one in scenarios()]
)
def test_every_scenario_of_every_program_holds(path: Path, name: str) -> None:
    program = parse_file(path)
    agent = program.agents[0]
    scenario = next(one for one in agent.of(Scenario) if one.name.text == name)
    assert [
        str(one.message)
        for one in run_scenario(program, agent, scenario, problems=check(path.read_text())).shortfalls
    ] == []


@pytest.fixture
def effects_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that runs a program and lists what its tools did."""

    def effects(name: str) -> list[tuple[str, str]]:
        monkeypatch.setenv("AGENTL_WITNESS", str(tmp_path / "witness.sqlite"))
        path = PROGRAMS / f"{name}.agent"
        program, loaded = parse_file(path), load_host(path)
        machine = Machine(program, program.agents[0])
        with LiveDriver(loaded.host, loaded.model) as driver:
            drive(machine, driver)
        witness = runpy.run_path(str(PROGRAMS / "witness.py"))["Witness"](str(path))
        with witness._transaction() as file:
            rows = file.execute("SELECT tool, arguments FROM effects ORDER BY entry").fetchall()
        return [(tool, subject(json.loads(arguments))) for tool, arguments in rows]

    return effects


def subject(arguments: dict[str, object]) -> str:
    return next((str(arguments[name]) for name in SUBJECTS if name in arguments), "")


@pytest.mark.parametrize("name", EFFECTS)
def test_a_live_run_has_the_expected_effects_each_once(effects_of, name: str) -> None:
    assert effects_of(name) == EFFECTS[name]


def test_every_sample_is_in_the_table() -> None:
    assert {path.stem for path in PROGRAMS.glob("*.agent")} == set(EFFECTS)
