"""`// agentl: allow D210 because …` in the program, `# agentl: allow D208 because …` in the host script."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from agentl.host.source import HostSource
from agentl.host.syntax import Function
from agentl.review.host_code import HostCode, first_line
from agentl_grammar.checks.index import Index
from agentl_grammar.checks.registry import said
from agentl_grammar.checks.suppression import Allowance, allowances, has_allowances
from agentl_grammar.comments import Comment, CommentKind
from agentl_grammar.problems import Problem, Related, Severity, message_id
from agentl_grammar.source import Position, Source, Span
from agentl_grammar.tree import Rule, Step, Tool


def allowed_in_program(
    source: Source, comments: Iterable[Comment], indexes: Iterable[Index]
) -> list[Allowance]:
    """Return what the comments of a program allow."""
    if not has_allowances(source.text):
        return []
    places = [
        part.at(node)
        for index in indexes
        for part in index.members
        for node in (part.node, *part.all(Tool), *part.all(Step), *part.all(Rule))
    ]
    return allowances(source, comments, places)


def allowed_in_host(host: HostSource, code: HostCode) -> list[Allowance]:
    """Return what the comments of a host script allow: in their line, or in the statement below."""
    if host.error is not None or not has_allowances(host.source.text):
        return []
    places = [place for node in ast.walk(code.module) for place in _places(host.source, node)]
    return allowances(host.source, list(_comments(host.source, code)), places)


def _places(source: Source, node: ast.AST) -> Iterator[Span]:
    """Yield the lines of a statement; of a decorated function also those from its `def` on."""
    if isinstance(node, ast.stmt):
        end = (node.end_lineno or node.lineno) - 1
        behind = source.offset(Position(end, len(source.line(end))))
        for first in {node.lineno, first_line(node) if isinstance(node, Function) else node.lineno}:
            line = source.line(first - 1)
            yield Span(source.offset(Position(first - 1, len(line) - len(line.lstrip()))), behind)


def _comments(source: Source, code: HostCode) -> Iterator[Comment]:
    """Yield the comments of a Python text in the words of the grammar."""
    for line, text in code.comments.items():
        whole = source.line(line - 1)
        column = len(whole) - len(text) if whole.endswith(text) else whole.rindex(text)
        start = source.offset(Position(line - 1, column))
        own_line = code.is_comment_line(line)
        yield Comment(
            Span(start, start + len(text)),
            text,
            CommentKind.HASH,
            int(own_line),
            1,
            None,
            _next_word(source, code, line),
            False,
            line == 1 and own_line,
        )


def _next_word(source: Source, code: HostCode, line: int) -> int | None:
    for below in range(line, source.line_count):
        text = source.line(below)
        if text.strip() and not code.is_comment_line(below + 1):
            return source.offset(Position(below, len(text) - len(text.lstrip())))
    return None


def covered(problem: Problem, allowed: Iterable[Allowance]) -> bool:
    """Tell whether a comment takes a finding back, and take note of those that do; of errors none is."""
    covering = [
        each
        for each in allowed
        if problem.severity is not Severity.ERROR
        and problem.code in each.codes
        and any(place.start <= problem.span.start < place.end for place in each.reach)
    ]
    for each in covering:
        each.used.add(problem.code)
    return bool(covering)


def unused(allowed: Sequence[Allowance], host: HostSource | None, program: Span) -> Iterator[Problem]:
    """Yield what is wrong with comments: codes of the review that do not occur there (W142).

    Of a host script (`host` is given) also those without a reason (W141); those of a program are told by its
    own checks. `program` is where a problem of the script stands in the program.
    """
    for allowance in allowed:
        for code, span in allowance.codes.items():
            if code.startswith("D") and code not in allowance.used:
                place, related = _placed(span, host, program)
                message = said(message_id("{code} does not occur here"), code=code)
                hint = said(message_id("leave it out"))
                yield Problem("W142", Severity.HINT, place, message, hint, related)
        if host is not None and not allowance.has_reason:
            place, related = _placed(allowance.span, host, program)
            message = said(message_id("this allows something and does not say why"))
            hint = said(message_id("end it with: because …"))
            yield Problem("W141", Severity.HINT, place, message, hint, related)


def _placed(span: Span, host: HostSource | None, program: Span) -> tuple[Span, tuple[Related, ...]]:
    if host is None:
        return span, ()
    return program, (Related(span, said(message_id("in the host script")), host.source.name),)
