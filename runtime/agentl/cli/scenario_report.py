"""How the outcome of scenarios is shown: as text, while they run, or as one JSON document at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agentl import codec
from agentl.cli.output import trace_style
from agentl.cli.terminal import write
from agentl.messages import translate
from agentl.scenarios.results import ScenarioResult, Shortfall
from agentl.trace import Trace
from agentl.values import show
from agentl_grammar.excerpt import excerpt
from agentl_grammar.problems import Message, message_id
from agentl_grammar.source import Source, Span


class ScenarioReport:
    """Takes results one by one and counts them."""

    def __init__(self, *, trace: bool) -> None:
        self._trace = trace
        self.count = 0
        self.failed = 0

    def add(self, source: Source, result: ScenarioResult) -> None:
        """Take the result of a scenario that stands in `source`."""
        self.count += 1
        self.failed += not result.passed
        self._show(source, result)

    def _show(self, source: Source, result: ScenarioResult) -> None:
        raise NotImplementedError

    def finish(self) -> None:
        """Say how many there were."""
        raise NotImplementedError


class TextReport(ScenarioReport):
    """Writes each scenario on a line of its own, and what was not fulfilled below it."""

    def __init__(self, *, trace: bool) -> None:
        super().__init__(trace=trace)
        self._file = ""

    def _show(self, source: Source, result: ScenarioResult) -> None:
        if source.name != self._file:
            self._file = source.name
            write(source.name, "bold")
        mark, style = ("✓", "green") if result.passed else ("✗", "red")
        write(f"  {mark} {result.agent}/{result.name}", style)
        if self._trace and result.trace is not None:
            self._write_trace(result.trace)
        for shortfall in result.shortfalls:
            for line in _lines(source, shortfall):
                write(f"      {line}")

    def _write_trace(self, trace: Trace) -> None:
        for event in trace.events:
            write(f"      {trace.line(event)}", trace_style(event.kind))

    def finish(self) -> None:
        """Say how many passed and how many failed."""
        template = message_id("{passed} passed, {failed} failed")
        summary = Message(template, {"passed": self.count - self.failed, "failed": self.failed})
        write(translate(summary), "red" if self.failed else "green")


def _lines(source: Source, shortfall: Shortfall) -> Iterator[str]:
    code = f"{shortfall.code}: " if shortfall.code else ""
    yield code + translate(shortfall.message)
    yield from (f"  {path} = {show(value)}" for path, value in shortfall.values.items())
    yield from (f"  {translate(note)}" for note in shortfall.notes)
    yield from _excerpt(source, shortfall.span, message_id("at: {place}"))
    if shortfall.rule is not None:
        yield from _excerpt(source, shortfall.rule, message_id("decided by: {place}"))


def _excerpt(source: Source, span: Span, template: str) -> Iterator[str]:
    line, column = source.position(span.start)
    place = f"{source.name}:{line + 1}:{column + 1}"
    yield "  " + translate(Message(template, {"place": place}))
    yield from (f"  {part}" for part in excerpt(source, span).splitlines())


class JsonReport(ScenarioReport):
    """Keeps everything and prints one document."""

    def __init__(self, *, trace: bool) -> None:
        super().__init__(trace=trace)
        self._results: list[dict[str, Any]] = []

    def _show(self, source: Source, result: ScenarioResult) -> None:
        body: dict[str, Any] = {
            "agent": result.agent,
            "scenario": result.name,
            **_place(source, result.span),
            "outcome": "passed" if result.passed else "failed",
            "ticks": result.ticks,
            "failures": [_as_data(source, shortfall) for shortfall in result.shortfalls],
        }
        if self._trace and result.trace is not None:
            body["trace"] = [result.trace.line(event) for event in result.trace.events]
        self._results.append(body)

    def finish(self) -> None:
        """Print the document."""
        document = {
            "scenarios": self._results,
            "passed": self.count - self.failed,
            "failed": self.failed,
        }
        print(json.dumps(document, indent=2))


def _as_data(source: Source, shortfall: Shortfall) -> dict[str, Any]:
    return {
        "kind": shortfall.kind,
        "code": shortfall.code,
        "message": translate(shortfall.message),
        **_place(source, shortfall.span),
        "tick": shortfall.tick,
        "values": {path: codec.encode(value) for path, value in shortfall.values.items()},
        "notes": [translate(note) for note in shortfall.notes],
        "rule": None if shortfall.rule is None else _place(source, shortfall.rule),
    }


def _place(source: Source, span: Span) -> dict[str, Any]:
    line, column = source.position(span.start)
    return {
        "file": source.name,
        "line": line + 1,
        "column": column + 1,
        "text": source.text[span.start : span.end],
    }
