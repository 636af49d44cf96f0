"""Every code has a page, and every page a code."""

import re
from pathlib import Path

import pytest

from agentl.cli.explaining import pages
from agentl.interpreter.support import unsupported
from agentl_grammar.checks import check
from agentl_grammar.parser import parse

ROOT = Path(__file__).parents[2]
PACKAGES = ("grammar/agentl_grammar", "runtime/agentl", "server/agentl_server")
PARTS = ("**What.**", "**Why.**", "**What to do.**", "**Example.**")


def in_the_code() -> set[str]:
    return {
        code
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for code in re.findall(r"\"([CDEHMPRSUVW]\d{3})\"", path.read_text(encoding="utf-8"))
    }


def test_every_code_has_a_page_and_every_page_a_code():
    assert set(pages()) == in_the_code()


@pytest.mark.parametrize("code", pages())
def test_a_page_says_what_why_what_to_do_and_gives_an_example(code: str):
    text = pages()[code].read_text(encoding="utf-8")
    assert text.startswith(f"# {code}: ")
    assert [part for part in PARTS if part not in text] == []


ROOMS = (
    "{}",
    "AGENT a {{ {}\n}}",
    "AGENT a {{ TOOL t {{ {}\n}} }}",
    "AGENT a {{ PLAN p {{ {}\n}} }}",
    "AGENT a {{ PLAN p {}\n {{ }} }}",
    "AGENT a {{ LOOP {} {{ }} }}",
)


def example(code: str) -> str | None:
    found = re.search(r"```agentl\n(.*?)\n```", pages()[code].read_text(encoding="utf-8"), re.DOTALL)
    return found and found[1]


OF_THE_HOST = ("W139", "W140")
"""What these say depends on the host script; tests/grammar/checks has examples of them."""


@pytest.mark.parametrize(
    "code", [code for code in pages() if code[0] in "SEW" and code not in OF_THE_HOST and example(code)]
)
def test_the_example_of_a_page_has_the_problem_of_the_page(code: str):
    results = [parse(room.format(example(code))) for room in ROOMS]
    found = {problem.code for result in results for problem in check(result)}
    found |= {problem.code for result in results if result.program for problem in unsupported(result.program)}
    assert code in found
