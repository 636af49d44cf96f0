"""Names with points in them: fields that a sub-agent gives, the path of a sensor."""

import pytest

from agentl_grammar.parser import parse
from agentl_grammar.symbols import Kind, Symbols

POINTED = """AGENT a {
  OBSERVE air.temp
  MEMORY { WRITE { STORE { air.temp } } }
  PLAN p {
    DELEGATE helper { TASK "x" EXPECT { r.one } }
    SET x = helper.r.one
    SET y = r.one
    SET z = len(records)
    SET w = sensors.air.temp.available
  }
  SCENARIO s { GIVEN { sensors.air.temp = 3 } EXPECT NO ERROR }
}
"""


@pytest.mark.parametrize(
    ("place", "kind", "name", "declared"),
    [
        ("r.one\n    SET y", Kind.FIELD, "r.one", 1),
        ("r.one\n    SET z", Kind.FIELD, "r.one", 1),
        ("records", Kind.BUCKET, "LONG_TERM.records", 0),
        ("air.temp.available", Kind.PATH, "air.temp", 1),
        ("air.temp = 3", Kind.PATH, "air.temp", 1),
    ],
)
def test_names_with_points_are_taken_whole(place: str, kind: Kind, name: str, declared: int):
    result = parse(POINTED)
    assert result.program
    symbols = Symbols(result.program)
    found = symbols.at(POINTED.index(place) + 1)
    assert found is not None
    assert (found.kind, found.name, len(symbols.declarations(found))) == (kind, name, declared)
