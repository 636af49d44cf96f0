"""Text to tokens: one compiled regular expression (language.md §1).

`agent.lark` defines the same terminals for Lark's own contextual lexer; a test holds the two equal. The
only thing that is not decided here is the eight any-case words (`call`, `Blocked` …): `ANY_CASE` names the
terminal that each of them is where no name may stand, and the parser, which knows the place, chooses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice
from typing import NamedTuple

from agentl_grammar.lexicon import UNITS, WORDS
from agentl_grammar.source import BYTE_ORDER_MARK, Span

_UNIT = "|".join(sorted(UNITS, key=len, reverse=True))
# Possessive, as nothing is ever given back: a text or comment of megabytes would fill the memory otherwise.
STRING = r'"[^"\\]*+(?:\\[^\r\n][^"\\]*+)*+"'
COMMENT = r"(?:(?:\#|//)[^\r\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/)"
GAP = rf"(?:[ \t\r\n]++|{COMMENT})*+"
_UNKNOWN_FOLLOWS = re.compile(GAP + "(?:[:=]" + GAP + r")?UNKNOWN(?![A-Za-z0-9_])").match
_STRING_FOLLOWS = re.compile(GAP + '"').match
# Groups in descending frequency: a group that did not match costs almost nothing.
_TOKEN = re.compile(
    rf"""[ \t\r\n]*+(?:
        ([A-Za-z_][A-Za-z0-9_]*)                                                # 1 word
      | (==|!=|>=|<=|(?!->|=>|//|/\*)[-{{}}()\[\],:.=<>+*/])                    # 2 operator
      | ({STRING})                                                            # 3 string
      | ([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:T[0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}})?)?)   # 4 datetime
      | ([0-9]+(?:\.[0-9]+)?(%|(?:{_UNIT})(?![A-Za-z0-9_]))?)                   # 5 number, 6 its unit
      | ({COMMENT})                                                           # 7 comment
      | \Z)""",
    re.VERBOSE,
).match
_WORD, _OPERATOR, _STRING, _DATETIME, _NUMBER, _NUMBER_WITH_UNIT, _COMMENT = range(1, 8)
_SPACE = re.compile(r"[ \t\r\n]*+").match

END = "$END"
OPERATORS = {
    "==": "EQUAL",
    "!=": "NOT_EQUAL",
    ">=": "GREATER_EQUAL",
    "<=": "LESS_EQUAL",
    ">": "GREATER",
    "<": "LESS",
    "=": "_EQ",
    "+": "_PLUS",
    "-": "_MINUS",
    "*": "_STAR",
    "/": "_SLASH",
    "{": "_LBRACE",
    "}": "_RBRACE",
    "(": "_LPAR",
    ")": "_RPAR",
    "[": "_LBRACKET",
    "]": "_RBRACKET",
    ":": "_COLON",
    ",": "_COMMA",
    ".": "_DOT",
}
ANY_CASE = {
    "CALL": "_CALL",
    "BLOCKED": "_BLOCKED",
    "NO": "_NO",
    "ERROR": "_ERROR",
    "NEVER": "_NEVER_ANY_CASE",
    "EVENT": "_EVENT_ANY_CASE",
    "ALLOW": "_ALLOW_ANY_CASE",
    "DENY": "_DENY_ANY_CASE",
}
_KEYWORDS = {word: "_" + word for word in WORDS}


class Token(NamedTuple):
    """A token: `type` is a terminal of agent.lark, `start` and `end` are offsets in code points."""

    type: str
    text: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The place of the token."""
        return Span(self.start, self.end)


class LexicalProblem(Enum):
    """Why the text cannot be cut into tokens at some place."""

    STRING_NOT_CLOSED = auto()
    COMMENT_NOT_CLOSED = auto()
    UNKNOWN_CHARACTER = auto()


@dataclass(frozen=True, slots=True)
class Lexed:
    """The tokens, and the comments between them, up to the end or the first place that is no token."""

    tokens: list[Token]
    comments: list[Token]
    problem: LexicalProblem | None
    problem_start: int


