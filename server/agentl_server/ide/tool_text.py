"""A tool as a person reads it: contract, what the host promises, doubt, counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from agentl.host.source import Promise
from agentl_grammar.tree import Agent, Tool
from agentl_server.ide.page import Page
from agentl_server.ide.run_view import Call, RunView
from agentl_server.ide.wording import count

_PROMISES = {
    Promise.IDEMPOTENT: "idempotent: an interrupted call is sent again with the same key",
    Promise.RECONCILABLE: "reconcilable: the host is asked whether an interrupted call happened",
    Promise.NONE: "none: an interrupted call ends in doubt and is never sent again",
    Promise.SOMETIMES: "depends on how the host script is set up",
}
_RUNS_SHOWN = 3
_NOUNS = {
    "done": ("result", None),
    "failed": ("failure", None),
    "denied": ("denied", "denied"),
    "refused": ("not approved", "not approved"),
    "unasked": ("not approved as nobody was asked", "not approved as nobody was asked"),
    "open": ("open intent", None),
    "in doubt": ("in doubt", "in doubt"),
}


def tool_text(tool: Tool, agent: Agent, page: Page, *, brief: bool = False) -> str:
    """Return a tool as Markdown; `brief` leaves the runs out."""
    lines = [
        f"```agentl\nTOOL {_signature(tool)}\n```",
        *_contract(tool),
        f"- host promise: {_promise(tool, page)}",
    ]
    if not brief:
        lines += [line for view in page.runs[:_RUNS_SHOWN] for line in _run(tool, agent, view)]
    return "\n".join(lines)


def _signature(tool: Tool) -> str:
    inputs = ", ".join(
        _typed(entry.name.text, entry.type.text if entry.type else None) for entry in tool.inputs
    )
    outputs = ", ".join(
        _typed(entry.name.text, entry.type.text if entry.type else None) for entry in tool.outputs
    )
    return f"{tool.name.text}({inputs})" + (f" → {{{outputs}}}" if outputs else "")


def _typed(name: str, kind: str | None) -> str:
    return f"{name}: {kind}" if kind else name


def _contract(tool: Tool) -> Iterator[str]:
    if tool.description is not None:
        yield f"\n{tool.description.value}\n"
    if tool.risk:
        yield f"- risk: {', '.join(entry.level.text.upper() for entry in tool.risk)}"
    if tool.side_effects:
        yield f"- changes: {', '.join(path.text for path in tool.side_effects)}"


def _promise(tool: Tool, page: Page) -> str:
    if page.host is None:
        return "unknown, there is no host script beside the program"
    promise = page.host.promise(tool.name.text)
    return _PROMISES[promise] if promise else "the host script has no such tool"


def _run(tool: Tool, agent: Agent, view: RunView) -> Iterator[str]:
    own = (agent.name.text, tool.name.text)
    calls = [call for call in view.history.calls if (call.agent, call.tool) == own]
    counts = Counter(call.outcome for call in calls)
    said = [count(counts[outcome], *nouns) for outcome, nouns in _NOUNS.items() if counts[outcome]]
    yield f"- run {view.short_id}: {', '.join(said) or 'not called'}"
    doubts = [call for call in view.in_doubt if (call.agent, call.tool) == own]
    yield from (f"  - in doubt since tick {call.tick}: `{call.action}`" for call in _first(doubts))


def _first(calls: list[Call]) -> list[Call]:
    return calls[:5]
