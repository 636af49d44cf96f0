"""What a model is told of the state (language.md §5.12); what NEVER SEND names does not leave."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, cast

from agentl.interpreter.contracts import risk_of
from agentl.interpreter.core import Core
from agentl.provenance import Label, is_secret
from agentl.redaction import Redactor
from agentl.values import UNDEFINED, Value, text_of
from agentl_grammar.checks.naming import parameters_of
from agentl_grammar.tree import Goal, NameList


def build_context(core: Core, using: NameList | None) -> dict[str, Any]:
    """Return the context: of the paths of USING, or of the whole agent when there are none.

    What NEVER SEND names is left out, and so is what was made of it: by label, and where its text stands in
    another value. Redactions are traced.
    """
    redactor = Redactor(core.protected)
    for path in core.protected:
        _learn(core, redactor, path)
    context: dict[str, Any] = {"tick": core.state.tick}
    if using is not None and using.paths:
        context["focus"] = {path.text: _focus(core, redactor, path.text) for path in using.paths}
    else:
        context |= _everything(core, redactor)
    for path in redactor.hidden:
        core.state.count("redactions")
        core.trace.emit("reason.redacted", path=path)
    return context


def _learn(core: Core, redactor: Redactor, path: str) -> None:
    """Learn what a protected path names: also in the dicts of a list, through which no path reads."""
    redactor.learn(path, core.state.get(path))
    for above in accumulate(path.split(".")[:-1], "{}.{}".format):
        value = core.state.get(above)
        if isinstance(value, dict | list | tuple):
            redactor.learn(above, cast("Value", value))


def _focus(core: Core, redactor: Redactor, path: str) -> str:
    return _told(redactor, path, core.state.get(path), core.state.label(path))


def _told(redactor: Redactor, path: str, value: Value, label: Label) -> str:
    """Return a value as a model may read it."""
    if value is UNDEFINED:
        return text_of(value)
    covered = redactor.covers(path)
    if covered:
        value = redactor.clean(path, value)
    elif is_secret(label):
        return text_of(redactor.hide(path, value))
    shown = redactor.scrub(text_of(redactor.scrub(value)))
    if not covered and shown != text_of(value):
        redactor.hidden.append(path)
    return shown


def _everything(core: Core, redactor: Redactor) -> dict[str, Any]:
    state = core.state
    beliefs = {
        path: {
            "value": _told(redactor, path, belief.value, state.beliefs.label(path)),
            "confidence": belief.confidence,
            "source": belief.source,
        }
        for path, belief in state.beliefs.items()
    }
    tools = {
        name: {"risk": risk_of(tool), "inputs": parameters_of(tool)} for name, tool in core.tools.items()
    }
    goals = {
        name: {"mode": goal.mode, "score": state.world.get(f"goals.{name}.score")}
        for goal in core.agent.of(Goal)
        for name in ("main" if goal.name is None else goal.name.text,)
    }
    return {"goals": goals, "beliefs": beliefs, "tools": tools, "plans": list(core.plans)}
