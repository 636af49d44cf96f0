"""The edit that takes a warning back where it stands, and asks for the reason."""

from __future__ import annotations

from collections.abc import Iterable

from agentl_grammar.lexer import lex
from agentl_grammar.problems import Fix, Message, Problem, Severity, message_id
from agentl_grammar.source import Position, Source, Span

_TO_DO = "because …"


def allowing(source: Source, problems: Iterable[Problem]) -> dict[str, Fix]:
    """Return, by code, the edit that writes `// agentl: allow CODE because …` above each problem.

    Errors and hints about such comments cannot be taken back. None is offered where a line begins inside a
    text: the comment would be part of it.
    """
    found: dict[str, Fix] = {}
    for problem in problems:
        if not _can_be_allowed(problem) or problem.code in found:
            continue
        line = source.position(problem.span.start).line
        start = source.offset(Position(line, 0))
        if lex(source.text, 0, start).problem is None:
            found[problem.code] = _above(source, start, problem.code)
    return found


def _can_be_allowed(problem: Problem) -> bool:
    is_check = problem.code.startswith(("D", "W")) and problem.code not in ("W141", "W142")
    return is_check and problem.severity is not Severity.ERROR


def _above(source: Source, start: int, code: str) -> Fix:
    line = source.line(source.position(start).line)
    begin = start + line.startswith("\ufeff")
    shown = line.removeprefix("\ufeff")
    indentation = shown[: len(shown) - len(shown.lstrip(" \t"))]
    line_end = "\r\n" if "\r\n" in source.text else "\n"
    text = f"{indentation}// agentl: allow {code} {_TO_DO}{line_end}"
    title = Message(message_id("Allow {code} here, with a reason"), {"code": code})
    return Fix(title, ((Span(begin, begin), text),))
