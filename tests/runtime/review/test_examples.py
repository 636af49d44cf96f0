"""The examples of the documents are left in peace by the review, but for the one whose story is a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentl.checks import host_beside
from agentl.review import review
from agentl_grammar.parser import parse

EXAMPLES = sorted((Path(__file__).parents[3] / "docs" / "examples").glob("*.agent"))
TOLD = {"payments": [("D201", "notify"), ("D210", "notify")]}


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_what_is_said_of_an_example(program: Path):
    result = parse(program.read_text(encoding="utf-8"), program.name)
    host = host_beside(program)
    assert result.program
    assert host
    found = review(result.program, result.source, host, result.comments)
    told = [(problem.code, result.source.slice(problem.span)) for problem in found]
    assert told == TOLD.get(program.stem, [])
