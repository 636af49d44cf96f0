"""The facts with which a run begins (language.md §5.1, §0 ⚠9)."""

from __future__ import annotations

from agentl.interpreter.core import Core
from agentl.provenance import DECLARED, of
from agentl.run_state import Belief
from agentl.values import UNDEFINED
from agentl_grammar.tree import Agent, Delegate, Scenario, walk
from agentl_grammar.tree import Belief as BeliefBlock


def set_initial_facts(core: Core) -> None:
    """Give the state its first facts and the declared beliefs, in their order."""
    facts = core.state.facts
    facts["run.resumed"] = False
    facts["run.resumes"] = 0
    facts["run.age_s"] = 0
    facts["planner.exhausted"] = False
    core.put_local_fact("last_action.blocked", False)
    core.put_local_fact("last_action.in_doubt", False)
    core.put_local_fact("reason.degraded", False)
    core.put_local_fact("reason.missing", 0)
    for tool in core.tools:
        facts[f"tools.{tool}.in_doubt"] = False
        facts[f"tools.{tool}.available"] = True
        facts[f"tools.{tool}.failures"] = 0
    for name in delegates(core.agent):
        facts[f"tools.{name}.in_doubt"] = False
    _declare_beliefs(core)


def _declare_beliefs(core: Core) -> None:
    for block in core.of(BeliefBlock):
        for entry in block.entries:
            value = core.value_or_undefined(entry.value)
            if value is not UNDEFINED:
                confidence = 1.0 if entry.confidence is None else float(entry.confidence.value)
                source = "declared" if entry.source is None else entry.source.text
                label = of(DECLARED) | core.label_of(entry.value)
                core.state.beliefs.put(entry.path.text, Belief(value, confidence, source, 0), label)


def delegates(agent: Agent) -> list[str]:
    """Return the sub-agents that a program names, in the order of the text."""
    members = (member for member in agent.members if not isinstance(member, Scenario))
    named = (node for member in members for node in walk(member) if isinstance(node, Delegate))
    return list(dict.fromkeys(node.target.text for node in named))
