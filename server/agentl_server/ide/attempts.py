"""The attempts of a call as a person reads them: decision, arguments, result, key, settlement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentl_server.ide.run_view import NOBODY, Call
from agentl_server.ide.wording import call_text, count, reads_text, result_text, settlement_text

_SHOWN = 8


def attempts_text(calls: Sequence[Call]) -> str:
    """Return the journaled attempts as a Markdown list, the last ones."""
    lines = [line for call in calls[-_SHOWN:] for line in _attempt(call)]
    left_out = len(calls) - _SHOWN
    return "\n".join([*([f"*{count(left_out, 'earlier attempt')}*", ""] if left_out > 0 else []), *lines])


def _attempt(call: Call) -> Iterator[str]:
    yield f"- **tick {call.tick}** `{call_text(call)}` {result_text(call, limit=None)}"
    if call.decision is not None:
        yield f"  - {call.decision.verdict} by `{call.decision.rule}`{reads_text(call)}"
    if call.approval is not None:
        answered = call.approval if call.approval is NOBODY else f"answered {call.approval}"
        yield f"  - approval: {answered}"
    if call.key is not None:
        yield f"  - key `{call.key}` · action `{call.action}` · promise: {call.promise}"
    for settlement in call.settlements:
        how = settlement_text(settlement.how, settlement.attempt, settlement.reason)
        yield f"  - record {settlement.n}: {how}"
