"""What a sign of no meaning, or a text without end, is likely to be, by what stands around it on its line."""

from __future__ import annotations

import dataclasses
import re

from agentl_grammar.lexer import COMMENT, STRING
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Fix, Message, message_id
from agentl_grammar.source import Position, Source, Span
from agentl_grammar.syntax_errors.place import replace

_TERNARY = message_id("write IF <condition> THEN … ELSE …")
_OPTIONAL = message_id("remove it: a field has a name and a type; nothing marks it as optional")
_QUESTION = message_id("remove it: a condition needs no sign behind it")
_ARROW = message_id("write THEN behind a condition, `>=` for a comparison")
_ARGUMENT = message_id("write `=` between the name of an argument and its value, `>=` for a comparison")
_RESULT = message_id("what a tool returns stands in TOOL name {{ OUTPUT {{ name: Type }} }}")
_SEQUENCE = message_id("remove it: what is done in turn stands one behind the other, without a sign")
_ANSWER = message_id("what is asked for stands in the braces: PRODUCE {{ name: Type }}")
_GUARD = message_id("write WHEN before the condition of a rule")
_BRACES = message_id("what is done then stands in braces: {{ … }}")
_MODEL = re.compile(r"\bREASON\b[^{}]*\Z").search
_RULE = re.compile(r"(?:\bALLOW|\bDENY|\bNEVER|\bFOR)\s+(?:\*|[\w.]+)\s*\Z").search
_IN_TURN = re.compile(r"[^=<>()\"]*(?:(?:->|=>|\u2192|\u21d2)[^=<>()\"]*)+").fullmatch
_GOAL = re.compile(r"\bGOAL\b[^{}]*\{[^{}]*\Z").search
_INSTEAD = message_id("write `{text}` instead")
_PART = re.compile(r"\w->[A-Za-z_]").fullmatch
# A goal that begins further up is not looked for.
_FAR = 400
_EVENT = re.compile(r"\b(EVENT|ON)\b[^{}]*\Z").search
_LIST = message_id("the values of a list are set apart by commas")
_DOMAIN = message_id("write the values that a field may have as a list: name: Type IN [a, b]")
_OF_TOOL = message_id(
    "write one type; the values of an INPUT stand in a rule of POLICY, those of an OUTPUT in a VERIFY"
)
_TOOL_FIELD = re.compile(r"\b(?:INPUT|OUTPUT)\s*\{[^{}]*\Z").search
_EITHER = message_id("write OR between conditions, a comma between the values of a list")
# From each escaped quote, and each comment without end, all of the rest would be looked at.
_BRACKETS = re.compile(rf"\\[^\r\n]|{STRING}|{COMMENT}|/\*(?s:.*)|[\[\](){{}}]").finditer
_ARROWS = ("->", "=>", "\u2192", "\u21d2")
_PAIRS = {")": "(", "]": "[", "}": "{"}
_TYPE_BEFORE = re.compile(r":\s*[\w\"]+(?:\s*\|\s*[\w\"]+)*\s*\Z").search
_MOST_LINES, _LONGEST_LINE = 200, 2000
_OF_PROSE = "|".join(WORDS.keys() - {"NOT", "AND", "OR", "NO", "IN", "TO", "FOR"})
_PROSE = re.compile(
    rf"(?![ \t]*(?:\#|//|/\*|\w+\())(?!.*[{{}}\[\]<>=\"])(?!.*\b(?:{_OF_PROSE})\b)"
    r"(?!(?:\s*+\w++\s*+:\s*+\w++,?+)++\s*+\Z)(?=.*[^\W\d_]{2}[,;]?[ \t]+\(?[^\W\d_]|.*\w[.?!…:;,)]\s*\Z)"
).match
_CLOSERS = ")]}, \t\r\n"


def meaning(source: Source, span: Span) -> tuple[Message, list[Fix]] | None:
    """Return the hint, and the fix where it is sure, for a sign whose meaning its line tells."""
    sign = source.slice(span)
    if sign == "|":
        return _choice(source, span)
    if sign == "->" and _PART(source.text, max(0, span.start - 1), span.end + 1):
        # Elsewhere a part of a thing; here a statement of its own stood behind it otherwise.
        return Message(_INSTEAD, {"text": "."}), [dataclasses.replace(replace(span, "."), guess=True)]
    if sign == "=>" and _GOAL(source.text, max(0, span.start - _FAR), span.start):
        return Message(_INSTEAD, {"text": ">="}), [replace(span, ">=")]
    return (Message(_template(source, span)), []) if sign in ("?", *_ARROWS) else None


