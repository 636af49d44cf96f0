"""`// agentl: allow W120 because …`: what a comment takes back, and comments that take back nothing."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from agentl_grammar.checks.registry import said
from agentl_grammar.comments import Comment
from agentl_grammar.problems import Fix, Message, Problem, Severity, message_id
from agentl_grammar.source import Position, Source, Span

_ALLOW = re.compile(r"agentl:\s*allow\b(?P<rest>[^\r\n]*)", re.IGNORECASE)
_REASON = re.compile(r"\bbecause\b\s*(?P<reason>.*?)\s*(?:\*/)?\s*\Z", re.IGNORECASE)
_CODE = re.compile(r"\b[A-Za-z]\d{3}\b")
_OWN = re.compile(r"agentl:\s*allow\b[^\r\n]*?(?=[ \t]*(?:[\r\n]|\*/|\Z)|[ \t]+(?:#|//)\s)", re.IGNORECASE)
_MARK = re.compile(r"(?:#|//|/\*)[ \t]*")
_COMMA = re.compile(r"\s*,\s*")
_LINE_END = re.compile(r"[ \t]*(\r\n|\n|\r)?")
_MARKER = re.compile("agentl:", re.IGNORECASE)


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


def allowances(source: Source, comments: Iterable[Comment], members: Iterable[Span]) -> list[Allowance]:
    """Read the comments that allow something.

    A comment reaches its own line and, when it stands alone, the line of the next word below it; a member, a
    step, a tool or a rule that begins there is reached as a whole. `members` are where those stand.
    """
    found = [
        (comment, match)
        for comment in _marked(source.text, comments)
        if (match := _ALLOW.search(comment.text))
    ]
    places = sorted(members, key=_start) if found else []
    return [_allowance(source, comment, match, places) for comment, match in found]


def _start(place: Span) -> int:
    return place.start


def _marked(text: str, comments: Iterable[Comment]) -> Iterator[Comment]:
    """Yield the comments that may allow something: nearly none does, and there are many."""
    listed = list(comments)
    end = 0
    for mark in _MARKER.finditer(text):
        number = bisect_right(listed, mark.start(), key=lambda comment: comment.span.start) - 1
        if mark.start() >= end and number >= 0 and listed[number].span.end > mark.start():
            yield listed[number]
            end = listed[number].span.end


def has_allowances(text: str) -> bool:
    """Tell, fast, whether a text may hold such a comment."""
    return "agentl:" in text.lower()


def _allowance(source: Source, comment: Comment, match: re.Match[str], places: list[Span]) -> Allowance:
    rest = match["rest"]
    reason = _REASON.search(rest)
    listed = rest[: reason.start()] if reason else rest
    start = comment.span.start + match.start("rest")
    codes = {
        code[0].upper(): Span(start + code.start(), start + code.end()) for code in _CODE.finditer(listed)
    }
    own = begins = _whole_line(source, comment.span.start)
    if comment.own_line and comment.token_after is not None:
        begins = _whole_line(source, comment.token_after)
    first, last = (bisect_left(places, offset, key=_start) for offset in (begins.start, begins.end))
    reach = [own, begins, *(place for place in places[first:last] if _begins_in(source, place, begins))]
    return Allowance(comment.span, codes, bool(reason and re.search(r"\w", reason["reason"])), reach)


def _begins_in(source: Source, place: Span, line: Span) -> bool:
    return line.start <= place.start < line.end and not source.text[line.start : place.start].strip(
        "\ufeff \t"
    )


def _whole_line(source: Source, offset: int) -> Span:
    line = source.position(offset).line
    start = source.offset(Position(line, 0))
    return Span(start, start + len(source.line(line)) + 1)


def left_over(problems: Iterable[Problem], found: Iterable[Allowance]) -> list[Problem]:
    """Return the problems that no comment takes back; each comment notes what it met."""
    by_code: dict[str, list[tuple[int, int, Allowance]]] = {}
    for allowance in found:
        ends = min(span.start for span in allowance.reach), max(span.end for span in allowance.reach)
        for code in allowance.codes:
            by_code.setdefault(code, []).append((*ends, allowance))
    left: list[Problem] = []
    for problem in problems:
        at = problem.span.start
        near = [each for start, end, each in by_code.get(problem.code, ()) if start <= at < end]
        covering = [each for each in near if each.covers(problem)]  # all are asked: two may allow the same
        if not covering:
            left.append(problem)
    return left


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
                _cut_out(source, allowance.span),
            )
        for code, span in unused.items():
            only = len(allowance.codes) == len(unused) == 1
            message = said(message_id("{code} does not occur here"), code=code)
            if code.startswith("E"):
                message = said(message_id("{code} is an error; errors cannot be allowed"), code=code)
            cut = _cut_out(source, allowance.span) if only else _cut_code(source, span)
            goes_on = only and source.text[cut.end : allowance.span.end].strip() not in ("", "*/")
            guess = goes_on and source.text.startswith("/*", allowance.span.start)
            yield _unused(span, message, cut, guess=guess)


def _unused(span: Span, message: Message, cut: Span, *, guess: bool = False) -> Problem:
    """Return the hint; the fix is a guess where the reason may go on in the next line of the comment."""
    fix = Fix(said(message_id("Leave it out")), ((cut, ""),), guess=guess)
    return Problem("W142", Severity.HINT, span, message, said(message_id("leave it out")), fixes=(fix,))


def _cut_code(source: Source, span: Span) -> Span:
    """Return what goes with one code of several: the comma behind it, else the one before."""
    after = _COMMA.match(source.text, span.end)
    start = len(source.text[: span.start].rstrip(", \t"))
    return Span(span.start, after.end()) if after else Span(start, span.end)


def _cut_out(source: Source, span: Span) -> Span:
    """Return what goes with an allowance: its comment and its line, or its own words where it says more."""
    text = source.text
    own, mark = _OWN.search(text, span.start, span.end), _MARK.match(text, span.start)
    if own is None or mark is None:
        return span
    opens, rest = mark.end() == own.start(), text[own.end() : span.end].strip()
    if not opens:
        return Span(len(text[: own.start()].rstrip(" \t")), own.end())
    if rest.startswith(("#", "//")):
        return Span(span.start, span.end - len(text[own.end() : span.end].lstrip(" \t")))
    if rest not in ("", "*/"):
        return Span(*own.span())
    begin = len(text[: span.start].rstrip(" \t"))
    alone = begin == 0 or text[begin - 1] in "\r\n"
    match = _LINE_END.match(text, span.end)
    return Span(begin, match.end() if alone and match else span.end)
