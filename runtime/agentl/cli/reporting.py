"""One rendering of every error and notice, on standard error.

error R304: the run is held by process 4711 since 10:31:02
  at: runs/payments
  help: wait until it is done, or stop it
  more: agentl explain R304
"""

from __future__ import annotations

import contextlib
import errno
import sys
from collections.abc import Iterator

from agentl.cli.terminal import visible
from agentl.errors import Explained, Place, ProgramError
from agentl.messages import translate
from agentl_grammar.excerpt import excerpt
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.source import Source

_LONGEST_LINE = 600
_NO_RIGHTS = (errno.EACCES, errno.EPERM, errno.EROFS)


def notice(message: Message) -> None:
    """Say something that is no result, in one line."""
    _say(visible(translate(message)))


def report(error: Explained) -> None:
    """Say what is wrong, where, and what to do next."""
    lines = _program_lines(error) if isinstance(error, ProgramError) else _lines(error)
    _say("\n".join(lines))


def _say(text: str) -> None:
    with contextlib.suppress(OSError):  # where standard error cannot be written, nobody can be told
        print(text, file=sys.stderr, flush=True)


def _head(code: str, message: Message) -> str:
    word = translate(Message(message_id("error")))
    return f"{word} {code}: {_one_line(translate(message))}"


def _help(action: Message) -> str:
    return "  " + _one_line(translate(Message(message_id("help: {action}"), {"action": action})))


def _more(code: str) -> str:
    return "  " + translate(Message(message_id("more: agentl explain {code}"), {"code": code}))


def _at(place: str) -> str:
    return "  " + _one_line(translate(Message(message_id("at: {place}"), {"place": place})))


def _one_line(text: str) -> str:
    """Return a text as one line: no error of a host and no argument passes for a line of ours."""
    shown = visible(text)
    return shown if len(shown) <= _LONGEST_LINE else shown[: _LONGEST_LINE - 1] + "…"


def _lines(error: Explained) -> Iterator[str]:
    yield _head(error.code, error.message)
    yield from _place_lines(error.place)
    yield from ("  " + _one_line(translate(detail)) for detail in error.details)
    action = _rights(error) or error.action
    if action is not None:
        yield _help(action)
    yield _more(error.code)


def _rights(error: Explained) -> Message | None:
    """Return the next step where a run directory (R602) is one, but is closed to this user."""
    cause = error.__cause__
    if error.code == "R602" and isinstance(cause, OSError) and cause.errno in _NO_RIGHTS:
        return Message(
            message_id("give yourself the rights to it and to the files in it, or name another place")
        )
    return None


def _place_lines(place: Place) -> Iterator[str]:
    known = [part for part in (place.path, place.declaration) if part]
    if place.record is not None:
        known.append(translate(Message(message_id("record #{number}"), {"number": place.record})))
    if known:
        yield _at(", ".join(known))
    if place.source is not None and place.span is not None:
        yield from _indented(excerpt(place.source, place.span))


def _program_lines(error: ProgramError) -> Iterator[str]:
    for problem in error.problems:
        yield from _problem_lines(problem, error.source)


def _problem_lines(problem: Problem, source: Source) -> Iterator[str]:
    yield _head(problem.code, problem.message)
    line, column = source.position(problem.span.start)
    yield _at(f"{source.name}:{line + 1}:{column + 1}")
    yield from _indented(excerpt(source, problem.span))
    for related in problem.related:
        yield f"  {translate(related.message)}"
        if related.name is None:
            yield from _indented(excerpt(source, related.span))
    if problem.hint is not None:
        yield _help(problem.hint)
    yield _more(problem.code)


def _indented(text: str) -> Iterator[str]:
    return ("  " + line for line in text.splitlines())
