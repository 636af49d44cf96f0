"""The journal as a person reads it: plain data, one line a record (durability.md §1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from agentl.codec import Undecodable, decode, load
from agentl.durable import refusals
from agentl.durable.journal import record_of
from agentl.durable.pinned import pinned_program
from agentl.durable.records import (
    ApproveRecord,
    IntentRecord,
    OutcomeRecord,
    ReadRecord,
    Record,
    ResolutionRecord,
    ResultRecord,
)
from agentl.durable.status import store_of
from agentl.durable.stores import Store
from agentl.durable.summary import Summary, take_all
from agentl.durable.verify import Lines, sound_lines
from agentl.redaction import Redactor, protected_paths
from agentl.values import Value
from agentl.vocabulary import PLACEHOLDER

if TYPE_CHECKING:
    from agentl_grammar.tree import Program

_VALUES = ("args", "reads", "value")
_SHORT = (
    "verdict",
    "rule",
    "does",
    "action",
    "idempotency_key",
    "promise",
    "how",
    "attempt",
    "reason",
    "count",
    "id",
    "wait",
    "expires",
    "usage",
    "who",
    "at",
    "lost",
    "actions",
)
_ENDS = {"in_doubt": "in doubt", "operator_happened": "done", "operator_not": "failed"}
"""What the word that settles an action makes of it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One record: what it is about, and its fields by name, values decoded and secrets masked (NEVER SEND).

    Fields, as far as the kind has them and they are not None: `args`, `reads`, `value`, `error` ({class_name,
    message, code}), `verdict`, `rule`, `action`, `idempotency_key`, `promise`, `how`, `attempt`, `reason`,
    `count`, `usage` (what a model call took), `who` and `at` (of what people put in), `lost` and `actions`
    (of a repair).
    `state` of an intent: `done`, `failed`, `in doubt` or `open`; of an answer: `done` or `failed`.
    """

    n: int
    tick: int
    kind: str
    agent: str
    subject: str
    site: str
    fields: Mapping[str, Value]
    state: str


def show(place: Store | str | Path, tick: int | None = None) -> list[Line]:
    """Return the records of a run, or of one of its ticks. Raises DurableError R201 to R206, R303, R602."""
    return list(lines_of(place, tick))


def lines_of(place: Store | str | Path, tick: int | None = None, after: int = 0) -> Iterator[Line]:
    """Yield the records of a run behind number `after`, as `show` returns them.

    The journal is verified as a whole first, then read record by record: what is held does not grow with it.
    """
    store = store_of(place)
    store.open(write=False)
    summary = Summary(store.name, store.blob)
    take_all(store, summary)
    if summary.header is None:
        return
    # What is hidden somewhere is hidden wherever it stands, also before: no record is passed over.
    redactor = Redactor(_protected(pinned_program(store, summary.header)))
    if redactor.protected:
        for _ in _lines(store, summary, redactor):
            redactor.hidden.clear()
    for line in _lines(store, summary, redactor):
        redactor.hidden.clear()
        if line.n > after and tick in {None, line.tick}:
            yield line


def _lines(store: Store, summary: Summary, redactor: Redactor) -> Iterator[Line]:
    """Yield the lines of a journal; an intent waits for the result that says what became of it."""
    ends = _ends(summary.records())
    held: list[Line] = []
    waits = ""
    for _, text in islice(sound_lines(Lines(store.pieces()), store.name, store.blob), 1, summary.entries + 1):
        record = record_of(text, load(text), store.name, store.blob)
        line = _readable_line(record, redactor, ends, store.name)
        if isinstance(record, IntentRecord) and record.action not in ends:
            yield from held
            held, waits = [line], record.action
        elif not held:
            yield line
        else:
            held.append(line)
            if isinstance(record, ResultRecord) and record.action == waits:
                yield replace(held[0], state=_answer_state(record))
                yield from held[1:]
                held = []
    yield from held


def usage_text(usage: Mapping[str, Value]) -> str:
    """Return what a model call took, as a person reads it."""
    cost = "cost unknown" if usage["cost"] is None else f"${usage['cost']:.4f}"
    return f"{usage['model']}: {usage['input_tokens']} tokens in, {usage['output_tokens']} out, {cost}"


def _readable_line(record: Record, redactor: Redactor, ends: Mapping[str, str], name: str) -> Line:
    try:
        return _line(record, redactor, ends)
    except Undecodable as error:
        raise refusals.unreadable(name, record.n) from error


def _protected(program: Program) -> Sequence[str]:
    return [path for agent in program.agents for path in protected_paths(agent)]


def _ends(records: Sequence[Record]) -> dict[str, str]:
    """Return what became of every action of which a summary keeps something."""
    ends: dict[str, str] = {}
    for record in records:
        if isinstance(record, IntentRecord):
            ends.setdefault(record.action, "open")
        elif isinstance(record, ResultRecord):
            ends[record.action] = _answer_state(record)
        elif isinstance(record, ResolutionRecord) and record.how in _ENDS:
            ends[record.action] = _ENDS[record.how]
    return ends


def _answer_state(record: OutcomeRecord) -> str:
    return "done" if record.error is None else "failed"


def _line(record: Record, redactor: Redactor, ends: Mapping[str, str]) -> Line:
    state = _answer_state(record) if isinstance(record, OutcomeRecord) else "done"
    if isinstance(record, IntentRecord):
        state = ends.get(record.action, "open")
    return Line(
        n=record.n,
        tick=record.tick,
        kind=record.kind,
        agent=record.agent,
        subject=_subject(record, redactor),
        site=record.site,
        fields={name: redactor.scrub(value) for name, value in _fields(record, redactor).items()},
        state=state,
    )


def _subject(record: Record, redactor: Redactor) -> str:
    subject = redactor.scrub(record.key)
    if isinstance(record, ApproveRecord):  # an action with its arguments, as the person saw it
        for short in redactor.short:
            subject = re.sub(rf'=("?){re.escape(short)}\1(?=[,)])', f"={PLACEHOLDER}", subject)
    return subject


def _fields(record: Record, redactor: Redactor) -> dict[str, Value]:
    body = record.body()
    if isinstance(record, ResolutionRecord) and record.how != "operator_happened":
        del body["value"]
    fields: dict[str, Value] = {name: body[name] for name in _SHORT if body.get(name) is not None}
    if body.get("error") is not None:
        return {**fields, **_decoded(body, ("args",), redactor, record), "error": body["error"]}
    return {**fields, **_decoded(body, _VALUES, redactor, record)}


def _decoded(
    body: Mapping[str, Value], names: Sequence[str], redactor: Redactor, record: Record
) -> dict[str, Value]:
    values = {name: decode(body[name]) for name in names if name in body}
    if "value" in values:
        values["value"] = _masked_value(record, values["value"], redactor)
    if "reads" in values:
        values["reads"] = {path: redactor.clean(path, value) for path, value in values["reads"].items()}
    for name in ("args", "reads"):
        if isinstance(values.get(name), dict):
            given = cast("dict[str, Value]", values[name])
            values[name] = {
                key: PLACEHOLDER if redactor.is_whole(value) else value for key, value in given.items()
            }
    return values


def _masked_value(record: Record, value: Value, redactor: Redactor) -> Value:
    if record.kind == "drain" and isinstance(value, list):
        events = cast("list[dict[str, Value]]", value)
        return [{**event, "payload": redactor.clean("payload", event["payload"])} for event in events]
    named = isinstance(record, ReadRecord | ResultRecord | ResolutionRecord)
    return redactor.clean(record.key, value) if named else value
