"""The lines of a text that begin with the word of an agent or member, found again after an edit."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from enum import Enum, auto
from itertools import chain

from agentl_grammar.cutting.cuts import MEMBERS, WORD, first

# The look at one capital first spares most lines the words.
_LINE = re.compile(rf"([ \t]*+)(?=[A-Z])(?:(AGENT)|{MEMBERS})(?![A-Za-z0-9_])")
_AGENT = 2
# What may be a misspelt AGENT before a name and a brace.
_NEARLY = re.compile(rf"([ \t]*+)(?=[Aa])(?!AGENT[ \t])([A-Za-z]++)[ \t]++{WORD}[ \t]*+\{{")
_ALIKE = 0.75
# One character in front is found several times as fast as one of two.
_BEHIND_LF, _NEARLY_BEHIND_LF = (re.compile(rf"\n{line.pattern}").finditer for line in (_LINE, _NEARLY))
_BEHIND_ANY, _NEARLY_BEHIND_ANY = (re.compile(rf"[\r\n]{line.pattern}").finditer for line in (_LINE, _NEARLY))


class Kind(Enum):
    """What a line begins with."""

    MEMBER = auto()
    AGENT = auto()
    MISSPELT = auto()


Line = tuple[int, int, Kind]
"""A line that begins an agent or a member: where it starts, where its first word does."""


class Lines:
    """The lines that begin with the word of an agent or member, or with one like AGENT, of one document.

    A line tells by itself whether it is one: of the next version only the lines that changed are looked at.
    """

    def __init__(self) -> None:
        self._text = ""
        self._found: list[Line] = []

    def of(self, text: str) -> list[Line]:
        """Return the lines of `text`, in order."""
        before, end = common_ends(self._text, text)
        shift = len(text) - len(self._text)
        # The line ends around the change.
        low, high = text.rfind("\n", 0, before), text.find("\n", len(text) - end)
        high = len(text) if high < 0 else high
        kept = bisect_left(self._found, low + 1, key=_start) if low >= 0 else 0
        later = bisect_left(self._found, high + 1 - shift, key=_start)
        behind = self._found[later:]
        if shift:
            behind = [(start + shift, word + shift, kind) for start, word, kind in behind]
        self._text, self._found = text, [*self._found[:kept], *_lines(text, low, high), *behind]
        return self._found


def _start(line: Line) -> int:
    return line[0]


def _lines(text: str, low: int, high: int) -> list[Line]:
    """Return the lines behind the line ends from `low` up to `high`; with -1 the first line too."""
    any_end = "\r" in text
    words = _matches(text, low, high, _LINE, _BEHIND_ANY if any_end else _BEHIND_LF)
    lines = [(*word.span(1), Kind.AGENT if word.lastindex == _AGENT else Kind.MEMBER) for word in words]
    alike = _matches(text, low, high, _NEARLY, _NEARLY_BEHIND_ANY if any_end else _NEARLY_BEHIND_LF)
    misspelt = [(*word.span(1), Kind.MISSPELT) for word in alike if is_nearly_agent(word[2])]
    return sorted([*lines, *misspelt], key=_start) if misspelt else lines


def _matches(
    text: str,
    low: int,
    high: int,
    at_start: re.Pattern[str],
    behind: Callable[[str, int], Iterator[re.Match[str]]],
) -> Iterator[re.Match[str]]:
    opening = at_start.match(text, first(text)) if low < 0 else None
    for match in chain((opening,) if opening else (), behind(text, max(low, 0))):
        if match.start() >= high:
            return
        yield match


def is_nearly_agent(word: str) -> bool:
    """Tell whether a word is AGENT but for its case or a letter or two."""
    return bool(get_close_matches(word.upper(), ["AGENT"], 1, _ALIKE))


def common_ends(one: str, other: str) -> tuple[int, int]:
    """Return how many characters the two texts share at the start, and how many of the rest at the end."""
    limit = min(len(one), len(other))
    start = _common(limit, lambda low, high: one[low:high] == other[low:high])
    return start, common_end(one, other, limit - start)


def common_end(one: str, other: str, most: int | None = None) -> int:
    """Return how many characters the two texts share at the end, of at most so many."""
    ends = len(one), len(other)
    return _common(
        min(ends) if most is None else most,
        lambda low, high: one[ends[0] - high : ends[0] - low] == other[ends[1] - high : ends[1] - low],
    )


def _common(high: int, equal: Callable[[int, int], bool]) -> int:
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        if equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low
