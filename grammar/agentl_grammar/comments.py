"""The comments of a text and the nodes that they belong to (language.md §1).

`ParseResult.comments` is a sequence of every `Comment` of the text, each once, in order, whatever is wrong
with the text. A comment tells what kind it is, how many line ends lie between it and what stands before and
behind it (`lines_before`, `lines_after`: 0 is the same line, 2 or more is a blank line between), and where
the tokens around it are.

    result.comments                        every Comment, in order
    result.comments.placed()               every comment with its node: Placed(comment, node, placement)
    result.comments.of(node)               the Placed of one node of result.program, in order

A comment is `LEADING` when it stands above its node, or before it on the same line; `TRAILING` behind its
node on the same line; `INNER` in its node where no node follows: in an empty block, at the end of a block,
behind the brace that opens it. A comment above the first agent leads it; one below the last is inner to the
program. Between two fields that are no nodes (WEIGHT 2) a comment is inner to the node that has them;
`token_before` and `token_after` tell between which words. A nodeless comment is one of a text without tree.

Nothing is done until someone asks. The text of a member is looked through once, and known after an edit
elsewhere.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple, overload

from agentl_grammar.cutting.cuts import AgentText
from agentl_grammar.lexer import BYTE_ORDER_MARK, LexicalProblem, lex
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import Agent, Node, Program, children
from agentl_grammar.tree.shift import Moved

_LINE_END = re.compile(r"\r\n|\n|\r")
_NOT_CLOSED = re.compile(r'"[^\r\n]*').match


class CommentKind(StrEnum):
    """How a comment begins."""

    HASH = "#"
    SLASHES = "//"
    BLOCK = "/*"


class Placement(StrEnum):
    """Where a comment stands to its node."""

    LEADING = "leading"
    TRAILING = "trailing"
    INNER = "inner"


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment; `text` is all of it, with its `#`, `//` or `/* */`, without the line end.

    `token_before` is where the last token before it ends and `token_after` where the next one starts, None at
    the ends of the text; `opens` tells that the token before is an opening bracket, `first` that nothing at
    all stands before the comment.
    """

    span: Span
    text: str
    kind: CommentKind
    lines_before: int
    lines_after: int
    token_before: int | None
    token_after: int | None
    opens: bool
    first: bool

    @property
    def own_line(self) -> bool:
        """Tell whether nothing stands before it on its line."""
        return self.lines_before > 0 or self.first


class Placed(NamedTuple):
    """A comment at its node."""

    comment: Comment
    node: Node | None
    placement: Placement


class _Word(NamedTuple):
    start: int
    end: int
    is_comment: bool
    opens: bool


class Known:
    """What was found in the stretches of the last text: of each, by its text, as if it began at 0.

    That is its comments, the tokens next to them, its first and its last.
    """

    def __init__(self) -> None:
        self.words: dict[str, tuple[_Word, ...]] = {}


class Comments(Sequence[Comment]):
    """The comments of one text; see the module."""

    def __init__(
        self, source: Source, program: Program | None, cuts: Sequence[AgentText], known: Known
    ) -> None:
        self._source = source
        self._program = program
        self._cuts = cuts
        self._known = known
        self._found: tuple[Comment, ...] | None = None
        self._placed: tuple[Placed, ...] | None = None
        self._by_node: dict[int, list[Placed]] | None = None

    def _all(self) -> tuple[Comment, ...]:
        if self._found is None:
            self._found = tuple(_comments(self._source.text, self._words()))
        return self._found

    def _words(self) -> list[_Word]:
        text, found = self._source.text, list[_Word]()
        known, fresh = self._known.words, dict[str, tuple[_Word, ...]]()
        for begin, end in _stretches(text, self._cuts):
            stretch = text[begin:end]
            words = fresh.get(stretch) or known.get(stretch) or _words(stretch)
            fresh[stretch] = words
            found += [word._replace(start=word.start + begin, end=word.end + begin) for word in words]
        self._known.words = fresh
        return found

    def placed(self) -> tuple[Placed, ...]:
        """Return every comment with its node."""
        if self._placed is None:
            self._placed = tuple(_place(self._source.text, self._program, comment) for comment in self._all())
        return self._placed

    def of(self, node: Node) -> Sequence[Placed]:
        """Return the comments of a node of the program of this result."""
        if self._by_node is None:
            by_node: dict[int, list[Placed]] = {}
            for placed in self.placed():
                by_node.setdefault(id(placed.node), []).append(placed)
            self._by_node = by_node
        return self._by_node.get(id(node), ())

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, index: int) -> Comment: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Comment]: ...
    def __getitem__(self, index: int | slice) -> Comment | Sequence[Comment]:
        return self._all()[index]

    def __iter__(self) -> Iterator[Comment]:
        return iter(self._all())