def _template(source: Source, span: Span) -> str:
    sign = source.slice(span)
    line = source.line(source.position(span.start).line)
    column = source.position(span.start).column
    before, behind = line[:column], line[column + len(sign) :]
    inside = opened_in(before)[-1:]
    if sign == "?":
        return _question(before, behind)
    chained = any(arrow in before for arrow in _ARROWS) and _IN_TURN(before)
    if _RULE(before) or chained:
        return _SEQUENCE if chained else _GUARD
    if _MODEL(before) or _EVENT(before):
        return _ANSWER if _MODEL(before) else _BRACES
    if re.search(r"\b(IF|WHEN|if|when)\b", before) or re.search(r"[=<>]", re.split(r"[(,]", before)[-1]):
        return _ARROW
    if inside == ["("]:
        return _ARGUMENT
    return (
        _RESULT if before.rstrip().endswith(")") and re.match(r"\s*\w+\s*(?![\w(.])", behind) else _SEQUENCE
    )


def _question(before: str, behind: str) -> str:
    if re.search(r"\w\s*:\s*\w+\Z", before) or re.match(r"\s*:", behind):
        return _OPTIONAL
    return _TERNARY if re.match(r"\s*[\w\"(-]", behind) and ":" in behind else _QUESTION


def _choice(source: Source, span: Span) -> tuple[Message, list[Fix]] | None:
    """Return what is known of `|` where it does not, or not surely, mean OR."""
    before = source.text[_line_start(source, span.start) : span.start]
    opened = opened_in(before)
    if opened and opened[-1] == "[":
        blanks = len(before) - len(before.rstrip(" "))
        return Message(_LIST), [replace(Span(span.start - blanks, span.end), ",")]
    if _TYPE_BEFORE(before):
        of_tool = _TOOL_FIELD(source.text[max(0, span.start - _FAR) : span.start])
        return Message(_OF_TOOL if of_tool else _DOMAIN), []
    return None if opened else (Message(_EITHER), [])


def _line_start(source: Source, offset: int) -> int:
    """Only the line is looked at: members further up are read by themselves."""
    return offset - source.position(offset).column


def opened_in(text: str) -> list[str]:
    """Return the brackets that a text opens and does not close."""
    opened: list[str] = []
    for found in _BRACKETS(text):
        bracket = found.group()
        if bracket in _PAIRS.values():
            opened.append(bracket)
        elif bracket in _PAIRS and opened and opened[-1] == _PAIRS[bracket]:
            opened.pop()
    return opened


def taken_by(before: str, text: str) -> list[str]:
    """Return the brackets that belong to the line `before` a text without end, and not to the text.

    Those are the closers of what the line opens, and a `{` at its end.
    """
    opened, closed = opened_in(before), list[str]()
    depth = 0
    for found in _BRACKETS(text):
        bracket = found.group()
        depth += 1 if bracket in _PAIRS.values() else -1 if bracket in _PAIRS else 0
        if depth < 0 and opened and opened.pop() == _PAIRS[bracket]:
            closed.append(bracket)
        depth = max(depth, 0)
    return [*closed, "{"] if text.rstrip().endswith("{") else closed


def prose_end(source: Source, start: int) -> int:
    """Return where a text that begins at `start` and is never closed ends, as far as its lines tell.

    That is the end of its line, or of the last line of prose below it: what is written for people has words
    side by side, and no word or sign of the language.
    """
    number = source.position(start).line
    found = start - source.position(start).column + len(source.line(number))
    for below in range(number + 1, min(number + _MOST_LINES, source.line_count)):
        line = source.line(below)
        if len(line) < _LONGEST_LINE and _PROSE(line):
            found = source.offset(Position(below, len(line)))
        elif line.strip():
            break
    return found


def closing_quote(text: str, line_start: int, start: int, line_end: int) -> int | None:
    """Return where the quote of a text that begins at `start` belongs, or None where that is not sure.

    That is the end of the line, or before the brackets there that close those that the line opened.
    """
    rest = text[start + 1 : line_end]
    if not any(bracket in rest for bracket in _PAIRS):
        return line_end
    at = len(rest.rstrip(_CLOSERS))
    closers = [sign for sign in rest[at:] if sign in _PAIRS]
    opened = opened_in(text[line_start:start])[::-1]
    if any(bracket in rest[:at] for bracket in (*_PAIRS, *_PAIRS.values())):
        return None
    matched = [_PAIRS[closer] for closer in closers[: len(opened)]] == opened
    return start + 1 + at if matched and all(closer == "}" for closer in closers[len(opened) :]) else None
