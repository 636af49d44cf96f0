"""What a durable run tells a person on its way: messages, never trace events (durability.md §1)."""

from __future__ import annotations

from agentl.durable.records import IntentRecord
from agentl.vocabulary import ActionKind, How
from agentl_grammar.problems import Message, message_id

_SETTLED = {
    "retry": message_id("  ↻ {tool} ({action}): re-sent with the same idempotency key"),
    "not_executed": message_id("  ↻ {tool} ({action}): did not happen, sent now with the same key"),
    "reconciled": message_id("  ✓ {tool} ({action}): had happened, its result was found"),
    "in_doubt": message_id("  ? {tool} ({action}): in doubt, it will not be sent again"),
    "operator_happened": message_id("  ✓ {tool} ({action}): an operator says that it happened"),
    "operator_not": message_id("  ✓ {tool} ({action}): an operator says that it did not happen"),
    "operator_resend": message_id(
        "  ↻ {tool} ({action}): an operator wants it sent again, with the same key"
    ),
}


def new_run(run_id: str, journal: str) -> Message:
    """Tell that a run began, once its header is on the disk."""
    return Message(message_id("→ durable run {run}: {journal}"), {"run": run_id, "journal": journal})


def resuming(run_id: str, entries: int) -> Message:
    """Tell that a run goes on."""
    return Message(
        message_id("↻ resuming durable run {run}: {count} journaled entries re-derived without effect"),
        {"run": run_id, "count": entries},
    )


def open_intent(intent: IntentRecord) -> Message:
    """Tell of an action that was interrupted."""
    return Message(
        message_id("  intent without result: {tool} ({action}), to be settled"),
        {"tool": _named(intent.key, intent.does), "action": intent.action},
    )


def settled(tool: str, action: str, how: How, does: ActionKind = "invoke") -> Message:
    """Tell how an interrupted or failed action goes on."""
    return Message(_SETTLED[how], {"tool": _named(tool, does), "action": action})


def _named(tool: str, does: ActionKind) -> str | Message:
    return Message(message_id("undo {tool}"), {"tool": tool}) if does == "compensate" else tool
