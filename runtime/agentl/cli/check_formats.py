"""How findings are written: for people, as JSON, as SARIF 2.1.0, as annotations of GitHub."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from agentl.cli.explaining import pages
from agentl.messages import translate, translate_template
from agentl_grammar.excerpt import render
from agentl_grammar.problems import Fix, Message, Problem, Related, Severity, message_id
from agentl_grammar.source import Source, Span

_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}
_GITHUB = {**_LEVELS, Severity.INFORMATION: "notice", Severity.HINT: "notice"}
_WORDS = (
    message_id("warning"),
    message_id("information"),
    message_id("hint"),
    message_id("note"),
    message_id("help"),
)
"""The words of an excerpt that are not in a message."""
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class Finding(NamedTuple):
    """A problem and the text that it is in."""

    problem: Problem
    source: Source


def as_text(findings: Sequence[Finding]) -> str:
    """Return excerpts with carets, one finding after the other."""
    return "\n\n".join(
        render(problem, source, translate_template) if source.text else _without_excerpt(problem, source)
        for problem, source in findings
    )


def _without_excerpt(problem: Problem, source: Source) -> str:
    """Return what is wrong with a file of which there is no text to show."""
    head = f"{translate(Message(message_id('error')))} {problem.code}"
    lines = [f"{source.name}: {head}: {translate(problem.message)}"]
    if problem.hint:
        lines.append(f"{translate(Message(message_id('help')))}: {translate(problem.hint)}")
    return "\n".join(lines)


def as_json(findings: Sequence[Finding]) -> str:
    """Return one object: `version`, and `problems` with lines and columns from 1, columns in code points."""
    told = {"version": 1, "problems": problems_as_data(findings)}
    return json.dumps(told, indent=2, ensure_ascii=False)


def problems_as_data(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return what `as_json` says of each finding, in the language in force."""
    return [_as_data(problem, source) for problem, source in findings]


def _as_data(problem: Problem, source: Source) -> dict[str, Any]:
    return {
        "code": problem.code,
        "severity": str(problem.severity),
        "path": source.name,
        **_range(problem.span, source),
        "message": translate(problem.message),
        "hint": translate(problem.hint) if problem.hint else None,
        "related": [
            {
                "path": related.name or source.name,
                "message": translate(related.message),
                **(_range(related.span, source) if related.name is None else {}),
            }
            for related in problem.related
        ],
        "fixes": [
            {
                "title": translate(fix.title),
                "edits": [{**_range(span, source), "text": text} for span, text in fix.replacements],
            }
            for fix in problem.fixes
        ],
    }


def _range(span: Span, source: Source) -> dict[str, Any]:
    places = (source.position(span.start), source.position(span.end))
    start, end = ({"line": line + 1, "column": column + 1} for line, column in places)
    return {"start": start, "end": end}


def as_sarif(findings: Sequence[Finding]) -> str:
    """Return a log of SARIF 2.1.0 with one run; its rules have the text of their pages."""
    codes = sorted({problem.code for problem, _ in findings})
    driver = {
        "name": "agentl",
        "version": version("agentl"),
        "rules": [_sarif_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(problem, source, codes) for problem, source in findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _sarif_rule(code: str) -> dict[str, Any]:
    page = pages().get(code)
    text = page.read_text(encoding="utf-8") if page else code
    title = text.partition("\n")[0].partition(": ")[2] or code
    return {
        "id": code,
        "shortDescription": {"text": title},
        "help": {"text": text, "markdown": text},
    }


def _sarif_result(problem: Problem, source: Source, codes: Sequence[str]) -> dict[str, Any]:
    said = translate(problem.message)
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": codes.index(problem.code),
        "level": _LEVELS[problem.severity],
        "message": {"text": f"{said}\n{translate(problem.hint)}" if problem.hint else said},
        "locations": [{"physicalLocation": _location(problem.span, source)}],
    }
    related = [_sarif_related(each, source) for each in problem.related if each.name is None]
    if related:
        result["relatedLocations"] = related
    if problem.fixes:
        result["fixes"] = [_sarif_fix(fix, source) for fix in problem.fixes]
    return result


def _location(span: Span, source: Source) -> dict[str, Any]:
    return {"artifactLocation": {"uri": _uri(source.name)}, "region": _region(span, source)}


def _uri(name: str) -> str:
    path = Path(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _region(span: Span, source: Source) -> dict[str, int]:
    start, end = source.position(span.start), source.position(span.end)
    return {
        "startLine": start.line + 1,
        "startColumn": start.column + 1,
        "endLine": end.line + 1,
        "endColumn": end.column + 1,
    }


def _sarif_related(related: Related, source: Source) -> dict[str, Any]:
    return {
        "physicalLocation": _location(related.span, source),
        "message": {"text": translate(related.message)},
    }


def _sarif_fix(fix: Fix, source: Source) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(span, source), "insertedContent": {"text": text}}
        for span, text in fix.replacements
    ]
    change = {"artifactLocation": {"uri": _uri(source.name)}, "replacements": replacements}
    return {"description": {"text": translate(fix.title)}, "artifactChanges": [change]}


def as_github(findings: Sequence[Finding]) -> str:
    """Return workflow commands, which GitHub shows at the lines of a change."""
    return "\n".join(_annotation(problem, source) for problem, source in findings)


def _annotation(problem: Problem, source: Source) -> str:
    start, end = source.position(problem.span.start), source.position(problem.span.end)
    properties = {
        "file": source.name,
        "line": start.line + 1,
        "endLine": end.line + 1,
        "col": start.column + 1,
        "endColumn": end.column + 1,
        "title": problem.code,
    }
    told = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in properties.items())
    lines = [translate(message) for message in _messages(problem)]
    return f"::{_GITHUB[problem.severity]} {told}::{_escaped(chr(10).join(lines), '')}"


def _messages(problem: Problem) -> Iterable[Message]:
    return (problem.message, problem.hint) if problem.hint else (problem.message,)


def _escaped(text: str, special: str) -> str:
    for character in f"%\r\n{special}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text


FORMATS: dict[str, Callable[[Sequence[Finding]], str]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "github": as_github,
}
