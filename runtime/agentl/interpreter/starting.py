"""The facts with which a run begins (language.md §5.1, §0 ⚠9)."""

from __future__ import annotations

from agentl.interpreter.core import Core
from agentl.run_state import Belief
from agentl.values import UNDEFINED
from agentl_grammar.tree import Belief as BeliefBlock


def set_initial_facts(core: Core) -> None:
    """Give the state its first facts and the declared beliefs, in their order."""
    facts, local = core.state.facts, core.state.locals
    facts["run.resumed"] = False
    facts["run.resumes"] = 0
    facts["run.age_s"] = 0
    facts["planner.exhausted"] = False
    local["last_action.blocked"] = False
    local["last_action.in_doubt"] = False
    local["reason.degraded"] = False
    local["reason.missing"] = 0
    for tool in core.tools:
        facts[f"tools.{tool}.in_doubt"] = False
        facts[f"tools.{tool}.available"] = True
        facts[f"tools.{tool}.failures"] = 0
    _declare_beliefs(core)


def _declare_beliefs(core: Core) -> None:
    for block in core.agent.of(BeliefBlock):
        for entry in block.entries:
            value = core.value_or_undefined(entry.value)
            if value is not UNDEFINED:
                confidence = 1.0 if entry.confidence is None else float(entry.confidence.value)
                source = "declared" if entry.source is None else entry.source.text
                core.state.beliefs[entry.path.text] = Belief(value, confidence, source, 0)
