"""What a condition sees of the state.

The state itself, with some names laid over it (language.md §3.8, §5.6).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from agentl.attestations import is_attested
from agentl.interpreter.crossings import ActionRequest
from agentl.provenance import DECLARED, NO_LABEL, RUNTIME, Label, of, union
from agentl.run_state import RunState
from agentl.spaces import locate
from agentl.values import UNDEFINED, Symbol, Value, as_number, is_finite_number

ACTION = "action"
_NOTHING: Mapping[str, Value] = {}
_NO_LABELS: Mapping[str, Label] = {}
_DECLARED, _RUNTIME = of(DECLARED), of(RUNTIME)
_OF_ACTION = dict.fromkeys(("action.tool", "action.risk", "action.origin"), _RUNTIME)


class View:
    """A reader of the state in which the names of `overlay` come first.

    `observed` are the paths of OBSERVE, `labels` say where the values of `overlay` come from. A name in
    `exact` is laid over as a whole: a path below it is read from the state, never from inside its value; nor
    is an observed path from inside any.
    """

    __slots__ = ("_exact", "_labels", "_observed", "_overlay", "_state")
    is_guard = False

    def __init__(
        self,
        state: RunState,
        overlay: Mapping[str, Value] = _NOTHING,
        observed: Collection[str] = (),
        labels: Mapping[str, Label] = _NO_LABELS,
        exact: Collection[str] = (),
    ) -> None:
        self._state = state
        self._overlay = overlay
        self._observed = observed
        self._labels = labels
        self._exact = exact

    def read(self, path: str) -> Value:
        """Return the value of `path`, UNDEFINED when nothing answers to it. A fact is never laid over."""
        value = self._laid_over(path)[1] if self._overlay else UNDEFINED
        return self._state.get(path) if value is UNDEFINED else value

    def label(self, path: str) -> Label:
        """Return where the value of `path` comes from (language.md §6.4)."""
        key, value = self._laid_over(path)
        return self._state.label(path) if value is UNDEFINED else self._labels.get(key, NO_LABEL)

    def _laid_over(self, path: str) -> tuple[str, Value]:
        if not self._overlay or path in self._state.facts.plain:
            return "", UNDEFINED
        value = self._overlay.get(path, UNDEFINED)
        if value is not UNDEFINED:
            return path, value
        key, value = locate(self._overlay, path, self._state.owned_to(path))
        inside = key in self._exact or path in self._observed
        return ("", UNDEFINED) if inside else (key, value)

    def attested(self, value: Value, tool: str | None) -> bool:
        """Tell whether `tool`, or any tool when None, has accepted a value equal to `value`."""
        return is_attested(self._state, value, tool)

    def action_label(self) -> Label | None:
        """Return the sources of the whole action; None outside a guard of a POLICY."""
        return self._labels.get(ACTION)

    def confidence(self, path: str) -> float | None:
        """Return the confidence of the belief `path`; None when there is no such belief."""
        belief = self._state.beliefs.get(path)
        return None if belief is None else belief.confidence

    def note_unknown(self) -> None:
        """An ordinary condition goes on with what it has (language.md §3.4, §3.7)."""

    def bound_to_undefined(self, path: str) -> bool:
        """Tell whether an argument, a local or a SET belief of this name is UNDEFINED, or its sensor is mute.

        A single word that is observed is no constant: while its sensor is mute, a guard must not read it as
        the symbol of that name. Nor must it rest on what was believed before the sensor said otherwise.
        """
        if path in self._observed and (
            self.read(path) is UNDEFINED or (path not in self._overlay and self._state.is_outdated(path))
        ):
            return True
        state = self._state
        space: Mapping[str, Value] = self._overlay if path in self._overlay else state.locals
        return space[path] is UNDEFINED if path in space else state.is_unset(path)


def policy_view(
    state: RunState,
    request: ActionRequest,
    observed: Collection[str] = (),
    labels: Mapping[str, Label] = _NO_LABELS,
    context: Label = NO_LABEL,
) -> View:
    """Return what a policy guard sees: `action.*`, `confidence`, and every argument under exactly its name.

    `labels` are those of the arguments, `context` is the label of what led to the action; an argument without
    a label is UNKNOWN.
    """
    overlay: dict[str, Value] = {}
    sources: dict[str, Label] = {}
    confidence = UNDEFINED if _is_unsure(state) else request.confidence
    if "confidence" not in state.locals.plain:
        overlay["confidence"] = confidence
        sources["confidence"] = _RUNTIME
    given = {name: labels.get(name, NO_LABEL) for name in request.args}
    overlay |= request.args
    sources |= given
    for name, value in request.args.items():
        overlay[f"action.args.{name}"] = value
        sources[f"action.args.{name}"] = given[name]
    overlay |= {
        "action.tool": Symbol(request.tool),
        "action.risk": Symbol(request.risk),
        "action.origin": Symbol(request.origin),
        "action.confidence": confidence,
    }
    sources |= _OF_ACTION
    sources["action.confidence"] = confidence_label(state)
    sources[ACTION] = union(context, *given.values()) or _DECLARED
    return View(state, overlay, observed, sources, frozenset(request.args))


def confidence_label(state: RunState) -> Label:
    """Return where `action_confidence` comes from."""
    if "confidence" in state.locals.plain:
        return state.locals.label("confidence")
    return _DECLARED | state.locals.absent.get("confidence", _DECLARED)


def action_confidence(state: RunState) -> float:
    """Return how sure the agent is of what it does: the local `confidence`, else 1.

    0 when that local holds no number: a model was asked how sure it is and did not say.
    """
    if _is_unsure(state):
        return 0.0
    return float(state.locals.get("confidence", 1.0))


def _is_unsure(state: RunState) -> bool:
    if "confidence" not in state.locals.plain:
        return False
    value = state.locals["confidence"]
    return not is_finite_number(value) or as_number(value) is None