def lex(text: str, begin: int = 0, stop: int | None = None) -> Lexed:
    """Cut `text`, or its part from `begin` to `stop`, into tokens.

    Never raises; a byte order mark at the start of the text is skipped.
    """
    tokens: list[Token] = []
    comments: list[Token] = []
    stop = len(text) if stop is None else stop
    position = 1 if begin == 0 and text.startswith(BYTE_ORDER_MARK) else begin
    for kind, match in _matches(text, position, stop):
        position = match.end(kind)
        (comments if kind == _COMMENT else tokens).append(_token(kind, match, text))
    position = _end_of_space(text, position, stop)
    problem = None if position >= stop else _lexical_problem(text, position)
    return Lexed(tokens, comments, problem, position)


def first_tokens(text: str, begin: int, count: int) -> list[Token]:
    """Return the first `count` tokens from `begin` on, fewer when the text ends or breaks before."""
    return list(islice(stream(text, begin, len(text)), count))


def stream(text: str, begin: int, stop: int) -> Iterator[Token]:
    """Yield the tokens from `begin` up to `stop`, or to the first place that is no token, keeping none."""
    return (_token(*found, text) for found in _matches(text, begin, stop) if found[0] != _COMMENT)


def is_whole(text: str, begin: int, stop: int) -> bool:
    """Tell whether the part of `text` from `begin` to `stop` is nothing but tokens; none is kept."""
    position = begin
    for kind, match in _matches(text, begin, stop):
        position = match.end(kind)
    return _end_of_space(text, position, stop) >= stop


def _matches(text: str, position: int, stop: int) -> Iterator[tuple[int, re.Match[str]]]:
    while match := _TOKEN(text, position, stop):
        kind = match.lastindex
        if kind is None:
            return
        if kind == _NUMBER_WITH_UNIT:
            kind = _NUMBER
        yield kind, match
        position = match.end(kind)


def _token(kind: int, match: re.Match[str], text: str) -> Token:
    start, end = match.span(kind)
    return Token("COMMENT" if kind == _COMMENT else _token_type(kind, match, text), match[kind], start, end)


def _token_type(kind: int, match: re.Match[str], text: str) -> str:
    if kind == _WORD:
        return _word_type(match[kind], text, match.end(kind))
    if kind == _OPERATOR:
        return OPERATORS[match[kind]]
    if kind == _NUMBER:
        unit = match[_NUMBER_WITH_UNIT]
        return "NUMBER" if unit is None else "PERCENT" if unit == "%" else "TIMESPAN"
    return "STRING" if kind == _STRING else "DATETIME"


def _word_type(word: str, text: str, end: int) -> str:
    keyword = _KEYWORDS.get(word, "NAME")
    if keyword == "_ON" and followed_by_unknown(text, end):
        return "_ON_UNKNOWN"
    if keyword == "_VERIFY" and _STRING_FOLLOWS(text, end):
        return "_VERIFY_LABELLED"
    return keyword


def followed_by_unknown(text: str, end: int) -> bool:
    """Tell whether UNKNOWN follows an ON that ends at `end`: it belongs to an observation then."""
    return _UNKNOWN_FOLLOWS(text, end) is not None


def _end_of_space(text: str, position: int, stop: int) -> int:
    match = _SPACE(text, position, stop)
    return match.end() if match else position


def _lexical_problem(text: str, position: int) -> LexicalProblem:
    if text[position] == '"':
        return LexicalProblem.STRING_NOT_CLOSED
    if text.startswith("/*", position):
        return LexicalProblem.COMMENT_NOT_CLOSED
    return LexicalProblem.UNKNOWN_CHARACTER


_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


def string_value(literal: str) -> str:
    """Return what a quoted string says: escapes resolved, any other backslash pair kept (§1.7)."""
    body = literal[1:-1]
    if "\\" not in body:
        return body
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[0]), body)


def quote(value: str) -> str:
    """Return a literal that `string_value` reads back as `value`."""
    for character, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        value = value.replace(character, escape)
    return f'"{value}"'
