"""Inlay hints: what the run that went on last did, on the very lines of the program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agentl_grammar.source import Span
from agentl_grammar.tree import Node, Path, Plan, PolicyDefault, walk
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.page import Page
from agentl_server.ide.places import Places
from agentl_server.ide.run_view import Call, Decision, RunView
from agentl_server.ide.wording import by_tick, reading_text, result_text

_STALE = " · stale"
_TICKS_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Hint:
    """A text behind `offset` of the open text; `tooltip` says more."""

    offset: int
    text: str
    tooltip: str


def hints(page: Page, within: Span | None = None) -> list[Hint]:
    """Return the hints of a page, in the order of the text; only those inside `within` when it is given."""
    if page.anatomy is None or not page.runs:
        return []
    # of equals, the one that began last: it stands first
    view = max(page.runs, key=lambda run: run.changed)
    places = Places(view, page.anatomy)
    marks = [
        *_call_hints(page, places, view),
        *_path_hints(page.anatomy, places, view),
        *_rule_hints(page.anatomy, view),
    ]
    return sorted(_placed(page, marks, within), key=lambda hint: hint.offset)


@dataclass(frozen=True, slots=True)
class _Mark:
    node: Node
    text: str
    tooltip: str
    stale: bool


def _placed(page: Page, marks: Iterable[_Mark], within: Span | None) -> Iterator[Hint]:
    for mark in marks:
        span = page.place(mark.node.span)
        if span is not None and (within is None or within.contains(span.end)):
            note = f"{mark.tooltip}\n\nThe program changed here since." if mark.stale else mark.tooltip
            yield Hint(span.end, mark.text + (_STALE if mark.stale else ""), note)


# --------------------------------------------------------------------------------------------------- calls


def _call_hints(page: Page, places: Places, view: RunView) -> Iterator[_Mark]:
    for site, calls in view.history.calls_at.items():
        found = places.find(site)
        if found is not None:
            shown = by_tick(((_label(call, page), call.tick) for call in calls), " · ")
            tooltip = "\n".join(f"tick {call.tick}: {result_text(call, limit=None)}" for call in calls[-20:])
            yield _Mark(found.node, shown, f"run {view.short_id}\n{tooltip}", found.stale)


def _label(call: Call, page: Page) -> str:
    if call.outcome != "denied" or call.decision is None:
        return result_text(call)
    word = call.decision.rule.split(maxsplit=1)[0]
    line = rule_line(call.decision, page)
    return f"⛔ {word} l.{line}" if line else f"⛔ {call.decision.rule}"


def rule_line(decision: Decision, page: Page) -> int | None:
    """Return the line, counted from 1, on which the rule that decided stands now."""
    rule = page.anatomy.rules.get((decision.agent, decision.rule)) if page.anatomy else None
    span = page.place(rule.span) if rule else None
    return page.source.position(span.start).line + 1 if span else None


# ------------------------------------------------------------------------------------------ observed paths


def _path_hints(anatomy: Anatomy, places: Places, view: RunView) -> Iterator[_Mark]:
    for key, agent in anatomy.agents.items():
        for entry in agent.observations:
            if values := _values(view, entry.path.text):
                yield _Mark(entry, f"= {values}", f"run {view.short_id}", f"{key}/observe" in places.changed)
        for plan in agent.of(Plan):
            stale = anatomy.sites.site(plan) in places.changed
            for path in _paths_of(plan):
                if plan.when is not None and (values := _values(view, path)):
                    yield _Mark(plan.when, f"{path} = {values}", f"run {view.short_id}", stale)


def _paths_of(plan: Plan) -> list[str]:
    read = (part.text for part in walk(plan.when) if isinstance(part, Path)) if plan.when else ()
    return list(dict.fromkeys(read))


def _values(view: RunView, path: str) -> str:
    readings = view.history.readings_of.get(path, ())
    return by_tick((reading_text(reading), reading.tick) for reading in readings)


# --------------------------------------------------------------------------------------------------- rules


def _rule_hints(anatomy: Anatomy, view: RunView) -> Iterator[_Mark]:
    for (agent, text), rule in anatomy.rules.items():
        if decisions := view.history.decisions_by.get(f"{agent}:{text}"):
            yield _Mark(rule, _applied(decisions), f"run {view.short_id}", stale=False)
    for agent in anatomy.program.agents:
        for default in agent.policy_rules:
            if isinstance(default, PolicyDefault):
                decisions = view.history.decisions_by.get(f"{agent.name.text}:DEFAULT {default.verdict}")
                if decisions:
                    yield _Mark(default, _applied(decisions), f"run {view.short_id}", stale=False)


def _applied(decisions: list[Decision]) -> str:
    ticks = sorted({decision.tick for decision in decisions})
    if len(ticks) == 1:
        return f"✓ applied {len(decisions)}× (tick {ticks[0]})"
    shown = ", ".join(map(str, ticks)) if len(ticks) <= _TICKS_SHOWN else f"{ticks[0]}–{ticks[-1]}"
    return f"✓ applied {len(decisions)}× (ticks {shown})"
