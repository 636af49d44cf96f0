"""The work that symbols take grows as the program does, whatever is said often in it."""

import sys
from types import FrameType

import pytest

from agentl_grammar.parser import parse
from agentl_grammar.symbols import Symbols
from agentl_grammar.tree import Program

SHAPES = {
    "tools of one parameter": "TOOL t# { INPUT { n: Number } } POLICY { NEVER * WHEN n > # }",
    "tools that prove a parameter": "TOOL t# { INPUT { who: String  proof: String ATTESTS who } }",
    "tools of one output": "TOOL t# { OUTPUT { id: String } } PLAN p# { SET a# = id SET b# = result.id }",
    "loops of one variable": "PLAN p# { FOREACH i IN a.b { SET c = i.d } } POLICY { NEVER * WHEN i.d == 1 }",
    "messages of one key": (
        "ON MESSAGE m# { SET a = payload.key } PLAN p# { SET c = key }"
        " SCENARIO s# { GIVEN MESSAGE m# FROM b { key = 1 } EXPECT NO ERROR }"
    ),
    "sub-agents of one key": "PLAN p# { DELEGATE b# { EXPECT { key } } SET a = key SET c = b#.key }",
    "paths with many words": "PLAN p# { SET a.b.c.d.e.f.g# = x.b.c.d.e.f.g# }",
    "goals without a name": "GOAL { goals.main.score > # }",
    "agents": "} AGENT b# { PLAN p { MESSAGE m { TO b# PAYLOAD { k = 1 } } SET a = message.from }",
}
"""Each is repeated, # a number."""


def program_of(shape: str, count: int) -> Program:
    parts = "\n".join(shape.replace("#", str(number)) for number in range(count))
    result = parse(f"AGENT a {{ {parts} }}")
    assert result.problems == ()
    assert result.program is not None
    return result.program


def work_on(program: Program) -> int:
    """Return how many functions are called, and how many uses are told, for the symbols of a program."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        uses = Symbols(program).uses
    finally:
        sys.setprofile(None)
    return calls + len(uses)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_twice_the_program_takes_twice_the_work(shape: str):
    once, twice = (work_on(program_of(shape, count)) for count in (100, 200))
    assert twice < 2.2 * once
