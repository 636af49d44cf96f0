"""`agentl replay`: an exported run, derived anew from its journal alone (durability.md §1)."""

from __future__ import annotations

from pathlib import Path

from agentl.cli.output import print_ledger, print_metrics, trace_output
from agentl.cli.reporting import notice, report
from agentl.durable import ReplayResult, replay
from agentl_grammar.problems import Message, message_id

_VERDICTS = {
    "conforming": message_id("✓ run {run}: {count} journaled entries re-derived, nothing differs"),
    "partial": message_id(
        "✓ run {run}: {count} journaled entries re-derived, nothing differs; it has not ended"
    ),
    "cancelled": message_id(
        "✓ run {run}: {count} journaled entries re-derived, nothing differs; it was cancelled there"
    ),
}


def replay_journal(file: Path, *, quiet: bool) -> int:
    """Replay one export and return the exit code: 0 conforming, 1 diverged. Raises DurableError."""
    with trace_output("", quiet=quiet, events=None) as output:
        result = replay(file, on_trace=output.follow)
    print_metrics(result.runtime.metrics)
    print_ledger(result.runtime.state.drift)
    return _tell(result)


def _tell(result: ReplayResult) -> int:
    if result.divergence is not None:
        report(result.divergence)
        return result.divergence.exit_code
    notice(Message(_VERDICTS[result.outcome], {"run": result.run_id, "count": result.entries}))
    return 0
