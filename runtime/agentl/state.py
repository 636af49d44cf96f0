"""What a condition sees of the state.

The state itself, with some names laid over it (language.md §3.8, §5.6).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from agentl.interpreter.crossings import ActionRequest
from agentl.run_state import RunState
from agentl.spaces import find
from agentl.values import UNDEFINED, Symbol, Value

_NOTHING: Mapping[str, Value] = {}


class View:
    """A reader of the state in which the names of `overlay` come first.

    `observed` are the paths of OBSERVE.
    """

    __slots__ = ("_observed", "_overlay", "_state")

    def __init__(
        self, state: RunState, overlay: Mapping[str, Value] = _NOTHING, observed: Collection[str] = ()
    ) -> None:
        self._state = state
        self._overlay = overlay
        self._observed = observed

    def read(self, path: str) -> Value:
        """Return the value of `path`, UNDEFINED when nothing answers to it. A fact is never laid over."""
        covered = self._overlay and path not in self._state.facts
        value = find(self._overlay, path) if covered else UNDEFINED
        return self._state.get(path) if value is UNDEFINED else value

    def confidence(self, path: str) -> float | None:
        """Return the confidence of the belief `path`; None when there is no such belief."""
        belief = self._state.beliefs.get(path)
        return None if belief is None else belief.confidence

    def bound_to_undefined(self, path: str) -> bool:
        """Tell whether an argument or a local of exactly this name holds UNDEFINED, or its sensor is mute.

        A single word that is observed is no constant: while its sensor is mute, a guard must not read it as
        the symbol of that name.
        """
        if path in self._observed and self.read(path) is UNDEFINED:
            return True
        space: Mapping[str, Value] = self._overlay if path in self._overlay else self._state.locals
        return path in space and space[path] is UNDEFINED


def policy_view(state: RunState, request: ActionRequest, observed: Collection[str] = ()) -> View:
    """Return what a policy guard sees: `action.*`, `confidence`, and every argument under its bare name."""
    overlay: dict[str, Value] = {
        "action.tool": Symbol(request.tool),
        "action.risk": Symbol(request.risk),
        "action.origin": Symbol(request.origin),
        "action.confidence": request.confidence,
        "confidence": request.confidence,
    }
    overlay |= {f"action.args.{name}": value for name, value in request.args.items()}
    overlay |= request.args
    return View(state, overlay, observed)


def action_confidence(state: RunState) -> float:
    """Return how sure the agent is of what it does: the local `confidence` if it is a number, else 1."""
    value = state.locals.get("confidence", UNDEFINED)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 1.0
