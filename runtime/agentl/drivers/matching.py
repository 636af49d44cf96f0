"""Crossings beside records: what of a crossing must equal the record that answers it (durability.md §6)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast

from agentl.codec import comparable, decode, encode, encode_arguments, same
from agentl.durable.records import (
    ErrorData,
    ExpiredRecord,
    Header,
    ModelRecord,
    OutcomeRecord,
    Record,
    ResolutionRecord,
    kinds_of,
)
from agentl.interpreter.crossings import (
    Answered,
    Approve,
    Ask,
    Authorised,
    Checkpoint,
    Crossing,
    Done,
    Failed,
    Failure,
    Invoke,
    Judge,
    Lapsed,
    Outcome,
    Reason,
    SelectPlan,
    Settled,
)
from agentl.vocabulary import OperatorHow

_COMMON = ("kind", "agent", "key")
_WITH_OUTCOME = kinds_of(OutcomeRecord)
_OF_MODELS = kinds_of(ModelRecord)


def identity(crossing: Crossing) -> dict[str, Any]:
    """Return the fields of a record that must be equal for it to answer this crossing."""
    if isinstance(crossing, Invoke):
        return intent_fields(crossing)
    kind = "answer" if isinstance(crossing, Ask) else crossing.kind
    return {"kind": kind, "agent": crossing.agent, "key": crossing.key, **_particulars(crossing)}


def _particulars(crossing: Crossing) -> dict[str, Any]:
    if isinstance(crossing, Reason | Judge | SelectPlan):
        return {"digest": question_digest(crossing.arguments or {})}
    if isinstance(crossing, Ask):
        return {"args": {"addressee": crossing.addressee, "reason": crossing.reason}}
    if isinstance(crossing, Approve):
        return {"digest": crossing.digest}
    if isinstance(crossing, Authorised):
        return {
            "args": encode_arguments(crossing.action_arguments),
            "verdict": crossing.verdict,
            "rule": crossing.rule,
        }
    return {}


def intent_fields(crossing: Invoke) -> dict[str, Any]:
    """Return the fields of an intent that must be equal for it to be that of this action."""
    action = crossing.permit.action
    return {
        "kind": "intent",
        "agent": crossing.agent,
        "key": action.target,
        "does": action.kind,
        "action": action.action_id,
        "idempotency_key": action.idempotency_key,
        "digest": action.digest,
        "args": encode_arguments(action.arguments),
        "policy": action.policy_digest,
        "approval": action.approval,
    }


def question_digest(asked: Mapping[str, Any]) -> str:
    """Return the SHA-256 of what a model was asked: context, schema or questions; the order of keys aside."""
    return hashlib.sha256(comparable(encode(dict(asked))).encode("ascii")).hexdigest()


def remarks(crossing: Crossing) -> dict[str, Any]:
    """Return the fields that are kept beside the identity and never compared by a re-derivation."""
    fields: dict[str, Any] = {"site": crossing.site, "tick": crossing.tick}
    if isinstance(crossing, Authorised):
        fields["reads"] = encode(dict(crossing.reads))
    if isinstance(crossing, Checkpoint):
        fields |= {"state": crossing.state, "events": crossing.events}
    return fields


def matches(record: Record, wanted: Mapping[str, Any]) -> bool:
    """Tell whether a record says all that `wanted` says."""
    said = vars(record)
    for name, value in wanted.items():
        found = said.get(name)
        # Most are texts: those need no look at what is in them.
        if not (found == value if type(found) is type(value) is str else same(found, value)):
            return False
    return True


def describe(fields: Mapping[str, Any]) -> str:
    """Return a record or the identity of a crossing as one line that a person can compare."""
    kind, agent, key = (fields[name] for name in _COMMON)
    rest = {
        name: value
        for name, value in fields.items()
        if name
        not in {
            *_COMMON,
            "n",
            "h",
            "site",
            "tick",
            "value",
            "error",
            "reads",
            "promise",
            "usage",
            "who",
            "at",
            "entry",
        }
    }
    return " ".join((f"{agent}:" if agent else "", kind, key, comparable(rest) if rest else "")).strip()


def answer_fields(outcome: Outcome) -> dict[str, Any]:
    """Return the fields in which a record keeps what came back."""
    fields: dict[str, Any] = {} if outcome.usage is None else {"usage": dict(outcome.usage)}
    if isinstance(outcome, Answered):
        fields["value"] = encode(outcome.value)
    if isinstance(outcome, Failed):
        fields["error"] = asdict(outcome.failure)
    return fields


def settled_of(record: ResolutionRecord) -> Settled:
    """Return what an operator said of an action. Raises Undecodable."""
    return Settled(
        action=record.action,
        how=cast("OperatorHow", record.how),
        attempt=record.attempt,
        who=record.who or "",
        value=decode(record.value),
    )


def result_of(record: ResolutionRecord) -> Outcome:
    """Return what an operator's word means to the statement that still waits. Raises Undecodable."""
    if record.how == "operator_happened":
        return Answered(value=decode(record.value))
    return Failed(failure=Failure("NotExecuted", f"it did not happen, says {record.who}"))


def outcome_of(record: Record) -> Outcome:
    """Return the outcome that a record holds; live answers pass through here too. Raises Undecodable."""
    if record.kind in _WITH_OUTCOME:  # asked by kind: what pydantic makes of `isinstance` takes long
        return _told_outcome(cast("OutcomeRecord", record))
    if isinstance(record, Header):
        return Answered(value=decode(record.memory))
    return Lapsed() if isinstance(record, ExpiredRecord) else Done()


def _told_outcome(record: OutcomeRecord) -> Outcome:
    usage = _usage(cast("ModelRecord", record)) if record.kind in _OF_MODELS else None
    if record.error is not None:
        return Failed(failure=_failure(record.error), usage=usage)
    return Answered(value=decode(record.value), usage=usage)


def _usage(record: ModelRecord) -> dict[str, Any] | None:
    return None if record.usage is None else record.usage.model_dump()


def _failure(error: ErrorData) -> Failure:
    return Failure(error.class_name, error.message, error.code)
