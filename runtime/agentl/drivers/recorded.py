"""Answering from a journal, record by record; what lies beyond is left to the driver (durability.md §6)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from agentl.codec import Undecodable
from agentl.drivers.matching import describe, identity, matches, outcome_of, result_of, settled_of
from agentl.durable import refusals
from agentl.durable.records import (
    CheckpointRecord,
    EndedRecord,
    ExpiredRecord,
    IntentRecord,
    Record,
    RepairedRecord,
    ResolutionRecord,
    ResultRecord,
    ResumedRecord,
    WaitRecord,
    kinds_of,
)
from agentl.interpreter.crossings import (
    Ask,
    Begin,
    Checkpoint,
    Crossing,
    Done,
    Doubtful,
    Invoke,
    Outcome,
    Settle,
)
from agentl_grammar.problems import Message, message_id

_R = TypeVar("_R", bound=Record)
_BELONGING = kinds_of(ResumedRecord) | kinds_of(RepairedRecord)
END = Message(message_id("the end of the run"))
"""What a divergence names when one side has nothing more to say."""


class RecordedDriver(ABC):
    """Serves the records of a journal in order; each crossing must match the next one.

    Args:
        records: the verified journal, header first; taken one at a time, so it may be read on the way.
        name: what a person calls the journal.
    """

    def __init__(self, records: Iterable[Record], name: str) -> None:
        self._records = iter(records)
        self._next = next(self._records, None)
        self._name = name
        self._resumes: int | None = None

    def answer(self, crossing: Crossing) -> Outcome:
        """Return the outcome of a crossing. Raises ReplayDivergence (R102, R103)."""
        outcome = self._answer(crossing)
        resumes, self._resumes = self._resumes, None
        return outcome if resumes is None else replace(outcome, resumes=resumes)

    def _answer(self, crossing: Crossing) -> Outcome:
        if self._peek() is None:
            return self._beyond(crossing)
        if isinstance(crossing, Begin):
            return self._outcome(self._advance())
        if isinstance(crossing, Ask) and crossing.timeout is not None:
            return self._answer_in_time(crossing)
        if isinstance(crossing, Settle):
            return self._settlement(crossing)
        record = self._take(identity(crossing))
        if isinstance(crossing, Checkpoint) and isinstance(record, CheckpointRecord):
            self._compare(crossing, record)
        if isinstance(crossing, Invoke) and isinstance(record, IntentRecord):
            return self._result(crossing, record)
        return self._outcome(record)

    def _answer_in_time(self, crossing: Ask) -> Outcome:
        """Follow a question with a TIMEOUT through its wait to the answer, or to the end of its time."""
        wanted = identity(crossing)
        wait = self._take({**wanted, "kind": "wait"})
        resumed = self._resumes
        if self._peek() is None:
            outcome = self._waiting(crossing, cast("WaitRecord", wait))
        else:
            if isinstance(self._peek(), ExpiredRecord):
                wanted["kind"] = "expired"
            outcome = self._outcome(self._take(wanted))
        return replace(outcome, since=resumed is not None and resumed == self._resumes)

    def _settlement(self, crossing: Settle) -> Outcome:
        """Serve what an operator said at this point of the run; mostly nobody said anything."""
        record = self._peek()
        if not isinstance(record, ResolutionRecord) or record.action not in crossing.unsettled:
            return Done()
        self._advance()
        return self._decoded(settled_of, record)

    @abstractmethod
    def _beyond(self, crossing: Crossing) -> Outcome:
        """Answer a crossing that the journal does not reach."""

    @abstractmethod
    def _open(self, crossing: Invoke, intent: IntentRecord, attempt: int) -> Outcome:
        """Answer an action whose result the journal does not hold; `attempt` is the last that was begun."""

    @abstractmethod
    def _waiting(self, crossing: Ask, wait: WaitRecord) -> Outcome:
        """Answer a question that was put before the journal ends."""

    def _served_last(self) -> int | None:
        """Return how often the run was resumed, when it is resumed behind the last record."""
        return None

    # ------------------------------------------------------------------------------------------ the journal

    def _peek(self) -> Record | None:
        return self._next

    def _advance(self) -> Record:
        """Take the next record, and with it the `resumed` and `repaired` records that belong to it."""
        record = cast("Record", self._next)
        self._next = next(self._records, None)
        while self._next is not None and self._next.kind in _BELONGING:
            if isinstance(self._next, ResumedRecord):
                self._resumes = self._next.count
            self._next = next(self._records, None)
        if self._next is None:
            self._resumes = self._served_last() or self._resumes
        return record

    def _take(self, wanted: Mapping[str, Any]) -> Record:
        """Take the next record, which must be the wanted one. Raises ReplayDivergence."""
        record = cast("Record", self._next)
        if not matches(record, wanted):
            raise refusals.diverges(self._name, record.n, _told(record), describe(wanted))
        return self._advance()

    def _outcome(self, record: Record) -> Outcome:
        return self._decoded(outcome_of, record)

    def _decoded(self, decoding: Callable[[_R], Outcome], record: _R) -> Outcome:
        try:
            return decoding(record)
        except Undecodable as error:
            raise refusals.unreadable(self._name, record.n) from error

    def _compare(self, crossing: Checkpoint, record: CheckpointRecord) -> None:
        if record.state != crossing.state:
            what = Message(message_id("the state"))
        elif record.events != crossing.events:
            what = Message(message_id("the trace"))
        else:
            return
        raise refusals.checkpoint_differs(self._name, record.n, crossing.tick, what)

    def _result(self, crossing: Invoke, intent: IntentRecord) -> Outcome:
        """Follow an intent through its resolutions to what came of it."""
        action = crossing.permit.action.action_id
        attempt = crossing.attempt
        while (record := self._peek()) is not None:
            if not isinstance(record, ResolutionRecord | ResultRecord) or record.action != action:
                wanted = {"kind": intent.does, "agent": intent.agent, "key": intent.key, "action": action}
                raise refusals.diverges(self._name, record.n, _told(record), describe(wanted))
            self._advance()
            if isinstance(record, ResultRecord):
                return self._outcome(record)
            if record.how == "in_doubt":
                return Doubtful(reason=record.reason or "")
            if record.how in {"operator_happened", "operator_not"}:
                return self._decoded(result_of, record)
            attempt = record.attempt
        return self._open(crossing, intent, attempt)

    @property
    def ended(self) -> bool:
        """Tell whether the next record is the end of the run."""
        return isinstance(self._next, EndedRecord)

    def finish(self) -> None:
        """Check that the program used the whole journal. Raises ReplayDivergence (R102)."""
        record = self._peek()
        if record is not None and not isinstance(record, EndedRecord):
            raise refusals.diverges(self._name, record.n, _told(record), END)


def _told(record: Record) -> str | Message:
    return END if isinstance(record, EndedRecord) else describe(record.model_dump())
