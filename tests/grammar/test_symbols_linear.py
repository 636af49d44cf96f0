"""The work that symbols take grows as the program does, whatever is said often in it."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from agentl_grammar.parser import parse
from agentl_grammar.symbols import Symbols, Use
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
    "handlers that name a key": "EVENT e# { IF payload.key == # AND key == 2 THEN SET x = payload.key }",
    "sub-agents of one key": "PLAN p# { DELEGATE b# { EXPECT { key } } SET a = key SET c = b#.key }",
    "paths with many words": "PLAN p# { SET a.b.c.d.e.f.g# = x.b.c.d.e.f.g# }",
    "names with points": (
        'TOOL "a.b.t#" { OUTPUT { "c.d": Bool } } HYPOTHESIS "h.i#" { PRIOR 0.2 }'
        ' PLAN "p.q#" { ASK "b.c#" { QUESTION "x" } REASON { PRODUCE { "f.g#": Symbol } }'
        " SET x = a.b.t#.c.d SET x = result.a.b.t#.c.d SET x = h.i#.posterior"
        " SET x = f.g# SET x = answer.b.c# }"
    ),
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


def work_on(act: Callable[[], list[Use]]) -> int:
    """Return how many functions are called by `act`, and how many uses are told."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        uses = act()
    finally:
        sys.setprofile(None)
    return calls + len(uses)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_twice_the_program_takes_twice_the_work(shape: str):
    programs = [program_of(shape, count) for count in (100, 200)]
    once, twice = (work_on(lambda program=program: Symbols(program).uses) for program in programs)
    assert twice < 2.2 * once


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_what_has_one_name_is_found_in_twice_the_work(shape: str):
    known = [Symbols(program_of(shape, count)) for count in (50, 100)]
    for kind in {use.kind for use in known[0].uses}:
        first = [next(use for use in symbols.uses if use.kind is kind) for symbols in known]
        once, twice = (
            work_on(lambda s=s, use=use: s.linked(use)) for s, use in zip(known, first, strict=True)
        )
        assert twice < 2.2 * once, kind
