"""What a layout is made of: atoms, the gaps between them, and groups that stand on one line or on several.

A group is broken when its author broke it at one of its gaps, when a comment in it needs a line of its own,
or, as the writer finds out, when it does not fit in the width. So what was written well stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 120


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment between two tokens: whether a line ends before it, and behind it."""

    start: int
    end: int
    text: str
    lines_before: int
    lines_after: int

    @property
    def ends_line(self) -> bool:
        """Tell whether a line ends behind it, or has to."""
        return self.lines_after > 0 or not self.text.startswith("/*")

    @property
    def forces(self) -> bool:
        """Tell whether what stands around it cannot be on one line with it."""
        return self.lines_before > 0 or self.ends_line


@dataclass(frozen=True, slots=True)
class Atom:
    """A token, or with `verbatim` a stretch that is left as it is; `remarks` are the comments before it.

    `after_number` tells that the token before it is a number.
    """

    start: int
    end: int
    text: str
    remarks: tuple[Remark, ...] = ()
    lines_before: int = 0
    spaces_before: int = 0
    verbatim: bool = False
    after_number: bool = False

    @property
    def forced(self) -> bool:
        """Tell whether a comment before it needs a line end."""
        return any(remark.forces for remark in self.remarks)

    @property
    def on_new_line(self) -> bool:
        """Tell whether, as it was written, a line ends between it and the token before."""
        return bool(self.lines_before or self.forced)


@dataclass(frozen=True, slots=True)
class Gap:
    """What stands between two atoms: `flat` on one line; in a broken group a line end.

    `blank`: an empty line is kept here. `opens` and `closes`: it is the first, or the last, of a block.
    `stop` names a column in which neighbouring lines may be aligned.
    """

    flat: str
    breaks: bool = True
    blank: bool = False
    opens: bool = False
    closes: bool = False
    stop: str = ""


@dataclass(frozen=True, slots=True)
class Nest:
    """Parts that stand further in, when a line begins in them."""

    parts: Sequence[Document]
    by: int = 2


@dataclass(frozen=True, slots=True)
class Item:
    """An entry of a block or list: neighbours may be aligned."""

    parts: Sequence[Document]


@dataclass(frozen=True, slots=True)
class Group:
    """Parts whose gaps are all on one line, or all line ends."""

    parts: Sequence[Document]
    broken: bool


Document = Atom | Gap | Nest | Item | Group


def group(parts: Sequence[Document], *, broken: bool = False) -> Group:
    """Return a group; it is broken, too, when something in it is."""
    return Group(parts, broken or breaks_inside(parts))


def breaks_inside(parts: Sequence[Document]) -> bool:
    """Tell whether something in `parts` needs several lines, comments before the first atom apart."""
    return _scan(parts, first=True)[0]


def _scan(parts: Sequence[Document], *, first: bool) -> tuple[bool, bool]:
    """Return whether something is broken, and whether no atom was met."""
    for part in parts:
        if isinstance(part, Atom):
            if part.forced and not first:
                return True, False
            first = False
        elif not isinstance(part, Gap):
            if isinstance(part, Group) and part.broken:
                return True, False
            found, first = _scan(part.parts, first=first)
            if found:
                return True, False
    return False, first


def first_atom(part: Document) -> Atom:
    """Return the atom that a part begins with."""
    if isinstance(part, Atom):
        return part
    if isinstance(part, Gap):
        raise TypeError(part)
    return next(first_atom(inner) for inner in part.parts if not isinstance(inner, Gap))
