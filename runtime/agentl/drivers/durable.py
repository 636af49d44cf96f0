"""The durable driver: the journal as far as it reaches, then the world, recorded (durability.md §3, §6)."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, cast

from agentl.codec import decode
from agentl.drivers.matching import answer_fields, identity, outcome_of, remarks
from agentl.drivers.recorded import RecordedDriver
from agentl.drivers.settlement import Dispatch, World
from agentl.durable.journal import delivered
from agentl.durable.records import IntentRecord, WaitRecord
from agentl.interpreter.crossings import Answered, Ask, Crossing, Drain, Invoke, Lapsed, Outcome


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
        if isinstance(crossing, Ask) and crossing.timeout is not None:
            return self._put(crossing, crossing.timeout)
        outcome = self._drain() if isinstance(crossing, Drain) else self._world.live.answer(crossing)
        fields = {**identity(crossing), **remarks(crossing), **answer_fields(outcome)}
        return outcome_of(self._journal.append(**fields))

    def _perform(self, crossing: Invoke) -> Outcome:
        self._world.live.refuse_missing_secrets(crossing.permit)
        promise = self._world.host.promise(crossing.key, crossing.permit.action.kind)
        intent = self._journal.append(**identity(crossing), **remarks(crossing), promise=promise)
        return self._dispatch(crossing, cast("IntentRecord", intent)).perform()

    def _put(self, crossing: Ask, timeout: float) -> Outcome:
        """Write when the time of a question ends, then put it: a later process gives it what is left."""
        id_ = f"{self._recorded[0].key}:{crossing.agent}:w{len(self._journal.records)}"
        fields = {**identity(crossing), "kind": "wait", **remarks(crossing)}
        wait = self._journal.append(**fields, id=id_, expires=time.time() + timeout)
        return self._ask(crossing, cast("WaitRecord", wait), timeout)

    def _waiting(self, crossing: Ask, wait: WaitRecord) -> Outcome:
        # A clock that was set back gives nobody more time than the program does.
        left = min(wait.expires - time.time(), crossing.timeout or 0)
        return self._ask(crossing, wait, left)

    def _ask(self, crossing: Ask, wait: WaitRecord, left: float) -> Outcome:
        outcome = self._world.live.ask(replace(crossing, timeout=left))
        fields = {**identity(crossing), **remarks(crossing)}
        if isinstance(outcome, Lapsed):
            return outcome_of(self._journal.append(**{**fields, "kind": "expired"}, wait=wait.id))
        return outcome_of(self._journal.append(**fields, **answer_fields(outcome)))

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