def _stretches(text: str, cuts: Sequence[AgentText]) -> Iterator[tuple[int, int]]:
    """Yield the parts of the whole text between the places where agents and members begin and end."""
    edges = {0, len(text)}
    for agent in cuts:
        edges.update((agent.start, agent.head_end, agent.end))
        edges.update(start for start, _ in agent.members)
    return pairwise(sorted(edges))


def _words(text: str) -> tuple[_Word, ...]:
    """Return the comments of a stretch and the tokens next to them, and its first and last token."""
    words: list[_Word] = []
    position = 0
    while position < len(text):
        lexed = lex(text, position)
        words += [_Word(token.start, token.end, False, token.text in "({[") for token in lexed.tokens]
        words += [_Word(comment.start, comment.end, True, False) for comment in lexed.comments]
        position = lexed.problem_start
        if lexed.problem is None:
            break
        end = _behind_no_token(text, lexed.problem, position)
        is_comment = lexed.problem is LexicalProblem.COMMENT_NOT_CLOSED
        words.append(_Word(position, end, is_comment, False))
        position = end
    words.sort()
    last = len(words) - 1
    return tuple(
        word
        for at, word in enumerate(words)
        if at in (0, last) or any(near.is_comment for near in words[at - 1 : at + 2])
    )


def _behind_no_token(text: str, problem: LexicalProblem, position: int) -> int:
    if problem is LexicalProblem.COMMENT_NOT_CLOSED:
        return len(text)
    not_closed = _NOT_CLOSED(text, position)
    return not_closed.end() if not_closed else position + 1


def _comments(text: str, words: list[_Word]) -> Iterator[Comment]:
    after = _tokens_after(words)
    before: _Word | None = None
    start = 1 if text.startswith(BYTE_ORDER_MARK) else 0
    for at, word in enumerate(words):
        if word.is_comment:
            previous = words[at - 1].end if at else start
            following = words[at + 1].start if at + 1 < len(words) else len(text)
            written = text[word.start : word.end]
            yield Comment(
                Span(word.start, word.end),
                written,
                CommentKind.HASH if written[0] == "#" else CommentKind(written[:2]),
                len(_LINE_END.findall(text, previous, word.start)),
                len(_LINE_END.findall(text, word.end, following)),
                before.end if before else None,
                after[at],
                before is not None and before.opens,
                at == 0,
            )
        else:
            before = word


def _tokens_after(words: list[_Word]) -> list[int | None]:
    found: list[int | None] = []
    after: int | None = None
    for word in reversed(words):
        found.append(after)
        after = after if word.is_comment else word.start
    return found[::-1]


def _place(text: str, program: Program | None, comment: Comment) -> Placed:
    if program is None:
        return Placed(comment, None, Placement.INNER)
    node: Node = program
    while True:
        before, inside, after = _neighbours(node, comment.span)
        if inside is None:
            break
        node = inside
    same_line = comment.lines_after == 0 and after is not None and comment.token_after == after.span.start
    if after and (comment.own_line or same_line):
        return Placed(comment, after, Placement.LEADING)
    if before and not comment.own_line and not comment.opens:
        if not _LINE_END.search(text, before.span.end, comment.span.start):
            return Placed(comment, before, Placement.TRAILING)
        if after:
            return Placed(comment, after, Placement.LEADING)
    return Placed(comment, node, Placement.INNER)


def _neighbours(node: Node, span: Span) -> tuple[Node | None, Node | None, Node | None]:
    """Return the last child of `node` before `span`, the one around it, and the first one behind it."""
    before = after = None
    for child in _near(node, span):
        if child.span.start <= span.start < child.span.end:
            return None, child, None
        if child.span.end <= span.start and (before is None or child.span.end >= before.span.end):
            before = child
        if child.span.start >= span.end and (after is None or child.span.start < after.span.start):
            after = child
    return before, None, after


def _near(node: Node, span: Span) -> Iterator[Node]:
    """Yield the children of `node`; of an agent, only the members that may be next to `span`."""
    if not isinstance(node, Agent) or not isinstance(node.members, Moved):
        yield from (
            c for c in children(node) if node.span.start <= c.span.start and c.span.end <= node.span.end
        )
        return
    yield node.name
    members = node.members
    at = bisect_right(range(len(members)), span.start, key=lambda index: members[index].span.start)
    yield from (members[index] for index in range(max(0, at - 1), min(len(members), at + 1)))
