"""Two mistakes in one plan, a right statement between them: each is told as it is told alone (pairs.txt)."""

import re
from itertools import permutations
from pathlib import Path

from agentl_grammar.parser import Parser

MISTAKES, EXCEPTIONS = (
    part.strip("\n").split("\n")
    for part in Path(__file__).with_name("pairs.txt").read_text(encoding="utf-8").split("\n---\n")
)
RIGHT = ("first()", "second()", "third()")


def plan(*lines: str) -> str:
    return "AGENT a {\n  PLAN p {\n" + "".join(f"    {line}\n" for line in lines) + "  }\n}\n"


def told(*lines: str) -> int:
    return len(Parser().parse(plan(*lines)).problems)


def test_there_are_64_mistakes_each_told_once_wherever_it_stands():
    assert len(set(MISTAKES)) == len(MISTAKES) == 64
    one, two, three = RIGHT
    assert [line for line in MISTAKES if told(line, one, two, three) != 1] == []
    assert [line for line in MISTAKES if told(one, two, line, three) != 1] == []


def test_two_mistakes_are_two_problems():
    others = [
        f"{first} ⏎ {second}"
        for first, second in permutations(MISTAKES, 2)
        if told(first, RIGHT[1], second, RIGHT[2]) != 2
    ]
    assert others == EXCEPTIONS


def test_the_exceptions_are_few():
    assert len(EXCEPTIONS) < len(MISTAKES) * (len(MISTAKES) - 1) / 100
    assert all(re.fullmatch(".+ ⏎ .+", line) for line in EXCEPTIONS)
