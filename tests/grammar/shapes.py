"""The shapes of the lexicon as programs: every way to write what a `syntax` line says."""

from __future__ import annotations

import re
from itertools import product

MOST = 64
"""Of more ways to write a shape, those are taken in which one choice differs from the first of all."""
STAND_FOR = {
    "…": ["x"],
    "*": ["*"],
    "-": ["-"],
    "agent": ["b"],
    "answer": ["a"],
    "branch": ["b()", "{ b() }"],
    "bucket": ["LONG_TERM.a"],
    "date": ["2026-01-02"],
    "duration": ["5min"],
    "evidences": ["x == 1 LIKELIHOOD 0.9"],
    "fields": ["a: String"],
    "key": ["a"],
    "level": ["HIGH"],
    "members": ["", "GOAL { x }"],
    "name": ["a"],
    "names": ["a"],
    "number": ["1"],
    "parameter": ["a"],
    "path": ["a.b"],
    "paths": ["a.b"],
    "probability": ["0.5"],
    "questions": ['q NOUL "Is it?"'],
    "rules": ["", "ALLOW t"],
    "statements": ["b()", ""],
    "tool": ["t"],
    "value": ["2026-01-02"],
    "values": ["1, a"],
    "variable": ["a"],
    "who": ["a"],
    "word": ["w"],
    "Type": ["String"],
}
_PIECE = re.compile(r'"[^"]*"|[A-Z_]{2,}|[A-Z][a-z]+|[a-z]+|  |\s|.')
_CLOSER = {"[": "]", "(": ")", "{": "}"}


class _Shape:
    """Reads one `syntax` line; each method returns every text that a part of it stands for."""

    def __init__(self, syntax: str) -> None:
        self._pieces = _PIECE.findall(syntax.replace("\n|", " |").replace("\n", ""))
        self._at = 0

    def read(self, closer: str = "") -> list[str]:
        """Read up to `closer`: alternatives between `|`, of which two spaces separate whole groups."""
        groups: list[list[str]] = []
        ways: list[str] = []
        parts: list[list[str]] = []
        while self._at < len(self._pieces) and self._pieces[self._at] != closer:
            piece = self._pieces[self._at]
            if piece in ("|", "  "):
                self._at += 1
                ways += _joined(parts)
                parts = []
                if piece == "  ":
                    groups.append(ways)
                    ways = []
            else:
                parts.append(self._part(piece))
        self._at += 1
        return _joined([*groups, ways + _joined(parts)], " ")

    def _part(self, piece: str) -> list[str]:
        before = self._pieces[self._at - 1] if self._at else " "
        following = self._pieces[self._at + 1 : self._at + 3]
        self._at += 1
        if piece not in _CLOSER:
            return STAND_FOR.get(piece, [piece])
        inner = self.read(_CLOSER[piece])
        if piece == "[" and following[0] != "values" and following[:2] != ['"level"', ","]:
            return [*inner, ""]
        if piece == "(" and not before.strip():
            return inner
        return [f"{piece} {text} {_CLOSER[piece]}" for text in inner]


def _joined(parts: list[list[str]], between: str = "") -> list[str]:
    count = 1
    for part in parts:
        count *= len(part)
    if count <= MOST:
        return [between.join(chosen) for chosen in product(*parts)]
    first = [part[0] for part in parts]
    ways = [first, [part[-1] for part in parts]]
    ways += [[*first[:at], way, *first[at + 1 :]] for at, part in enumerate(parts) for way in part[1:]]
    return [between.join(way) for way in ways]


def written(syntax: str) -> list[str]:
    """Return every way to write what a `syntax` line says, with something in each of its places."""
    return _Shape(syntax).read()
