"""Columns: among neighbouring lines of which the author aligned two, all are aligned.

Nothing is aligned where the author put one space everywhere, and no line becomes wider than the width.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agentl_grammar.formatter.documents import WIDTH
from agentl_grammar.formatter.writer import Piece


@dataclass(slots=True)
class _Line:
    pieces: list[Piece]
    ends_here: bool

    def stops(self) -> Iterator[Piece]:
        """Yield what may be aligned: in the item that begins the line, and a comment at its end."""
        first = self.pieces[0]
        for piece in self.pieces[1:]:
            if piece.stop == "#" or (piece.stop and first.begins and piece.item == first.item):
                yield piece

    def column(self, stop: Piece) -> int:
        """Return where a piece begins."""
        column = 0
        for piece in self.pieces:
            column += len(piece.gap.rpartition("\n")[2])
            if piece is stop:
                return column
            column += len(piece.text)
        raise ValueError(stop)

    @property
    def width(self) -> int:
        """The length of the line."""
        return self.column(self.pieces[-1]) + len(self.pieces[-1].text.partition("\n")[0])

    @property
    def indent(self) -> int:
        """The columns before the first piece."""
        return self.column(self.pieces[0])


def align(pieces: Sequence[Piece]) -> None:
    """Widen gaps of `pieces` so that what their author aligned stands in columns."""
    for run in _runs(pieces):
        names = list(dict.fromkeys(stop.stop for line in run for stop in line.stops()))
        for name in sorted(names, key=lambda name: (name == "#", names.index(name))):
            found = [(line, stop) for line in run for stop in line.stops() if stop.stop == name]
            if _aligned(stop for _, stop in found):
                _align(list({id(line): (line, stop) for line, stop in reversed(found)}.values()))


def _aligned(stops: Iterable[Piece]) -> bool:
    """Tell whether two of them stood in one column as they were written, and not because it was the next."""
    columns: dict[int, list[bool]] = {}
    for stop in stops:
        columns.setdefault(stop.written, []).append(stop.wide)
    return any(len(wide) > 1 and any(wide) for wide in columns.values())


def _align(found: Sequence[tuple[_Line, Piece]]) -> None:
    columns = [(line, stop, line.column(stop)) for line, stop in found]
    target = max(column for _, _, column in columns)
    if any(line.width + target - column > WIDTH for line, _, column in columns):
        return
    for _, stop, column in columns:
        stop.gap += " " * (target - column)


def _runs(pieces: Sequence[Piece]) -> Iterator[list[_Line]]:
    """Yield lines that stand directly below each other, at the same indent."""
    run: list[_Line] = []
    for line in _lines(pieces):
        begins = line.pieces[0]
        follows = run and "\n\n" not in begins.gap and run[-1].ends_here and line.indent == run[-1].indent
        if run and not follows:
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _lines(pieces: Sequence[Piece]) -> Iterator[_Line]:
    line: list[Piece] = []
    for piece in pieces:
        if line and piece.on_new_line:
            yield _Line(line, "\n" not in "".join(each.text for each in line))
            line = []
        line.append(piece)
    if line:
        yield _Line(line, ends_here=True)
