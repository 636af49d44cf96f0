"""The layout of a text: only white space is changed, never a word, a comma or a comment (language.md §1).

So a program means the same before and after, by its digest and to its readers. What a text has that cannot
be read is left as it is, byte for byte, and what stands around it is laid out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from agentl_grammar.cutting.cuts import AgentText, first
from agentl_grammar.cutting.cutter import Cutter
from agentl_grammar.formatter.aligning import align
from agentl_grammar.formatter.concrete import Branch, read_members
from agentl_grammar.formatter.documents import Atom, Document, Gap, Item, Nest, Remark
from agentl_grammar.formatter.rules import Rules
from agentl_grammar.formatter.writer import Writer, line_ends
from agentl_grammar.lexer import Token, lex
from agentl_grammar.parser import ParseResult, parse
from agentl_grammar.source import Span

__all__ = ["Formatted", "Replacement", "formatted"]


@dataclass(frozen=True, slots=True)
class Replacement:
    """White space in the text, and what is to stand there."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Formatted:
    """A text laid out: `replacements` lead to it from the text that was given; `left` was left as it is."""

    text: str
    replacements: tuple[Replacement, ...]
    left: tuple[Span, ...]


def formatted(text: str, result: ParseResult | None = None) -> Formatted:
    """Return `text` laid out; `result` is what it was parsed to, if that is known.

    Line ends, a byte order mark and all words, commas and comments stay. Laid out again, it stays as it is.
    """
    result = result or parse(text)
    agents = _agents(text)
    if not agents:
        return Formatted(text, (), (Span(0, len(text)),))
    layout = _Layout(text, agents, [problem.span for problem in result.problems if problem.code[0] == "S"])
    replacements = tuple(layout.replacements())
    return Formatted(_replaced(text, replacements), replacements, tuple(layout.left))


def _agents(text: str) -> list[AgentText] | None:
    cutter = Cutter()
    return cutter.by_braces(text) or cutter.by_layout(text)


def _replaced(text: str, replacements: Iterable[Replacement]) -> str:
    parts: list[str] = []
    end = 0
    for replacement in replacements:
        parts += [text[end : replacement.span.start], replacement.text]
        end = replacement.span.end
    return "".join([*parts, text[end:]])


@dataclass(frozen=True, slots=True)
class _Member:
    """A stretch of members: `branches` are None when it cannot be read."""

    span: Span
    branches: tuple[Branch, ...] | None


