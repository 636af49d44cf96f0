"""Text → `Program` and its syntax problems (language.md §1, §2), member by member.

Each member is read by itself and remembered by its text: after an edit only what changed is read again, and
the members behind it are the same trees at another place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, islice
from threading import Lock

from agentl_grammar.builder import SINGLE, Builder, repeated
from agentl_grammar.builder.parts import MAXIMUM_DEPTH, TooDeepError, name
from agentl_grammar.caret import place_behind
from agentl_grammar.comments import Comments
from agentl_grammar.cutting.cuts import AgentText, is_open
from agentl_grammar.cutting.cutter import Cutter
from agentl_grammar.lalr import Engine, UnexpectedTokenError
from agentl_grammar.lexer import COMMENT, STRING, Token, first_tokens, is_whole, lex, stream
from agentl_grammar.lexicon import WORDS
from agentl_grammar.lexing import tokens_of
from agentl_grammar.problems import Problem
from agentl_grammar.readings import Memory, Reading
from agentl_grammar.recovery.heads import mended_agent
from agentl_grammar.recovery.least_change import recover
from agentl_grammar.recovery.quotes import independent
from agentl_grammar.recovery.reading_on import Recovery, Stretch
from agentl_grammar.source import Source, Span
from agentl_grammar.syntax_errors import too_deep
from agentl_grammar.syntax_errors.conflicts import merged
from agentl_grammar.syntax_errors.numbers import any_goes_on
from agentl_grammar.syntax_errors.place import Place
from agentl_grammar.syntax_errors.unasked import careful
from agentl_grammar.tables import load_tables
from agentl_grammar.tree import Agent, Member, Name, Program
from agentl_grammar.tree.shift import Moved

MOST_PROBLEMS = 500
"""After so many in a text, members with problems are left out: megabytes of them would take hours."""
# A text with more brackets open than this is too deep, whatever is in them; short texts need no look.
_MOST_OPEN, _SHORT = 2000, 20_000
# Of a longer stretch that is broken no more than this is read: tokens of ten megabytes would fill the memory.
_LONGEST = 500_000
_BRACKET = re.compile(
    rf'(?:[^(){{}}\[\]"#/\\]++|{STRING}|{COMMENT}|"[^\r\n]*+|/(?!\*)|\\"?+)*+([(){{}}\[\]])'
).match

# The word AGENT, the name and the brace.
_HEAD = 3
# Problems of a `}` too many: whether it is one depends on the braces up to the end of the text. A text that
# is not closed (S103) may go on behind the member, to the end of its line.
_LOOK_FAR = frozenset(("S116", "S119"))


@dataclass(frozen=True, slots=True)
class ParseResult:
    """What a text says: its tree, and what is wrong with it.

    `complete` tells whether the tree is all of the text. When it is not (problems of code S…), `program`
    holds what could be read around the mistakes; it is None when not even an agent was found. `comments` are
    all comments of the text, each with the node it belongs to (see `agentl_grammar.comments`).
    """

    source: Source
    program: Program | None
    problems: tuple[Problem, ...]
    complete: bool
    comments: Comments = field(compare=False, repr=False)


class _Grammar:
    """The engine and its builder. A builder holds the state of one parse: parses go one after the other."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.engine = Engine(load_tables(), self.builder)
        self.lock = Lock()

    def read(self, tokens: Iterable[Token], end: int) -> Program | None:
        """Return the program of an agent that ends before its `}`, at `end`; None when it has problems."""
        self.builder.begin()
        cursor = self.engine.cursor()
        try:
            cursor.feed(chain(tokens, [Token("_RBRACE", "}", end, end)]))
            program: Program = cursor.finish()
        except (UnexpectedTokenError, TooDeepError):
            return None
        return None if self.builder.problems else program

    def leads_on(self, tokens: Iterable[Token]) -> bool:
        """Tell whether tokens can follow each other up to the last one; nothing is built."""
        return self.engine.cursor().refused(tokens) is None

    def recover(self, source: Source, stretch: Stretch) -> Recovery:
        """Read a stretch with problems."""
        return recover(self.engine, self.builder, source, stretch)


