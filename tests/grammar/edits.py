"""Edits that change nothing a program says: in the gaps between its tokens, and in the order of fields."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from agentl_grammar.lexer import Token, lex

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(
    [
        *(ROOT / "docs" / "examples").glob("*.agent"),
        *(ROOT / "tests" / "programs").rglob("*.agent"),
        *(ROOT / "tests" / "grammar" / "samples").glob("*.agent"),
        ROOT / "tests" / "grammar" / "rare.agent",
    ],
    key=str,
)
COMMENTS = (
    " // behind\n",
    " # behind\n",
    " /* block */ ",
    "/* tight */",
    "\n// above\n",
    "\n\n/* apart */\n\n",
    " /* two\n  lines */ ",
    " /* one */ /* two */ // three\n",
)
SPACES = (" ", "\n", "\n\n\n", "\t", "\r\n", "    \n  ")


def gaps(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each stretch between tokens begins and ends; before the first and behind the last too."""
    end = 0
    for token in lex(text).tokens:
        yield end, token.start
        end = token.end
    yield end, len(text)


def with_comments(text: str, chance: random.Random, share: float) -> str:
    """Return a text with comments in a share of its gaps, and other space in some."""
    parts: list[str] = []
    before = 0
    for start, end in gaps(text):
        gap = text[start:end]
        if chance.random() < share:
            gap += chance.choice(COMMENTS)
        elif gap and not lex(gap).comments and chance.random() < share:
            gap = chance.choice(SPACES)
        parts += [text[before:start], gap]
        before = end
    return "".join(parts)


def with_comment_everywhere(text: str, comment: str) -> str:
    """Return a text with a comment in each of its gaps."""
    parts: list[str] = []
    before = 0
    for start, end in gaps(text):
        parts += [text[before:start], text[start:end], comment]
        before = end
    return "".join(parts)


def words(text: str) -> list[str]:
    """Return the tokens of a text."""
    return [token.text for token in lex(text).tokens]


def comments(text: str) -> list[str]:
    """Return the comments of a text."""
    return [comment.text for comment in lex(text).comments]


def without(text: str, token: Token) -> str:
    """Return a text without one of its tokens."""
    return text[: token.start] + text[token.end :]
