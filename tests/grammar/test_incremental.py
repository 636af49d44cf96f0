"""A parser that remembers the last text says the same as one that does not."""

import random
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentl_grammar import parser as reading
from agentl_grammar.cutting import cuts as cutting
from agentl_grammar.cutting.cuts import cut_by_braces, is_open
from agentl_grammar.cutting.cutter import Cutter
from agentl_grammar.cutting.lines import common_ends
from agentl_grammar.parser import Parser, ParseResult, parse
from agentl_grammar.readings import Healthy, Reading
from agentl_grammar.tree import Node, Plan, walk

SAMPLES = [p.read_text(encoding="utf-8") for p in sorted((Path(__file__).parent / "samples").glob("*.agent"))]
PIECES = [
    "{",
    "}",
    '"',
    "/*",
    "*/",
    "\n",
    "# note\n",
    "GOAL",
    "  PLAN q { a() }\n",
    "x",
    " ",
    ",",
    "AGENT b {",
    "é",
    "(",
    *(
        "\0",
        "\ud800",
        "\ufeff",
        "\u2028",
        "\x85",
        "\u00a0",
        "😀",
        "\r",
        "\r\n",
        "\\",
        '\\"',
        "\nAGENT",
        "AGENT c",
    ),
]
CUTTING_PIECES = [
    *PIECES,
    *(
        "ON",
        "ON UNKNOWN",
        "UNKNOWN",
        "UTILITY",
        "U",
        ".",
        "/",
        "//",
        "*",
        "\\",
        "\\\n",
        ":",
        "\r",
        "\r\n",
        "\ufeff",
    ),
    *("}}", "} AGENT c {", "AGENT", "MESSAGE", "LOOP", "# n\n"),
]
EDGES = (
    "AGENT a { GOAL { x } ON UNKNOWN: 1 ON /* c */ MESSAGE m { } UTILITY { a.GOAL } PLAN PLAN { } "
    'VERSION "1" TOOL t { "}" } ON EVENT e { } }\n'
)
TWO_PLANS = "AGENT t {\n  PLAN p {\n    a()\n  }\n  PLAN q {\n    b(1)\n  }\n}\n"


def places(node: Node) -> list[tuple[str, int, int]]:
    return [(type(part).__name__, part.span.start, part.span.end) for part in walk(node)]


def assert_same(one: ParseResult, other: ParseResult) -> None:
    assert one.problems == other.problems
    assert one.complete == other.complete
    assert one.program == other.program
    if one.program and other.program:
        assert places(one.program) == places(other.program)


def edited(text: str, chance: random.Random) -> str:
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.choice((0, 0, 1, 3, 40)))
    return text[:start] + chance.choice(["", *PIECES]) + text[end:]


def some_members(sample: str, chance: random.Random) -> str:
    """Three members of a sample, in its own layout: short enough to be read very often."""
    agent = chance.choice(cut_by_braces(sample) or [])
    begin = chance.randrange(max(1, len(agent.members) - 2))
    (start, _), *_, (_, end) = agent.members[begin : begin + 3]
    return f"{sample[agent.start : agent.head_end]}\n  {sample[start:end].rstrip()}\n}}\n"


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(SAMPLES), st.randoms())
def test_any_sequence_of_edits(sample: str, chance: random.Random):
    parser, text = Parser(), some_members(sample, chance)
    for _ in range(5):
        text = edited(text, chance)
        assert_same(parser.parse(text), parse(text))


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_line_above_and_back(sample: str):
    parser = Parser()
    parser.parse(sample)
    assert_same(parser.parse("# a note\n" + sample), parse("# a note\n" + sample))
    assert_same(parser.parse(sample), parse(sample))


def near_an_edge(text: str, chance: random.Random) -> int:
    agents = cut_by_braces(text) or Cutter().by_layout(text) or []
    edges = [0, len(text)]
    for agent in agents:
        edges += [agent.start, agent.head_end, agent.end, *(start for start, _ in agent.members)]
    return max(0, min(len(text), chance.choice(edges) + chance.randint(-3, 9)))


def recut(text: str, chance: random.Random) -> str:
    start = chance.choice((near_an_edge(text, chance), chance.randrange(len(text) + 1)))
    end = min(len(text), start + chance.choice((0, 0, 1, 3, 9, 40, 200)))
    return text[:start] + chance.choice(["", text[start:end] * 2, *CUTTING_PIECES]) + text[end:]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([*SAMPLES, EDGES * 3]), st.randoms())
def test_a_cut_that_knows_an_earlier_text_is_the_cut_from_scratch(sample: str, chance: random.Random):
    cutter, texts = Cutter(), [sample]
    for _ in range(8):
        text = texts[-1]
        assert cutter.by_braces(text) == cut_by_braces(text)
        assert cutter.by_layout(text, loose=True) == Cutter().by_layout(text, loose=True)
        assert cutter.by_layout(text) == Cutter().by_layout(text)
        texts.append(chance.choice((recut(text, chance), recut(text, chance), chance.choice(texts))))


@given(st.text(st.sampled_from("ab")), st.text(st.sampled_from("ab")))
def test_the_common_ends_of_two_texts_do_not_overlap(one: str, other: str):
    start, end = common_ends(one, other)
    rest, other_rest = one[start : len(one) - end], other[start : len(other) - end]
    assert one[:start] + other_rest + one[len(one) - end :] == other
    assert not rest or not other_rest or (rest[0] != other_rest[0] and rest[-1] != other_rest[-1])


