"""What a long row costs, in calls: a time would tell of the machine, and grows with what else runs on it."""

import sys
from types import FrameType

import pytest

from agentl_grammar.parser import Parser

# Rows that are read, and rows that are longer than any may be.
ROWS = (80, 1000)
# Twice as many rows, and a little for what a row of any length costs.
TWICE = 2.3

FIRST, ROW, BROKEN = "IF a == 0 THEN b()\n", "ELSE IF a == 1 THEN b()\n", "SET c = = 1\n"
# What stands before the row, the row once, what stands behind it.
KINDS = {
    "ELSE IF": (FIRST, ROW, ""),
    "ELSE IF in braces": ("IF a == 0 THEN { b() }\n", "ELSE IF a == 1 THEN { b() }\n", ""),
    "ELSE IF and a mistake below": (FIRST, ROW, BROKEN),
    "ELSE IF and a mistake above": (BROKEN + FIRST, ROW, ""),
    "terms joined by OR": ("VERIFY a == 0\n", "OR a == 1\n", ""),
}


def calls(text: str) -> int:
    """Return how many functions are called to read `text`."""
    count = 0

    def called(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    parser, before = Parser(), sys.getprofile()
    sys.setprofile(called)
    try:
        parser.parse(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize(("before", "row", "behind"), KINDS.values(), ids=KINDS)
def test_a_row_twice_as_long_takes_twice_as_many_calls(before: str, row: str, behind: str, rows: int):
    texts = [f"AGENT a {{\nPLAN p {{\n{before}{row * many}{behind}}}\n}}\n" for many in (rows, 2 * rows)]
    Parser().parse(texts[0])
    once, twice = (calls(text) for text in texts)
    assert rows < once < twice < TWICE * once
