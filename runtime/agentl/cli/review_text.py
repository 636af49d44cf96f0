"""The report of `agentl review` as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

from agentl.messages import translate, translate_template
from agentl.review.report import Activity, Report, Statement
from agentl_grammar.excerpt import render, visible
from agentl_grammar.problems import Message, message_id

_KINDS = {
    "tool": message_id("tool"),
    "sub-agent": message_id("sub-agent"),
    "sensor": message_id("sensor"),
    "reconciler": message_id("reconciler"),
}
_PROMISES = {
    "idempotent": message_id("idempotent: an interrupted call is sent again"),
    "reconcilable": message_id("reconcilable: an interrupted call is asked about"),
    "none": message_id("no promise: an interrupted call is in doubt"),
    "sometimes": message_id("its promise depends on how the host is set up"),
    "unknown": message_id("only running the host script would tell what it promises"),
    "absent": message_id("the host script has no such function"),
}
_SENSORS = {
    "none": message_id("read again after an interruption"),
    "unknown": message_id("only running the host script would tell whether it is there"),
    "absent": message_id("the host script has no such function"),
}
_RECONCILER = message_id("tells after an interruption whether a call happened")


def as_report(report: Report) -> str:
    """Return the sections of a report, and its findings with excerpts."""
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    yield f"{report.source.name} + {report.host.source.name}"
    if report.host.error is None and not report.complete:
        yield _said(message_id("not all that the host script registers can be read without running it"))
    yield from _section(message_id("Activities"), _activities(report))
    yield from _section(message_id("Determinism"), _determinism(report))
    yield from _section(message_id("Store"), _store(report))
    yield from _section(message_id("People"), _people(report))
    yield from _section(message_id("After an interruption"), _resume(report))
    yield from _section(message_id("Findings"), ())
    if not report.findings:
        yield "  " + _said(message_id("none"))
    others = {source.name: source for source in (report.source, report.host.source)}
    for problem, source in report.findings:
        yield render(problem, source, translate_template, others)
        yield ""


def _said(template: str, **values: object) -> str:
    return visible(translate(Message(template, values)))


def _section(title: str, lines: Iterator[str] | tuple[str, ...]) -> Iterator[str]:
    yield ""
    yield _said(title)
    yield from ("  " + line for line in lines)


def _activities(report: Report) -> Iterator[str]:
    for activity in report.activities:
        yield _head(activity)
        yield "  " + _where(report, activity)
        if activity.effects:
            yield "  " + _said(message_id("acts on {paths}"), paths=", ".join(activity.effects))
        if activity.risk:
            yield "  " + _said(message_id("risk {level}"), level=activity.risk)
        if activity.kind in ("tool", "sub-agent") and not activity.rules:
            yield "  " + _said(message_id("no rule is about it"))
        yield from ("  " + visible(rule) for rule in activity.rules)
    if not report.activities:
        yield _said(message_id("none"))


def _head(activity: Activity) -> str:
    promise = (_SENSORS if activity.kind == "sensor" else _PROMISES)[activity.promise]
    return _said(
        message_id("{kind} {name}: {promise}"),
        kind=Message(_KINDS[activity.kind]),
        name=activity.name,
        promise=Message(_RECONCILER if activity.kind == "reconciler" else promise),
    )


def _where(report: Report, activity: Activity) -> str:
    place = f"{report.source.name}:{activity.line}"
    return place if activity.host_line is None else f"{place}, {report.host.source.name}:{activity.host_line}"


def _determinism(report: Report) -> Iterator[str]:
    found = [problem for problem, _ in report.findings if problem.code == "D208"]
    if not found:
        yield _said(
            message_id("as far as the host script shows, every decision is on what the journal knows")
        )
    for problem in found:
        yield visible(translate(problem.message))


def _store(report: Report) -> Iterator[str]:
    if report.stores:
        yield _said(message_id("the host script makes: {names}"), names=", ".join(report.stores))
    else:
        yield _said(
            message_id("the host script makes none: the journal of a run is where --durable DIR says")
        )
    if "MemoryStore" in report.stores:
        yield _said(message_id("MemoryStore forgets everything when its process ends"))
    if report.hidden:
        yield _said(message_id("hidden where values are shown: {paths}"), paths=", ".join(report.hidden))


def _people(report: Report) -> Iterator[str]:
    yield from (_at(report, wait) for wait in report.waits)
    if not report.waits:
        yield _said(message_id("nobody is asked"))
    elif not report.answers:
        yield _said(message_id("the host script answers nothing itself"))
    for name in report.answers:
        yield _said(message_id("the host script answers by host.{name}"), name=name)


def _resume(report: Report) -> Iterator[str]:
    yield from (_at(report, rule) for rule in report.on_resume)
    if not any("run." in rule.text for rule in report.on_resume):
        yield _said(message_id("no rule looks at run.resumed, run.resumes or run.age_s"))


def _at(report: Report, statement: Statement) -> str:
    return f"{report.source.name}:{statement.line}: {visible(statement.text)}"
