"""What a person sees in a window."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.needs("vsce", "code-server", "chromium", "playwright")

PROGRAM = """\
// pays
AGENT payments {
  TOOL transfer { INPUT { amount: Number } RISK HIGH }
  PLAN pay { STEP send { transfer(amount = 12.5, to = "acct") } }
}
"""


def colour(workbench, line: str, word: str) -> str:
    span = workbench.line(line).locator("span span", has_text=word).first
    return span.evaluate("span => getComputedStyle(span).color")


def test_words_of_different_kinds_have_different_colours(workbench, folder: Path):
    (folder / "one.agent").write_text(PROGRAM)
    workbench.open("one.agent")
    kinds = {
        "comment": colour(workbench, "// pays", "pays"),
        "agent": colour(workbench, "AGENT payments", "AGENT"),
        "name": colour(workbench, "AGENT payments", "payments"),
        "call": colour(workbench, "PLAN pay", "transfer"),
        "argument": colour(workbench, "PLAN pay", "amount"),
        "number": colour(workbench, "PLAN pay", "12.5"),
        "string": colour(workbench, "PLAN pay", "acct"),
    }
    assert len(set(kinds.values())) >= 6, kinds
