"""The shapes of the lexicon as programs: every way to write what a `syntax` line says."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import lark

import agentl_grammar

GRAMMAR = Path(agentl_grammar.__file__).with_name("agent.lark").read_text(encoding="utf-8")
WORD_LISTS = {"_keyword", "_free_keyword", "_judge_keyword", "_field_keyword"}
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


class Alternatives:
    """The alternatives of the rules of agent.lark, and which of them a program uses.

    One is told by its rule and its symbols; separators, and what is repeated, make no difference.
    """

    def __init__(self) -> None:
        self._lark: Any = lark.Lark(
            GRAMMAR, parser="lalr", lexer="contextual", keep_all_tokens=True, maybe_placeholders=False
        )
        self._used: set[tuple[str, ...]] = set()
        callbacks: dict[Any, Callable[[Any], Any]] = self._lark.parser.parser.parser.callbacks
        self.all = {_alternative(rule) for rule in callbacks if _is_told(rule)}
        for rule, build in [*callbacks.items()]:
            callbacks[rule] = self._noting(_alternative(rule), build)

    def _noting(self, alternative: tuple[str, ...], build: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def noted(children: Any) -> Any:
            self._used.add(alternative)
            return build(children)

        return noted

    def used(self, text: str) -> set[tuple[str, ...]]:
        """Return the alternatives that a program uses, none when it is wrong."""
        self._used.clear()
        try:
            self._lark.parse(text)
        except lark.exceptions.UnexpectedInput:
            return set()
        return self._used & self.all


def _is_told(rule: Any) -> bool:
    return not rule.origin.name.startswith("__") and rule.origin.name not in WORD_LISTS


def _alternative(rule: Any) -> tuple[str, ...]:
    dropped = {"_sep", "_COMMA", "_COLON", "_EQ", "_statements", "_arguments", "_expr_items"}
    symbols = [symbol.name for symbol in rule.expansion if symbol.name not in dropped]
    return (str(rule.origin.name), *(name for name in symbols if not name.startswith("__")))
