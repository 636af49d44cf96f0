"""Fixes in a rule of a POLICY that could make it weaker are guesses: a person takes them, nothing else does.

That is a fix behind which a text holds what was a condition, or a value stands alone on a side of AND or OR,
where it counts as true.
"""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from agentl_grammar.lexer import END, Token, lex
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Fix, Message, Problem, message_id
from agentl_grammar.source import Source, Span
from agentl_grammar.syntax_errors.expectations import NUMBERS
from agentl_grammar.syntax_errors.place import rewrite

_WRITE = message_id("write `{text}`")
_COMPARE = message_id("on each side of {word} stands a whole condition: compare `{value}` with something")
_RULES = frozenset(("ALLOW", "DENY", "NEVER", "REQUIRE"))
_LONGEST = max(map(len, WORDS))
_BOUNDS = _RULES | {"DEFAULT", "{", "}"}
_VALUES = (*NUMBERS, "STRING", "DATETIME")
# A rule is no longer than this.
_FAR = 200
_MORE = re.compile(r"(?i:\b(?:AND|OR|WHEN|IF)\b)|[<>,]|[=!]=|&&|\|\|").search
# Before AND stand the first word, a path, a sign and a value.
_LEAST = 4
_GUARDS = ("WHEN", "IF")
_JOINS = ("AND", "OR")
_EQUAL = {"=": "==", "is": "=="}
_OR_EQUAL = {
    "<=": ("LESS", "LOWER", "FEWER", "SMALLER", "BELOW", "UNDER"),
    ">=": ("MORE", "GREATER", "HIGHER", "LARGER", "BIGGER", "ABOVE", "OVER"),
}


class _Lone(NamedTuple):
    """A value that stands alone beside AND or OR, and that word, by their indices."""

    value: int
    join: int


