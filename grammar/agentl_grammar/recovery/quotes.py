"""What follows from a quote that is missing or too many: problems of what it turned inside out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source

_SIGNS = re.compile(r'[{}()\[\]=<>:"]').search
_WORDS = re.compile(r"\w+").findall


def independent(problems: Sequence[Problem], source: Source) -> tuple[Problem, ...]:
    """Return the problems without those that a text or comment that is not closed brought about."""
    opened = [problem for problem in problems if problem.code == "S103"]
    swallowed = any(problem.code == "S104" for problem in problems)
    lines: dict[int, list[Problem]] = defaultdict(list)
    for problem in problems if opened else ():
        lines[source.line_number(problem.span.start)].append(problem)
    left_out = {
        id(problem)
        for text in opened
        for problem in _turned(text, lines[source.line_number(text.span.start)], source)
    }
    return tuple(
        problem
        for problem in problems
        if id(problem) not in left_out
        and (
            problem.code not in ("S102", "S119")
            or not (swallowed or any(_took(text, problem, source) for text in opened))
        )
    )


def _took(text: Problem, problem: Problem, source: Source) -> bool:
    """Tell whether a text without end may have taken the partner of a bracket.

    That is one of its line; where its end is not sure, also the closer of a `(` or `[` that it stands in.
    """
    opener = problem.related[0].span if problem.related else problem.span
    if source.line_number(opener.start) == source.line_number(text.span.start):
        return True
    around = opener.start < text.span.start < problem.span.start and source.slice(opener) in ("(", "[")
    return around and not text.fixes


def _turned(text: Problem, near: Sequence[Problem], source: Source) -> list[Problem]:
    """Return those of the problems on the line of a text without end that are one with it.

    Behind its quote all is in the text. What stands before it, with nothing but words between, is a text
    that an earlier quote has ended; where there is none, its first quote is missing, and that is told.
    """
    begin = text.span.start
    end = text.fixes[0].replacements[0][0].start if text.fixes else len(source.text)
    behind = [problem for problem in near if problem is not text and begin <= problem.span.start <= end]
    before = [problem for problem in near if problem.span.start < begin]
    words = [
        problem
        for problem in before
        if _is_prose(source.text[problem.span.start : begin]) or _is_glued(source.text, problem.span.start)
    ]
    if not words:
        return behind
    line_start = begin - source.position(begin).column
    if '"' in source.text[line_start : words[0].span.start]:
        return behind + words
    return [*behind, *words[1:], text]


def _is_prose(text: str) -> bool:
    return not _SIGNS(text) and WORDS.keys().isdisjoint(_WORDS(text))


def _is_glued(text: str, offset: int) -> bool:
    """Tell whether a word stands at once behind a quote, or a quote at once behind a word."""
    before, here = text[offset - 1 : offset], text[offset : offset + 1]
    return before == '"' or (here == '"' and before.isalnum())
