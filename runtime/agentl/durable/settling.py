"""What an operator says of an action that nobody else can settle (durability.md §3 "An operator settles")."""

from __future__ import annotations

import getpass
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Any, cast

from agentl.codec import encode
from agentl.durable import header as head
from agentl.durable import refusals
from agentl.durable.cancelling import refuse_over
from agentl.durable.copies import refuse_unbegun
from agentl.durable.entries import SettleEntry, cancellation, settlements
from agentl.durable.journal import delivered, doubts, open_intents
from agentl.durable.pinned import pinned_program
from agentl.durable.records import EndedRecord, IntentRecord, Record, ResolutionRecord
from agentl.durable.status import read_run, store_of
from agentl.durable.stores import Store
from agentl.errors import UsageError
from agentl.interpreter.contracts import ContractError, check_shape
from agentl.spaces import locate
from agentl.values import UNDEFINED, Value
from agentl.vocabulary import OperatorHow
from agentl_grammar.checks.naming import expected_of
from agentl_grammar.problems import Message, message_id
from agentl_grammar.sites import SiteIndex
from agentl_grammar.tree import Delegate, Field, Program


@dataclass(frozen=True, slots=True)
class Word:
    """What an operator says: how the action is settled, with its result if it happened; and who says so."""

    how: OperatorHow
    value: Value = None
    who: str | None = None


def operator() -> str:
    """Return who this is: user@host."""
    try:
        return f"{getpass.getuser()}@{socket.gethostname()}"
    except (KeyError, OSError):
        return f"?@{socket.gethostname()}"


