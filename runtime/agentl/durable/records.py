"""The records of a journal, one pydantic model a kind (durability.md §5).

A record is one line of strict ASCII JSON. Every kind has `n`, `kind`, `agent`, `key`, `site` and `tick`, then
what it needs, and last `h`, the link of the chain (`chain.py`). What a host or a model said stands under
`value`, or, when it raised, under `error`; both are data of `agentl.codec`. Record 0 is the header.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, Field

from agentl.vocabulary import ActionKind, How, Promise

FORMAT = "agentl.journal/1-draft"
SEMANTICS = 2
"""Level of the interpreter: raised by a change that changes a derivation."""


class _Strict(BaseModel, frozen=True, strict=True, extra="forbid", defer_build=True):
    """Nothing is coerced, nothing unknown is let in, nothing changes. A kind is made ready when it is met."""


class Record(_Strict, frozen=True):
    """What every record has. `synced`: nothing may follow before this kind is on the disk."""

    synced: ClassVar[bool] = True

    n: int = Field(ge=0)
    kind: str
    agent: str
    key: str
    site: str
    tick: int = Field(ge=0)
    h: str = ""

    def body(self) -> dict[str, Any]:
        """Return what this kind needs beyond the common fields, as it stands in the line."""
        return {name: value for name, value in self.model_dump().items() if name not in Record.model_fields}


def _blank(model: type[Record]) -> dict[str, Any]:
    """Return the fields of a model in their order, with the defaults of those that may be left out."""
    return {
        name: None if field.is_required() else field.default for name, field in model.model_fields.items()
    }


class ErrorData(_Strict, frozen=True):
    """An exception as data: no path, no address, no line number."""

    class_name: str
    message: str
    code: str | None


class HostTable(_Strict, frozen=True):
    """What the host offered when the run began; `digest` is the SHA-256 of its file when there is one."""

    digest: str | None
    tools: dict[str, Promise]
    sensors: list[str]
    reconcilers: list[str]
    subagents: dict[str, Promise] = {}
    compensations: dict[str, Promise] = {}


class Header(Record, frozen=True):
    """Record 0: what the run is. `key` is the run id; the source is pinned under the digest `program`.

    `text` is the SHA-256 of the source as it is pinned, in UTF-8; None in journals older than this field.
    `memory` are the records with which the host lets it begin. `identity` is random: the h of a header is
    that of one run and its copies alone, whatever name it has.
    """

    kind: Literal["header"]
    format: str
    semantics: int
    agents: list[str] = Field(min_length=1)
    program: str = Field(pattern="^[0-9a-f]{64}$")
    text: str | None = None
    declarations: dict[str, str]
    source: str | None
    host: HostTable
    memory: Any = {}
    length: int | None
    budgets: dict[str, float]
    parent: dict[str, Any] | None
    identity: str = ""
    created: str


class OutcomeRecord(Record, frozen=True):
    """A record that brings a value, or the error in its place."""

    value: Any = None
    error: ErrorData | None = None


class ReadRecord(OutcomeRecord, frozen=True):
    """A sensor was read."""

    synced: ClassVar[bool] = False
    kind: Literal["read"]


class DrainRecord(OutcomeRecord, frozen=True):
    """Events were taken: `value` lists {id, source, payload}. An id that stands here is consumed."""

    synced: ClassVar[bool] = False
    kind: Literal["drain"]


class ModelUsage(_Strict, frozen=True):
    """What a model call took: tokens over all its requests; `cost` in US dollars, None when unknown."""

    model: str
    requests: int = Field(ge=0)
    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)
    cost: float | None


class ModelRecord(OutcomeRecord, frozen=True):
    """A model was asked; `usage` is absent when its adapter does not tell."""

    usage: ModelUsage | None = None


class ReasonRecord(ModelRecord, frozen=True):
    """The model answered; `digest` is that of the context and the schema it was given."""

    kind: Literal["reason"]
    digest: str


class JudgeRecord(ModelRecord, frozen=True):
    """The model judged; `digest` is that of the context and the questions it was given."""

    kind: Literal["judge"]
    digest: str


class SelectPlanRecord(ModelRecord, frozen=True):
    """The model chose a plan, or none; `digest` is that of the context and the candidates it was given."""

    kind: Literal["select_plan"]
    digest: str


class WaitRecord(Record, frozen=True):
    """A person is asked, and not for ever: `id` names the question, `expires` is seconds since 1970."""

    kind: Literal["wait"]
    args: dict[str, Any]
    id: str
    expires: float


class ExpiredRecord(Record, frozen=True):
    """The question `wait` got no answer in time; its timer fired."""

    kind: Literal["expired"]
    args: dict[str, Any]
    wait: str


class AnswerRecord(OutcomeRecord, frozen=True):
    """A person answered a question."""

    kind: Literal["answer"]
    args: dict[str, Any]


class ApproveRecord(OutcomeRecord, frozen=True):
    """A person was asked to approve an action; `digest` is that of the exact action."""

    kind: Literal["approve"]
    digest: str


class LookupRecord(OutcomeRecord, frozen=True):
    """The host was asked whether it has a sub-agent (`delegate_lookup`) or a compensation of this name."""

    synced: ClassVar[bool] = False
    kind: Literal["delegate_lookup", "compensation_lookup"]


class VerdictRecord(Record, frozen=True):
    """The policy decided on one action: which rule, and on which values."""

    synced: ClassVar[bool] = False
    kind: Literal["verdict"]
    args: Any
    verdict: Literal["ALLOWED", "DENIED", "APPROVAL_REQUIRED"]
    rule: str
    reads: Any


class IntentRecord(Record, frozen=True):
    """An action is about to be performed: on the disk before the host is called.

    `does` says what: call a tool, hand something to a sub-agent, or undo an action.
    """

    kind: Literal["intent"]
    does: ActionKind = "invoke"
    action: str
    idempotency_key: str
    digest: str
    args: Any
    policy: str
    approval: str | None
    promise: Promise


class ResolutionRecord(Record, frozen=True):
    """An intent without a result was settled, or the action is tried again as attempt `attempt`.

    `reason` says why an action is in doubt. When an operator settled it, `who` and `at` (UTC) say who and
    when, `entry` is the id of the inbox entry that is consumed hereby, `value` the result if it happened.
    """

    kind: Literal["resolution"]
    action: str
    how: How
    attempt: int = Field(ge=1)
    reason: str | None
    who: str | None = None
    at: str | None = None
    entry: str | None = None
    value: Any = None


class ResultRecord(OutcomeRecord, frozen=True):
    """The result of an action: it never runs again."""

    action: str


class InvokeRecord(ResultRecord, frozen=True):
    """The result of a tool."""

    kind: Literal["invoke"]


class DelegateRecord(ResultRecord, frozen=True):
    """The result of a sub-agent."""

    kind: Literal["delegate"]


class CompensateRecord(ResultRecord, frozen=True):
    """An action was undone, or its compensation failed."""

    kind: Literal["compensate"]


class CheckpointRecord(Record, frozen=True):
    """A tick ended: the digest of the state and the chained digest of the trace events."""

    synced: ClassVar[bool] = False
    kind: Literal["checkpoint"]
    state: str
    events: str


class ResumedRecord(Record, frozen=True):
    """The run was resumed; belongs to the record before it. `count` says how often by now."""

    kind: Literal["resumed"]
    count: int = Field(ge=1)


class RepairedRecord(Record, frozen=True):
    """What followed the record before was damaged, and is gone; `original` is the digest of the whole file.

    `lost` counts the lines that went, `actions` those that may have been intents: as many actions may have
    been performed without a trace of them, so the next ones are settled rather than performed.
    """

    kind: Literal["repaired"]
    lost: int = Field(ge=0)
    actions: int = Field(ge=0)
    original: str
    who: str
    at: str


class EndedRecord(Record, frozen=True):
    """The only final record. Of a cancelled run: who said so, when, and by which inbox entry."""

    kind: Literal["ended"]
    how: Literal["completed", "cancelled"]
    who: str | None = None
    at: str | None = None
    entry: str | None = None


KINDS: dict[str, type[Record]] = {
    "header": Header,
    "read": ReadRecord,
    "drain": DrainRecord,
    "reason": ReasonRecord,
    "judge": JudgeRecord,
    "select_plan": SelectPlanRecord,
    "wait": WaitRecord,
    "expired": ExpiredRecord,
    "answer": AnswerRecord,
    "approve": ApproveRecord,
    "delegate_lookup": LookupRecord,
    "compensation_lookup": LookupRecord,
    "verdict": VerdictRecord,
    "intent": IntentRecord,
    "resolution": ResolutionRecord,
    "invoke": InvokeRecord,
    "delegate": DelegateRecord,
    "compensate": CompensateRecord,
    "checkpoint": CheckpointRecord,
    "resumed": ResumedRecord,
    "repaired": RepairedRecord,
    "ended": EndedRecord,
}
"""The kinds this version reads and writes; another kind in a journal is refused (R204)."""


def record_from(data: Mapping[str, Any]) -> Record:
    """Return the record of a kind of KINDS that `data` are. Raises pydantic.ValidationError."""
    return KINDS[data["kind"]].model_validate(data)


_PLAIN = {kind: _blank(model) for kind, model in KINDS.items() if kind != "header"}
_FIELDS = {kind: set(fields) for kind, fields in _PLAIN.items()}
_set = object.__setattr__


def record_made(data: dict[str, Any]) -> Record:
    """Return the record of a kind of KINDS that the runtime itself made: its fields are right as they are.

    They are checked when a journal is read. To check them here would take a tenth of an effect.
    """
    kind = data["kind"]
    plain = _PLAIN.get(kind)
    if plain is None or "error" in data or "usage" in data:  # these hold models, and so does a header
        return record_from(data)
    record = object.__new__(KINDS[kind])
    # All that a model is made of; `model_construct` takes longer than a check.
    _set(record, "__dict__", plain | data)
    _set(record, "__pydantic_fields_set__", _FIELDS[kind])
    _set(record, "__pydantic_extra__", None)
    _set(record, "__pydantic_private__", None)
    return record


def kinds_of(model: type[Record]) -> frozenset[str]:
    """Return the kinds whose records are of this model."""
    return frozenset(kind for kind, each in KINDS.items() if issubclass(each, model))
