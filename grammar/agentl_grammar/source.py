"""Text, spans and positions (lsp recipe §3: lines end at LF, CRLF and CR only)."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple

BYTE_ORDER_MARK = "\ufeff"
_LINE_END = re.compile(r"\r\n|\n|\r")


class Encoding(StrEnum):
    """The unit in which a column is counted; the values are those of the language server protocol."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    CODE_POINTS = "utf-32"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text: offsets in code points, `end` excluded."""

    start: int
    end: int

    def contains(self, offset: int) -> bool:
        """Tell whether a caret at `offset` touches this span; both ends count."""
        return self.start <= offset <= self.end

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of `other`."""
        return Span(self.start, other.end)


class Position(NamedTuple):
    """A place in a text, both counted from 0; `column` in the units that were asked for."""

    line: int
    column: int


def _columns(text: str, start: int, end: int, encoding: Encoding) -> int:
    if encoding is Encoding.CODE_POINTS:
        return end - start
    before = text[start:end]
    if encoding is Encoding.UTF_16:
        return len(before.encode("utf-16-le", "surrogatepass")) // 2
    return len(before.encode("utf-8", "surrogatepass"))


def _line_starts(text: str) -> list[int]:
    starts = _starts(text)
    # Editors do not show a byte order mark, and count without it.
    starts[0] = int(text.startswith(BYTE_ORDER_MARK))
    return starts


def _starts(text: str) -> list[int]:
    if "\r" not in text or text.count("\r") == text.count("\r\n"):
        ends = accumulate(len(line) + 1 for line in text.split("\n"))
        return [0, *ends][:-1]
    return [0, *(end.end() for end in _LINE_END.finditer(text))]


@dataclass(frozen=True, slots=True)
class Source:
    """A text with its name and its lines.

    `name` is what a message shows as the file: a path as the person gave it, or `<text>`.
    """

    text: str
    name: str = "<text>"
    _known_starts: list[int] = field(init=False, repr=False, compare=False, default_factory=list[int])

    @property
    def _starts(self) -> list[int]:
        """Where the lines start, found when first asked for: a text without problems needs none."""
        if not self._known_starts:
            object.__setattr__(self, "_known_starts", _line_starts(self.text))
        return self._known_starts

    @property
    def line_count(self) -> int:
        """How many lines the text has; a text that ends in a line end has an empty last line."""
        return len(self._starts)

    def line(self, number: int) -> str:
        """Return line `number`, counted from 0, without its line end, or the byte order mark of the text."""
        start, end = self._line(number)
        return self.text[start:end]

    def _line(self, number: int) -> tuple[int, int]:
        """Return where a line starts and where its line end does."""
        starts = self._starts
        if number + 1 == len(starts):
            return starts[number], len(self.text)
        end = starts[number + 1]
        return starts[number], end - (2 if self.text.startswith("\r\n", end - 2) else 1)

    def slice(self, span: Span) -> str:
        """Return the text that `span` covers."""
        return self.text[span.start : span.end]

    def line_number(self, offset: int) -> int:
        """Return the number of the line of `offset`, as `position` does, in a fraction of the time."""
        return max(0, bisect_right(self._starts, offset) - 1)

    def position(self, offset: int, encoding: Encoding = Encoding.CODE_POINTS) -> Position:
        """Return the position of `offset`, clamped to the text; inside a CRLF it is the end of the line.

        A byte order mark has no column.
        """
        offset = max(self._starts[0], min(offset, len(self.text)))
        number = bisect_right(self._starts, offset) - 1
        start, end = self._line(number)
        return Position(number, _columns(self.text, start, min(offset, end), encoding))

    def offset(self, position: Position, encoding: Encoding = Encoding.CODE_POINTS) -> int:
        """Return the offset of `position`.

        A column past the end of its line means that end, a column inside a character the place behind it.
        """
        if position.line < 0:
            return self._starts[0]
        if position.line >= self.line_count:
            return len(self.text)
        start, end = self._line(position.line)
        left = position.column
        while end - start > 1:
            middle = (start + end) // 2
            width = _columns(self.text, start, middle, encoding)
            if width < left:
                start, left = middle, left - width
            else:
                end = middle
        return end if left > 0 else start
