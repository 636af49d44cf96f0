"""What every part of the builder shares: children, spans, names, numbers, fields of a block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from agentl_grammar.lexer import Token, string_value
from agentl_grammar.lexicon import UNITS
from agentl_grammar.problems import Message, Problem, Related, Severity, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import Block, Name, Node, NumberLiteral, StringLiteral

Children = list[Any]


@dataclass(frozen=True, slots=True)
class Part:
    """A field of a block that is no node of its own: `kind` is its rule in the grammar."""

    kind: str
    value: Any
    span: Span


class TooDeepError(Exception):
    """The tree would be deeper, or with `long` a row in it longer, than the product is ready to walk."""

    def __init__(self, span: Span, *, long: bool = False) -> None:
        super().__init__(span)
        self.span = span
        self.long = long


_REPEATED = message_id("a second {what}: only one can count")
_REPEATED_HINT = message_id("join the two into one")
_FIRST = message_id("the first one is here")
MAXIMUM_DEPTH = 100
"""So many brackets, blocks and operators may stand one in the other."""
MAXIMUM_ROW = 400
"""So many terms may be joined side by side: nothing nests there, but each is a node below the one before.

An ELSE IF counts twice, it is a block too. What nests counts as well.
"""
# Python reads no integer of more digits; as a float such a number is infinite.
_LONGEST = 4300


class Building:
    """The state of one parse, and the helpers of the rule methods."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        # By identity; each entry holds its node, so that no later node can have the same one.
        self._outer: dict[int, tuple[Node, Span]] = {}
        self._levels: dict[int, tuple[Any, int, int]] = {}

    def begin(self) -> None:
        """Forget the parse before."""
        self.problems = []
        self._outer = {}
        self._levels = {}

    def place(self, child: Any) -> Span:
        """Return the span of a token, part or node; an expression in parentheses includes them."""
        outer = self._outer.get(id(child))
        return outer[1] if outer else child.span

    def wrap(self, child: Node, span: Span) -> None:
        """Remember that the expression `child` stands in parentheses, which are a level of their own.

        Raises:
            TooDeepError: as `deepen`.
        """
        self._outer[id(child)] = (child, span)
        self.deepen(child, (child,))

    def is_wrapped(self, child: Node) -> bool:
        """Tell whether the expression `child` stands in parentheses."""
        return id(child) in self._outer

    def span(self, children: Sequence[Any]) -> Span:
        """Return the stretch from the first child to the last one that is not a comma."""
        last = children[-1]
        if isinstance(last, Token) and last.type == "_COMMA":
            last = children[-2]
        first = children[0]
        start = first.start if isinstance(first, Token) else self.place(first).start
        return Span(start, last.end if isinstance(last, Token) else self.place(last).end)

    def deepen(self, node: Any, parts: Iterable[Any]) -> Any:
        """Record that `node` lies above `parts`; return it.

        Raises:
            TooDeepError: more than `MAXIMUM_DEPTH` levels.
        """
        depth, height = self._highest(parts)
        if depth >= MAXIMUM_DEPTH or height + 1 >= MAXIMUM_ROW:
            raise TooDeepError(node.span, long=depth < MAXIMUM_DEPTH)
        self._levels[id(node)] = (node, depth + 1, height + 1)
        return node

    def lengthen(self, node: Any, row: Any, parts: Iterable[Any], count: int = 1) -> Any:
        """Record that `node` goes on with `row`, no level deeper, and lies above `parts`; return it.

        In a row it counts as `count`.

        Raises:
            TooDeepError: as `deepen`, or the row is longer than `MAXIMUM_ROW`.
        """
        self.deepen(node, parts)
        (depth, height), (row_depth, row_height) = self._highest((node,)), self._highest((row,))
        height = max(height, row_height + count)
        if height >= MAXIMUM_ROW:
            raise TooDeepError(node.span, long=True)
        self._levels[id(node)] = (node, max(depth, row_depth), height)
        return node

    def _highest(self, parts: Iterable[Any]) -> tuple[int, int]:
        """Return how many levels the deepest of `parts` has, and how many nodes the highest."""
        depth = height = 0
        for part in parts:
            known = self._levels.get(id(part))
            if known:
                depth, height = max(depth, known[1]), max(height, known[2])
        return depth, height

    def branch(self, child: Any) -> Block:
        """Return a branch as a block: itself, or one bare statement."""
        if isinstance(child, Block):
            return child
        return self.statements([child], self.place(child))

    def statements(self, children: Children, span: Span) -> Block:
        """Return the block of the statements among `children`."""
        found = tuple(nodes(children))
        block = Block(span, found)
        if found:
            self._levels[id(block)] = (block, *self._highest(found))
        return block

    def report(self, code: str, span: Span, message: Message, hint: Message, *related: Related) -> None:
        """Record an error that leaves the tree standing."""
        self.problems.append(Problem(code, Severity.ERROR, span, message, hint, tuple(related)))


