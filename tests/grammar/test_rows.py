"""What each construct and each ambiguity means, row by row (rows.txt)."""

import re
from pathlib import Path

import pytest

from agentl_grammar.parser import parse
from agentl_grammar.printer import print_program

AROUND = {
    "program": ("", ""),
    "agent": ("AGENT t { ", " }"),
    "plan": ("AGENT t { PLAN p { ", " } }"),
    "loop": ("AGENT t { LOOP { ", " } }"),
    "goal": ("AGENT t { GOAL { ", " } }"),
    "target": ("AGENT t { GOAL { TARGET { ", " } } }"),
    "tool": ("AGENT t { TOOL x { ", " } }"),
    "scenario": ("AGENT t { SCENARIO s { ", " } }"),
    "policy": ("AGENT t { POLICY { ", " } }"),
    "condition": ("AGENT t { PLAN p { VERIFY { CONDITION ", " } } }"),
}
PRINTED = AROUND | {"condition": ("AGENT t { PLAN p { VERIFY ", " } }")}
ROW = re.compile(r"^(.+) · (\w+)\n    (.*)\n  = (.+)$", re.MULTILINE)
ROWS = ROW.findall(Path(__file__).with_name("rows.txt").read_text(encoding="utf-8"))


def test_there_are_263_rows():
    assert len(ROWS) == 263
    assert len({title for title, *_ in ROWS}) == 263


def test_every_ambiguity_and_every_syntactic_micro_test_has_a_row():
    titles = [title for title, *_ in ROWS]
    ambiguities = {int(found[1]) for title in titles if (found := re.match(r"§2\.6 A(\d+)", title))}
    assert ambiguities == set(range(1, 24))
    micro = {int(found[1]) for title in titles if (found := re.match(r"Appendix A (\d+)", title))}
    assert micro == {*range(1, 11), 19, 26, 34, 37}


@pytest.mark.parametrize(
    ("place", "text", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_row(place: str, text: str, expected: str):
    before, after = AROUND[place]
    result = parse(before + text.replace("⏎", "\n") + after)
    if re.fullmatch(r"S\d{3}", expected):
        assert [problem.code for problem in result.problems] == [expected]
        assert not result.complete
        return
    assert result.problems == ()
    assert result.program is not None
    before, after = PRINTED[place]
    printed = before.rstrip() + after if expected == "(empty)" else before + expected + after
    assert " ".join(print_program(result.program).split()) == printed
