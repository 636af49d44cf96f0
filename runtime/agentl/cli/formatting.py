"""`agentl fmt`: lay programs out anew; only white space changes (docs/formatting.md)."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from agentl.cli.programs import STANDARD_INPUT, named_programs, read_program
from agentl.cli.reporting import notice, report
from agentl.errors import Explained, ProgramError, UsageError
from agentl.files import explain_os_error, read_text, write_whole
from agentl_grammar.formatter import Formatted, formatted
from agentl_grammar.parser import ParseResult, parse
from agentl_grammar.problems import Message, message_id

_NO_LINE_END = "\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True)
class FormatOptions:
    """The options of `agentl fmt`, as they were given."""

    places: Sequence[str]
    check: bool
    diff: bool
    stdin: bool


@dataclass(slots=True)
class _Outcome:
    changed: int = 0
    failed: int = 0

    @property
    def code(self) -> int:
        return 2 if self.failed else 0


def format_programs(options: FormatOptions) -> int:
    """Lay programs out anew, or tell which would change.

    Return 2 when something cannot be read or written, or is broken; with --check or --diff 1 when a program
    would change; else 0. Raises UsageError U101 and U102 for a command line that cannot be used.
    """
    if options.stdin or list(options.places) == [str(STANDARD_INPUT)]:
        return _standard_input(options)
    files = named_programs(options.places or ["."])
    outcome = _Outcome()
    for file in files:
        try:
            _file(file, options, outcome)
        except UsageError as error:
            outcome.failed += 1
            report(error)
    _summarize(len(files), options, outcome)
    return outcome.code or int(outcome.changed > 0 and (options.check or options.diff))


def _standard_input(options: FormatOptions) -> int:
    if options.stdin and options.places:
        raise UsageError(
            "U101",
            Message(message_id("--stdin takes no files")),
            action=Message(message_id("name files, or leave them out and use --stdin")),
        )
    source = read_program(STANDARD_INPUT)
    text, name = source.text, source.name
    result = parse(text, name)
    layout = formatted(text, result)
    new = layout.text
    if new != text:
        _tell_line_ends(text, name)
    if options.diff:
        sys.stdout.write("".join(_difference(text, new, name)))
    elif not options.check:
        # As bytes: line ends and the byte order mark are those of the text, on every system.
        sys.stdout.buffer.write(new.encode())
    broken = _broken(result)
    if broken:
        report(broken)
        return 2
    _tell_left(layout, name)
    return int(new != text and (options.check or options.diff))


def _file(file: Path, options: FormatOptions, outcome: _Outcome) -> None:
    text = read_text(file)
    result = parse(text, str(file))
    layout = formatted(text, result)
    new = layout.text
    if new != text:
        outcome.changed += 1
        _tell_line_ends(text, str(file))
        if options.diff:
            sys.stdout.write("".join(_difference(text, new, str(file))))
        else:
            if not options.check:
                _write(file, new)
            print(file)
    broken = _broken(result)
    if broken:
        outcome.failed += 1
        report(broken)
    else:
        _tell_left(layout, str(file))


def _write(file: Path, text: str) -> None:
    try:
        write_whole(file, text, "utf-8")
    except OSError as error:
        raise explain_os_error(error) from None


def _tell_left(layout: Formatted, name: str) -> None:
    """Say what stays as it is though it can be read."""
    if layout.left:
        values = {"path": name, "count": len(layout.left)}
        told = message_id("{path}: {count} members are nested too deep to be laid out, and stay as they are")
        notice(Message(told, values))


def _tell_line_ends(text: str, name: str) -> None:
    """Say that a text has line ends of several kinds: laid out, it has one between its words."""
    pairs = text.count("\r\n")
    if sum(count > 0 for count in (pairs, text.count("\n") - pairs, text.count("\r") - pairs)) > 1:
        told = message_id("{path}: line ends are mixed; between words they become the one that is there most")
        notice(Message(told, {"path": name}))


def _broken(result: ParseResult) -> Explained | None:
    return None if result.complete else ProgramError(result.source, result.problems)


def _difference(before: str, after: str, name: str) -> Iterator[str]:
    for line in unified_diff(_lines(before), _lines(after), name, name):
        yield line if line.endswith(("\n", "\r")) else f"{line}\n{_NO_LINE_END}"


def _lines(text: str) -> list[str]:
    return io.StringIO(text, newline="").readlines()


def _summarize(files: int, options: FormatOptions, outcome: _Outcome) -> None:
    values = {"files": files, "changed": outcome.changed, "failed": outcome.failed}
    if options.check or options.diff:
        told = message_id("{files} looked at: {changed} would be laid out anew, {failed} with mistakes")
    else:
        told = message_id("{files} looked at: {changed} laid out anew, {failed} with mistakes")
    notice(Message(told, values))
