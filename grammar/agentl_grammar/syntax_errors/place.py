"""Where a syntax problem is: the token that cannot stand there, what could, and the brackets around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agentl_grammar.excerpt import visible
from agentl_grammar.lalr import Cursor
from agentl_grammar.lexer import END, OPERATORS, Token, string_value
from agentl_grammar.problems import Fix, Message, Problem, Related, Severity, message_id
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import Path

CLOSERS = {"_LBRACE": "_RBRACE", "_LPAR": "_RPAR", "_LBRACKET": "_RBRACKET"}
CLOSER_TEXTS = {"_RBRACE": "}", "_RPAR": ")", "_RBRACKET": "]"}
_OPERATOR_TYPES = frozenset(OPERATORS.values())
# Words that open a bracket, and whether a Word or Path that is part of their title follows.
_NAMED = "AGENT PLAN STEP TOOL HYPOTHESIS SCENARIO OUTCOME GROUP MESSAGE ASK DELEGATE EVENT FOREACH GOAL"
_NAMELESS = (
    "BELIEF OBSERVE MEMORY POLICY DECIDE PLANNER UTILITY LOOP VERIFY REASON JUDGE INPUT OUTPUT SIDE_EFFECT "
    "RISK REQUIRES EFFECT SHORT_TERM LONG_TERM KNOWLEDGE SHARED WRITE STORE TARGET RULES EVIDENCE GIVEN "
    "EXPECT USING PRODUCE PAYLOAD CHOICE SCORE IF THEN"
)
_HEADS = dict.fromkeys(_NAMED.split(), True) | dict.fromkeys(_NAMELESS.split(), False)


@dataclass(frozen=True, slots=True)
class Opener:
    """A bracket that is still open; `title` is what it belongs to (`PLAN pay`), `head` its first word.

    A repair may have put it in: it is not `written` in the text then, and no message may name it.
    """

    token: Token
    head: str
    title: str
    written: bool

    @property
    def closer(self) -> str:
        """The terminal that closes it."""
        return CLOSERS[self.token.type]


@dataclass(frozen=True, slots=True)
class Place:
    """Everything a message may want to know."""

    source: Source
    tokens: list[Token]
    index: int
    token: Token
    accepts: frozenset[str]
    openers: tuple[Opener, ...]
    cursor: Cursor
    cursor_at: Callable[[int], Cursor] | None = None
    """The parse before an earlier token, where it is known."""

    @property
    def following(self) -> Token | None:
        """The token behind, if any."""
        return self.tokens[self.index + 1] if self.index + 1 < len(self.tokens) else None

    @property
    def previous(self) -> Token | None:
        """The token before, if any."""
        return self.tokens[self.index - 1] if self.index else None

    @property
    def inner(self) -> Opener | None:
        """The innermost open bracket, if any."""
        return self.openers[-1] if self.openers else None

    @property
    def holder(self) -> Opener | None:
        """The innermost open bracket that is written in the text, if any."""
        return next((opener for opener in reversed(self.openers) if opener.written), None)

    @property
    def head(self) -> str:
        """The first word of what the innermost bracket belongs to, or nothing at the top level."""
        return self.inner.head if self.inner else ""

    def line(self, token: Token) -> int:
        """Return the line of a token, counted from 1."""
        return self.source.line_number(token.start) + 1

    def indent(self, token: Token) -> int:
        """Return how many blanks the line of a token begins with."""
        line = self.source.line(self.source.line_number(token.start))
        return len(line) - len(line.lstrip(" \t"))

    def starts_line(self) -> bool:
        """Tell whether the token is the first of its line."""
        return self.previous is None or self.line(self.previous) < self.line(self.token)

    def may_end(self) -> bool:
        """Tell whether the innermost bracket could be closed before the token."""
        return self.inner is not None and self.inner.closer in self.accepts

    def rest_of_line(self) -> list[Token]:
        """Return the token and those behind it on its line."""
        line = self.line(self.token)
        rest: list[Token] = []
        for token in self.tokens[self.index :]:
            if self.line(token) > line:
                break
            rest.append(token)
        return rest

    def line_before(self) -> list[Token]:
        """Return the tokens of the line of the token before the place, up to that token."""
        at = self.index
        while at and self.line(self.tokens[at - 1]) == self.line(self.tokens[self.index - 1]):
            at -= 1
        return self.tokens[at : self.index]

    def line_so_far(self) -> list[Token]:
        """Return the tokens before the place on its line."""
        line, at = self.line(self.token), self.index
        while at and self.line(self.tokens[at - 1]) == line:
            at -= 1
        return self.tokens[at : self.index]

    def problem(
        self,
        code: str,
        message: Message,
        hint: Message,
        *fixes: Fix,
        span: Span | None = None,
        related: Sequence[Related] = (),
    ) -> Problem:
        """Return an error at the token, or at `span`."""
        return Problem(code, Severity.ERROR, span or self.token.span, message, hint, tuple(related), fixes)


_FOUND = message_id("`{text}`")
_FOUND_END = message_id("the end of the text")
_LONGEST_FOUND = 30


def found(place: Place) -> Message:
    """Return what is found at `place`, such as `` `THEN` ``."""
    return Message(_FOUND_END) if place.token.type == END else shown(place.token)


def shown(token: Token) -> Message:
    """Return the text of a token as messages show it."""
    text = visible(token.text.split("\n")[0].rstrip("\r"))
    if len(text) > _LONGEST_FOUND:
        text = text[:_LONGEST_FOUND] + "…"
    return Message(_FOUND, {"text": text})


_REPLACE = message_id("replace with `{text}`")
_SPACE = message_id("replace with a space")
_DELETE = message_id("remove it")
_INSERT = message_id("insert `{text}`")


def replace(span: Span, text: str) -> Fix:
    """Return the fix that puts `text` in the place of `span`."""
    title = Message(_REPLACE, {"text": text.strip()}) if text.strip() else Message(_SPACE)
    return Fix(title, ((span, text),))


def delete(span: Span) -> Fix:
    """Return the fix that removes `span`."""
    return Fix(Message(_DELETE), ((span, ""),))


def rewrite(title: Message, *replacements: tuple[Span, str]) -> Fix:
    """Return the fix of several edits, in order."""
    return Fix(title, replacements)


def insert(offset: int, text: str) -> Fix:
    """Return the fix that inserts `text`."""
    return Fix(Message(_INSERT, {"text": " ".join(text.split())}), ((Span(offset, offset), text),))


def place_of(
    source: Source,
    tokens: list[Token],
    index: int,
    cursor: Cursor,
    cursor_at: Callable[[int], Cursor] | None = None,
) -> Place:
    """Return the place of token `index` (of the end of the text, when it is the number of tokens).

    `cursor` has taken the tokens before.
    """
    end = tokens[-1].end if tokens else 0
    token = tokens[index] if index < len(tokens) else Token(END, "", end, end)
    return Place(
        source,
        tokens,
        index,
        token,
        cursor.accepts(),
        _openers(source, [_unwrapped(value) for value in cursor.values]),
        cursor,
        cursor_at,
    )


def _unwrapped(value: Any) -> Any:
    """Return the token of a Word or separator that is not yet part of a larger rule."""
    children: list[Any] = getattr(value, "children", [])
    return children[0] if len(children) == 1 else value


def _openers(source: Source, values: list[Any]) -> tuple[Opener, ...]:
    found: list[tuple[int, Token]] = []
    for index, value in enumerate(values):
        if isinstance(value, Token) and value.type in CLOSERS:
            found.append((index, value))
        elif isinstance(value, Token) and value.type in CLOSER_TEXTS and found:
            found.pop()
    return tuple(
        Opener(token, *_named(values, index, token), source.slice(token.span) == token.text)
        for index, token in found
    )


def _named(values: list[Any], index: int, token: Token) -> tuple[str, str]:
    """Return the head and the title of the bracket at `index`."""
    before = values[index - 1] if index else None
    if token.type == "_LPAR":
        return "(", f"`{before.text}(`" if isinstance(before, Path) else "`(`"
    if token.type == "_LBRACKET":
        return "[", "`[`"
    head, title = _title(values[_start(values, index) : index])
    return head, title or "`{`"


def _start(values: list[Any], index: int) -> int:
    start = index
    while start and not (isinstance(values[start - 1], Token) and values[start - 1].type in CLOSERS):
        start -= 1
    return start


def _title(values: list[Any]) -> tuple[str, str]:
    """Return the last head among `values` and its title; the word behind a named head is its name."""
    head = title = ""
    skip = False
    for position, value in enumerate(values):
        if skip or not isinstance(value, Token):
            skip = False
            continue
        belongs_to_if = value.text == "THEN" and head == "IF"
        if value.type.startswith("_") and value.text in _HEADS and not belongs_to_if:
            head = title = value.text
            name = _name(values, position + 1) if _HEADS[head] else ""
            skip = bool(name)
            title = f"{head} {name}" if name else head
    return head, title


def _name(values: list[Any], position: int) -> str:
    value = values[position] if position < len(values) else None
    if isinstance(value, Path):
        return value.text
    if not isinstance(value, Token) or value.type in _OPERATOR_TYPES:
        return ""
    return string_value(value.text) if value.type == "STRING" else value.text