def repetitions(what: str, spans: Iterable[Span]) -> list[Problem]:
    """Report every repetition of what may stand once (E018)."""
    first, *others = spans
    message, hint = Message(_REPEATED, {"what": what}), Message(_REPEATED_HINT)
    related = (Related(first, Message(_FIRST)),)
    return [Problem("E018", Severity.ERROR, span, message, hint, related) for span in others]


def nodes(children: Iterable[Any]) -> list[Any]:
    """Return the children that are not tokens."""
    return [child for child in children if not isinstance(child, Token)]


def stands(node: Node) -> bool:
    """Tell whether a node stands in the text: what a repair put in has no place."""
    return node.span.start < node.span.end


def name(token: Token) -> Name:
    """Return a Word as a name: of a string its text."""
    return Name(token.span, string_value(token.text) if token.type == "STRING" else token.text)


def string(token: Token) -> StringLiteral:
    """Return a string token as a literal."""
    return StringLiteral(token.span, string_value(token.text))


def number(token: Token, minus: Token | None = None) -> NumberLiteral:
    """Return a numeric token, with the `-` before it if there is one, as a literal (§1.5)."""
    sign = -1 if minus else 1
    span = Span(minus.start, token.end) if minus else token.span
    text = f"-{token.text}" if minus else token.text
    if token.type == "PERCENT":
        return NumberLiteral(span, sign * _scaled(token.text[:-1], "0.01"), "percent", text)
    if token.type == "TIMESPAN":
        digits = token.text.rstrip("abcdefghijklmnopqrstuvwxyz")
        factor = UNITS[token.text[len(digits) :]]
        return NumberLiteral(span, sign * _scaled(digits, str(factor)), "duration", text)
    return NumberLiteral(span, sign * _plain(token.text), "number", text)


def _plain(text: str) -> int | float:
    return float(text) if "." in text or len(text) > _LONGEST else int(text)


def _scaled(digits: str, factor: str) -> float:
    # In decimal, so that 99.9% is 0.999 and not the float next to it.
    if len(digits) > _LONGEST:
        return float(digits) * float(factor)
    return float(Decimal(digits) * Decimal(factor))


class Fields:
    """The fields of a block, folded as §2.3 says: of one kind the last wins, or all count."""

    def __init__(self, children: Iterable[Any]) -> None:
        self._parts = nodes(children)

    def last(self, kind: str | type) -> Any:
        """Return the value of the last field of a kind (a rule's name, or a node class), or None."""
        found = self.all(kind)
        return found[-1] if found else None

    def all(self, kind: str | type) -> list[Any]:
        """Return the values of all fields of a kind, in order."""
        if isinstance(kind, type):
            return [part for part in self._parts if isinstance(part, kind)]
        return [part.value for part in self._parts if isinstance(part, Part) and part.kind == kind]

    def parts(self, kind: str) -> list[Part]:
        """Return all fields of a kind, with their places."""
        return [part for part in self._parts if isinstance(part, Part) and part.kind == kind]
