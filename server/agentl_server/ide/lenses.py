"""Code lenses: what can be done with a program and its runs, above the AGENT; doubts, above their TOOL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from agentl_grammar.declared import segment
from agentl_grammar.source import Span
from agentl_grammar.tree import Agent
from agentl_server.ide.page import Layer, Page
from agentl_server.ide.run_view import RunView
from agentl_server.ide.wording import count

_RUNS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Lens:
    """A line above a declaration: `command` is executed with the one argument object."""

    span: Span
    title: str
    command: str
    argument: Mapping[str, str] = field(default_factory=dict[str, str])


def lenses(page: Page, uri: str) -> list[Lens]:
    """Return the lenses of a page; `uri` is what the commands call the program."""
    if page.anatomy is None:
        return []
    found = [*_agent_lenses(page, uri, page.anatomy.program.agents[0])]
    for layer in page.layers:
        for key, agent in layer.anatomy.agents.items():
            found.extend(_doubt_lenses(page, layer, key, agent))
    return found


def _agent_lenses(page: Page, uri: str, agent: Agent) -> Iterator[Lens]:
    span = page.place(agent.name.span)
    if span is None:
        return
    yield Lens(span, "▶ Run", "agentl.run", {"uri": uri})
    still_open = [view for view in page.runs if view.is_open]
    for view in still_open[:_RUNS_SHOWN]:
        if view.state == "corrupt":
            yield _inspect(view, span, f"⌕ Inspect {view.short_id} (corrupt)")
            continue
        yield _go_on(view, span, uri)
        yield _inspect(view, span, f"⌕ Inspect {view.short_id}")
    if not still_open and page.runs:
        latest = page.runs[0]
        yield _inspect(latest, span, f"⌕ Inspect {latest.short_id} ({latest.state})")


def _go_on(view: RunView, span: Span, uri: str) -> Lens:
    directory = str(view.directory)
    if view.state == "running":
        return Lens(
            span, f"■ Stop {view.short_id} ({_summary(view)})", "agentl.stop", {"directory": directory}
        )
    argument = {"uri": uri, "directory": directory}
    return Lens(span, f"↻ Resume {view.short_id} ({_summary(view)})", "agentl.resume", argument)


def _summary(view: RunView) -> str:
    parts = [view.state, count(view.entries, "entry", "entries")]
    if view.open_intents:
        parts.append(count(len(view.open_intents), "open intent"))
    if view.in_doubt:
        parts.append(f"{len(view.in_doubt)} in doubt")
    return " · ".join(parts)


def _inspect(view: RunView, span: Span, title: str) -> Lens:
    return Lens(span, title, "agentl.inspect", {"directory": str(view.directory)})


def _doubt_lenses(page: Page, layer: Layer, key: str, agent: Agent) -> Iterator[Lens]:
    doubtful = [view for view in page.runs if view.in_doubt]
    for tool in agent.tools:
        shown = layer.shows(f"{key}/tool:{segment(tool.name.text)}")
        span = layer.place(tool.name.span) if shown else None
        for view in doubtful if span else ():
            ticks = [
                call.tick
                for call in view.in_doubt
                if (call.agent, call.tool) == (agent.name.text, tool.name.text)
            ]
            if span and ticks:
                several = f" · run {view.short_id}" if len(doubtful) > 1 else ""
                yield _inspect(view, span, f"in doubt since tick {min(ticks)}{several}")
