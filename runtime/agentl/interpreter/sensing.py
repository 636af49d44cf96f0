"""OBSERVE, UPDATE_BELIEFS, and the reading again of what a condition names (language.md §5.2, §5.3, §5.9)."""

from __future__ import annotations

from agentl.interpreter.core import Core, Steps
from agentl.interpreter.crossings import Answered, Failed, Read
from agentl.interpreter.drift import keep_ledger
from agentl.interpreter.people import escalate
from agentl.provenance import (
    EXTERNAL,
    NOTHING,
    OBSERVED,
    RUNTIME,
    Label,
    is_untrusted,
    of,
    unmarked,
    without_secrets,
)
from agentl.provenance import FALLBACK as FALLBACK_SOURCE
from agentl.run_state import FALLBACK, OBSERVATION, Belief
from agentl.values import UNDEFINED, Value, equal
from agentl_grammar.tree import Expression, Node, Observation, Path, walk

OBSERVED_CONFIDENCE = 0.95
EFFECT_CONFIDENCE = 0.80
FALLBACK_CONFIDENCE = 0.30
_EFFECT = "effect:"
_OBSERVED = of(OBSERVED)
_EXTERNAL = of(OBSERVED, EXTERNAL)


def observe(core: Core) -> Steps[None]:
    """Read every observed path whose WHEN holds: that decides what is known of it, read or not."""
    for path, entry in core.observations:
        decided = _decided(core, entry)
        if entry.when is None or core.holds(entry.when):
            yield from _observe(core, path, entry)
        decide_reading(core, path, decided)
        if entry.on_unknown is not None and entry.on_unknown.fallback is None:
            core.decide(core.state.locals, "answer", decided)


def _decided(core: Core, entry: Observation) -> Label:
    if entry.when is None:
        return core.context()
    return without_secrets(core.label_of(entry.when)) | core.context()


def decide_reading(core: Core, path: str, decided: Label) -> None:
    """Count what decided whether `path` was read into the sources of its value, or of its having none."""
    state = core.state
    known = path in state.world.plain
    if (known and not decided) or not is_untrusted(decided):
        return  # trusted sources beside those of a sensor change no answer, none changes nothing
    if not known:
        state.world.put(path, UNDEFINED, NOTHING)
    state.world.put(path, state.world[path], state.world.labels().get(path, NOTHING) | decided)
    core.decide(state.beliefs, path, decided)
    core.decide(state.facts, f"sensors.{path}.available", decided)


def _observe(core: Core, path: str, entry: Observation) -> Steps[None]:
    if (yield from _read(core, path, entry)):
        return
    _forget_observation(core, path)
    if entry.on_unknown is None:
        return
    if entry.on_unknown.fallback is not None:
        _degrade(core, path, entry.on_unknown.fallback)
    elif path not in core.state.outages:
        core.state.outages.append(path)
        core.trace.emit("sensor.escalated", path=path)
        with core.under(_decided(core, entry)):
            yield from escalate(core, f"The sensor {path} does not answer. What should be done?", entry)


def _read(core: Core, path: str, node: Node) -> Steps[bool]:
    """Read a sensor into the world; return whether it answered."""
    outcome = yield from core.cross(
        Read(agent=core.name, tick=core.state.tick, site=core.site_of(node), path=path)
    )
    if isinstance(outcome, Failed):
        failure = outcome.failure
        core.trace.emit("sensor.failed", path=path, error=failure.class_name, message=failure.message)
    value: Value = outcome.value if isinstance(outcome, Answered) else None
    answered = value is not None and value is not UNDEFINED
    core.state.facts.put(f"sensors.{path}.available", answered, NOTHING)
    if answered:
        _take_reading(core, path, value)
    else:
        core.state.count("sensor_unknown")
        core.trace.emit("sensor.mute", path=path)
    return answered


def _take_reading(core: Core, path: str, value: Value) -> None:
    state = core.state
    plain, marked = unmarked(value)
    state.world.put(path, plain, _EXTERNAL if marked else _OBSERVED)
    if f"{path}.dirty" in state.world.plain:
        state.world.put(f"{path}.dirty", False, of(RUNTIME))
    if path in state.outages:
        state.outages.remove(path)
    core.fresh[path] = None
    core.trace.emit("sensor.read", path=path, value=plain)


