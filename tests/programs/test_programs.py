"""Well-written programs are left in peace; of naive ones is said what their authors would want to know."""

from pathlib import Path

import pytest

from agentl.checks import checked, host_beside
from agentl.host.source import read_host
from agentl_grammar.excerpt import render
from agentl_grammar.parser import parse
from agentl_grammar.source import Source

HERE = Path(__file__).parent
GOOD = sorted((HERE / "good").glob("*.agent"))
EXAMPLES = sorted((HERE.parents[1] / "docs" / "examples").glob("*.agent"))
NAIVE = sorted((HERE / "naive").glob("*.agent"))
# Nothing is promised: the worst host that a program can have.
HOST = "from agentl import Host\nhost = Host()\n" + "".join(
    f"@host.tool('{name}')\ndef {name}(**_): ...\n"
    for name in (
        "transfer",
        "notify",
        "refund",
        "look_up",
        "answer_claim",
        "drive",
        "pay",
        "restart",
        "clean_disk",
    )
)


def shown(program: Path) -> str:
    result = parse(program.read_text(encoding="utf-8"), program.name)
    problems = checked(result, read_host(Source(HOST, "host.py")))
    return "\n\n".join(render(problem, result.source) for problem in problems)


@pytest.mark.parametrize("program", GOOD, ids=lambda path: path.stem)
def test_nothing_is_said_of_a_well_written_program(program: Path):
    assert shown(program) == ""


@pytest.mark.parametrize("program", NAIVE, ids=lambda path: path.stem)
def test_what_is_said_of_a_naive_program_is_what_a_person_has_reviewed(program: Path):
    assert shown(program) + "\n" == program.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_nothing_is_said_of_an_example_that_a_newcomer_checks_first(program: Path):
    assert checked(parse(program.read_text(encoding="utf-8")), host_beside(program)) == ()


def test_all_sets_are_there():
    assert (len(GOOD), len(NAIVE), len(EXAMPLES)) == (4, 3, 6)
