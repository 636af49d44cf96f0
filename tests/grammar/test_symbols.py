"""Declarations, references and scopes."""

import pytest

from agentl_grammar.parser import parse
from agentl_grammar.symbols import Kind, Symbols, Use

TEXT = """AGENT shop {
  GOAL stock { shelf.count > 3 }
  BELIEF { trust = 0.5 }
  OBSERVE shelf.count
  MEMORY { LONG_TERM { orders } WRITE { STORE { trust } INTO LONG_TERM.orders } }
  TOOL order { INPUT { n: Number } }
  POLICY { ALLOW order IF trust > 0.4 }
  HYPOTHESIS thief { PRIOR FROM LONG_TERM.orders EVIDENCE { shelf.count < 1 } }
  PLAN refill WHEN thief.posterior < 0.5 {
    STEP ask: order(n = 3)
    STEP tell: MESSAGE done { TO boss } DELEGATE boss { TASK "x" }
  }
  EVENT door.opened { refill }
  ON MESSAGE done { SET seen = message.from }
  SCENARIO s { GIVEN EVENT door.opened { } EXPECT CALL order }
}
AGENT boss {
  PLAN refill { order() }
  LOOP { IF SHARED.price > seen THEN refill }
}
"""


@pytest.fixture
def symbols() -> Symbols:
    result = parse(TEXT)
    assert result.program is not None
    assert result.problems == ()
    return Symbols(result.program)


def use(symbols: Symbols, word: str, occurrence: int = 0) -> Use:
    offset = -1
    for _ in range(occurrence + 1):
        offset = TEXT.index(word, offset + 1)
    found = symbols.at(offset + 1)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("word", "kind", "lines", "declared"),
    [
        ("shop", Kind.AGENT, [1], [1]),
        ("stock", Kind.GOAL, [2], [2]),
        ("shelf.count", Kind.PATH, [2, 4, 8], [4]),
        ("trust", Kind.BELIEF, [3, 5, 7], [3]),
        ("LONG_TERM.orders", Kind.BUCKET, [5, 5, 8], [5, 5]),
        ("order {", Kind.TOOL, [6, 7, 10, 15], [6]),
        ("thief", Kind.HYPOTHESIS, [8, 9], [8]),
        ("refill", Kind.PLAN, [9, 13], [9]),
        ("ask", Kind.STEP, [10], [10]),
        ("done", Kind.MESSAGE, [11, 14], [14]),
        ("boss { TASK", Kind.AGENT, [11, 17], [17]),
        ("door.opened", Kind.EVENT, [13, 15], [13]),
        ("message.from", Kind.FACT, [14], []),
        ("s { GIVEN", Kind.SCENARIO, [15], [15]),
        ("SHARED.price", Kind.BUCKET, [19], []),
    ],
)
def test_every_kind_of_name(symbols: Symbols, word: str, kind: Kind, lines: list[int], declared: list[int]):
    offset = TEXT.index(word)
    found = next(u for u in symbols.uses if u.span.start == offset)
    assert found.kind is kind
    assert [TEXT.count("\n", 0, other.span.start) + 1 for other in symbols.same(found)] == lines
    assert [TEXT.count("\n", 0, other.span.start) + 1 for other in symbols.declarations(found)] == declared


def test_the_same_name_in_another_agent_is_another_symbol(symbols: Symbols):
    inner = use(symbols, "refill", 2)
    assert inner.scope == "boss"
    assert [other.scope for other in symbols.same(inner)] == ["boss", "boss"]


def test_the_symbols_of_a_broken_program_are_those_of_what_stands():
    program = parse(TEXT.replace("trust > 0.4", "trust >> 0.4")).program
    assert program is not None
    assert any(found.kind is Kind.PLAN for found in Symbols(program).uses)
