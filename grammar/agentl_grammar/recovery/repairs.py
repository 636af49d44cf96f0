"""What may be changed where a token cannot stand, what is likely meant first; then the rest is read."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from agentl_grammar.lalr import Cursor
from agentl_grammar.lexer import OPERATORS, Token, lex
from agentl_grammar.problems import Fix, Problem
from agentl_grammar.recovery.heads import (
    UNNAMED,
    Repair,
    begins_anew,
    beheaded,
    behind_name,
    by_layout,
    exchanged,
    goes_on,
    is_earlier,
    renamed,
    reopened,
    reworded,
    shortened,
)
from agentl_grammar.recovery.lines import (
    as_branch,
    as_step,
    may_stand,
    without_branch,
    without_default,
    without_head,
    without_member,
    without_record,
    without_set,
)
from agentl_grammar.recovery.signs import without_sign
from agentl_grammar.recovery.track import Track
from agentl_grammar.source import Source
from agentl_grammar.syntax_errors.expectations import EXPRESSION, STATEMENT
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, CLOSERS, Place
from agentl_grammar.syntax_errors.values import BEFORE, NAMED

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


class Repairs:
    """The repairs at one place of a track. Nothing before token `least` changes.

    With `unopened`, there is a `}` too many as the text is written.
    """

    def __init__(
        self, source: Source, track: Track, place: Place, least: int, *, unopened: bool = False
    ) -> None:
        self._source = source
        self._track = track
        self._tokens = track.tokens
        self._place = place
        self._least = least
        self._unopened = unopened

    def likely(self, problem: Problem) -> Iterator[Repair]:
        """Yield the fixes of the problem, what may be missing, and what is left without what holds it."""
        place, index = self._place, self._place.index
        left = len(self._tokens) - index
        yield from without_sign(place, self._tokens, self._least)
        yield from without_head(place, self._tokens, self._least)
        for fix in problem.fixes:
            yield from self.fixed(fix)
        yield from (each for each in exchanged(place, self._tokens) if each[0] >= self._least)
        yield from by_layout(place, self._tokens)
        if self._unopened and self._closes_too_much():
            yield from reopened(place, self._tokens)
        yield from self._guesses(left, problem)
        if not place.openers and place.previous and place.previous.type == "_RBRACE" and self._track.closed:
            # What stands behind the agent; its `}` is supplied.
            yield index - 1, self._tokens[: index - 1], 0
        if not place.openers and place.following and place.following.type == "_AGENT":
            yield index, self._tokens[:index] + self._tokens[index + 1 :], left - 1
        for start, end, head in self._items():
            if self._least <= start < end:
                left = len(self._tokens) - end
                yield start, self._tokens[:start] + self._tokens[end:], left
                if head in _SUPPLIED:
                    yield start, [*self._tokens[:start], *self._supplied(head), *self._tokens[end:]], left

    def fixed(self, fix: Fix) -> Iterator[Repair]:
        """Yield the tokens after a fix, unless it changes what is not read here."""
        left = len(self._tokens) - self._place.index
        edited = self._edited(fix)
        if edited:
            # The refused token must be taken, and the next: one that leads one word far is a wrong guess.
            start, tokens = edited
            behind = len(tokens) - start if is_earlier(fix, self._place) else max(left - 2, 0)
            yield start, tokens, behind

    def chances(self) -> Iterator[Repair]:
        """Yield the tokens without the refused one, and with a bracket or name before it or in its place.

        Any of them may be right by chance: they are for those who compare where repairs lead.
        """
        place, tokens = self._place, self._tokens
        index, token, left = place.index, place.token, len(tokens) - place.index
        if not place.openers or not self._least <= index < len(tokens):
            return
        yield index, tokens[:index] + tokens[index + 1 :], left - 1
        if tokens[index - 1].type == "_RBRACE":
            yield index - 1, tokens[: index - 1] + tokens[index:], max(left - 1, 0)
        for kind, text in _EXCHANGED.items():
            if kind not in place.accepts or kind == token.type:
                continue
            if may_stand(place, kind, instead=True):
                new = Token(kind, text, token.start, token.end)
                yield index, [*tokens[:index], new, *tokens[index + 1 :]], max(left - 1, 0)
            if may_stand(place, kind, instead=False):
                new = Token(kind, text, self._end(index), self._end(index))
                yield index, [*tokens[:index], new, *tokens[index:]], max(left - 1, 0)

    def _guesses(self, left: int, problem: Problem) -> Iterator[Repair]:
        """Yield what keeps the most of the tree, though nobody can tell that it is meant."""
        place, index, token = self._place, self._place.index, self._place.token
        if problem.code == "S101" and problem.span.end < self._end(index):
            yield from self._missed(problem.span.end, left)
        if problem.code == "S121":
            supplied = self._supplied(place.head)
            yield index, [*self._tokens[:index], *supplied, *self._tokens[index:]], left - 1
        yield from without_default(place, problem, self._tokens)
        yield from without_branch(place, self._tokens)
        yield from as_step(place, problem, self._tokens)
        yield from without_record(place, problem, self._tokens)
        yield from without_member(place, problem, self._tokens)
        yield from without_set(place, problem, self._tokens, self._least)
        yield from as_branch(place, self._tokens)
        yield from renamed(place, self._tokens)
        cut = index > 0 and self._tokens[index - 1].type == "_DOT"
        named = token.type == "_LBRACE" or problem.message.template == BEFORE or cut
        if (
            named
            and "NAME" in place.accepts
            and place.cursor.would_accept("NAME", token.type, *behind_name(place))
        ):
            name = Token("NAME", UNNAMED, self._end(index), self._end(index))
            yield index, [*self._tokens[:index], name, *self._tokens[index:]], left - 1
        yield from reworded(place, self._tokens)
        yield from shortened(place, self._tokens)
        yield from beheaded(place, self._tokens, self._least)
        if "_LBRACE" not in place.accepts or token.type in CLOSERS:
            return
        if not place.accepts & EXPRESSION:
            brace = Token("_LBRACE", "{", self._end(index), self._end(index))
            yield index, [*self._tokens[:index], brace, *self._tokens[index:]], max(left - 2, 0)
        if self._closes_too_much() and index < len(self._tokens):
            brace = Token("_LBRACE", "{", token.start, token.end)
            yield index, [*self._tokens[:index], brace, *self._tokens[index + 1 :]], max(left - 2, 0)

    def _missed(self, end: int, left: int) -> Iterator[Repair]:
        """Yield the tokens with what is missing at `end`, at last without regard to what stands behind.

        A declaration or statement whose name is missing is left out if what is below is none of it.
        """
        at = bisect_left(self._tokens, end, key=lambda token: token.start)
        added = [
            (at, [*self._tokens[:at], Token(kind, text, end, end), *self._tokens[at:]])
            for kind, text in _MISSED.items()
        ]
        yield from ((*edited, left) for edited in added)
        start = at - 2 if at > 1 and self._tokens[at - 2].type == "_ON" else at - 1
        if self._least <= start and self._tokens[at - 1].text in (*NAMED, "IF"):
            yield start, self._tokens[:start] + self._tokens[at:], len(self._tokens) - at
        yield from ((*edited, len(self._tokens) - at) for edited in added)

    def _closes_too_much(self) -> bool:
        kinds = [token.type for token in self._tokens]
        return kinds.count("_LBRACE") - self._track.closed < kinds.count("_RBRACE")

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
                start -= 1
                new = [tokens[start]._replace(type=_FOLLOWED[tokens[start].type, following])]
            tokens[start:end] = new
        return (start, tokens) if start >= self._least else None

    def _supplied(self, head: str) -> list[Token]:
        end = self._end(self._place.index)
        return [Token(kind, text, end, end) for kind, text in _SUPPLIED[head]]

    def _items(self) -> Iterator[tuple[int, int, str]]:
        """Yield the items that may be left out, the innermost first, each with the word of its block."""
        place = self._place
        index, inner = place.index, True
        for opener in reversed((*place.openers[:_OUTER], *place.openers[_OUTER:][-_INNER:])):
            bracket = self._tokens.index(opener.token)
            start, end = self._item(bracket, index, place if inner else None)
            yield start, end, opener.head
            line = index - len(place.line_so_far()) if inner else start
            if bracket < line < start:
                # A word in the line of an item may begin one too, as in RISK RISK HIGH.
                yield line, end, opener.head
            index, inner = bracket, False
        yield *self._item(-1, index, place if inner else None), ""

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
        starters = self._track.cursor_at(bracket + 1).accepts() - CLOSER_TEXTS.keys()
        return starters | STATEMENT if "_POLICY" in starters else starters

    def _may_end(self, bracket: int, place: Place) -> bool:
        closer = CLOSERS[self._tokens[bracket].type] if bracket >= 0 else "$END"
        return closer in place.accepts

    def _next_item(self, bracket: int, index: int, broken: int, starters: frozenset[str]) -> int:
        if broken >= len(self._tokens):
            return len(self._tokens)
        own, has_layout = self._column(broken), self._has_layout(broken)
        fresh = self._track.cursor_at(bracket + 1)
        for at, depth in self._depths(bracket, len(self._tokens)):
            token = self._tokens[at]
            if at < index:
                continue
            starts_line = self._starts_line(at)
            deeper = has_layout and starts_line and self._column(at) > own
            anew = depth == 0 and at > broken and not deeper and self._starts(at, starters)
            anew = anew and not goes_on(self._tokens, at) and (starts_line or self._goes(fresh, at))
            if depth < 0 or anew:
                return at
            if not starts_line:
                continue
            column = self._column(at)
            # A `}` in the column of the item closes its own block.
            if (token.type in starters and column <= own) or (token.type == "_RBRACE" and column < own):
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

    def _goes(self, fresh: Cursor, at: int) -> bool:
        """Tell whether an item that begins with token `at` goes on with the one behind."""
        return fresh.would_accept(*(token.type for token in self._tokens[at : at + 2]))

    def _has_layout(self, broken: int) -> bool:
        """Tell whether the line of token `broken` ends with a `:`: what is deeper below belongs to it."""
        at, line = broken, self._line(broken)
        while at + 1 < len(self._tokens) and self._line(at + 1) == line:
            at += 1
        return self._tokens[at].type == "_COLON"

    def _starts(self, at: int, starters: frozenset[str]) -> bool:
        token, before = self._tokens[at], self._tokens[at - 1] if at else None
        if token.type not in starters:
            # A misspelt word at the start of a line begins an item all the same.
            return token.type == "NAME" and self._starts_line(at)
        if before is None or before.type in ("_LBRACE", "_COMMA", "_RBRACE") or self._starts_line(at):
            return True
        # Where any word may be a name, no word in the middle of a line tells of a new item; nor does a THEN.
        words = "_AGENT" not in starters and token.type != "_THEN"
        return words and token.text[:1].isalpha() and token.type[0] == "_"

    def _starts_line(self, at: int) -> bool:
        return not at or self._line(at - 1) < self._line(at)

    def _line(self, at: int) -> int:
        return self._source.line_number(self._tokens[at].start)

    def _column(self, at: int) -> int:
        line = self._source.line(self._line(at))
        return len(line) - len(line.lstrip(" \t"))
