"""The phase words and what each runs (language.md §4.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agentl.interpreter.core import MAX_NESTED_PHASES, Core, Steps, TickCut
from agentl.interpreter.goals import evaluate_goals
from agentl.interpreter.memory import update_memory
from agentl.interpreter.plans import execute
from agentl.interpreter.reactions import receive
from agentl.interpreter.selection import select_plan
from agentl.interpreter.sensing import observe, update_beliefs
from agentl_grammar.tree import Phase

DEFAULT_ORDER = (
    "RECEIVE",
    "OBSERVE",
    "UPDATE_BELIEFS",
    "UPDATE_HYPOTHESES",
    "EVALUATE_GOALS",
    "SELECT_PLAN",
    "EXECUTE",
    "VERIFY",
    "UPDATE_MEMORY",
)
"""The phases of an agent without LOOP."""


def _update_beliefs(core: Core) -> Steps[None]:
    update_beliefs(core)
    yield from ()


def _evaluate_goals(core: Core) -> Steps[None]:
    evaluate_goals(core)
    yield from ()


def _nothing(_core: Core) -> Steps[None]:
    """Hypotheses and planner: `support` refuses the programs that have any."""
    yield from ()


_PHASES: Mapping[str, Callable[[Core], Steps[None]]] = {
    "RECEIVE": receive,
    "OBSERVE": observe,
    "UPDATE_BELIEFS": _update_beliefs,
    "UPDATE_HYPOTHESES": _nothing,
    "EVALUATE_GOALS": _evaluate_goals,
    "SELECT_PLAN": select_plan,
    "DECIDE": select_plan,
    "SYNTHESIZE": _nothing,
    "EXECUTE": execute,
    "ACT": execute,
    "VERIFY": _evaluate_goals,
    "UPDATE_MEMORY": update_memory,
}


def run_phase(core: Core, word: str) -> Steps[None]:
    """Run a phase by its word. Raises TickCut when phases are nested too deeply."""
    if core.nested_phases >= MAX_NESTED_PHASES:
        core.trace.emit("tick.cut", reason=f"{MAX_NESTED_PHASES} phases run inside one another")
        raise TickCut
    core.nested_phases += 1
    yield from _PHASES[word](core)
    core.nested_phases -= 1
    core.step_done()


def phase(core: Core, statement: Phase) -> Steps[None]:
    """Run a phase word that stands as a statement."""
    yield from run_phase(core, statement.word.text)
