"""Bad input of any length: it takes time as its length, and no more problems are told than anyone reads.

What regular expressions do is no call to be counted: a text is compared with one four times as long, both
read in this run.
"""

from time import process_time

import pytest
from tests.grammar.test_rows_stay_linear import TWICE, calls

from agentl_grammar.parser import MOST_PROBLEMS, ParseResult, parse

REPEATED = {
    "arguments": ("AGENT a { PLAN p { f(", "a=1 ", ") } }"),
    "inputs": ("AGENT a { TOOL t {\n", "INPUT { a: String }\n", "} }"),
    "questions": ("AGENT a { PLAN p { JUDGE {\n", 'q NOUL "x"\n', "} } }"),
    "members": ("AGENT a {\n", "MEMORY { a }\n", "}"),
}
SIGNS = {
    "escaped quotes": ("AGENT a { PLAN p { ", '\\"', "\\"),
    "comments without end": ("AGENT a { PLAN p {\n", "/* ", ""),
    "comments in a text without end": ('AGENT a { DESCRIPTION "', "/*", ""),
    "closers in a text without end": ('AGENT a { PLAN p { f(a="x ', ")", "x"),
}
# The longer one is long enough for the square of its length to be far more than what else a reading costs.
SIZE, TIMES = 20_000, 4
# Four times the length is about four times the time, and the square of it sixteen.
MOST_TIMES = 9


def seconds(text: str) -> float:
    """Return the least time of two readings."""
    taken: list[float] = []
    for _ in range(2):
        start = process_time()
        parse(text)
        taken.append(process_time() - start)
    return min(taken)


def placing(result: ParseResult) -> float:
    """Return the time that the comments of a text take to be found and placed."""
    start = process_time()
    assert result.comments.placed()
    return process_time() - start


@pytest.mark.parametrize(("before", "row", "behind"), REPEATED.values(), ids=REPEATED)
def test_what_is_there_many_times_is_told_some_times(before: str, row: str, behind: str):
    assert 20 <= len(parse(before + row * 2000 + behind).problems) <= MOST_PROBLEMS


@pytest.mark.parametrize(("before", "sign", "behind"), SIGNS.values(), ids=SIGNS)
def test_four_times_as_many_signs_take_about_four_times_as_long(before: str, sign: str, behind: str):
    once, more = (seconds(before + sign * (size // len(sign)) + behind) for size in (SIZE, TIMES * SIZE))
    assert more < MOST_TIMES * max(once, 0.005)


def test_a_long_broken_head_is_read_once():
    texts = ["AGENT a (\n" + "x y\n" * many + "PLAN p { f( }\n" * many + "}" for many in (200, 400)]
    parse(texts[0])
    once, twice = map(calls, texts)
    assert once < twice < TWICE * once


def test_a_mistake_behind_many_values_on_its_line_looks_at_those_near_it():
    texts = ["AGENT a { PLAN p {\n" + "SET x = 1 " * many + "SET = 1\n} }" for many in (400, 800)]
    parse(texts[0])
    once, twice = map(calls, texts)
    assert once < twice < TWICE * once


def test_many_comments_far_behind_the_last_node_of_their_line_are_placed_once_each():
    results = [parse("AGENT a { PLAN p { " + "/*/*" * many) for many in (4_000, TIMES * 4_000)]
    once, more = map(placing, results)
    assert more < MOST_TIMES * max(once, 0.005)
