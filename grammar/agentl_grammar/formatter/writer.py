"""Documents as pieces of text: which gap is a line end, and where comments stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agentl_grammar.formatter.documents import WIDTH, Atom, Document, Gap, Group, Item, Nest, Remark

_LINE_END = re.compile(r"\r\n|\n|\r")
_CONTINUED = 4
_BEFORE_REMARK = "  "


def line_ends(text: str) -> int:
    """Count the line ends in `text`."""
    return len(_LINE_END.findall(text))


@dataclass(slots=True)
class Piece:
    """A token or comment, and the white space before it. `begins`: it is the first of an item.

    `stop` names the column that may be aligned before it, in the item `item`; `wide` tells that the author
    put more space there than is needed, `written` the column where it stood. `kept`: the gap is the author's.
    """

    gap: str
    start: int
    end: int
    text: str
    stop: str = ""
    item: int = 0
    begins: bool = False
    wide: bool = False
    written: int = 0
    kept: bool = False

    @property
    def on_new_line(self) -> bool:
        """Tell whether it is the first of its line."""
        return "\n" in self.gap


@dataclass(frozen=True, slots=True)
class _Entry:
    part: Document
    indent: int
    flat: bool
    item: int


@dataclass(frozen=True, slots=True)
class _Place:
    """The gap before the next token: how far in a line would begin, and whether one does."""

    gap: Gap
    indent: int
    new_line: bool
    outer: int = 0


class Writer:
    """Writes documents, one after the other, as pieces of one text."""

    def __init__(self, source: str, start: int) -> None:
        self.pieces: list[Piece] = []
        self._source = source
        self._end = start
        self._column = 0
        self._pending: _Place | None = None
        self._items = 0
        self._begins = False

    def write(self, parts: Sequence[Document]) -> None:
        """Write parts; their groups are broken where they do not fit."""
        stack = [_Entry(part, 0, False, 0) for part in reversed(parts)]
        while stack:
            entry = stack.pop()
            part = entry.part
            if isinstance(part, Atom):
                self._atom(part, entry)
            elif isinstance(part, Gap):
                self._pending = _Place(part, entry.indent, part.breaks and not entry.flat)
            else:
                stack.extend(reversed(list(self._inside(part, entry, stack))))

    def _inside(self, part: Nest | Item | Group, entry: _Entry, rest: list[_Entry]) -> Iterator[_Entry]:
        indent, flat, item = entry.indent, entry.flat, entry.item
        if isinstance(part, Nest):
            indent += part.by
        elif isinstance(part, Item):
            self._items += 1
            item, self._begins = self._items, True
        else:
            flat = not part.broken and (flat or self._fits(part, rest))
        return (_Entry(inner, indent, flat, item) for inner in part.parts)

    def _fits(self, part: Group, rest: list[_Entry]) -> bool:
        """Tell whether a group fits on what is left of the line, up to where a line may end behind it."""
        place = self._pending
        room = WIDTH - self._column - (len(place.gap.flat) if place else 0)
        if place and place.new_line:
            room = WIDTH - place.indent
        stack: list[tuple[Document, bool]] = [(entry.part, False) for entry in rest]
        stack.append((part, True))
        while stack and room >= 0:
            inner, flat = stack.pop()
            if isinstance(inner, Gap):
                if inner.breaks and not flat:
                    return True
                room -= len(inner.flat)
            elif isinstance(inner, Atom):
                if inner.forced and not flat:
                    return room >= 0
                first, line_end, _ = inner.text.partition("\n")
                room -= sum(len(remark.text) + 1 for remark in inner.remarks if not remark.forces) + len(
                    first
                )
                if line_end:
                    return room >= 0
            else:
                broken = isinstance(inner, Group) and inner.broken
                stack.extend((each, flat and not broken) for each in reversed(inner.parts))
        return room >= 0

    def _atom(self, atom: Atom, entry: _Entry) -> None:
        place = self._pending or _Place(Gap("", breaks=False), entry.indent, new_line=False)
        place = replace(place, outer=entry.indent)
        self._pending = None
        above = False
        for remark in atom.remarks:
            above = self._remark(remark, place, above=above) or above
        white = self._before(atom, place, above=above)
        stop = "" if atom.remarks else place.gap.stop
        wide = atom.spaces_before > 1 and not atom.lines_before
        self._put(Piece(white, atom.start, atom.end, atom.text, stop, entry.item, self._begins, wide))
        self.pieces[-1].kept = atom.verbatim
        self._begins = False

    def _before(self, atom: Atom, place: _Place, *, above: bool) -> str:
        """Return the white space before a token, behind its comments."""
        if atom.verbatim:
            return self._source[self._end : atom.start]
        last = atom.remarks[-1] if atom.remarks else None
        if last and not last.ends_line and not (place.new_line and (place.gap.closes or not above)):
            return "" if atom.text in (")", "]", ",") else " "
        if place.new_line:
            gap = replace(place.gap, blank=place.gap.blank and not place.gap.closes)
            return self._line(gap, place.indent, atom.start, above=above)
        return self._further(place) if last and last.forces else place.gap.flat

    def _remark(self, remark: Remark, place: _Place, *, above: bool) -> bool:
        """Write a comment; return whether it begins a line."""
        gap = place.gap
        ends_line = remark.ends_line or (place.new_line and gap.closes)
        if self.pieces and remark.lines_before == 0 and (ends_line or above or not place.new_line):
            tight = not ends_line and self.pieces[-1].text in ("(", "[")
            wide = remark.start - self._end > len(_BEFORE_REMARK)
            white = _BEFORE_REMARK if ends_line else "" if tight else " "
            self._put(
                Piece(white, remark.start, remark.end, remark.text, "#" if ends_line else "", wide=wide)
            )
            return False
        indent = place.indent + 2 if gap.closes else place.indent
        white = self._line(gap, indent, remark.start, above=above) if place.new_line else self._further(place)
        self._put(Piece(white, remark.start, remark.end, remark.text))
        return True

    def _line(self, gap: Gap, indent: int, start: int, *, above: bool) -> str:
        if not self.pieces:
            return ""
        blank = gap.blank and (above or not gap.opens) and line_ends(self._source[self._end : start]) > 1
        return ("\n\n" if blank else "\n") + " " * indent

    def _further(self, place: _Place) -> str:
        """Return a line end where none belongs: a comment needs it."""
        return "\n" + " " * (place.outer + _CONTINUED)

    def _put(self, piece: Piece) -> None:
        piece.written = piece.start - self._source.rfind("\n", 0, piece.start)
        self.pieces.append(piece)
        self._end = piece.end
        self._column = len(piece.gap.rpartition("\n")[2]) + (0 if "\n" in piece.gap else self._column)
        _, line_end, last = piece.text.rpartition("\n")
        self._column = len(last) if line_end else self._column + len(piece.text)
