"""What a model said at a REASON or JUDGE, run by run, as Markdown."""

from __future__ import annotations

from agentl.durable.showing import usage_text
from agentl.values import show
from agentl_grammar.tree import Judge, Reason
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.places import Places
from agentl_server.ide.run_view import ModelAnswer, RunView


def model_text(node: Reason | Judge, view: RunView, anatomy: Anatomy) -> str | None:
    """Return the answers of one run at a statement; None when it has none there."""
    places = Places(view, anatomy)
    for site, answers in view.history.answers_at.items():
        found = places.find(site)
        if found is not None and found.node is node:
            stale = " · *stale: the program changed here since*" if found.stale else ""
            lines = "\n".join(f"- {_answer(answer)}" for answer in answers)
            return f"**run {view.short_id}** ({view.state}){stale}\n\n{lines}"
    return None


def _answer(answer: ModelAnswer) -> str:
    took = "" if answer.usage is None else f" · {usage_text(answer.usage.model_dump())}"
    if answer.error is not None:
        return f"**tick {answer.tick}** ✗ {answer.error.class_name}: {answer.error.message}{took}"
    fields = answer.value.get("fields") if isinstance(answer.value, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return f"**tick {answer.tick}** → `{show(fields)}`{took}"
