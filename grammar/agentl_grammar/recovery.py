"""Reading on behind a mistake: every mistake is told once, and what is healthy around it is kept.

A mistake is repaired by its own fix where it has one that works, else by leaving out the field, statement or
member that it is in; then the tokens are read again from a mark before it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from agentl_grammar.builder import Builder
from agentl_grammar.builder.parts import TooDeepError
from agentl_grammar.heads import begins_anew, beheaded, is_earlier, shortened
from agentl_grammar.lalr import Cursor, Engine, UnexpectedTokenError
from agentl_grammar.lexer import OPERATORS, Token, lex
from agentl_grammar.problems import Fix, Problem
from agentl_grammar.source import Source
from agentl_grammar.syntax_errors import syntax_problem
from agentl_grammar.syntax_errors.expectations import EXPRESSION, STATEMENT
from agentl_grammar.syntax_errors.limits import over_limit
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, CLOSERS, Place, place_of
from agentl_grammar.tree import Program

MOST_PROBLEMS = 20
"""After so many in one stretch the rest of it is given up."""
UNNAMED = "unnamed"
"""What stands in the tree for a declaration's name that is missing."""
_MARK_EVERY = 256
# Each mark has the lists built so far: of many, the older ones are thinned out, the last ones kept.
_MOST_MARKS, _LAST_MARKS = 24, 8
# How many of the brackets around a mistake are tried, from either side.
_OUTER, _INNER = 3, 4
_EXCHANGED = {terminal: text for text, terminal in OPERATORS.items() if text in tuple("(){}[]:,")} | {
    "NAME": UNNAMED
}
_MISSED = {"NAME": UNNAMED, "STRING": '""', "NUMBER": "0", "TIMESPAN": "0s", "_ALLOW": "ALLOW"}
# What a block needs once, where all of its kind was left out; the builder tells it by its empty place.
_SUPPLIED = {
    "SCENARIO": (("_EXPECT", "EXPECT"), ("_NO", "no"), ("_ERROR", "error")),
    "JUDGE": (("NAME", UNNAMED), ("_NOUL", "NOUL"), ("STRING", '""')),
}
_FOLLOWED = {("_VERIFY", "STRING"): "_VERIFY_LABELLED", ("_ON", "_UNKNOWN"): "_ON_UNKNOWN"}


@dataclass(frozen=True, slots=True)
class Stretch:
    """Tokens to be read: `head` of them open the agent and are right; `following` stand behind.

    The text behind the head starts at `begin`. With `closed`, a `}` that closes the agent is supplied.
    """

    tokens: list[Token]
    head: int = 0
    following: tuple[Token, ...] = ()
    closed: bool = False
    begin: int = 0


@dataclass(frozen=True, slots=True)
class _Mark:
    """How far the first `index` tokens lead."""

    index: int
    cursor: Cursor
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """How a stretch is mended: which repair is chosen of each mistake, the first where nothing is said.

    `most` problems are enough.
    """

    stretch: Stretch
    choices: tuple[int, ...] = ()
    most: int = MOST_PROBLEMS


