"""How journaled things read: results, decisions, ticks. English: it stands inside a program's own text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentl.values import show
from agentl_server.ide.run_view import NOBODY, Call, Reading

_RESULT_CHARACTERS = 60
_SHOWN = 4
_OUTCOMES = {
    "open": "… open intent",
    "in doubt": "⚠ in doubt",
    "refused": "⛔ not approved",
    "unasked": f"⛔ not approved: {NOBODY}",
    "denied": "⛔ denied",
    "decided": "… decided",
}
_SETTLEMENTS = {
    "retry": "sent again with the same key, attempt {attempt}",
    "not_executed": "the reconciler said that it did not happen: executed under the same key",
    "reconciled": "the reconciler found its result",
    "in_doubt": "left in doubt: it may have happened, and is never sent again",
}


def result_text(call: Call, *, limit: int | None = _RESULT_CHARACTERS) -> str:
    """Return what became of a call: `→ {sent: yes}`, `… open intent`, `⚠ in doubt`, `✗ …`, `⛔ …`."""
    if call.outcome == "done":
        return f"→ {show(call.value, limit=limit)}"
    if call.error is not None:
        said = f"{call.error.class_name}: {call.error.message}"
        return f"✗ {said if limit is None else said[:limit]}"
    return _OUTCOMES.get(call.outcome, call.outcome)


def reading_text(reading: Reading) -> str:
    """Return what a sensor said."""
    if reading.error is not None:
        return f"✗ {reading.error.class_name}"
    return "mute" if reading.value is None else show(reading.value, limit=_RESULT_CHARACTERS)


def by_tick(items: Iterable[tuple[str, int]], separator: str = ", ") -> str:
    """Return texts with their ticks, equal neighbours joined, the last few only: `1 (t1), 0 (t2, t3)`."""
    groups: list[tuple[str, list[int]]] = []
    for text, tick in items:
        if not groups or groups[-1][0] != text:
            groups.append((text, []))
        if tick not in groups[-1][1]:
            groups[-1][1].append(tick)
    shown = [f"{text} ({_ticks(ticks)})" for text, ticks in groups[-_SHOWN:]]
    return ("… " if len(groups) > _SHOWN else "") + separator.join(shown)


def _ticks(ticks: Sequence[int]) -> str:
    if len(ticks) > _SHOWN:
        return f"t{ticks[0]}–t{ticks[-1]}"
    return ", ".join(f"t{tick}" for tick in ticks)


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: `1 entry`, `12 entries`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def call_text(call: Call, *, limit: int | None = None) -> str:
    """Return a call as a program writes it: `transfer(amount=100, to="acct-9")`."""
    arguments = ", ".join(f"{name}={show(value, limit=limit)}" for name, value in call.arguments.items())
    return f"{call.tool}({arguments})"


def reads_text(call: Call) -> str:
    """Return what the policy read to decide on a call, as the end of a sentence."""
    if call.decision is None or not call.decision.reads:
        return ""
    shown = ", ".join(f"`{path} = {show(value)}`" for path, value in call.decision.reads.items())
    return f", having read {shown}"


def settlement_text(how: str, attempt: int, reason: str | None) -> str:
    """Return how an open intent was settled, and why it is in doubt."""
    told = _SETTLEMENTS.get(how, how).format(attempt=attempt)
    return f"{told} ({reason})" if reason else told
