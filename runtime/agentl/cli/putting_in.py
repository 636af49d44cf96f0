"""`agentl durable settle`, `send` and `cancel`: they only put in, the run takes it (durability.md §10)."""

from __future__ import annotations

from typing import Any, cast

from agentl.cli.reporting import notice
from agentl.codec import load_text
from agentl.durable import cancel_run as cancel
from agentl.durable import send, status
from agentl.durable.settling import Word, settle
from agentl.errors import UsageError
from agentl.values import Value
from agentl.vocabulary import OperatorHow
from agentl_grammar.problems import Message, message_id

_EXAMPLE = """'{"reference": "A-1"}'"""


def settle_action(
    place: str,
    which: str | None,
    happened: str | None,
    *,
    did_not_happen: bool,
    resend: bool,
    by: str | None,
) -> int:
    """Settle one action. Raises UsageError U120 to U123, DurableError, StoreFailure."""
    said: list[OperatorHow] = []
    if happened is not None:
        said.append("operator_happened")
    if did_not_happen:
        said.append("operator_not")
    if resend:
        said.append("operator_resend")
    if len(said) != 1:
        raise UsageError(
            "U122",
            Message(message_id("say one thing about the action")),
            action=Message(message_id("give --happened JSON, --did-not-happen or --resend")),
        )
    value = None if happened is None else _json(happened, "--happened")
    entry = settle(place, which, Word(said[0], value, by))
    names = {"tool": entry.tool, "action": entry.action, "who": entry.who}
    notice(Message(message_id("{tool} ({action}): kept, as said by {who}"), names))
    _tell_when_taken(place)
    return 0


def _tell_when_taken(place: str) -> None:
    state = status(place).state
    if state == "running":
        notice(Message(message_id("the run takes it at its next tick")))
    elif state == "interrupted":
        notice(Message(message_id("the run takes it when it is resumed")))
    else:
        notice(Message(message_id("the run has ended: its journal stays as it is, and status shows it")))


def send_event(place: str, event: str, payload: str, id_: str | None, by: str | None) -> int:
    """Send an event. Raises UsageError U123, DurableError, StoreFailure."""
    value = _json(payload, "JSON")
    if not isinstance(value, dict):
        raise _no_json("JSON", Message(message_id("a JSON object expected")))
    sent = send(place, event, cast("dict[str, Value]", value), who=by, id_=id_)
    if sent is None:
        notice(Message(message_id("{event} was sent before under this name"), {"event": event}))
    else:
        notice(Message(message_id("{event} ({id}): kept"), {"event": event, "id": sent.id}))
    _tell_when_taken(place)
    return 0


def cancel_run(place: str, by: str | None) -> int:
    """Cancel a run. Raises DurableError, StoreFailure."""
    entry = cancel(place, who=by)
    notice(Message(message_id("cancelled by {who}"), {"who": entry.who}))
    found = status(place)
    for intent in found.open_intents:
        if intent.action not in found.unsettled:
            continue
        values = {"tool": intent.key, "action": intent.action}
        notice(Message(message_id("  {tool} ({action}): its result is not known"), values))
    return 0


def _json(text: str, option: str) -> Any:
    """Return what a word of the command line says in JSON. Raises UsageError U123."""
    try:
        return load_text(text)
    except ValueError as error:
        raise _no_json(option, Message("{reason}", {"reason": str(error)})) from error


def _no_json(option: str, reason: Message) -> UsageError:
    return UsageError(
        "U123",
        Message(
            message_id("{option} is not the JSON that is due: {reason}"), {"option": option, "reason": reason}
        ),
        action=Message(message_id("quote it for the shell: {example}"), {"example": _EXAMPLE}),
    )