class Recovery:
    """Reads one stretch with one engine."""

    def __init__(self, engine: Engine, builder: Builder, source: Source, trial: Trial) -> None:
        stretch = trial.stretch
        self._builder = builder
        self._source = source
        self._stretch = stretch
        self._tokens = stretch.tokens
        self._marks = [_Mark(0, engine.cursor(), ())]
        self._choices = trial.choices
        self._most = trial.most
        self._repaired = 0
        self.program: Program | None = None
        self.problems: list[Problem] = []

    @property
    def chosen(self) -> bool:
        """Tell whether there were so many repairs as `choices` ask for."""
        return self._repaired >= len(self._choices)

    @property
    def changed(self) -> int:
        """How many tokens were left out or put in."""
        read = Counter((token.start, token.end, token.type) for token in self._tokens)
        written = Counter((token.start, token.end, token.type) for token in self._stretch.tokens)
        return (read - written).total() + (written - read).total()

    def read(self) -> None:
        """Read; `program` and `problems` tell the result."""
        try:
            failed = self._feed(self._tokens)
            while failed is not None:
                place = self._place(failed)
                problem = syntax_problem(place)
                if not self._follows_from_repair(place, problem) and not self._is_told(failed):
                    self.problems.append(problem)
                if len(self.problems) >= self._most:
                    return
                failed = self._repair(place, problem)
            self.problems.extend(self._builder.problems)
        except TooDeepError as error:
            self.program = None
            self.problems.append(over_limit(error))

    def _feed(self, tokens: list[Token]) -> int | None:
        """Read `tokens` from the last mark; return the index of the one that cannot stand there, if any."""
        mark = self._marks[-1]
        self._builder.problems = list(mark.problems)
        cursor, index = mark.cursor.copy(), mark.index
        try:
            while index < len(tokens):
                part = tokens[index : index + _MARK_EVERY]
                cursor.feed(part)
                index += len(part)
                self._marks.append(_Mark(index, cursor.copy(), tuple(self._builder.problems)))
                if len(self._marks) > _MOST_MARKS:
                    del self._marks[1:-_LAST_MARKS:2]
            self.program = self._finish(cursor, tokens)
        except UnexpectedTokenError as error:
            return index + error.index
        return None

    def _finish(self, cursor: Cursor, tokens: list[Token]) -> Program:
        end = tokens[-1].end if tokens else 0
        try:
            if self._stretch.closed:
                cursor.feed([Token("_RBRACE", "}", end, end)])
            return cursor.finish(end, 0)
        except UnexpectedTokenError:
            raise UnexpectedTokenError(0) from None

    def _cursor_at(self, index: int) -> Cursor:
        """Return the parse before token `index`, on tokens that are known to lead there."""
        mark = next(mark for mark in reversed(self._marks) if mark.index <= index)
        cursor = mark.cursor.copy()
        cursor.feed(self._tokens[mark.index : index])
        return cursor

    def _place(self, index: int) -> Place:
        tokens = [*self._tokens, *self._stretch.following] if self._stretch.following else self._tokens
        return place_of(self._source, tokens, index, self._cursor_at(index), self._cursor_at)

    def _repair(self, place: Place, problem: Problem) -> int | None:
        """Change the tokens so that the parse gets behind the mistake; return where it fails next, if so.

        The last resort leaves out everything.
        """
        before, marks = self._tokens, self._marks
        number, self._repaired = self._repaired, self._repaired + 1
        skip = self._choices[number] if number < len(self._choices) else 0
        for start, tokens, following in self._repairs(place, problem):
            self._marks = [mark for mark in marks if mark.index <= start]
            failed = self._feed(tokens)
            if failed is None or self._is_further(tokens, failed, following):
                if not skip:
                    self._tokens = tokens
                    return failed
                skip -= 1
        if skip:
            self._repaired = -1
        self._tokens = before[: self._stretch.head]
        self._marks = marks[:1]
        self._feed(self._tokens)
        return None

    def _is_further(self, tokens: list[Token], failed: int, following: int) -> bool:
        """Tell whether what fails is another mistake: behind what was repaired, and not its end."""
        left = len(tokens) - failed
        if left < following or following == 0:
            return left < following
        return left == following and tokens[failed].type not in (*CLOSER_TEXTS, "_ELSE")

    def _follows_from_repair(self, place: Place, problem: Problem) -> bool:
        """Tell whether a problem is none of the text: it is a repair's own bracket, or left out by one."""
        if problem.code == "S102":
            return problem.related[0].span.start == problem.related[0].span.end
        if problem.code != "S121" or not place.inner:
            return False
        begin, end = place.inner.token.start, place.token.start
        return sum(begin < token.start < end for token in self._stretch.tokens) > sum(
            begin < token.start < end for token in self._tokens
        )

    def _is_told(self, index: int) -> bool:
        """Tell whether text that is no token, and is reported as that, stands right before token `index`."""
        if not 0 < index < len(self._tokens):
            return False
        before, token = self._tokens[index - 1], self._tokens[index]
        begin = max(before.end, self._stretch.begin)
        return lex(self._source.text, begin, max(begin, token.start)).problem is not None

    def _repairs(self, place: Place, problem: Problem) -> Iterator[tuple[int, list[Token], int]]:
        """Yield the first token that changes, the new tokens, how many of them stand behind the change."""
        index = place.index
        left = len(self._tokens) - index
        for fix in problem.fixes:
            edited = self._edited(fix)
            if edited:
                # The refused token must be taken, and the next: one that leads one word far is a wrong guess.
                yield *edited, left + 1 if is_earlier(fix, place) else max(left - 2, 0)
        yield from self._guesses(place, left, problem)
        if not place.openers and place.previous and place.previous.type == "_RBRACE" and self._stretch.closed:
            # What stands behind the agent; its `}` is supplied.
            yield index - 1, self._tokens[: index - 1], 0
        for start, end in self._items(place):
            if self._stretch.head <= start < end:
                yield start, self._tokens[:start] + self._tokens[end:], len(self._tokens) - end
        yield from self._exchanges(place, left)

    def _exchanges(self, place: Place, left: int) -> Iterator[tuple[int, list[Token], int]]:
        """Yield the tokens without the refused one, and with a bracket or name before it or in its place.

        Any of them may be right by chance: they are for those who compare where repairs lead.
        """
        index, token, tokens = place.index, place.token, self._tokens
        if not self._choices or not place.openers or not self._stretch.head <= index < len(tokens):
            return
        yield index, tokens[:index] + tokens[index + 1 :], left - 1
        if tokens[index - 1].type == "_RBRACE":
            yield index - 1, tokens[: index - 1] + tokens[index:], max(left - 1, 0)
        for kind, text in _EXCHANGED.items():
            if kind in place.accepts and kind != token.type:
                new = Token(kind, text, token.start, token.end)
                yield index, [*tokens[:index], new, *tokens[index + 1 :]], max(left - 1, 0)
                new = Token(kind, text, self._end(index), self._end(index))
                yield index, [*tokens[:index], new, *tokens[index:]], max(left - 1, 0)

    def _guesses(self, place: Place, left: int, problem: Problem) -> Iterator[tuple[int, list[Token], int]]:
        """Yield what keeps the most of the tree, though nobody can tell that it is meant."""
        index, token = place.index, place.token
        if problem.code == "S101" and problem.span.end < self._end(index):
            at = bisect_left(self._tokens, problem.span.end, key=lambda token: token.start)
            for kind, text in _MISSED.items():
                new = Token(kind, text, problem.span.end, problem.span.end)
                yield at, [*self._tokens[:at], new, *self._tokens[at:]], left
        if problem.code == "S121":
            end = self._end(index)
            supplied = [Token(kind, text, end, end) for kind, text in _SUPPLIED[place.head]]
            yield index, [*self._tokens[:index], *supplied, *self._tokens[index:]], left - 1
        if token.type == "_ELSE" and index < len(self._tokens):
            yield index, self._tokens[:index] + self._tokens[index + 1 :], left - 1
        if (
            token.type == "_LBRACE"
            and "NAME" in place.accepts
            and place.cursor.would_accept("NAME", token.type)
        ):
            name = Token("NAME", UNNAMED, self._end(index), self._end(index))
            yield index, [*self._tokens[:index], name, *self._tokens[index:]], left - 1
        yield from shortened(place, self._tokens)
        yield from beheaded(place, self._tokens, self._stretch.head)
        if "_LBRACE" not in place.accepts or token.type in CLOSERS:
            return
        if not place.accepts & EXPRESSION:
            brace = Token("_LBRACE", "{", self._end(index), self._end(index))
            yield index, [*self._tokens[:index], brace, *self._tokens[index:]], max(left - 2, 0)
        if self._closes_too_much() and index < len(self._tokens):
            brace = Token("_LBRACE", "{", token.start, token.end)
            yield index, [*self._tokens[:index], brace, *self._tokens[index + 1 :]], max(left - 2, 0)

    def _closes_too_much(self) -> bool:
        kinds = [token.type for token in self._tokens]
        return kinds.count("_LBRACE") - self._stretch.closed < kinds.count("_RBRACE")

    def _end(self, index: int) -> int:
        return self._tokens[index - 1].end if index else 0

    def _edited(self, fix: Fix) -> tuple[int, list[Token]] | None:
        tokens = list(self._tokens)
        start = len(tokens)
        for span, text in reversed(fix.replacements):
            start = bisect_right(tokens, span.start, key=lambda token: token.end)
            end = max(start, bisect_left(tokens, span.end, key=lambda token: token.start))
            new = [token._replace(start=span.start, end=span.end) for token in lex(text).tokens]
            following = tokens[end].type if end < len(tokens) else ""
            if new and (new[-1].type, following) in _FOLLOWED:
                new[-1] = new[-1]._replace(type=_FOLLOWED[new[-1].type, following])
            if not new and start and (tokens[start - 1].type, following) in _FOLLOWED:
                kind = _FOLLOWED[tokens[start - 1].type, following]
                tokens[start - 1] = tokens[start - 1]._replace(type=kind)
            tokens[start:end] = new
        return (start, tokens) if start >= self._stretch.head else None

    def _items(self, place: Place) -> Iterator[tuple[int, int]]:
        """Yield what may be left out: the item in the innermost bracket, that around it, and so on."""
        index, inner = place.index, True
        for opener in reversed((*place.openers[:_OUTER], *place.openers[_OUTER:][-_INNER:])):
            bracket = self._tokens.index(opener.token)
            yield self._item(bracket, index, place if inner else None)
            index, inner = bracket, False
        yield self._item(-1, index, place if inner else None)

    def _item(self, bracket: int, index: int, place: Place | None) -> tuple[int, int]:
        """Return the item directly in `bracket` that token `index` is in.

        `place` is given when the token there cannot stand; it may begin the next item then.
        """
        starters = self._starters(bracket)
        inside = self._depths(bracket, index + 1)
        starts = [at for at, depth in inside if depth == 0 and self._starts(at, starters)]
        broken = starts[-1] if starts else bracket + 1
        if broken == index and index < len(self._tokens) and self._tokens[index].type in CLOSER_TEXTS:
            return index, index
        complete = place is not None and (self._may_end(bracket, place) or "_COMMA" in place.accepts)
        if complete and broken < index < len(self._tokens) and begins_anew(self._source, self._tokens, index):
            broken = index
        if place and len(starts) > 1 and starts[-1] == index and not complete:
            return starts[-2], index
        return broken, self._next_item(bracket, max(index, broken + 1), broken, starters)

    def _starters(self, bracket: int) -> frozenset[str]:
        """Return what an item in `bracket` may begin with; statements, where only members may stand."""
        starters = self._cursor_at(bracket + 1).accepts() - CLOSER_TEXTS.keys()
        return starters | STATEMENT if "_POLICY" in starters else starters

    def _may_end(self, bracket: int, place: Place) -> bool:
        closer = CLOSERS[self._tokens[bracket].type] if bracket >= 0 else "$END"
        return closer in place.accepts

    def _next_item(self, bracket: int, index: int, broken: int, starters: frozenset[str]) -> int:
        for at, depth in self._depths(bracket, len(self._tokens)):
            token = self._tokens[at]
            if at < index:
                continue
            if depth < 0 or (depth == 0 and at > broken and self._starts(at, starters)):
                return at
            begins = token.type in starters or token.type == "_RBRACE"
            if begins and self._starts_line(at) and self._column(at) <= self._column(broken):
                return at
        return len(self._tokens)

    def _depths(self, bracket: int, stop: int) -> Iterator[tuple[int, int]]:
        """Yield the tokens behind `bracket` and how many brackets lie between; -1 for its own closer.

        A `}` closes what is still open inside its braces; another closer that closes nothing is passed over.
        """
        opened: list[str] = []
        own = CLOSERS[self._tokens[bracket].type] if bracket >= 0 else ""
        for at in range(bracket + 1, min(stop, len(self._tokens))):
            kind = self._tokens[at].type
            if kind == "_RBRACE":
                while opened and opened[-1] != kind:
                    opened.pop()
            if kind in CLOSER_TEXTS and not opened and kind in (own, "_RBRACE"):
                yield at, -1
                return
            if opened and opened[-1] == kind:
                opened.pop()
            yield at, len(opened)
            if kind in CLOSERS:
                opened.append(CLOSERS[kind])

    def _starts(self, at: int, starters: frozenset[str]) -> bool:
        token, before = self._tokens[at], self._tokens[at - 1] if at else None
        if token.type not in starters:
            # A misspelt word at the start of a line begins an item all the same.
            return token.type == "NAME" and self._starts_line(at)
        if before is None or before.type in ("_LBRACE", "_COMMA", "_RBRACE") or self._starts_line(at):
            return True
        # Where any word may be a name, no word in the middle of a line tells of a new item.
        return "_AGENT" not in starters and token.text[:1].isalpha() and token.type[0] == "_"

    def _starts_line(self, at: int) -> bool:
        return not at or self._line(at - 1) < self._line(at)

    def _line(self, at: int) -> int:
        return self._source.position(self._tokens[at].start).line

    def _column(self, at: int) -> int:
        line = self._source.line(self._line(at))
        return len(line) - len(line.lstrip(" \t"))
