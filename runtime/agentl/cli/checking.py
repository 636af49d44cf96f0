"""`agentl check`: every problem of programs, before anything runs (language.md §9, §10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentl.check_settings import settings_for, unknown_code
from agentl.checks import checked, host_beside
from agentl.cli.check_formats import FORMATS, Finding
from agentl.cli.programs import STANDARD_INPUT, named_programs, read_program
from agentl.cli.reporting import notice
from agentl.cli.usage import chosen
from agentl.errors import UsageError
from agentl.files import explain_os_error, write_whole
from agentl.fixing import Look, fixed
from agentl_grammar.checks import Selection
from agentl_grammar.parser import parse
from agentl_grammar.problems import Message, Problem, Severity, message_id
from agentl_grammar.source import Source, Span


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of `agentl check`, as they were given."""

    places: Sequence[str]
    format: str
    select: Sequence[str]
    ignore: Sequence[str]
    fix: bool


def check_programs(options: CheckOptions) -> int:
    """Print what is found. Return 1 for an error, 2 for a text that cannot be read as a program, else 0.

    A file that cannot be read or written is a finding like others, and hides none of them. Raises UsageError
    for options that cannot be used, and where there is no program at all.
    """
    chosen(options.format, FORMATS)
    files = named_programs(options.places or ["."])
    if options.fix and STANDARD_INPUT in files:
        raise UsageError(
            "U101",
            Message(message_id("--fix writes files, and standard input is none")),
            action=Message(message_id("name the files")),
        )
    select, ignore = _codes(options.select), _codes(options.ignore)
    findings: list[Finding] = []
    told: set[str] = set()
    for file in files:
        try:
            base = selection_for(file, told, findings)
            selection = Selection(select or base.select, (*base.ignore, *ignore), base.severity)
            findings += _check(file, selection, fix=options.fix)
        except UsageError as error:
            tell_unusable(file, error, findings)
    _print(findings, options.format, len(files))
    return _exit_code(problem for problem, _ in findings)


def selection_for(file: Path, told: set[str], findings: list[Finding]) -> Selection:
    """Return what the settings near a file select; what is wrong with them is added to `findings` once.

    `told` are the settings files that were looked at. Raises UsageError for one that cannot be read.
    """
    settings = settings_for(file)
    if settings is None:
        return Selection()
    if settings.source.name not in told:
        told.add(settings.source.name)
        findings += (Finding(problem, settings.source) for problem in settings.problems)
    return settings.selection


def tell_unusable(file: Path, error: UsageError, findings: list[Finding]) -> None:
    """Add that a file cannot be used to `findings`; it hides nothing of the others."""
    problem = Problem(error.code, Severity.ERROR, Span(0, 0), error.message, error.action)
    finding = Finding(problem, Source("", error.place.path or str(file)))
    if finding not in findings:  # a settings file, say, that several programs share
        findings.append(finding)


def _codes(given: Sequence[str]) -> tuple[str, ...]:
    codes = tuple(code.strip().upper() for words in given for code in words.split(",") if code.strip())
    for code in codes:
        if unknown_code(code):
            raise UsageError(
                "U101",
                Message(message_id("no code of the checks begins with {code}"), {"code": code}),
                action=Message(message_id("`agentl explain` lists all codes")),
            )
    return codes


def _check(file: Path, selection: Selection, *, fix: bool) -> Iterator[Finding]:
    host = None if file == STANDARD_INPUT else host_beside(file)
    source = read_program(file)

    def look(text: str) -> Sequence[Problem]:
        return selection.apply(checked(parse(text, source.name), host))

    text = source.text
    if fix:
        text = _fix(file, text, look)
        source = Source(text, source.name)
    yield from (Finding(problem, source) for problem in look(text))


def _fix(file: Path, text: str, look: Look) -> str:
    new, count = fixed(text, look)
    if new != text:
        try:
            write_whole(file, new, "utf-8")
        except OSError as error:
            raise explain_os_error(error) from None
        values = {"path": str(file), "count": count}
        notice(Message(message_id("{path}: {count} problems fixed"), values))
    return new


def _print(findings: Sequence[Finding], form: str, files: int) -> None:
    if findings or form not in ("text", "github"):
        print(FORMATS[form](findings))
    if form != "text":
        return
    counts = {level: sum(p.severity is level for p, _ in findings) for level in Severity}
    values = {
        "files": files,
        "errors": counts[Severity.ERROR],
        "warnings": counts[Severity.WARNING],
        "hints": counts[Severity.HINT] + counts[Severity.INFORMATION],
    }
    notice(
        Message(message_id("{files} checked: {errors} errors, {warnings} warnings, {hints} hints"), values)
    )


def _exit_code(problems: Iterator[Problem]) -> int:
    errors = [problem.code for problem in problems if problem.severity is Severity.ERROR]
    if any(code.startswith(("S", "U")) for code in errors):
        return 2
    return 1 if errors else 0
