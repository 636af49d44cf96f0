"""A fix removes its problem, and brings none: over all broken samples, and one slip in every program."""

import random
import re
from collections.abc import Callable, Iterator

import pytest
from test_breakages import PROGRAMS, PUT_IN, SAMPLES
from test_named import written_pages

from agentl_grammar.excerpt import render
from agentl_grammar.lexer import lex
from agentl_grammar.parser import Parser, ParseResult
from agentl_grammar.problems import Fix, Problem

OF_EACH = 150
# Of a hundred fixes so many may fail: what is left of a text or a brace then, nobody could tell.
MOST_FAILING = 1


def slips() -> Iterator[str]:
    """Yield each program with one slip in it, so many times."""
    chance = random.Random(7)  # noqa: S311 (the same slips every time)
    for text in (*SAMPLES, *PROGRAMS):
        tokens = lex(text).tokens
        for number in range(OF_EACH):
            token, other = chance.choice(tokens), chance.choice(PUT_IN)
            word = token.text
            made = (
                "",
                f" {other} {word}",
                f" {other} ",
                chance.choice([word[:-1], f"{word} {word}", word.lower(), f"{word[:1]} {word[1:]}"]),
            )[number % 4]
            yield text[: token.start] + made + text[token.end :]


def repaired(text: str, fix: Fix) -> str:
    for span, new in reversed(fix.replacements):
        text = text[: span.start] + new + text[span.end :]
    return text


def fixed(texts: Iterator[str]) -> Iterator[tuple[Problem, ParseResult, ParseResult]]:
    """Yield each problem that has a fix, what was read, and what is read after it."""
    parser, other = Parser(), Parser()
    for text in texts:
        told = parser.parse(text)
        for problem in told.problems:
            for fix in problem.fixes:
                yield problem, told, other.parse(repaired(text, fix))


def works(problem: Problem, told: ParseResult, after: ParseResult) -> bool:
    """Tell whether there are fewer problems after a fix, and none in its place that was not told."""
    known = {(each.code, str(each.message)) for each in told.problems}
    near = range(problem.span.start - 2, problem.span.end + 3)
    there = [each for each in after.problems if each.span.start in near]
    return len(after.problems) < len(told.problems) and all(
        (each.code, str(each.message)) in known for each in there
    )


@pytest.mark.parametrize(("texts", "least"), [(written_pages, 330), (slips, 450)])
def test_a_fix_leaves_fewer_problems_and_no_new_one_in_its_place(
    texts: Callable[[], Iterator[str]], least: int
):
    count, failing = 0, list[str]()
    for problem, told, after in fixed(texts()):
        count += 1
        if not works(problem, told, after):
            shown = [render(problem, told.source), *(render(each, after.source) for each in after.problems)]
            failing.append("\n".join(shown))
    print(f"{count - len(failing)} of {count} fixes work")
    assert count >= least
    assert len(failing) * 100 <= MOST_FAILING * count, "\n\n".join(failing)


FOLLOWED = ("remove {found}", "remove {found}: it stands there twice")


def followed(texts: Iterator[str]) -> Iterator[tuple[Problem, ParseResult, ParseResult]]:
    """Yield each problem whose help is only to remove what is found, and what is read without that."""
    parser, other = Parser(), Parser()
    for text in texts:
        told = parser.parse(text)
        for problem in told.problems:
            if problem.hint and problem.hint.template in FOLLOWED:
                left = text[: problem.span.start] + text[problem.span.end :]
                yield problem, told, other.parse(left)


def test_what_is_to_be_removed_is_one_mistake_less_without_it():
    counts = [len(after.problems) < len(told.problems) for _, told, after in followed(slips())]
    print(f"{sum(counts)} of {len(counts)} times it works to remove what is found")
    assert len(counts) > 60
    assert sum(counts) >= len(counts) * 0.95


def lost() -> Iterator[str]:
    """Yield each program with one token gone."""
    chance = random.Random(8)  # noqa: S311 (the same tokens every time)
    for text in (*SAMPLES, *PROGRAMS):
        for token in chance.sample(lex(text).tokens, OF_EACH // 2):
            yield text[: token.start] + text[token.end :]


ADDED = ("x", "1", '"x"', "5min", "x()", "*", "WHEN x", "LOW", "{", "}", ")", "]", ".", "=", ":", "[")


def added(texts: Iterator[str]) -> Iterator[tuple[ParseResult, list[ParseResult]]]:
    """Yield what was read where something is to be added, and what is read with each thing that it may be."""
    parser, other = Parser(), Parser()
    for text in texts:
        told = parser.parse(text)
        for problem in told.problems:
            if problem.hint and problem.hint.template == "add it behind {previous}" and not problem.fixes:
                at, words = problem.span.start, re.findall(r"[A-Z_]{2,}", str(problem.message))
                yield told, [other.parse(f"{text[:at]} {new} {text[at:]}") for new in (*ADDED, *words)]


def test_what_is_to_be_added_is_one_mistake_less_with_it():
    counts = [any(len(one.problems) < len(told.problems) for one in tries) for told, tries in added(lost())]
    print(f"{sum(counts)} of {len(counts)} times it works to add what is expected")
    assert len(counts) > 30
    assert sum(counts) >= len(counts) * 0.95
