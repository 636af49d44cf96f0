"""What a message names stands in the text: a bracket that a repair put in is never told of."""

import random
import re
from collections.abc import Iterator

import pytest
from test_breakages import PROGRAMS, SAMPLES
from test_recovery import CASES as MISTAKES
from test_slips import CASES as SLIPS
from test_slips import agent
from test_syntax_errors import CASES as ERRORS
from test_syntax_errors import written

from agentl_grammar.excerpt import render
from agentl_grammar.lexer import lex
from agentl_grammar.parser import Parser, ParseResult, parse
from agentl_grammar.problems import Message, Problem

OPENERS = {"}": "{", ")": "(", "]": "["}
OF_EACH = 24


def written_pages() -> Iterator[str]:
    """Yield the broken texts of all pages."""
    yield from (written(case[1]) for case in ERRORS)
    yield from (written(case[2]) for case in MISTAKES)
    yield from (agent(case[0]) for case in SLIPS)


def broken() -> Iterator[str]:
    """Yield the texts of the pages, and each program with one to three tokens gone at random."""
    yield from written_pages()
    chance = random.Random(11)  # noqa: S311 (the same tokens every time)
    for text in (*SAMPLES, *PROGRAMS):
        tokens = lex(text).tokens
        for number in range(OF_EACH):
            left = text
            for token in sorted(chance.sample(tokens, 1 + number % 3), reverse=True, key=lambda t: t.start):
                left = left[: token.start] + left[token.end :]
            yield left


def sentences(message: Message) -> Iterator[Message]:
    yield message
    for value in message.arguments.values():
        if isinstance(value, Message):
            yield from sentences(value)


def unwritten(result: ParseResult) -> Iterator[Problem]:
    """Yield the problems that name an open bracket where there is none."""
    lines = result.source.text.split("\n")
    for problem in result.problems:
        hint = [problem.hint] if problem.hint else []
        for said in (each for message in (problem.message, *hint) for each in sentences(message)):
            if "opened on line" in said.template:
                opener = OPENERS[str(said.arguments.get("closer", "}"))]
                if opener not in lines[int(str(said.arguments["line"])) - 1]:
                    yield problem
        if problem.code == "S102" and result.source.slice(problem.related[0].span) not in OPENERS.values():
            yield problem


def test_every_bracket_that_a_message_names_stands_in_the_text():
    parser, seen = Parser(), 0
    for text in broken():
        result = parser.parse(text)
        wrong = list(unwritten(result))
        assert not wrong, "\n".join(render(problem, result.source) for problem in wrong)
        seen += any(re.search("opened on line", str(problem.message)) for problem in result.problems)
    assert seen > 40


@pytest.mark.parametrize(
    ("statements", "told"),
    [
        ("IF THEN f()\n    q()\n    TOOL t\n    b()", ["expected an expression, found `THEN`", "`TOOL` is"]),
        ("f()\n    TOOL t\n    b()", ["`TOOL` is a member of AGENT: it cannot stand in PLAN p"]),
    ],
)
def test_a_member_without_braces_in_a_plan_is_told_as_one(statements: str, told: list[str]):
    problems = parse(f"AGENT a {{\n  PLAN p {{\n    {statements}\n  }}\n}}\n").problems
    assert [str(problem.message)[: len(says)] for problem, says in zip(problems, told, strict=True)] == told
