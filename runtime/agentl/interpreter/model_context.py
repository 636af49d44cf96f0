"""What a model is told of the state (language.md §5.12); what NEVER SEND names does not leave."""

from __future__ import annotations

from typing import Any

from agentl.interpreter.contracts import risk_of
from agentl.interpreter.core import Core
from agentl.redaction import Redactor
from agentl.values import UNDEFINED, text_of
from agentl_grammar.tree import Goal, NameList


def build_context(core: Core, using: NameList | None) -> dict[str, Any]:
    """Return the context: of the paths of USING, or of the whole agent when there are none.

    Redactions are traced.
    """
    redactor = Redactor(core.protected)
    context: dict[str, Any] = {"tick": core.state.tick}
    if using is not None and using.paths:
        context["focus"] = {path.text: _text(core, redactor, path.text) for path in using.paths}
    else:
        context |= _everything(core, redactor)
    for path in redactor.hidden:
        core.state.count("redactions")
        core.trace.emit("reason.redacted", path=path)
    return context


def _text(core: Core, redactor: Redactor, path: str) -> str:
    value = core.state.get(path)
    return text_of(value) if value is UNDEFINED else text_of(redactor.clean(path, value))


def _everything(core: Core, redactor: Redactor) -> dict[str, Any]:
    state = core.state
    beliefs = {
        path: {
            "value": text_of(redactor.clean(path, belief.value)),
            "confidence": belief.confidence,
            "source": belief.source,
        }
        for path, belief in state.beliefs.items()
    }
    tools = {
        name: {"risk": risk_of(tool), "inputs": [field.name.text for field in tool.inputs]}
        for name, tool in core.tools.items()
    }
    goals = {
        name: {"mode": goal.mode, "score": state.world.get(f"goals.{name}.score")}
        for goal in core.agent.of(Goal)
        for name in ("main" if goal.name is None else goal.name.text,)
    }
    return {"goals": goals, "beliefs": beliefs, "tools": tools, "plans": list(core.plans)}
