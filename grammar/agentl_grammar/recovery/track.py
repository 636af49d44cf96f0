"""Tokens on their way through the parser, with parses kept before some of them: little is read twice."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from agentl_grammar.builder import Builder
from agentl_grammar.lalr import Cursor, Engine
from agentl_grammar.lexer import END, Token
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source
from agentl_grammar.syntax_errors.place import Place, place_of
from agentl_grammar.tree import Program

# A mark has the lists built so far, so that not every place gets one; but reading on costs more than a copy.
# Of a long way there are few: a row that is not closed yet is copied in each of them.
_MARK_EVERY, _NEAR, _MARKS_OF_A_WAY = 256, 8, 8
# Of many, the older ones are thinned out, the last ones kept.
_MOST_MARKS, _LAST_MARKS = 24, 8


@dataclass(frozen=True, slots=True)
class _Mark:
    """How far the first `index` tokens lead."""

    index: int
    cursor: Cursor
    problems: tuple[Problem, ...]


class Track:
    """Tokens, and how far they lead: `failed` is the first that cannot stand, their number for the end.

    It is None when all is right. That is asked of the table alone; values are built for what is looked at.
    With `closed`, a `}` that closes the agent is supplied; with `last`, not where the tokens have closed it,
    as they do when a repair gave that brace a partner.
    """

    def __init__(
        self, builder: Builder, tokens: list[Token], marks: list[_Mark], *, closed: bool, last: bool
    ) -> None:
        self.tokens = tokens
        self._builder = builder
        self._marks = marks
        self.closed = closed
        self._last = last
        self.failed = self._refused()
        if closed and last and self.failed == len(tokens):
            self.closed = False
            if self._refused() is None:
                self.failed = None
            else:
                self.closed = True

    def _refused(self) -> int | None:
        last = self._marks[-1]
        refused = last.cursor.refused(chain(islice(self.tokens, last.index, None), self._ending()))
        return None if refused is None else min(last.index + refused, len(self.tokens))

    def _ending(self) -> Iterator[Token]:
        end = self.tokens[-1].end if self.tokens else 0
        if self.closed:
            yield Token("_RBRACE", "}", end, end)
        yield Token(END, "", end, end)

    def instead(self, start: int, tokens: list[Token]) -> Track:
        """Return the track of `tokens`, which are the same up to `start`.

        Raises:
            TooDeepError: the tree would be too deep before `start`.
        """
        known = start if self.failed is None else min(start, self.failed)
        self.cursor_at(known)
        marks = self._marks[: bisect_right(self._marks, known, key=_index)]
        return Track(self._builder, tokens, marks, closed=self.closed, last=self._last)

    def apart(self, tokens: list[Token]) -> Track:
        """Return the track of other tokens, from the beginning of a program up to the supplied `}`."""
        return Track(self._builder, tokens, self._marks[:1], closed=True, last=False)

    def cursor_at(self, index: int) -> Cursor:
        """Return the parse before token `index`, which is no later than `failed`.

        Raises:
            TooDeepError: the tree would be too deep before it.
        """
        number = bisect_right(self._marks, index, key=_index)
        mark = self._marks[number - 1]
        cursor, begin = mark.cursor.copy(), mark.index
        self._builder.problems = list(mark.problems)
        step = max(_MARK_EVERY, (index - begin) // _MARKS_OF_A_WAY)
        while begin < index:
            end = min(index, begin + step)
            cursor.feed(self.tokens[begin:end])
            if end - begin >= _NEAR:
                self._marks.insert(number, _Mark(end, cursor.copy(), tuple(self._builder.problems)))
                number += 1
            begin = end
        if len(self._marks) > _MOST_MARKS:
            del self._marks[1:-_LAST_MARKS:2]
        return cursor

    def place(self, source: Source, index: int, following: tuple[Token, ...] = ()) -> Place:
        """Return the place of token `index`, no later than `failed`; `following` stand behind the tokens.

        Raises:
            TooDeepError: the tree would be too deep before it.
        """
        tokens = [*self.tokens, *following] if following else self.tokens
        return place_of(source, tokens, index, self.cursor_at(index), self.cursor_at)

    def program(self) -> tuple[Program, list[Problem]]:
        """Return what the tokens say, and what is wrong with it though all of them can stand.

        Raises:
            TooDeepError: the tree would be too deep.
        """
        cursor = self.cursor_at(len(self.tokens))
        *closer, _ = self._ending()
        cursor.feed(closer)
        return cursor.finish(), self._builder.problems


def begun(
    engine: Engine, builder: Builder, tokens: list[Token], *, closed: bool, last: bool = False
) -> Track:
    """Return the track of `tokens` from the beginning of a program."""
    return Track(builder, tokens, [_Mark(0, engine.cursor(), ())], closed=closed, last=last)


def _index(mark: _Mark) -> int:
    return mark.index