def test_typing_in_one_member_of_many_looks_at_its_neighbours_only(monkeypatch: pytest.MonkeyPatch):
    plans = "".join(f"  PLAN p{number} {{\n    a()\n  }}\n" for number in range(1000))
    text = f"AGENT t {{\n{plans}}}\n"
    cutter, looked = Cutter(), 0
    step = cutting._STEP

    def counted(*place: object) -> object:
        nonlocal looked
        looked += 1
        return step(*place)

    monkeypatch.setattr(cutting, "_STEP", counted)
    cutter.by_braces(text)
    cold, looked = looked, 0
    for letter in "xyz":
        text = text.replace("PLAN p500 {\n    a(", f"PLAN p500 {{\n    a({letter}")
        cutter.by_braces(text)
    assert cold > 1000
    assert 0 < looked < 60


def test_behind_a_text_that_is_not_closed_every_member_may_change():
    text = 'AGENT t { GOAL { x } PLAN a { b("c) } PLAN d { } PLAN e { f(") } PLAN g { h() } }'
    cutter = Cutter()
    assert cutter.by_braces(text) == cut_by_braces(text)
    agents = cutter.by_braces(text.replace("h()", 'h(")'))
    assert agents == cut_by_braces(text.replace("h()", 'h(")'))


def test_a_member_that_did_not_change_is_not_read_again():
    parser = Parser()
    before, after = parser.parse(TWO_PLANS), parser.parse(TWO_PLANS.replace("a()", "a(2)"))
    assert before.program
    assert after.program
    (first, second), (changed, moved) = (result.program.agents[0].of(Plan) for result in (before, after))
    assert changed != first
    assert moved == second
    assert moved.span.start == second.span.start + 1
    assert moved.name is not second.name
    assert moved.name.text is second.name.text


def test_an_older_tree_keeps_its_places():
    parser = Parser()
    before = parser.parse(TWO_PLANS)
    assert before.program
    parser.parse("\n\n\n" + TWO_PLANS)
    plan = before.program.agents[0].of(Plan)[1]
    assert TWO_PLANS[plan.span.start : plan.span.end].startswith("PLAN q {")


def test_two_members_of_the_same_text_are_two_nodes():
    text = "AGENT a { PLAN p { x() } } AGENT b { PLAN p { x() } }"
    program = Parser().parse(text).program
    assert program
    one, other = (agent.of(Plan)[0] for agent in program.agents)
    assert one == other
    assert one is not other
    assert one.span != other.span


@pytest.mark.parametrize("many", [1, 300])
def test_a_quote_typed_leaves_the_members_before_and_behind_it_as_they_were(
    many: int, monkeypatch: pytest.MonkeyPatch
):
    plans = [f'  PLAN p{number} {{\n    pay("x{number}")\n  }}\n' for number in range(many)]
    text = f"AGENT t {{\n{''.join(plans)}  GOAL g {{ x }}\n}}\n"
    parser = Parser()
    parser.parse(text)
    read = []
    original = reading._Reader._healthy
    monkeypatch.setattr(reading._Reader, "_healthy", lambda *place: read.append(place) or original(*place))
    result = parser.parse(text.replace("pay(", 'pay("', 1))
    assert len(read) <= 1
    assert [problem.code for problem in result.problems][:1] == ["S103"]
    assert result.program
    assert len(result.program.agents[0].members) == many + 1


@pytest.mark.parametrize(
    ("text", "opened"),
    [
        ('a "b', True),
        ('"\\"" "', True),
        ('"\\" "', False),
        ('a "b" "', True),
        ('# "', False),
        ('/* " */', False),
        ('"\\""', False),
        ("/*", False),
        ('a "b" \\" "c', True),
        ('"a"") f("b \\"c\\" d")', True),
    ],
)
def test_a_text_is_open_when_an_odd_quote_is_no_comments(text: str, opened: bool):
    assert is_open(text) is opened


@pytest.mark.parametrize("sign", ["\u00a0", "\u2028", ";", " ", "\t"])
def test_what_stands_before_a_broken_member_on_its_line_counts(sign: str):
    parser = Parser()
    text = "AGENT e{\n TOOL l\nOUTPUT{"
    parser.parse(text)
    edited = text.replace(" TOOL", f"{sign}TOOL")
    assert_same(parser.parse(edited), parse(edited))


@pytest.mark.parametrize("behind", [" ", " x", ""])
def test_a_text_that_goes_on_behind_its_member_ends_where_its_line_does_now(behind: str):
    parser = Parser()
    text = 'AGENT g{ON MESSA\\"ON'
    parser.parse(text + " ")
    assert_same(parser.parse(text + behind), parse(text + behind))


def test_few_long_members_are_forgotten_as_many_short_ones_are():
    healthy = Healthy()
    versions = [str(number) * 100_000 for number in range(9)]
    for version in versions:
        healthy.add(version, Reading(0, ()))
        healthy.forget(len(version))
    assert [healthy.get(version) is not None for version in versions] == [*[False] * 6, *[True] * 3]


def test_what_depends_on_all_that_follows_is_remembered_without_a_copy_of_it():
    text = "AGENT a {\n" + '  DESCRIPTION "xx\n' * 12_000 + "}"
    parser = Parser()
    tracemalloc.start()
    parser.parse(text)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 100 * len(text)
    assert_same(parser.parse(text), parse(text))


@pytest.mark.parametrize("edit", [("z { w", "z { v"), ("o { p", "oo { p"), ("}\n", "}\n\n"), ("x }", "x } ")])
def test_a_brace_too_many_is_told_as_anew_after_edits_above_and_below_it(edit: tuple[str, str]):
    text = "AGENT a {\n  GOAL o { p }\n  GOAL x { x }\n  } PLAN y { b() }\n  GOAL z { w }\n}\n"
    parser = Parser()
    parser.parse(text)
    for version in (text.replace(*edit, 1), text, text.replace(*edit)):
        assert_same(parser.parse(version), parse(version))