@cache
def _grammar() -> _Grammar:
    return _Grammar()


class Parser:
    """Reads the texts of one document, one version after the other, and remembers the members of the last."""

    def __init__(self) -> None:
        self._grammar = _grammar()
        self._cutter = Cutter()
        self._memory = Memory()

    def parse(self, text: str, name: str = "<text>") -> ParseResult:
        """Parse `text`; `name` is what messages call it. Never raises: whatever is wrong is a problem."""
        return self.parse_source(Source(text, name))

    def parse_source(self, source: Source) -> ParseResult:
        """Parse a text whose lines are known already."""
        with self._grammar.lock:
            result = self._read(source)
            conflicts = merged(source.text) if result.problems else None
            if conflicts:
                result = self._read(Source(conflicts.text, source.name))
                told = sorted((*conflicts.problems, *result.problems), key=lambda each: each.span.start)
                result = replace(result, source=source, problems=tuple(told), complete=False)
        return result

    def _read(self, source: Source) -> ParseResult:
        reader = _Reader(self._grammar, source, self._cutter, self._memory)
        result = reader.read()
        self._memory = reader.memory
        self._grammar.builder.begin()
        return result


class _Reader:
    """One parse: `memory` holds the readings it used."""

    def __init__(self, grammar: _Grammar, source: Source, cutter: Cutter, known: Memory) -> None:
        self._grammar = grammar
        self._source = source
        self._cutter = cutter
        self._known = known
        self.memory = known.next(source.text)
        self._count = 0
        self._heads: dict[int, list[Token]] = {}

    def read(self) -> ParseResult:
        if is_open(self._source.text) and (agents := self._by_layout()):
            return self._agents(agents) or self._whole()
        agents = self._cutter.by_braces(self._source.text)
        result = self._agents(agents) if agents else None
        if result and not result.problems:
            return result
        other = self._by_layout()
        if other and other != agents:
            second = self._agents(other)
            if second and (result is None or _rank(second) <= _rank(result)):
                return second
        return result or self._whole()

    def _whole(self) -> ParseResult:
        """Read a text that cannot be cut as one stretch."""
        deep = self._deep(0, len(self._source.text))
        if deep:
            return self._result(None, deep, [])
        tokens, problems, cut = self._tokens(0, len(self._source.text))
        recovery = self._grammar.recover(self._source, Stretch(tokens))
        program = recovery.program
        found = [*careful(self._source, tokens, _before(cut, [*problems, *recovery.problems]))]
        if program:
            for agent in program.agents:
                places = ((type(member), member.span) for member in agent.members)
                found += repeated(places)[: max(0, MOST_PROBLEMS - len(found))]
        return self._result(program, found, [])

    def _by_layout(self) -> list[AgentText] | None:
        return self._cutter.by_layout(self._source.text, loose=True)

    def _agents(self, cuts: list[AgentText]) -> ParseResult | None:
        """Read the agents of a cut; None when not even the head of one is found."""
        problems: list[Problem] = []
        self._count, self._heads = 0, {}
        alone = len(cuts) == 1
        agents = tuple(chain.from_iterable(self._agent(cut, problems, alone=alone) for cut in cuts))
        if not agents:
            return None
        self.memory.healthy.forget(len(self._source.text))
        return self._result(Program(agents[0].span.to(agents[-1].span), agents), problems, cuts)

    def _result(
        self, program: Program | None, problems: Iterable[Problem], cuts: list[AgentText]
    ) -> ParseResult:
        ordered = independent(sorted(problems, key=lambda problem: problem.span.start), self._source)
        whole = program is not None and not any(problem.code.startswith("S") for problem in ordered)
        comments = Comments(self._source, program, cuts)
        return ParseResult(self._source, program, ordered, whole, comments)

    def _agent(self, cut: AgentText, problems: list[Problem], *, alone: bool) -> tuple[Agent, ...]:
        """Read an agent, and those in its broken head; none when that is all and nothing is found."""
        heads: tuple[Agent, ...] = ()
        if cut.broken:
            reading = self._outside([], cut.start, cut.head_end, closed=cut.head_end < cut.end)
            problems += reading.problems
            heads = reading.agents
            begins = [token.type for token in self._written_head(cut)[:1]]
            if not heads and (not cut.members or (alone and begins != ["_AGENT"])):
                return ()
        members = [member for head in heads[-1:] for member in head.members]
        distances = [0] * len(members)
        self._members(cut, members, distances, problems)
        placed = Moved(members, distances)
        single = [index for index, member in enumerate(members) if type(member) in SINGLE]
        if len({type(members[index]) for index in single}) < len(single):
            places = (
                (type(placed[index]), placed[index].span)
                for index in single
                if self._has_its_word(placed[index])
            )
            told = repeated(places)[: max(0, MOST_PROBLEMS - self._count)]
            problems += told
            self._count += len(told)
        label = heads[-1].name if heads else self._name(cut)
        return (*heads[:-1], Agent(Span(cut.start, cut.end), label, placed))

    def _has_its_word(self, member: Member) -> bool:
        """Tell whether a member begins with no other reserved word: the rest of a block is no second one."""
        word = first_tokens(self._source.text, member.span.start, 1)
        return not word or word[0].text not in WORDS or word[0].text == SINGLE[type(member)].split()[0]

    def _members(
        self, cut: AgentText, members: list[Member], distances: list[int], problems: list[Problem]
    ) -> None:
        """Add the members of an agent, how far each has moved, and their problems."""
        text, known = self._source.text, self.memory.healthy
        for start, end in cut.members:
            part = text[start:end]
            reading = known.get(part)
            if reading is None:
                reading = self._member(cut, start, end)
                problems += reading.problems
                self._count += len(reading.problems)
            members += reading.members
            distances += [start - reading.start] * len(reading.members)
        if cut.open_end is not None:
            reading = self._outside(self._head(cut), *cut.open_end, closed=False)
            members += reading.members
            distances += [0] * len(reading.members)
            problems += reading.problems

    def _tokens(self, start: int, end: int) -> tuple[list[Token], list[Problem], int]:
        """Return the tokens of a broken stretch, what is no token, and where its reading ends."""
        cut = min(end, start + _LONGEST)
        return *tokens_of(self._source, start, cut), cut if cut < end else len(self._source.text) + 1

    def _deep(self, start: int, end: int) -> list[Problem]:
        """Return S112, and what is wrong before it, when a stretch is far too deep."""
        at = _deep(self._source.text, start, end)
        if at is None:
            return []
        _, problems = tokens_of(self._source, start, at)
        return [*problems, too_deep(Span(at, at + 1), MAXIMUM_DEPTH)]

    def _name(self, cut: AgentText) -> Name:
        text = self._source.text[cut.start : cut.head_end]
        known = self.memory.heads.get(text) or self._known.heads.get(text)
        if known is None:
            token = self._head(cut)[1]
            known = name(token._replace(start=token.start - cut.start, end=token.end - cut.start))
        self.memory.heads[text] = known
        span = known.span
        return Name(Span(span.start + cut.start, span.end + cut.start), known.text)

    def _head(self, cut: AgentText) -> list[Token]:
        tokens = self._written_head(cut)
        return mended_agent(tokens, cut.start) if cut.broken else tokens

    def _written_head(self, cut: AgentText) -> list[Token]:
        if cut.start not in self._heads:
            self._heads[cut.start] = [*islice(stream(self._source.text, cut.start, cut.head_end), _HEAD)]
        return self._heads[cut.start]

    def _member(self, cut: AgentText, start: int, end: int) -> Reading:
        healthy = self._healthy(cut, start, end)
        if healthy:
            self.memory.healthy.add(self._source.text[start:end], healthy)
        elif self._count >= MOST_PROBLEMS:
            return Reading(start, ())
        return healthy or self._broken(self._head(cut), start, end, closed=True, far=cut.surplus)

    def _outside(self, head: list[Token], start: int, end: int, *, closed: bool) -> Reading:
        """Read the broken head of an agent, or its end that is open."""
        if self._count >= MOST_PROBLEMS:
            return Reading(start, ())
        reading = self._broken(head, start, end, closed=closed)
        self._count += len(reading.problems)
        return reading

    def _healthy(self, cut: AgentText, start: int, end: int) -> Reading | None:
        if _deep(self._source.text, start, end) is not None:
            return None
        tokens = self._sound(cut, start, end)
        program = self._grammar.read(chain(self._head(cut), tokens), end) if tokens else None
        return Reading(start, tuple(program.agents[0].members)) if program else None

    def _sound(self, cut: AgentText, start: int, end: int) -> Iterable[Token] | None:
        """Return the tokens of a stretch, None when something in it is none.

        Those of a long one are never kept, and are returned only when they can follow each other.
        """
        text = self._source.text
        if end - start <= _LONGEST:
            lexed = lex(text, start, end)
            return None if lexed.problem or any_goes_on(lexed.tokens) else lexed.tokens
        sound = is_whole(text, start, end) and not any_goes_on(stream(text, start, end))
        if not sound or not self._grammar.leads_on(chain(self._head(cut), stream(text, start, end))):
            return None
        return stream(text, start, end)

    def _broken(self, head: list[Token], start: int, end: int, *, closed: bool, far: bool = False) -> Reading:
        """Read a stretch with problems. What they say depends on where it is and on what follows.

        With `far`, on all that follows.
        """
        text = self._source.text
        deep = self._deep(start, end)
        if deep:
            return Reading(start, (), tuple(deep))
        following = tuple(first_tokens(text, end, 2))
        line, column = self._source.position(start)
        before = text[start - column : start]
        near = (start, line, before, text[start:end], tuple(head), following, closed)
        known = self._known.broken.get(near, text, end)
        if known is None:
            tokens, problems, cut_at = self._tokens(start, end)
            stretch = Stretch(head + tokens, len(head), following, closed, start)
            recovery = self._grammar.recover(self._source, stretch)
            agents = recovery.program.agents if recovery.program else ()
            members = tuple(member for agent in agents for member in agent.members)
            # Of what stands before AGENT nothing is left: it was no token, which is told.
            gone = bool(problems) and not stretch.tokens
            found = _before(cut_at, [*problems, *([] if gone else recovery.problems)])
            told = tuple(careful(self._source, stretch.tokens, found))
            known = Reading(start, members, told, tuple(agents))
        looks_far = far or any(
            problem.code in _LOOK_FAR or (problem.code == "S103" and problem.span.end > end)
            for problem in known.problems
        )
        self.memory.broken.add(near, end, known, far=looks_far)
        return known