def careful(source: Source, tokens: Sequence[Token], problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems of a text, their fixes marked as guesses where they could make a rule weaker.

    `tokens` are those of the text as it is read around the problems.
    """
    told = list(problems)
    if not any(map(_is_sure, told)) or _RULES.isdisjoint(map(_word, tokens)):
        return told
    return [_marked(source, tokens, problem) if _is_sure(problem) else problem for problem in told]


def _word(token: Token) -> str:
    """Return the capitals of a word or sign; nothing of what is longer than any of the language."""
    return token.text.upper() if len(token.text) <= _LONGEST else ""


def _is_sure(problem: Problem) -> bool:
    return len(problem.fixes) == 1 and not problem.fixes[0].guess


def _marked(source: Source, tokens: Sequence[Token], problem: Problem) -> Problem:
    fix = problem.fixes[0]
    rule = list(_fixed(source, _rule(tokens, fix.replacements[0][0].start), fix))
    guess = dataclasses.replace(problem, fixes=(dataclasses.replace(fix, guess=True),))
    if any(_swallows(*pair, fix) for pair in pairwise(rule)):
        return guess
    alone = list(_alone(rule, fix))
    for lone in alone:
        if _touches(fix, rule[lone.join].span):
            return _compared(source, rule, lone, guess)
    return guess if alone else problem


def _rule(tokens: Sequence[Token], offset: int) -> Sequence[Token]:
    """Return the tokens around `offset` from the first word of a rule up to that of the next."""
    at = bisect_left(tokens, offset, key=lambda token: token.start)
    begin = max(at - 1, 0)
    while begin > max(at - _FAR, 0) and _word(tokens[begin]) not in _BOUNDS:
        begin -= 1
    end = at
    while end < min(len(tokens), at + _FAR) and _word(tokens[end]) not in _BOUNDS:
        end += 1
    return tokens[begin:end]


def _fixed(source: Source, tokens: Iterable[Token], fix: Fix) -> Iterator[Token]:
    """Yield the tokens behind a fix; those that are read for what is no token stand for it already."""
    edits = list(fix.replacements)
    for token in tokens:
        read = source.slice(token.span) != token.text
        while edits and edits[0][0].end <= token.start and not (read and _meet(token.span, edits[0][0])):
            yield from _new(*edits.pop(0))
        touched = [edit for edit in edits if _meet(token.span, edit[0])]
        gone = any(span.start < token.end and token.start < span.end for span, _ in touched)
        if read:
            edits = [edit for edit in edits if edit not in touched]
        if read or not gone:
            yield token
    for edit in edits:
        yield from _new(*edit)


def _new(span: Span, text: str) -> list[Token]:
    return [token._replace(start=span.start, end=span.end) for token in lex(text).tokens]


def _meet(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _touches(fix: Fix, part: Span) -> bool:
    return any(_meet(span, part) for span, _ in fix.replacements)


def _swallows(before: Token, token: Token, fix: Fix) -> bool:
    """Tell whether a text that the fix opens or closes may hold more than a value, or begins amid one."""
    told = token.type == "STRING" and _touches(fix, token.span)
    glued = before.end == token.start and before.type in (*_VALUES, "NAME")
    return told and (glued or _MORE(token.text) is not None)


def _alone(rule: Sequence[Token], fix: Fix) -> Iterator[_Lone]:
    """Yield the values that stand alone beside AND or OR; words only where the fix brought that about."""
    for at in range(1, len(rule)):
        first = at - 1
        while first and _word(rule[first]) == "NOT":
            first -= 1
        behind = rule[at + 1] if at + 1 < len(rule) else Token(END, "", 0, 0)
        begins = _joins(rule[first]) or _word(rule[first]) in _GUARDS or _groups(rule, first)
        ends = _joins(behind) or behind.type in (END, "_RPAR")
        join = first if _joins(rule[first]) else at + 1 if _joins(behind) else 0
        if not (begins and ends and join) or _joins(rule[at]):
            continue
        near = Span(rule[first].start, behind.end or rule[at].end)
        touched = any(near.start <= span.start and span.end <= near.end for span, _ in fix.replacements)
        if rule[at].type in _VALUES or (rule[at].type == "NAME" and touched):
            yield _Lone(at, join)


def _joins(token: Token) -> bool:
    return _word(token) in _JOINS


def _groups(rule: Sequence[Token], at: int) -> bool:
    """Tell whether a `(` stands there that is none of a call."""
    return rule[at].type == "_LPAR" and rule[at - 1].type != "NAME"


def _compared(source: Source, rule: Sequence[Token], lone: _Lone, problem: Problem) -> Problem:
    """Return the problem with what is likely meant by a value that is compared with nothing."""
    value, join = rule[lone.value], rule[lone.join]
    text = _likely(source, rule, lone)
    if not text and value.type == "NAME":
        return problem
    if not text:
        hint = Message(_COMPARE, {"word": join.text.upper(), "value": value.text})
        return dataclasses.replace(problem, hint=hint)
    hint = Message(_WRITE, {"text": text})
    span = rule[_path(rule, lone.join - 2)].span.to(value.span)
    fix = dataclasses.replace(rewrite(hint, (span, text)), guess=True)
    return dataclasses.replace(problem, hint=hint, fixes=(fix,))


def _likely(source: Source, rule: Sequence[Token], lone: _Lone) -> str:
    """Return the comparison before AND or OR and that of the value behind it; nothing if none is likely."""
    if lone.join < _LEAST or lone.value != lone.join + 1:
        return ""
    token, last, join = rule[lone.join - 2 : lone.join + 1]
    sign = _EQUAL.get(token.text, token.text)
    start = _path(rule, lone.join - 2)
    begins = _joins(rule[start - 1]) or _word(rule[start - 1]) in ("(", *_GUARDS)
    if start == lone.join - 2 or not begins or last.type not in (*_VALUES, "NAME"):
        return ""
    path, value = source.text[rule[start].start : rule[lone.join - 3].end], rule[lone.value].text
    word, joined = value.upper(), join.text.upper()
    for or_equal, words in _OR_EQUAL.items():
        equal = word == "EQUAL" and sign in (or_equal, or_equal[0])
        if joined == "OR" and (equal or (word in words and sign in ("==", or_equal))):
            return f"{path} {or_equal} {last.text}"
    if (sign, joined) not in (("==", "OR"), ("!=", "AND")):
        return ""
    text = f"{path} {sign} {last.text} {joined} {path} {sign} {value}"
    mixed = any(_joins(token) and _word(token) != joined for token in rule)
    return f"({text})" if mixed else text


def _path(rule: Sequence[Token], end: int) -> int:
    """Return where the path begins that ends before token `end`, or `end` if none does."""
    start = end - 1 if rule[end - 1].type == "NAME" else end
    while start > 1 and rule[start - 1].type == "_DOT":
        start -= 2
    return start
