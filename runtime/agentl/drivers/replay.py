"""The replay driver: answers from the journal only, and reaches no host (architecture.md)."""

from __future__ import annotations

from collections.abc import Sequence

from agentl.drivers.recorded import RecordedDriver
from agentl.durable.records import EndedRecord, IntentRecord, Record, WaitRecord
from agentl.interpreter.crossings import Ask, Crossing, Invoke, Outcome


class JournalEnded(Exception):  # noqa: N818  # leaves a replay, it is no error
    """The journal of a run that has not ended holds no more."""


class ReplayDriver(RecordedDriver):
    """Derives a run anew without its host. Where it was cancelled, its journal ends."""

    def __init__(self, records: Sequence[Record], name: str) -> None:
        last = records[-1]
        self.cancelled = isinstance(last, EndedRecord) and last.how == "cancelled"
        super().__init__(records[:-1] if self.cancelled else records, name)

    def _beyond(self, crossing: Crossing) -> Outcome:  # noqa: ARG002  # nothing lies beyond
        raise JournalEnded

    def _waiting(self, crossing: Ask, wait: WaitRecord) -> Outcome:  # noqa: ARG002
        raise JournalEnded

    def _open(self, crossing: Invoke, intent: IntentRecord, attempt: int) -> Outcome:  # noqa: ARG002
        raise JournalEnded
