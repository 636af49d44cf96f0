"""Reading on behind a mistake: every mistake is told once, and what is healthy around it is kept.

A mistake is repaired by its own fix where it has one that works, else by leaving out the field, statement or
member that it is in; then the tokens are read again from a mark before it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice, takewhile

from agentl_grammar.builder.parts import TooDeepError
from agentl_grammar.lexer import Token, lex
from agentl_grammar.problems import Fix, Problem
from agentl_grammar.recovery.aftermath import follows
from agentl_grammar.recovery.heads import Repair, mended_agent
from agentl_grammar.recovery.lines import misplaced_member, without_line
from agentl_grammar.recovery.repairs import Repairs
from agentl_grammar.recovery.signs import without_sign
from agentl_grammar.recovery.track import Track
from agentl_grammar.source import Source
from agentl_grammar.syntax_errors import syntax_problem
from agentl_grammar.syntax_errors.limits import over_limit
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, CLOSERS, Place
from agentl_grammar.tree import Program

_BRACKETS = frozenset((*CLOSERS, *CLOSER_TEXTS))
MOST_PROBLEMS = 20
"""After so many in one stretch the rest of it is given up."""


@dataclass(frozen=True)
class Stretch:
    """Tokens to be read: `head` of them open the agent and are right; `following` stand behind.

    The text behind the head starts at `begin`. With `closed`, a `}` that closes the agent is supplied; with
    `cut`, that the tokens end is no mistake.
    """

    tokens: list[Token]
    head: int = 0
    following: tuple[Token, ...] = ()
    closed: bool = False
    begin: int = 0
    cut: bool = False

    @property
    def last(self) -> bool:
        """Tell whether nothing of the agent stands behind, so that the tokens may close it."""
        return not self.following or self.following[0].type == "_AGENT"

    @cached_property
    def unopened(self) -> bool:
        """Tell whether there is a `}` too many as the text is written."""
        kinds = [token.type for token in self.tokens]
        return kinds.count("_LBRACE") - self.closed < kinds.count("_RBRACE")


class Mistake:
    """The place where a track fails, and the tracks that go on behind it.

    Raises:
        TooDeepError: the tree would be too deep before it.
    """

    def __init__(self, source: Source, stretch: Stretch, track: Track) -> None:
        self._source = source
        self._stretch = stretch
        self._track = track
        self._place: Place = track.place(source, track.failed or 0, stretch.following)
        self.problem = syntax_problem(self._place)
        self._repairs = Repairs(source, track, self._place, stretch.head, unopened=stretch.unopened)
        self._goes_on: Track | None = None

    def likely(self) -> Iterator[Track]:
        """Yield the tracks of the repairs that are likely meant, or leave out what holds the mistake."""
        return self._further(self._repairs.likely(self.problem))

    def chances(self) -> Iterator[Track]:
        """Yield the tracks of what may be right by chance; see `Repairs.chances`."""
        return self._further(self._repairs.chances())

    def nothing(self) -> Track:
        """Return the last resort: the track that leaves out everything."""
        head = self._stretch.head
        return self._track.instead(0, self._track.tokens[:head])

    def repaired(self, track: Track) -> Track:
        """Tell that this is the track that goes on behind it, and return that."""
        self._goes_on = track
        return track

    def left_out(self) -> tuple[Stretch, Track] | None:
        """Return the misplaced member that its repair left out, as the only one of an agent."""
        tokens = self._track.tokens
        found = misplaced_member(self._place, self.problem, tokens)
        if not found or not self._goes_on or self._goes_on.tokens != tokens[: found[0]] + tokens[found[1] :]:
            return None
        begin = tokens[found[0]].start
        head = mended_agent([], begin)
        inside = [*head, *tokens[found[0] : found[1]]]
        return Stretch(inside, len(head), closed=True, begin=begin), self._track.apart(inside)

    def is_told(self, told: list[Problem]) -> bool:
        """Tell whether the problem is none of the text, or told already.

        It follows from the repair of one in `told`, or of a sign; or right before it stands text that is no
        token.
        """
        if follows(self._place, self.problem, told, self._stretch.tokens) or self._is_no_token():
            return True
        signs = without_sign(self._place, self._track.tokens, self._stretch.head)
        return any(self._further(signs))

    @property
    def left(self) -> int:
        """How many tokens are left at its place, the end as one more."""
        return len(self._track.tokens) - self._place.index + 1

    def left_behind(self, fix: Fix) -> int | None:
        """Return how many tokens are left where a fix of the problem leads no further; 0 when all is read.

        None is for a fix that changes what is not read here.
        """
        for start, tokens, _ in self._repairs.fixed(fix):
            failed = self._track.instead(start, tokens).failed
            return 0 if failed is None else len(tokens) - failed + 1
        return None

    def is_in_supplied(self) -> bool:
        """Tell whether it is in a `(` or `[` that a repair put in: that bracket is not what was meant."""
        inner = self._place.inner
        return inner is not None and not inner.written and inner.token.type != "_LBRACE"

    def _further(self, repairs: Iterator[Repair]) -> Iterator[Track]:
        for start, tokens, following in repairs:
            track = self._track.instead(start, tokens)
            if track.failed is None or self._is_further(tokens, track.failed, following):
                yield track

    def _is_further(self, tokens: list[Token], failed: int, following: int) -> bool:
        """Tell whether what fails is another mistake: behind what was repaired, and not its end."""
        left = len(tokens) - failed
        if self._stretch.cut and not left:
            return True
        if left < following or following == 0:
            return left < following
        return left == following and tokens[failed].type not in (*CLOSER_TEXTS, "_ELSE")

    def _is_no_token(self) -> bool:
        tokens, index = self._track.tokens, self._place.index
        if not 0 < index < len(tokens):
            return False
        begin = max(tokens[index - 1].end, self._stretch.begin)
        return lex(self._source.text, begin, max(begin, tokens[index].start)).problem is not None


@dataclass(slots=True)
class Recovery:
    """A stretch read to its end: the program, its problems, how many tokens were left out or put in.

    It is `absurd` where a repair led into a bracket that nothing belongs in. `mistakes` are those that were
    repaired, each with the problems before it and its own.
    """

    program: Program | None = None
    problems: list[Problem] = field(default_factory=list[Problem])
    changed: int = 0
    absurd: bool = False
    mistakes: list[tuple[Mistake, list[Problem]]] = field(default_factory=list[tuple[Mistake, list[Problem]]])


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the tracks of one stretch to their ends; by chance too, if `chances` are taken."""

    source: Source
    stretch: Stretch

    def read(
        self, track: Track, before: list[Problem], most: int = MOST_PROBLEMS, *, chances: bool = False
    ) -> Recovery:
        """Read on, behind the problems `before`; `most` problems are enough, and leave no program."""
        found = Recovery(problems=list(before))
        try:
            while track.failed is not None and self._is_left(track):
                mistake = Mistake(self.source, self.stretch, track)
                if not mistake.is_told(found.problems):
                    found.problems.append(mistake.problem)
                found.absurd = found.absurd or mistake.is_in_supplied()
                if len(found.problems) >= most or (chances and found.absurd):
                    break
                found.mistakes.append((mistake, list(found.problems)))
                ways = chain(mistake.likely(), mistake.chances() if chances else ())
                track = mistake.repaired(next(ways, None) or mistake.nothing())
            if track.failed is None:
                found.program, others = track.program()
                found.problems += islice(self._written(others, track.tokens), MOST_PROBLEMS)
        except TooDeepError as error:
            found.program = self._around(error, track)
            found.problems.append(over_limit(error))
        found.changed = changed(track.tokens, self.stretch.tokens)
        return found

    def _written(self, repeated: list[Problem], read: list[Token]) -> Iterator[Problem]:
        """Yield what is there twice in the text too: nothing between the two was mended."""
        mended = sorted(token.start for token in {*read} ^ {*self.stretch.tokens}) if repeated else []
        for problem in repeated:
            begin, end = problem.related[0].span.start, problem.span.end
            if bisect_left(mended, begin) == bisect_left(mended, end):
                yield problem

    def _around(self, error: TooDeepError, track: Track) -> Program | None:
        """Return what is read without the line that is too deep, if nothing else is wrong behind it."""
        offset, head = error.span.start, self.stretch.head
        try:
            left = track.instead(*without_line(self.source, track.tokens, offset, head))
            return left.program()[0] if left.failed is None else None
        except TooDeepError:
            return None

    def _is_left(self, track: Track) -> bool:
        """Tell whether there is anything to repair: not everything was left out."""
        return len(track.tokens) > self.stretch.head or track.tokens is self.stretch.tokens


def changed(read: list[Token], written: list[Token]) -> int:
    """Return how many tokens differ; words and values that stand elsewhere do not, brackets do."""
    # Most are the very same: only what lies between those is counted.
    same = (one is other for one, other in zip(read, written, strict=False))
    begin = next((index for index, is_same in enumerate(same) if not is_same), min(len(read), len(written)))
    ends = zip(reversed(read[begin:]), reversed(written[begin:]), strict=False)
    behind = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], ends))
    ours, theirs = (
        Counter(
            (token.type, token.start if token.type in _BRACKETS else 0)
            for token in tokens[begin : len(tokens) - behind]
        )
        for tokens in (read, written)
    )
    return (ours - theirs).total() + (theirs - ours).total()
