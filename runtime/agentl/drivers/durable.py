"""The durable driver: the journal as far as it reaches, then the world, recorded (durability.md §3, §6)."""

from __future__ import annotations

from typing import Any, cast

from agentl.codec import decode
from agentl.drivers.matching import answer_fields, identity, outcome_of, remarks
from agentl.drivers.recorded import RecordedDriver
from agentl.drivers.settlement import Dispatch, World
from agentl.durable.journal import delivered
from agentl.durable.records import IntentRecord
from agentl.interpreter.crossings import Answered, Crossing, Drain, Invoke, Outcome


class DurableDriver(RecordedDriver):
    """Runs or resumes one run.

    Args:
        world: the journal, loaded by the holder of the lock with its header written, and what lies beyond it.
        interrupted: the run began in an earlier process and has not ended.
    """

    def __init__(self, world: World, *, interrupted: bool) -> None:
        journal = world.journal
        super().__init__(journal.records, journal.store.name)
        self._world = world
        self._journal = journal
        self._interrupted = interrupted
        self._times_resumed = sum(record.kind == "resumed" for record in journal.records)
        self._delivered = delivered(journal.records)

    def _served_last(self) -> int | None:
        if not self._interrupted:
            return None
        self._journal.append("resumed", count=self._times_resumed + 1)
        return self._times_resumed + 1

    def _beyond(self, crossing: Crossing) -> Outcome:
        if isinstance(crossing, Invoke):
            return self._perform(crossing)
        outcome = self._drain() if isinstance(crossing, Drain) else self._world.live.answer(crossing)
        fields = {**identity(crossing), **remarks(crossing), **answer_fields(outcome)}
        return outcome_of(self._journal.append(**fields))

    def _perform(self, crossing: Invoke) -> Outcome:
        promise = self._world.host.promise(crossing.key)
        intent = self._journal.append(**identity(crossing), **remarks(crossing), promise=promise)
        return self._dispatch(crossing, cast("IntentRecord", intent)).perform()

    def _open(self, crossing: Invoke, intent: IntentRecord, attempt: int) -> Outcome:
        return self._dispatch(crossing, intent).settle(attempt)

    def _dispatch(self, crossing: Invoke, intent: IntentRecord) -> Dispatch:
        return Dispatch(self._world, crossing, intent)

    def _drain(self) -> Outcome:
        """Take the events that no record has consumed, and what a host brings that overrides `drain`."""
        waiting: list[dict[str, Any]] = [
            {"id": entry["id"], "source": entry["source"], "payload": decode(entry["payload"])}
            for entry in self._journal.store.entries()
            if entry["kind"] == "event" and entry["id"] not in self._delivered
        ]
        waiting += self._overridden_drain()
        self._delivered.update(event["id"] for event in waiting)
        return Answered(value=waiting)

    def _overridden_drain(self) -> list[dict[str, Any]]:
        number = len(self._journal.records)
        events = [
            {"id": f"drain:{number}:{place}", **event} for place, event in enumerate(self._world.live.drain())
        ]
        return [event for event in events if event["id"] not in self._delivered]

    # -------------------------------------------------------------------------------------------- the end

    def finish(self) -> None:
        """Write the end, unless it stands there. Raises ReplayDivergence when records are left over."""
        super().finish()
        if not self._journal.ended:
            self._journal.append("ended", how="completed")