class _Layout:
    """One text on its way to pieces."""

    def __init__(self, text: str, agents: Sequence[AgentText], broken: Sequence[Span]) -> None:
        self._text = text
        self._broken = broken
        self.left: list[Span] = []
        self._atoms: dict[int, Atom] = {}
        self._agents = [(agent, list(self._members(agent))) for agent in agents]
        self._find_atoms()

    # ------------------------------------------------------------------ reading

    def _members(self, agent: AgentText) -> Iterator[_Member]:
        position = agent.head_end
        for start, end in agent.members:
            yield from self._between(position, start)
            yield self._member(agent, start, end)
            position = end
        if agent.open_end is not None:
            yield from self._between(*agent.open_end)
        elif agent.close is not None:
            yield from self._between(position, agent.close - 1)

    def _between(self, start: int, end: int) -> Iterator[_Member]:
        """Yield what stands in no member, when it is more than white space and comments."""
        lexed = lex(self._text, start, end)
        if lexed.tokens or lexed.problem is not None:
            yield self._unreadable(start, end)

    def _member(self, agent: AgentText, start: int, end: int) -> _Member:
        text = self._text
        trailing = lex(text, start, end)
        if trailing.problem is None and not self._is_broken(start, end):
            head = lex(text, agent.start, agent.head_end).tokens
            branches = read_members(head, trailing.tokens)
            if branches is not None:
                return _Member(Span(start, end), branches)
        return self._unreadable(start, end)

    def _unreadable(self, start: int, end: int) -> _Member:
        while start < end and self._text[start] in " \t\r\n":
            start += 1
        stop = start + len(self._text[start:end].rstrip(" \t\r\n"))
        self.left.append(Span(start, stop))
        return _Member(Span(start, stop), None)

    def _is_broken(self, start: int, end: int) -> bool:
        return any(span.start < end and start < max(span.end, span.start + 1) for span in self._broken)

    def _find_atoms(self) -> None:
        """Make an atom of every token, with the comments before it."""
        tokens: list[Token] = []
        comments: list[Token] = []
        for begin, end, readable in self._stretches():
            if readable:
                lexed = lex(self._text, begin, end)
                tokens += lexed.tokens
                comments += lexed.comments
            else:
                tokens.append(Token("", self._text[begin:end], begin, end))
        tokens.append(Token("", "", len(self._text), len(self._text)))
        self._end = len(self._text)
        at, before = 0, Token("", "", first(self._text), first(self._text))
        for token in tokens:
            found: list[Token] = []
            while at < len(comments) and comments[at].start < token.start:
                found.append(comments[at])
                at += 1
            self._atoms[token.start] = self._atom(before, found, token)
            before = token

    def _stretches(self) -> Iterator[tuple[int, int, bool]]:
        position = first(self._text)
        for agent, members in self._agents:
            for member in members:
                if member.branches is None:
                    yield position, member.span.start, True
                    yield member.span.start, member.span.end, False
                    position = member.span.end
            if agent.close is not None:
                yield position, agent.close, True
                position = agent.close
        yield position, len(self._text), True

    def _atom(self, before: Token, comments: Sequence[Token], token: Token) -> Atom:
        text = self._text
        remarks: list[Remark] = []
        end = before.end
        for comment, following in pairwise([*comments, token]):
            above = line_ends(text[end : comment.start])
            below = line_ends(text[comment.end : following.start])
            remarks.append(Remark(comment.start, comment.end, comment.text, above, below))
            end = comment.end
        between = text[before.end : token.start]
        return Atom(
            token.start,
            token.end,
            token.text,
            tuple(remarks),
            line_ends(between),
            len(between),
            verbatim=token.type == "" and token.text != "",
            after_number=before.type == "NUMBER",
        )

    # ------------------------------------------------------------------ writing

    def replacements(self) -> Iterator[Replacement]:
        """Yield what is to be replaced, in order."""
        writer = Writer(self._text, first(self._text))
        writer.write(list(self._documents()))
        align(writer.pieces)
        new_line = self._line_end()
        end = first(self._text)
        for piece in writer.pieces:
            gap = piece.gap if piece.kept else piece.gap.replace("\n", new_line)
            if self._text[end : piece.start].strip(" \t\r\n"):
                raise AssertionError(self._text[end : piece.start])  # a rule that leaves out a word of it
            if self._text[end : piece.start] != gap:
                yield Replacement(Span(end, piece.start), gap)
            end = piece.end

    def _line_end(self) -> str:
        """Return the line end that the text has most."""
        pairs = self._text.count("\r\n")
        counts = {
            "\n": self._text.count("\n") - pairs,
            "\r\n": pairs,
            "\r": self._text.count("\r") - pairs,
        }
        return max(counts, key=lambda end: counts[end])

    def _documents(self) -> Iterator[Document]:
        rules = Rules(lambda token: self._atoms[token.start])
        for at, (agent, members) in enumerate(self._agents):
            yield Gap("", blank=True, opens=at == 0)
            yield from self._head(agent)
            items = list(chain.from_iterable(self._items(rules, member) for member in members))
            inside: list[Document] = []
            for place, item in enumerate(items):
                inside += [Gap("", blank=True, opens=place == 0), item]
            yield Nest(inside)
            if agent.close is not None:
                closing = self._atoms[agent.close - 1]
                yield Gap(" ", breaks=bool(items or closing.forced), blank=True, opens=not items, closes=True)
                yield closing
        yield Gap("", blank=True)
        yield self._atoms[self._end]

    def _head(self, agent: AgentText) -> Iterator[Document]:
        for at, token in enumerate(lex(self._text, agent.start, agent.head_end).tokens):
            if at:
                yield Gap(" ", breaks=False)
            yield self._atoms[token.start]

    def _items(self, rules: Rules, member: _Member) -> Iterator[Document]:
        if member.branches is None:
            yield self._atoms[member.span.start]
        else:
            yield from (Item([rules.document(branch)]) for branch in member.branches)