def _forget_observation(core: Core, path: str) -> None:
    """A mute sensor leaves its path undefined; a belief that did not come from the sensor stays (§0 ⚠11)."""
    core.forget(core.state.world, path)
    core.fresh.pop(path, None)
    belief = core.state.beliefs.get(path)
    if belief is not None and belief.source in {OBSERVATION, FALLBACK}:
        core.forget(core.state.beliefs, path)


def _degrade(core: Core, path: str, fallback: Expression) -> None:
    value = core.value_or_undefined(fallback)
    state = core.state
    label = of(FALLBACK_SOURCE) | core.label_of(fallback)
    if value is UNDEFINED:
        core.decide(state.world, path, without_secrets(label))
        core.decide(state.beliefs, path, without_secrets(label))
        return
    state.world.put(path, value, label)
    state.beliefs.put(path, Belief(value, FALLBACK_CONFIDENCE, FALLBACK, state.tick), label)
    state.count("sensor_degraded")
    core.trace.emit("sensor.degraded", path=path, value=value)


def update_beliefs(core: Core) -> None:
    """Believe what was read since the last time, and audit the effects that were expected there."""
    for path in core.fresh:
        _believe_observation(core, path)
    core.fresh.clear()


def _believe_observation(core: Core, path: str) -> None:
    state = core.state
    value = state.world[path]
    old = state.beliefs.plain.get(path)
    if old is None:
        core.trace.emit("belief.formed", path=path, value=value)
    elif not equal(old.value, value):
        core.trace.emit("belief.changed", path=path, value=value, before=old.value)
    if old is not None and old.source.startswith(_EFFECT):
        _audit(core, path, old, value)
    belief = Belief(value, OBSERVED_CONFIDENCE, OBSERVATION, state.tick)
    state.beliefs.put(path, belief, state.world.label(path) | core.context())


def _audit(core: Core, path: str, expected: Belief, value: Value) -> None:
    tool = expected.source.removeprefix(_EFFECT)
    ledger = core.state.drift.setdefault(f"{tool} {path}", [0, 0])
    confirmed = equal(expected.value, value)
    ledger[0 if confirmed else 1] += 1
    keep_ledger(core)
    if not confirmed:
        core.state.count("effect_drift")
        core.trace.emit("effect.refuted", tool=tool, path=path, before=expected.value, value=value)


def believe_effect(core: Core, tool: str, path: str, value: Value, label: Label) -> None:
    """Believe an EFFECT, as far as the tool was right about this path before (language.md §5.3)."""
    confirmed, refuted = core.state.drift.get(f"{tool} {path}", [0, 0])
    judged = confirmed + refuted
    confidence = (confirmed + 0.5) / (judged + 1) if judged else EFFECT_CONFIDENCE
    if path not in core.state.beliefs:
        core.decide(core.state.locals, path, core.context())  # there a SET would write without the belief
    belief = Belief(value, confidence, f"{_EFFECT}{tool}", core.state.tick)
    core.state.beliefs.put(path, belief, label)
    core.trace.emit("belief.expected", path=path, value=value, tool=tool, confidence=confidence)


def read_again(core: Core, condition: Expression, node: Node) -> Steps[None]:
    """Read the observed paths that `condition` names.

    One that is mute now is erased, so that no old value passes.
    """
    for path in named_by(core, condition):
        if (yield from _read(core, path, node)):
            _believe_observation(core, path)
            del core.fresh[path]
        else:
            _erase(core, path)
        decide_reading(core, path, core.context())


def named_by(core: Core, condition: Expression) -> list[str]:
    """Return the observed paths that `condition` names, or a part of which."""
    named = [part.text for part in walk(condition) if isinstance(part, Path)]
    return [
        path for path in core.observed if any(name == path or name.startswith(f"{path}.") for name in named)
    ]


def _erase(core: Core, path: str) -> None:
    for space in (core.state.world, core.state.beliefs, core.state.locals):
        core.forget(space, path)
    core.fresh.pop(path, None)