def now() -> str:
    """Return the time, as every record says it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def settle(place: Store | str | Path, which: str | None, word: Word) -> SettleEntry:
    """Put an operator's word on an action into the inbox of a run, synced before this returns.

    `which` is the id of an action without a known result, or its tool or sub-agent; None when there is only
    one. The run takes the word at the start of its next tick, or first thing on a resume while the statement
    still waits; the journal of an ended run does not grow.

    Raises:
        DurableError: R107 (it has not begun), R201 to R207 (the journal), R303, R502 (what is over sends
            nothing again), R304 (the action is being performed right now), R403 (it is settled), R602.
        UsageError: U120 (there is no such action, or more than one), U121 (the value does not fit it).
        StoreFailure: R601, the word cannot be made to last.
    """
    store = store_of(place)
    records = read_run(store).records
    if not records:
        refuse_unbegun(store)
    intent = _chosen(store, records, which)
    waiting = _words_on(store, records, intent.action)
    if waiting:
        raise refusals.already_settled(store.name, intent.action, _word(waiting[-1].how, waiting[-1].who))
    if intent in open_intents(records) and (holder := store.holder()):
        raise refusals.being_performed(store.name, intent.action, holder.pid, holder.since)
    if word.how == "operator_resend":
        refuse_over(store, records)
    if word.how == "operator_happened":
        _refuse_misshapen(store, records, intent, word.value)
    return _put_in(store, records, intent, word)


def _put_in(store: Store, records: Sequence[Record], intent: IntentRecord, word: Word) -> SettleEntry:
    """Of two words at one moment the first wins: both would have the same id."""
    said = sum(
        isinstance(record, ResolutionRecord) and record.action == intent.action and record.entry is not None
        for record in records
    )
    # Words that nothing will take up; in a run that is over no more of them can come.
    unheard = sum(entry.how == "operator_resend" for entry in _waiting(store, records, intent.action))
    entry: dict[str, Any] = {
        "id": f"settle:{intent.action}:{said + unheard * _is_over(store, records)}",
        "kind": "settle",
        "action": intent.action,
        "tool": intent.key,
        "how": word.how,
        "value": encode(word.value),
        "who": word.who or operator(),
        "at": now(),
    }
    if not store.put_in(entry):
        first = _words_on(store, records, intent.action)[-1]
        raise refusals.already_settled(store.name, intent.action, _word(first.how, first.who))
    return SettleEntry.model_validate(entry)


def unsettled(records: Sequence[Record]) -> dict[str, IntentRecord]:
    """Return the last intent of every action whose result nobody knows, by its id."""
    intents = {record.action: record for record in records if isinstance(record, IntentRecord)}
    open_ones = [intent.action for intent in open_intents(records)]
    return {action: intents[action] for action in [*open_ones, *(d.action for d in doubts(records))]}


def _chosen(store: Store, records: Sequence[Record], which: str | None) -> IntentRecord:
    found = unsettled(records)
    fitting = [intent for intent in found.values() if which in {None, intent.action, intent.key}]
    if len(fitting) == 1:
        return fitting[0]
    _refuse_known(store, records, which)
    raise UsageError(
        "U120",
        Message(_none_or_many(which, len(fitting)), {"which": which, "count": len(fitting)}),
        action=Message(
            message_id("name one of these actions: {actions}")
            if found
            else message_id("`agentl durable status {place}` shows what is open"),
            {"actions": ", ".join(found), "place": quote(store.name)},
        ),
    )


def _none_or_many(which: str | None, count: int) -> str:
    if count:
        return message_id("{count} actions have no known result")
    return (
        message_id("every action has a known result")
        if which is None
        else message_id("there is no action {which} whose result is unknown")
    )


def _refuse_known(store: Store, records: Sequence[Record], which: str | None) -> None:
    """Raise R403 when somebody has settled the action that is meant."""
    said = [record for record in records if isinstance(record, ResolutionRecord) and record.entry is not None]
    for record in reversed(said):
        if which in {record.action, record.key}:
            raise refusals.already_settled(store.name, record.action, _word(record.how, record.who))


def _words_on(store: Store, records: Sequence[Record], action: str) -> list[SettleEntry]:
    """Return what was said of an action and waits to be taken up.

    A run that is over takes nothing up: there, what was to be sent again was not, and settles nothing.
    """
    words = _waiting(store, records, action)
    if not _is_over(store, records):
        return words
    return [entry for entry in words if entry.how != "operator_resend"]


def _is_over(store: Store, records: Sequence[Record]) -> bool:
    return isinstance(records[-1], EndedRecord) or cancellation(store) is not None


def _waiting(store: Store, records: Sequence[Record], action: str) -> list[SettleEntry]:
    return [entry for entry in settlements(store, delivered(records)) if entry.action == action]


def _word(how: str, who: str | None) -> str:
    return f"{how}, {who}" if who else how


def _refuse_misshapen(store: Store, records: Sequence[Record], intent: IntentRecord, value: Value) -> None:
    """Raise U121 when this is no result of the action: it breaks OUTPUT, or lacks what EXPECT names."""
    keys: list[str] = []
    try:
        if intent.does == "invoke":
            outputs = _outputs(pinned_program(store, head.of(records)), intent)
            keys = [field.name.text for field in outputs]
            check_shape(intent.does, outputs, value)
        elif intent.does == "delegate":
            check_shape(intent.does, (), value)
            keys = _expected(pinned_program(store, head.of(records)), intent)
            _refuse_missing(keys, value)
    except ContractError as error:
        shape = "{" + ", ".join(f'"{key}": …' for key in keys) + "}"
        raise UsageError(
            "U121",
            Message(
                message_id("{tool} cannot have returned this: {key}: {reason}"),
                {"tool": intent.key, "key": error.key, "reason": _reason(error.reason)},
            ),
            action=Message(
                message_id("give what its OUTPUT declares, or EXPECT names, as JSON: {shape}"),
                {"shape": shape},
            ),
        ) from error


_SAID = {
    "missing": message_id("it is missing"),
    "not declared": message_id("it is not declared"),
    "a dict expected": message_id("a JSON object expected"),
}


def _reason(told: str) -> Message:
    """Return what is wrong with a value, which the trace says in English, as a message."""
    if told in _SAID:
        return Message(_SAID[told])
    return Message(message_id("{what} expected"), {"what": told.removesuffix(" expected")})


def _outputs(program: Program, intent: IntentRecord) -> Sequence[Field]:
    tools = [tool for agent in program.agents if agent.name.text == intent.agent for tool in agent.tools]
    return next((tool.outputs for tool in tools if tool.name.text == intent.key), ())


def _expected(program: Program, intent: IntentRecord) -> list[str]:
    statement = SiteIndex(program).node(intent.site)
    return expected_of(statement) if isinstance(statement, Delegate) else []


def _refuse_missing(keys: Sequence[str], value: Value) -> None:
    """Raise ContractError for a path that the result of a sub-agent does not have."""
    for key in keys:
        if not isinstance(value, dict) or locate(cast("dict[str, Value]", value), key)[1] is UNDEFINED:
            raise ContractError(key, "missing")
