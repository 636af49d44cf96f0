"""What a person who reviews a deployment wants to see of a program and its host script, as data."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agentl.host.source import HostFunction, HostSource
from agentl.review import Reviewer, at_host
from agentl.review.host_code import HostCode, read_code
from agentl.review.view import Target, View, doubt_of
from agentl_grammar.checks.index import Index, parts_of
from agentl_grammar.checks.parts import Part
from agentl_grammar.parser import ParseResult
from agentl_grammar.printer import print_node
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import Ask, Escalate, Program, Redaction, Rule

_STORES = frozenset({"FileStore", "SQLiteStore", "MemoryStore", "PostgresStore"})


@dataclass(frozen=True, slots=True)
class Activity:
    """Something outside of the program that it calls or reads.

    `kind` is tool, sub-agent, sensor or reconciler. `promise` is idempotent, reconcilable, none, sometimes
    (it depends on how the host is set up), unknown (the script cannot be read that far) or absent (the script
    has no such function). `effects` are paths, `rules` the rules of POLICY that a call meets. Lines count
    from 1; `host_line` is None where no function is seen.
    """

    agent: str
    kind: str
    name: str
    line: int
    host_line: int | None
    promise: str
    risk: str | None = None
    effects: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """A rule or statement of the program that a section lists; `kind` is approval, question or escalation."""

    agent: str
    kind: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Report:
    """The review of one program. `findings` are told where they are about (see `at_host`).

    `answers` are the people whom the script speaks for: `approver`, `asker`. `stores` are those that the
    script makes itself, `hidden` the paths of NEVER SEND, `on_resume` the rules that look at a resume or at
    a doubt. `complete` is False when only running the script would tell all that it registers.
    """

    source: Source
    host: HostSource
    activities: tuple[Activity, ...]
    waits: tuple[Statement, ...]
    answers: tuple[str, ...]
    stores: tuple[str, ...]
    hidden: tuple[str, ...]
    on_resume: tuple[Statement, ...]
    findings: tuple[tuple[Problem, Source], ...]

    @property
    def complete(self) -> bool:
        """Tell whether the script could be read as a whole."""
        return self.host.complete


def report_on(result: ParseResult, program: Program, host: HostSource, findings: Iterable[Problem]) -> Report:
    """Return the report on a program that was parsed without a syntax error, with these findings."""
    source = result.source
    code = read_code("" if host.error is not None else host.source.text)
    views = [View(Index(agent, parts_of(agent, {}), source, None), host, code) for agent in program.agents]
    return Report(
        source,
        host,
        tuple(activity for view in views for activity in _activities(view)),
        tuple(wait for view in views for wait in _waits(view)),
        tuple(_answers(code)),
        tuple(_stores(code)),
        tuple(path.text for view in views for _, node in view.index.all(Redaction) for path in node.paths),
        tuple(statement for view in views for statement in _on_resume(view)),
        tuple(at_host(problem, source, host.source) for problem in findings),
    )


def reviewed(result: ParseResult, program: Program, host: HostSource) -> tuple[Problem, ...]:
    """Return the findings of a program that was parsed."""
    return Reviewer().review(program, result.source, host, result.comments)


# ------------------------------------------------------------------------------------------------ activities


def _activities(view: View) -> Iterator[Activity]:
    for target in view.targets:
        yield _called(view, target)
        reconciler = view.host.reconcilers.get(target.name)
        if reconciler is not None:
            yield Activity(
                view.index.name,
                "reconciler",
                target.name,
                _line(view.index.source, target.span),
                _host_line(view, reconciler),
                "none",
            )
    for path, (part, node) in view.index.observed.items():
        sensor = view.host.sensors.get(path)
        seen = "none" if sensor else "absent" if view.host.complete else "unknown"
        line = _line(view.index.source, part.at(node))
        rules = _texts(
            (part, rule)
            for part, rule in view.index.rules
            if rule.guard is not None and path in part.reads(rule.guard)
        )
        yield Activity(view.index.name, "sensor", path, line, _host_line(view, sensor), seen, rules=rules)


def _called(view: View, target: Target) -> Activity:
    tool = target.tool
    functions = view.host.tools if tool is not None else view.host.subagents
    risks = [entry.level.text for entry in tool.risk] if tool else []
    return Activity(
        view.index.name,
        "sub-agent" if tool is None else "tool",
        target.name,
        _line(view.index.source, target.span),
        _host_line(view, functions.get(target.name)),
        _promise(view, target.name),
        ", ".join(risks) or None,
        tuple(path.text for path in tool.side_effects) if tool else (),
        _texts(view.index.rules_on(target.name)),
    )


def _promise(view: View, name: str) -> str:
    if name not in view.host.promises:
        return "absent" if view.host.complete else "unknown"
    return str(view.host.promises[name])


def _texts(rules: Iterable[tuple[Part, Rule]]) -> tuple[str, ...]:
    return tuple(print_node(rule) for _, rule in rules)


def _line(source: Source, span: Span) -> int:
    return source.position(span.start).line + 1


def _host_line(view: View, function: HostFunction | None) -> int | None:
    return _line(view.host.source, function.span) if function is not None else None


# --------------------------------------------------------------------------------------- people and the store


def _waits(view: View) -> Iterator[Statement]:
    for part, rule in view.index.rules:
        if rule.kind == "REQUIRE":
            yield _statement(view, "approval", part, rule)
    for part, ask in view.index.all(Ask):
        yield _statement(view, "question", part, ask)
    for part, escalate in view.index.all(Escalate):
        yield _statement(view, "escalation", part, escalate)


def _on_resume(view: View) -> Iterator[Statement]:
    for part, rule in view.index.rules:
        for path in part.reads(rule.guard):
            if path.startswith("run.") or doubt_of(path) is not None:
                yield _statement(view, "rule", part, rule)
                break


def _statement(view: View, kind: str, part: Part, node: Rule | Ask | Escalate) -> Statement:
    text = " ".join(print_node(node).split())
    return Statement(view.index.name, kind, text, _line(view.index.source, part.at(node)))


def _answers(code: HostCode) -> Iterator[str]:
    names = {
        target.attr
        for node in ast.walk(code.module)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
    }
    yield from (name for name in ("approver", "asker") if name in names)


def _stores(code: HostCode) -> Sequence[str]:
    made = [
        (code.dotted(node.func) or "").rpartition(".")[2]
        for node in ast.walk(code.module)
        if isinstance(node, ast.Call)
    ]
    return [name for name in dict.fromkeys(made) if name in _STORES]
