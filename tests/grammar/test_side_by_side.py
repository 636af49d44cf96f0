"""What stands side by side is two items nearly everywhere: no fix makes two of what was one.

Each word or sign that joins two things is replaced by another one, all over the samples.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from typing import cast

from test_breakages import SAMPLES

from agentl_grammar.digest import program_digest
from agentl_grammar.excerpt import render
from agentl_grammar.lexer import lex
from agentl_grammar.parser import Parser, ParseResult
from agentl_grammar.problems import Problem
from agentl_grammar.tree import Program, walk

JOINING = frozenset(
    ("AND", "OR", ",", ":", "=", "LIKELIHOOD", "GIVEN_NOT", "DEFAULT", "ATTESTS", "BIND", "INTO", "TO", "IN")
)
SIGNS = ";:=,"
FIXES = 100


def items(program: Program) -> Counter[str]:
    """Count what stands in each list of a program: conditions, arguments, evidence, tools, statements …"""
    found: Counter[str] = Counter()
    for node in walk(program):
        for field in dataclasses.fields(node):
            value: object = getattr(node, field.name)
            if isinstance(value, tuple):
                found[f"{type(node).__name__}.{field.name}"] += len(cast("tuple[object, ...]", value))
    return found


def mended(text: str) -> Iterator[tuple[Problem, ParseResult, ParseResult]]:
    """Yield each problem with a fix, what was read, and what is read after the fix."""
    parser, other = Parser(), Parser()
    for token in lex(text).tokens:
        for sign in SIGNS if token.text in JOINING else "":
            told = parser.parse(f"{text[: token.start]}{sign}{text[token.end :]}")
            for problem in told.problems:
                for fix in problem.fixes:
                    new = told.source.text
                    for span, by in reversed(fix.replacements):
                        new = new[: span.start] + by + new[span.end :]
                    yield problem, told, other.parse(new)


def test_no_fix_makes_two_items_of_what_was_one():
    count = 0
    for text in SAMPLES:
        meant = Parser().parse(text).program
        assert meant is not None
        for problem, told, after in mended(text):
            count += 1
            assert after.program is not None
            same = program_digest(after.program) == program_digest(meant)
            assert after.problems or same or not items(after.program) - items(meant), render(
                problem, told.source
            )
    print(f"{count} fixes")
    assert count >= FIXES
