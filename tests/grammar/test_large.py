"""Texts far larger than any program: they are read, or told to be wrong, without an exception.

What they cost is printed by the benches; here only the answers count.
"""

import tracemalloc
from time import process_time

import pytest

from agentl_grammar import parser
from agentl_grammar.parser import MOST_PROBLEMS, parse
from agentl_grammar.symbols import Symbols

SIZE = 10_000_000
# A tenth of it is needed; with one look at the rest of the text for each quote it is many times as much.
MOST_SECONDS = 2


def codes(text: str) -> list[str]:
    return [problem.code for problem in parse(text).problems]


@pytest.mark.parametrize(
    "text",
    [
        'AGENT t { DESCRIPTION "' + "x" * SIZE + '" }',
        'AGENT t { DESCRIPTION "' + "{\n" * (SIZE // 2) + '" }',
        'AGENT t { DESCRIPTION "' + "\\n" * (SIZE // 20) + '" }',
        "/*" + "x" * SIZE + "*/ AGENT t { }",
        "/*" + "* " * (SIZE // 2) + "*/ AGENT t { }",
        "# " + "x" * SIZE + "\nAGENT t { }",
        "AGENT t { " + "# note\n" * (SIZE // 7) + "}",
        "AGENT t { " + " " * SIZE + "}",
        "AGENT t { VERSION 1 " + "\n" * SIZE + "}",
    ],
    ids=["text", "lines of a text", "escapes", "comment", "stars", "line", "comments", "spaces", "lines"],
)
def test_ten_megabytes_that_are_right(text: str):
    assert codes(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{" * SIZE, ["S112"]),
        ("AGENT t {" * (SIZE // 9), ["S112"]),
        ("AGENT t { GOAL { TARGET " + "(" * SIZE, ["S112"]),
        ("AGENT t { GOAL { TARGET " + "(" * (SIZE // 2) + ")" * (SIZE // 2) + "} }", ["S112"]),
        ('AGENT t { DESCRIPTION "' + "x" * SIZE, ["S103"]),
        ("AGENT t { } /*" + "x" * SIZE, ["S104"]),
        (" " * SIZE, ["S106"]),
    ],
    ids=["braces", "agents", "opened", "nested", "open text", "open comment", "nothing"],
)
def test_ten_megabytes_that_are_wrong(text: str, expected: list[str]):
    found = codes(text)
    assert set(expected) <= set(found)
    assert len(found) <= len(expected) + 2


def test_one_line_of_many_members_is_read_as_many():
    result = parse("AGENT t { " + "PLAN p { a(1) b(2) } " * 20_000 + "}")
    assert result.problems == ()
    assert result.program
    assert len(result.program.agents[0].members) == 20_000


@pytest.mark.parametrize("line", ["x", "x {", "f() }"])
def test_an_open_text_with_many_escaped_quotes_is_looked_at_once(line: str):
    text = 'AGENT t { DESCRIPTION "' + f'{line}\\"\n' * 20_000
    start = process_time()
    parse(text)
    assert process_time() - start < MOST_SECONDS


def test_agents_without_end_are_left_out_behind_many_problems():
    result = parse("".join(f"AGENT a{number} {{\n" for number in range(2000)))
    assert MOST_PROBLEMS <= len(result.problems) < MOST_PROBLEMS + 20
    assert not result.complete


def test_what_is_known_of_many_agents_grows_with_their_number():
    program = parse("".join(f"AGENT a{number} {{ GOAL {{ x }} }}\n" for number in range(1000))).program
    assert program
    memory = Symbols(program).memory
    assert memory.shared
    held = [memory.shared, *memory.known.values()]
    assert sum(len(known.declarations) for known in held) <= 3 * len(program.agents)


@pytest.mark.parametrize("mistake", ["ON ", "GOAL\n"])
def test_behind_many_problems_broken_members_are_left_out(mistake: str):
    result = parse("AGENT t {\n" + mistake * 2000 + "}")
    assert MOST_PROBLEMS <= len(result.problems) < MOST_PROBLEMS + 20
    assert not result.complete


@pytest.mark.parametrize(
    ("begin", "repeated"),
    [("", "}"), ("", "a."), ("AGENT t { PLAN p { ", ")"), ("AGENT t { GOAL g ", "a.")],
    ids=["closers", "words", "closers in a plan", "words in a goal"],
)
def test_the_memory_for_what_is_broken_ends_with_what_is_read(
    begin: str, repeated: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(parser, "_LONGEST", 20_000)
    peaks: list[int] = []
    for size in (40_000, 160_000):
        text = begin + repeated * (size // len(repeated))
        tracemalloc.start()
        parse(text)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5
