"""The comments of a text and the nodes that they belong to (language.md §1).

`ParseResult.comments` is a sequence of every `Comment` of the text, each once, in order, whatever is wrong
with the text. A comment tells what kind it is, how many line ends lie between it and what stands before and
behind it (`lines_before`, `lines_after`: 0 is the same line, 2 or more is a blank line between), and where
the tokens around it are.

    result.comments                        every Comment, in order
    result.comments.placed()               every comment with its node: Placed(comment, node, placement)
    result.comments.of(node)               the Placed of one node of result.program, in order

A comment is `LEADING` when it stands above its node, before it on the same line, or behind a word that begins
it (ELSE); `TRAILING` behind its node on the same line; `INNER` in its node where no node follows before a
bracket is closed: in an empty block, at the end of a block, behind the brace that opens it; and behind the
brace that closes a field which is no node (`INPUT { … } # why`), at the end of its line. A comment above the
first agent leads it; one below the last is inner to the program. Between two fields that are no nodes
(WEIGHT 2) a comment is inner to the node that has them; `token_before` and `token_after` tell between which
words. A nodeless comment is one of a text without tree.

Nothing is done until someone asks.
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
from agentl_grammar.lexer import COMMENT, STRING
from agentl_grammar.source import BYTE_ORDER_MARK, Source, Span
from agentl_grammar.tree import Agent, EventHandler, MessageHandler, Node, Program, children
from agentl_grammar.tree.shift import Moved

_LINE_END = re.compile(r"\r\n|\n|\r")
_SPACE = " \t\r\n"
# All up to a comment, a text that is not closed, or a quote behind a backslash.
_CODE = re.compile(rf'(?:[^"#/\\]++|{STRING}|/(?![/*])|\\(?!"))*+').match
_TEXT = re.compile(rf"\\?+{STRING}").match
_NOT_CLOSED = re.compile(r'\\?+"[^\r\n]*+').match
_LOOKED_AT = re.compile(r'\\?+"[^"\\]*+(?:\\[^\r\n][^"\\]*+)*+').match
_COMMENT = re.compile(COMMENT).match


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


class _Piece(NamedTuple):
    """A comment, or what stands between two of them, without white space at its ends."""

    start: int
    end: int
    is_comment: bool
    opens: bool


class Comments(Sequence[Comment]):
    """The comments of one text; see the module."""

    def __init__(self, source: Source, program: Program | None, cuts: Sequence[AgentText]) -> None:
        self._source = source
        self._program = program
        self._cuts = cuts
        self._found: tuple[Comment, ...] | None = None
        self._placed: tuple[Placed, ...] | None = None
        self._by_node: dict[int, list[Placed]] | None = None

    def _all(self) -> tuple[Comment, ...]:
        if self._found is None:
            self._found = tuple(_comments(self._source.text, self._cuts))
        return self._found

    def placed(self) -> tuple[Placed, ...]:
        """Return every comment with its node."""
        if self._placed is None:
            places = _Places(self._source, self._program)
            self._placed = tuple(map(places.place, self._all()))
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


def _comments(text: str, cuts: Sequence[AgentText]) -> Iterator[Comment]:
    before: _Piece | None = None
    waiting: list[_Piece] = []
    for begin, end in _stretches(text, cuts):
        for piece in _pieces(text, begin, end):
            if piece.is_comment:
                waiting.append(piece)
                continue
            yield from _run(text, before, waiting, piece)
            before, waiting = piece, []
    yield from _run(text, before, waiting, None)


def _stretches(text: str, cuts: Sequence[AgentText]) -> Iterator[tuple[int, int]]:
    """Yield the parts of the whole text between the places where agents and members begin and end.

    What is left open in one of them ends with it, as in the tree.
    """
    edges = {int(text.startswith(BYTE_ORDER_MARK)), len(text)}
    for agent in cuts:
        edges.update((agent.start, agent.head_end, agent.end))
        edges.update(start for start, _ in agent.members)
    return pairwise(sorted(edges))


def _pieces(text: str, begin: int, end: int) -> Iterator[_Piece]:
    """Yield the comments of a stretch, and what is between them when it is more than white space."""
    open_until = begin
    while begin < end:
        code = _CODE(text, begin, end)
        stop = _end(code, begin)
        written = text[begin:stop].rstrip(_SPACE)
        if start := written.lstrip(_SPACE):
            last = begin + len(written)
            yield _Piece(last - len(start), last, is_comment=False, opens=start[-1] in "({[")
        begin = stop
        if stop < end:
            if stop >= open_until and text[stop] in '"\\' and not _TEXT(text, stop, end):
                open_until = _end(_LOOKED_AT(text, stop, end), end)
            # Where a text was found open, no quote that it passed over begins one that is closed.
            behind = _NOT_CLOSED if stop < open_until else _TEXT
            find = _COMMENT if text[stop] in "#/" else behind
            begin = _end(find(text, stop, end), end)
            yield _Piece(stop, begin, is_comment=find is _COMMENT, opens=False)


def _end(found: re.Match[str] | None, otherwise: int) -> int:
    return found.end() if found else otherwise


def _run(text: str, before: _Piece | None, run: list[_Piece], after: _Piece | None) -> Iterator[Comment]:
    """Yield the comments that stand between two pieces which are none."""
    edges = [before.end if before else int(text.startswith(BYTE_ORDER_MARK))]
    edges += [edge for piece in run for edge in (piece.start, piece.end)]
    edges.append(after.start if after else len(text))
    gaps = [len(_LINE_END.findall(text, *gap)) for gap in zip(edges[::2], edges[1::2], strict=True)]
    for at, (start, end, _, _) in enumerate(run):
        written = text[start:end]
        yield Comment(
            Span(start, end),
            written,
            CommentKind.HASH if written[0] == "#" else CommentKind(written[:2]),
            gaps[at],
            gaps[at + 1],
            before.end if before else None,
            after.start if after else None,
            before is not None and before.opens,
            before is None and at == 0,
        )


class _Places:
    """Finds the node of each comment of one text; what is below a node is put in order once."""

    def __init__(self, source: Source, program: Program | None) -> None:
        self._source = source
        self._program = program
        self._ordered: dict[int, list[Node]] = {}

    def place(self, comment: Comment) -> Placed:
        """Return the comment with its node."""
        if self._program is None:
            return Placed(comment, None, Placement.INNER)
        node: Node = self._program
        before, inside, after = self._neighbours(node, None, comment.span)
        while inside is not None:
            around, node = node, inside
            before, inside, after = self._neighbours(node, around, comment.span)
        if after and self._is_above(comment, after):
            return Placed(comment, after, Placement.LEADING)
        if before and not comment.own_line and not comment.opens:
            line = self._source.line_number
            if line(before.span.end) == line(comment.span.start):
                return Placed(comment, before, Placement.TRAILING)
            if after and (
                line(comment.span.end) == line(after.span.start) or not self._is_closed_before(comment)
            ):
                return Placed(comment, after, Placement.LEADING)
        return Placed(comment, node, Placement.INNER)

    def _is_closed_before(self, comment: Comment) -> bool:
        """Tell whether a comment stands behind a bracket that ends something."""
        end = comment.token_before
        return end is not None and self._source.text[end - 1] in ")]}"

    def _is_above(self, comment: Comment, after: Node) -> bool:
        """Tell whether nothing but its own words stands between a comment and the node behind it."""
        following = comment.token_after
        if following is None or self._source.text[following] in ")]}":
            return False
        return comment.own_line or (comment.lines_after == 0 and following == after.span.start)

    def _neighbours(
        self, node: Node, around: Node | None, span: Span
    ) -> tuple[Node | None, Node | None, Node | None]:
        """Return what is below `node` last before `span`, around it, and first behind it."""
        nodes = self._below(node, around)
        behind = bisect_right(nodes, span.start, key=lambda child: child.span.start)
        before = nodes[behind - 1] if behind else None
        if before and before.span.end > span.start:
            return None, before, None
        return before, None, nodes[behind] if behind < len(nodes) else None

    def _below(self, node: Node, around: Node | None) -> Sequence[Node]:
        """Return what is inside `node` in the order of the text.

        The WHEN of a handler stands in its body.
        """
        if isinstance(node, Agent) and isinstance(node.members, Moved):
            return _Below(node)
        if id(node) not in self._ordered:
            found = [*children(node)]
            if isinstance(around, EventHandler | MessageHandler) and node is around.body and around.when:
                found.append(around.when)
            if isinstance(node, EventHandler | MessageHandler):
                found = [child for child in found if child is not node.when]
            inside = [child for child in found if _is_within(child.span, node.span)]
            self._ordered[id(node)] = sorted(inside, key=lambda child: child.span.start)
        return self._ordered[id(node)]


def _is_within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


class _Below(Sequence[Node]):
    """The name of an agent and its members; each is moved to its place when it is looked at."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def __len__(self) -> int:
        return len(self._agent.members) + 1

    @overload
    def __getitem__(self, index: int) -> Node: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Node]: ...
    def __getitem__(self, index: int | slice) -> Node | Sequence[Node]:
        if isinstance(index, slice):
            return [*self][index]
        return self._agent.members[index - 1] if index else self._agent.name
