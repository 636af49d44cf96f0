"""Signs of more than one character that mean something elsewhere: each is told as one (S105, S117).

The first half of some of them is a sign of the language; read by itself it would be a mistake of its own.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import NamedTuple

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Fix, Message, Problem, Severity, message_id
from agentl_grammar.source import Source, Span
from agentl_grammar.syntax_errors.negation import DENIAL, negated_sign
from agentl_grammar.syntax_errors.place import replace, rewrite, shown

_FOREIGN = message_id("`{word}` does not belong to the language")
_PATTERN = message_id("texts have no patterns: compare the whole text with ==, or with IN [ … ]")
_COMMENT = message_id("a comment begins with `#` or `//`")
_WRITE = message_id("write `{text}`")
_GOES_ON = message_id("a number ends with its digits or with its unit, found {found}")
_COMPARES = (
    "WHEN IF AND OR NOT VERIFY UNTIL CONDITION GOAL MAINTAIN ACHIEVE TARGET EVIDENCE EXPECT REQUIRES PREDICT "
    "UTILITY WHERE"
)
_GIVES = "SET BELIEF EFFECT OUTCOME GIVEN PAYLOAD PLAN STEP THEN ELSE LOOP INPUT"
_COMPARING = frozenset(f"_{word}" for word in _COMPARES.split())
_GIVING = frozenset(f"_{word}" for word in _GIVES.split())
_APOSTROPHES = "'\u2019"
_DENIED = re.compile(
    rf"(?i:(?P<word>(?:DO|CA|MAY|MUST|SHOULD)N[{_APOSTROPHES}]T)\b[ \t]*"
    r"(?:(?P<rule>ALLOW|DENY|NEVER)\b[ \t]*|REQUIRE[ \t]+(?P<require>APPROVAL)[ \t]+FOR[ \t]*)?"
    r"(?P<name>\w[\w.]*|\*)?)"
).match
_POLICY = re.compile(r"\bPOLICY\s*\{[^{}]*\Z").search
# A policy that begins further up is not looked for.
_FAR = 2000
_GROUPS = re.compile(rf"(?:[{_APOSTROPHES}]\d{{3}})+(?![\w{_APOSTROPHES}])").match
_DIGITS = re.compile(r"[1-9]\d{0,2}").fullmatch


class Compound(NamedTuple):
    """The problem of a sign: the last `taken` tokens belong to it, `read` stand for it up to `end`."""

    problem: Problem
    taken: int
    read: list[Token]
    end: int


def compound(source: Source, tokens: Sequence[Token], start: int, end: int) -> Compound | None:
    """Return what is wrong at `start`, behind `tokens`, as part of a longer sign, in a text up to `end`."""
    text, last = source.text, tokens[-1] if tokens else None
    glued = last if last and last.end == start else None
    if glued and glued.type == "_EQ" and text[start] in "~!" and text[start + 1 : start + 2] != "=":
        return _half_equal(source, tokens, Span(glued.start, start + 1))
    if text.startswith("~=", start):
        return _unequal(source, Span(start, start + 2), 0)
    if glued and glued.type == "LESS" and text.startswith("!--", start):
        return _comment(source, Span(glued.start, start + 3), end)
    if glued and glued.type == "NUMBER" and text[start] in _APOSTROPHES:
        return _grouped(source, glued)
    if glued and text[start] in _APOSTROPHES:
        return _denied(source, glued, end)
    return None


def _denied(source: Source, word: Token, end: int) -> Compound | None:
    """Report DON'T that begins a line; before ALLOW or a tool, in a POLICY, it is read as DENY."""
    before = source.text[word.start - source.position(word.start).column : word.start]
    said = _DENIED(source.text, word.start, end)
    if not said or before.rstrip()[-1:] not in ("", "{"):
        return None
    span, rule, name = Span(*said.span("word")), said["rule"] or said["require"], said["name"] or ""
    ruled = _POLICY(source.text, max(0, word.start - _FAR), word.start)
    hint = negated_sign(rule or "ALLOW", name) if ruled else None
    denies = ruled and name and (rule or "ALLOW").upper() == "ALLOW"
    read = [Token("_DENY", "DENY", *_ends(span))] if denies else []
    stop = said.end("rule") if read and rule else span.end
    return Compound(_problem(source, span, hint or Message(DENIAL)), 1, read, stop)


def _half_equal(source: Source, tokens: Sequence[Token], span: Span) -> Compound | None:
    """Report `=~`, and `=!` where something is compared."""
    compared = _is_compared(tokens)
    if source.slice(span) == "=~":
        kind, text = ("EQUAL", "==") if compared else ("_EQ", "=")
        return Compound(
            _problem(source, span, Message(_PATTERN)), 1, [Token(kind, text, *_ends(span))], span.end
        )
    return _unequal(source, span, 1) if compared else None


def _unequal(source: Source, span: Span, taken: int) -> Compound:
    behind = source.text[span.end :].lstrip(" \t")[:1]
    hint = Message(_PATTERN) if taken == 0 and behind == '"' else Message(_WRITE, {"text": "!="})
    fixes = [dataclasses.replace(replace(span, "!="), guess=True)] if taken else []
    problem = _problem(source, span, hint, *fixes)
    return Compound(problem, taken, [Token("NOT_EQUAL", "!=", *_ends(span))], span.end)


def _is_compared(tokens: Sequence[Token]) -> bool:
    """Tell whether the last word that says so begins a condition."""
    telling = (token.type in _COMPARING for token in reversed(tokens) if token.type in _COMPARING | _GIVING)
    return next(telling, False)


def _comment(source: Source, sign: Span, end: int) -> Compound:
    """Report `<!-- … -->`, which is no longer than its line where nothing ends it."""
    close = source.text.find("-->", sign.end, end)
    if close < 0 or "*/" in source.text[sign.start : close]:
        line_end = source.text.find("\n", sign.end, end)
        stop, fix = end if line_end < 0 else line_end, replace(sign, "#")
    else:
        stop = close + len("-->")
        fix = rewrite(Message(_WRITE, {"text": "/* … */"}), (sign, "/*"), (Span(close, stop), "*/"))
    return Compound(_problem(source, sign, Message(_COMMENT), fix), 1, [], stop)


def _grouped(source: Source, first: Token) -> Compound | None:
    """Report `1'000`."""
    groups = _GROUPS(source.text, first.end) if _DIGITS(first.text) else None
    if not groups:
        return None
    span = Span(first.start, groups.end())
    written = source.slice(span)
    text = "".join(sign for sign in written if sign.isdigit())
    last = Token("NUMBER", written, *_ends(span))
    message, hint = Message(_GOES_ON, {"found": shown(last)}), Message(_WRITE, {"text": text})
    problem = Problem("S117", Severity.ERROR, span, message, hint, (), (replace(span, text),))
    return Compound(problem, 1, [Token("NUMBER", text, *_ends(span))], span.end)


def _ends(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _problem(source: Source, span: Span, hint: Message, *fixes: Fix) -> Problem:
    message = Message(_FOREIGN, {"word": source.slice(span)})
    return Problem("S105", Severity.ERROR, span, message, hint, (), fixes)
