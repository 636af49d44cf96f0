"""The replay driver: answers from the journal only, and reaches no host (architecture.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentl.drivers.recorded import RecordedDriver
from agentl.durable.records import EndedRecord, IntentRecord, Record, WaitRecord
from agentl.interpreter.crossings import Ask, Crossing, Invoke, Outcome


class JournalEnded(Exception):  # noqa: N818  # leaves a replay, it is no error
    """The journal of a run that has not ended holds no more."""


class ReplayDriver(RecordedDriver):
    """Derives a run anew without its host. Where it was cancelled, its journal ends."""

    def __init__(self, records: Iterable[Record], name: str) -> None:
        self.cancelled = False
        super().__init__(self._until_cancelled(records), name)

    def _until_cancelled(self, records: Iterable[Record]) -> Iterator[Record]:
        for record in records:
            if isinstance(record, EndedRecord) and record.how == "cancelled":
                self.cancelled = True
                return
            yield record

    def _beyond(self, crossing: Crossing) -> Outcome:  # noqa: ARG002  # nothing lies beyond
        raise JournalEnded

    def _waiting(self, crossing: Ask, wait: WaitRecord) -> Outcome:  # noqa: ARG002
        raise JournalEnded

    def _open(self, crossing: Invoke, intent: IntentRecord, attempt: int) -> Outcome:  # noqa: ARG002
        raise JournalEnded
