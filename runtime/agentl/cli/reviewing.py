"""`agentl review`: what a person should know before a program and its host are deployed (editor.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agentl.checks import host_beside
from agentl.cli.check_formats import Finding, as_sarif, as_text, problems_as_data
from agentl.cli.checking import selection_for, tell_unusable
from agentl.cli.programs import named_programs
from agentl.cli.reporting import notice
from agentl.cli.review_text import as_report
from agentl.cli.usage import chosen
from agentl.errors import UsageError
from agentl.files import read_text
from agentl.host.source import HostSource, read_host
from agentl.review.report import Report, report_on, reviewed
from agentl_grammar.checks import Selection
from agentl_grammar.parser import parse
from agentl_grammar.problems import Message, Severity, message_id
from agentl_grammar.source import Source

_FORMATS = ("text", "json", "sarif")


def review_programs(places: Sequence[str], output_format: str) -> int:
    """Print the review of programs. Return 2 for a text that cannot be read, 1 for a warning, else 0.

    A file that cannot be read, or settings that cannot be understood, are told with the rest and hide none of
    it. Raises UsageError for options that cannot be used, and where there is no program at all.
    """
    chosen(output_format, _FORMATS)
    reports: list[Report] = []
    broken: list[Finding] = []
    told: set[str] = set()
    for file in named_programs(places or ["."]):
        try:
            found = _review(file, selection_for(file, told, broken))
        except UsageError as error:
            tell_unusable(file, error, broken)
            continue
        if isinstance(found, Report):
            reports.append(found)
        else:
            broken += found
    _print(reports, broken, output_format)
    if broken or any(report.host.error is not None for report in reports):
        return 2
    severities = {problem.severity for report in reports for problem, _ in report.findings}
    return 1 if severities & {Severity.ERROR, Severity.WARNING} else 0


def _review(file: Path, selection: Selection) -> Report | list[Finding]:
    """Return the report on a program, or its syntax errors."""
    result = parse(read_text(file), str(file))
    if result.program is None or not result.complete:
        return [Finding(problem, result.source) for problem in result.problems]
    host = host_beside(file) or _no_host(file)
    findings = selection.apply(reviewed(result, result.program, host))
    return report_on(result, result.program, host, findings)


def _no_host(file: Path) -> HostSource:
    script = file.with_suffix(".py")
    notice(Message(message_id("there is no host script {path}"), {"path": str(script)}))
    return read_host(Source("", str(script)))


def _print(reports: Sequence[Report], broken: Sequence[Finding], output_format: str) -> None:
    findings = [*broken, *(Finding(*found) for report in reports for found in report.findings)]
    if output_format == "sarif":
        print(as_sarif(findings))
    elif output_format == "json":
        problems = problems_as_data(broken)
        told = {"version": 1, "programs": [_as_data(report) for report in reports], "problems": problems}
        print(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        texts = ([as_text(broken)] if broken else []) + [as_report(report) for report in reports]
        print("\n\n".join(text.rstrip("\n") for text in texts))


def _as_data(report: Report) -> dict[str, Any]:
    findings = [Finding(*found) for found in report.findings]
    return {
        "path": report.source.name,
        "host": {
            "path": report.host.source.name,
            "complete": report.complete,
            "error": report.host.error,
            "answers": report.answers,
        },
        "activities": [asdict(activity) for activity in report.activities],
        "determinism": [problem.code for problem, _ in report.findings if problem.code == "D208"],
        "store": {"made": report.stores, "hidden": report.hidden},
        "waits": [asdict(wait) for wait in report.waits],
        "on_resume": [asdict(rule) for rule in report.on_resume],
        "problems": problems_as_data(findings),
    }