def _before(cut: int, problems: list[Problem]) -> list[Problem]:
    """Return the problems up to where the reading ended, all when there is none; the first of a place."""
    first = {problem.span: problem for problem in reversed(problems)}
    told = [problem for problem in problems if first[problem.span] is problem]
    return [problem for problem in told if problem.span.start < cut] or told


def _rank(result: ParseResult) -> tuple[int, int]:
    """Return how much is wrong with a reading; of two with as many problems, more members win."""
    agents = result.program.agents if result.program else ()
    return len(result.problems), -sum(len(agent.members) for agent in agents)


def _deep(text: str, position: int, end: int) -> int | None:
    """Return where, if anywhere, a long text is nested far deeper than any program may be.

    It is told before a token is made: tokens of megabytes of brackets would fill the memory.
    """
    depth = 0
    while end - position >= _SHORT and (bracket := _BRACKET(text, position, end)):
        position = bracket.end()
        depth = depth + 1 if bracket[1] in "({[" else max(0, depth - 1)
        if depth > _MOST_OPEN:
            return position - 1
    return None


def parse(text: str, name: str = "<text>") -> ParseResult:
    """Parse `text` by itself; `name` is what messages call it.

    Never raises: whatever is wrong is a problem of the result. Errors of code S… leave holes in the tree.
    """
    return Parser().parse(text, name)


def place_at(text: str, offset: int) -> Place | None:
    """Return what could stand at `offset` behind the text before it, for completion.

    A word that ends at `offset` is being typed and is left out; mistakes before it are read over. None inside
    a text or comment.
    """
    grammar = _grammar()
    with grammar.lock:
        return place_behind(grammar.engine, grammar.builder, Source(text[:offset]))
