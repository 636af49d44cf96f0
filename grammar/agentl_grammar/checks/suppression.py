"""`// agentl: allow W120 because …`: what a comment takes back, and comments that take back nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from agentl_grammar.checks.registry import said
from agentl_grammar.lexer import Token
from agentl_grammar.problems import Fix, Message, Problem, Severity, message_id
from agentl_grammar.source import Position, Source, Span

_ALLOW = re.compile(r"agentl:\s*allow\b(?P<rest>[^\r\n]*)", re.IGNORECASE)
_REASON = re.compile(r"\bbecause\b\s*(?P<reason>.*?)\s*(?:\*/)?\s*\Z", re.IGNORECASE)
_CODE = re.compile(r"\b[A-Za-z]\d{3}\b")
_MARKER = "agentl:"


@dataclass(slots=True)
class Allowance:
    """One comment: the codes it allows, in the lines and the member it stands at. `used` are those it met."""

    span: Span
    codes: dict[str, Span]
    has_reason: bool
    reach: list[Span]
    used: set[str] = field(default_factory=set[str])

    def covers(self, problem: Problem) -> bool:
        """Tell whether this comment takes a problem back; errors are never taken back."""
        if problem.severity is Severity.ERROR or problem.code not in self.codes:
            return False
        if not any(span.start <= problem.span.start < span.end for span in self.reach):
            return False
        self.used.add(problem.code)
        return True


def allowances(source: Source, comments: Sequence[Token], members: Iterable[Span]) -> list[Allowance]:
    """Read the comments that allow something.

    A comment reaches its own line and, when it stands alone, the first line below it that is no comment; a
    member, a step or a rule that begins there is reached as a whole. `members` are where those stand.
    """
    found = [(comment, match) for comment in comments if (match := _ALLOW.search(comment.text))]
    if not found:
        return []
    places = list(members)
    return [_allowance(source, comment, match, comments, places) for comment, match in found]


def has_allowances(text: str) -> bool:
    """Tell, fast, whether a text may hold such a comment."""
    return _MARKER in text


def _allowance(
    source: Source, comment: Token, match: re.Match[str], comments: Sequence[Token], places: list[Span]
) -> Allowance:
    rest = match["rest"]
    reason = _REASON.search(rest)
    listed = rest[: reason.start()] if reason else rest
    start = comment.start + match.start("rest")
    codes = {
        code[0].upper(): Span(start + code.start(), start + code.end()) for code in _CODE.finditer(listed)
    }
    line = source.position(comment.start).line
    first = _whole_line(source, line)
    alone = not source.text[first.start : comment.start].strip("\ufeff \t")
    begins = _whole_line(source, _next_line(source, line, comments)) if alone else first
    reach = [first, begins, *(place for place in places if _begins_in(source, place, begins))]
    return Allowance(Span(comment.start, comment.end), codes, bool(reason and reason["reason"]), reach)


def _begins_in(source: Source, place: Span, line: Span) -> bool:
    return line.start <= place.start < line.end and not source.text[line.start : place.start].strip(
        "\ufeff \t"
    )


def _whole_line(source: Source, line: int) -> Span:
    start = source.offset(Position(line, 0))
    return Span(start, start + len(source.line(line)) + 1)


def _next_line(source: Source, line: int, comments: Sequence[Token]) -> int:
    """Return the first line below that holds something else than comments and blanks."""
    ends = {comment.start: comment.end for comment in comments}
    offset = source.offset(Position(line + 1, 0))
    while offset < len(source.text):
        if offset in ends:
            offset = ends[offset]
        elif source.text[offset].isspace():
            offset += 1
        else:
            break
    return source.position(offset).line


def complaints(source: Source, found: Iterable[Allowance]) -> Iterator[Problem]:
    """Yield what is wrong with the comments themselves, once every problem was looked at.

    W141: no reason is given. W142: a code that does not occur there. Other codes than
    E… and W… belong to other tools and are left alone.
    """
    for allowance in found:
        if not allowance.has_reason:
            yield Problem(
                "W141",
                Severity.HINT,
                allowance.span,
                said(message_id("this allows something and does not say why")),
                said(message_id("end it with: because …")),
            )
        unused = {
            code: span
            for code, span in allowance.codes.items()
            if code[0] in "EW" and code not in allowance.used
        }
        if not allowance.codes:
            yield _unused(
                allowance.span,
                said(message_id("this allows nothing: no code is named")),
                _cut(source, allowance.span),
            )
        for code, span in unused.items():
            only = len(allowance.codes) == len(unused) == 1
            message = said(message_id("{code} does not occur here"), code=code)
            if code.startswith("E"):
                message = said(message_id("{code} is an error; errors cannot be allowed"), code=code)
            yield _unused(span, message, _cut(source, allowance.span if only else span))


def _unused(span: Span, message: Message, cut: Span) -> Problem:
    fix = Fix(said(message_id("Leave it out")), ((cut, ""),))
    return Problem("W142", Severity.HINT, span, message, said(message_id("leave it out")), fixes=(fix,))


def _cut(source: Source, span: Span) -> Span:
    """Return what goes with a comment, or with a code in it: the whole line, or the blanks beside."""
    text = source.text
    start, end = span.start, span.end
    while end > start and text[end - 1] in "\r\n":
        end -= 1
    if _ALLOW.search(text[start:end]):
        begin = start - (len(text[:start]) - len(text[:start].rstrip(" \t")))
        alone = begin == 0 or text[begin - 1] in "\r\n"
        if not alone:
            return Span(begin, end)
        match = re.compile(r"[ \t]*(\r\n|\n|\r)?").match(text, end)
        return Span(begin, match.end() if match else end)
    after = re.compile(r"\s*,\s*").match(text, end)
    if after:
        return Span(start, after.end())
    return Span(start - (len(text[:start]) - len(text[:start].rstrip(", \t"))), end)
