"""Inlay hints: what the run that went on last did, on the very lines of the program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agentl_grammar.declared import segment
from agentl_grammar.source import Span
from agentl_grammar.tree import Node, Path, Plan, PolicyDefault, walk
from agentl_server.ide.page import Layer, Page
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
    found = [hint for layer in page.layers for hint in _of_layer(page, layer, view, within)]
    return sorted(found, key=lambda hint: hint.offset)


def _of_layer(page: Page, layer: Layer, view: RunView, within: Span | None) -> Iterator[Hint]:
    places = Places(view, layer.anatomy)
    marks = [
        *_call_hints(page, layer, places, view),
        *_path_hints(layer, places, view),
        *_rule_hints(layer, view),
    ]
    return _placed(layer, marks, within)


@dataclass(frozen=True, slots=True)
class _Mark:
    node: Node
    text: str
    tooltip: str
    stale: bool


def _placed(layer: Layer, marks: Iterable[_Mark], within: Span | None) -> Iterator[Hint]:
    for mark in marks:
        span = layer.place(mark.node.span)
        if span is not None and (within is None or within.contains(span.end)):
            note = f"{mark.tooltip}\n\nThe program changed here since." if mark.stale else mark.tooltip
            yield Hint(span.end, mark.text + (_STALE if mark.stale else ""), note)


# --------------------------------------------------------------------------------------------------- calls


def _call_hints(page: Page, layer: Layer, places: Places, view: RunView) -> Iterator[_Mark]:
    for site, calls in view.history.calls_at.items():
        found = places.find(site) if layer.shows(layer.anatomy.sites.declaration(site)) else None
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
    for layer in page.layers:
        rule = layer.anatomy.rules.get((decision.agent, decision.rule))
        span = layer.place(rule.span) if rule else None
        if span:
            return page.source.position(span.start).line + 1
    return None


# ------------------------------------------------------------------------------------------ observed paths


def _path_hints(layer: Layer, places: Places, view: RunView) -> Iterator[_Mark]:
    for key, agent in layer.anatomy.agents.items():
        for entry in agent.observations if layer.shows(f"{key}/observe") else ():
            if values := _values(view, entry.path.text):
                yield _Mark(entry, f"= {values}", f"run {view.short_id}", f"{key}/observe" in places.changed)
        for plan in agent.of(Plan):
            site = layer.anatomy.sites.site(plan)
            stale = site in places.changed
            for path in _paths_of(plan) if layer.shows(site) else ():
                if plan.when is not None and (values := _values(view, path)):
                    yield _Mark(plan.when, f"{path} = {values}", f"run {view.short_id}", stale)


def _paths_of(plan: Plan) -> list[str]:
    read = (part.text for part in walk(plan.when) if isinstance(part, Path)) if plan.when else ()
    return list(dict.fromkeys(read))


def _values(view: RunView, path: str) -> str:
    readings = view.history.readings_of.get(path, ())
    return by_tick((reading_text(reading), reading.tick) for reading in readings)


# --------------------------------------------------------------------------------------------------- rules


def _rule_hints(layer: Layer, view: RunView) -> Iterator[_Mark]:
    for (agent, text), rule in layer.anatomy.rules.items():
        decisions = view.history.decisions_by.get(f"{agent}:{text}")
        if decisions and layer.shows(f"{segment(agent)}/policy"):
            yield _Mark(rule, _applied(decisions), f"run {view.short_id}", stale=False)
    for key, agent in layer.anatomy.agents.items():
        for default in agent.policy_rules if layer.shows(f"{key}/policy") else ():
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
