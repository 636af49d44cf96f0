"""Text, spans and positions (lsp recipe §3: lines end at LF, CRLF and CR only)."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

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


def _width(character: str, encoding: Encoding) -> int:
    if encoding is Encoding.CODE_POINTS:
        return 1
    point = ord(character)
    if encoding is Encoding.UTF_16:
        return 2 if point > 0xFFFF else 1  # noqa: PLR2004 (the first plane)
    return 1 if point < 0x80 else 2 if point < 0x800 else 3 if point < 0x10000 else 4  # noqa: PLR2004 (UTF-8)


def _columns(text: str, start: int, end: int, encoding: Encoding) -> int:
    if encoding is Encoding.CODE_POINTS:
        return end - start
    before = text[start:end]
    if encoding is Encoding.UTF_16:
        return len(before.encode("utf-16-le", "surrogatepass")) // 2
    return len(before.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Source:
    """A text with its name and its lines.

    `name` is what a message shows as the file: a path as the person gave it, or `<text>`.
    """

    text: str
    name: str = "<text>"
    _starts: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_starts", [0, *(end.end() for end in _LINE_END.finditer(self.text))])

    @property
    def line_count(self) -> int:
        """How many lines the text has; a text that ends in a line end has an empty last line."""
        return len(self._starts)

    def line(self, number: int) -> str:
        """Return line `number`, counted from 0, without its line end."""
        start = self._starts[number]
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def slice(self, span: Span) -> str:
        """Return the text that `span` covers."""
        return self.text[span.start : span.end]

    def position(self, offset: int, encoding: Encoding = Encoding.CODE_POINTS) -> Position:
        """Return the position of `offset`, clamped to the text."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        return Position(line, _columns(self.text, start, offset, encoding))

    def offset(self, position: Position, encoding: Encoding = Encoding.CODE_POINTS) -> int:
        """Return the offset of `position`; a column past the end of its line means that end."""
        if position.line < 0:
            return 0
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        left = position.column
        for index, character in enumerate(self.line(position.line)):
            if left <= 0:
                return start + index
            left -= _width(character, encoding)
        return start + len(self.line(position.line))
