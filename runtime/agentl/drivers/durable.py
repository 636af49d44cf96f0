"""The durable driver: the journal as far as it reaches, then the world, recorded (durability.md §3, §6)."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import replace
from typing import Any, cast

from agentl.codec import Undecodable, decode, encode
from agentl.drivers.matching import answer_fields, identity, outcome_of, remarks, result_of, settled_of
from agentl.drivers.recorded import RecordedDriver
from agentl.drivers.settlement import Dispatch, World
from agentl.durable import notices, refusals
from agentl.durable.cancelling import cancel
from agentl.durable.entries import CancelWatch, SettleEntry, events, settlements
from agentl.durable.journal import delivered
from agentl.durable.lost import actions_left
from agentl.durable.records import IntentRecord, ResolutionRecord, WaitRecord
from agentl.interpreter.crossings import (
    Answered,
    Ask,
    Crossing,
    Done,
    Drain,
    Failed,
    Failure,
    Invoke,
    Lapsed,
    Outcome,
    Read,
    Settle,
)


class DurableDriver(RecordedDriver):
    """Runs or resumes one run.

    Args:
        world: the journal, loaded by the holder of the lock with its header written, and what lies beyond it.
        interrupted: the run began in an earlier process and has not ended.
    """

    def __init__(self, world: World, *, interrupted: bool) -> None:
        journal = world.journal
        super().__init__(tuple(journal.records), journal.store.name)
        self._world = world
        self._journal = journal
        self._interrupted = interrupted
        # Only a lock holder that does not run repairs: these can only grow fewer while this goes on.
        self._actions_lost = actions_left(journal.records)
        self._times_resumed = sum(record.kind == "resumed" for record in journal.records)
        self._consumed = delivered(journal.records)
        self._cancel_watch = CancelWatch(journal.store)

    def _served_last(self) -> int | None:
        if not self._interrupted:
            return None
        self._journal.append("resumed", count=self._times_resumed + 1)
        return self._times_resumed + 1

    def _beyond(self, crossing: Crossing) -> Outcome:
        if isinstance(crossing, Invoke):
            return self._perform(crossing)
        if not isinstance(crossing, Read):
            self._stop_if_cancelled()
        if isinstance(crossing, Settle):
            return self._settlement_put_in(crossing)
        if isinstance(crossing, Ask) and crossing.timeout is not None:
            return self._put(crossing, crossing.timeout)
        outcome = self._drain() if isinstance(crossing, Drain) else self._world.live.answer(crossing)
        fields = {**identity(crossing), **remarks(crossing), **answer_fields(outcome)}
        return outcome_of(self._journal.append(**fields))

    def _perform(self, crossing: Invoke) -> Outcome:
        first = self._world.live.prepared(crossing.permit, crossing.attempt)
        promise = self._world.host.promise(crossing.key, crossing.permit.action.kind)
        intent = self._journal.seal(**identity(crossing), **remarks(crossing), promise=promise)
        dispatch = self._dispatch(crossing, cast("IntentRecord", intent.record))
        self._journal.write(intent)
        if (cancelled := self._cancel_watch.found()) is not None:
            # Looked for once, as late as can be: nothing has happened yet. Some stores tell with the intent.
            dispatch.kept(Failed(failure=Failure("NotExecuted", "the run was cancelled")))
            raise cancel(self._journal, cancelled)
        if crossing.attempt == 1 and self._may_have_happened():
            return dispatch.settle(1)
        return dispatch.perform_unless_known(first) if self._interrupted else dispatch.perform(first)

    def _may_have_happened(self) -> bool:
        """Tell, and count, whether the action just begun may stand for one that was lost to damage (§5)."""
        if not self._actions_lost:
            return False
        self._actions_lost -= 1
        return True

    def _put(self, crossing: Ask, timeout: float) -> Outcome:
        """Write when the time of a question ends, then put it: a later process gives it what is left."""
        id_ = f"{self._journal.records[0].key}:{crossing.agent}:w{len(self._journal.records)}"
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
        """Settle an interrupted action: by an operator's word if there is one, else as the host can."""
        said = self._said({intent.action})
        if said is None:
            return self._dispatch(crossing, intent).settle(attempt)
        record = self._consume(said, crossing, attempt)
        if said.how == "operator_resend":
            return self._dispatch(crossing, intent).sent_again_by_operator(record.attempt)
        return self._decoded(result_of, record)

    def _settlement_put_in(self, crossing: Settle) -> Outcome:
        said = self._said(crossing.unsettled)
        if said is None:
            return Done()
        return self._decoded(settled_of, self._consume(said, crossing, self._attempts_of(said.action)))

    def _said(self, actions: Collection[str]) -> SettleEntry | None:
        """Return the first word of an operator about one of these actions that no record has consumed."""
        put_in = settlements(self._journal.store, self._consumed)
        return next((entry for entry in put_in if entry.action in actions), None)

    def _consume(self, said: SettleEntry, crossing: Crossing, attempt: int) -> ResolutionRecord:
        """Record what an operator said: from then on it holds."""
        self._consumed.add(said.id)
        again = said.how == "operator_resend"
        record = self._journal.append(
            "resolution",
            agent=crossing.agent,
            key=said.tool,
            **remarks(crossing),
            action=said.action,
            how=said.how,
            attempt=attempt + again,
            reason=None,
            who=said.who,
            at=said.at,
            entry=said.id,
            value=encode(self._concealed(said.value)),
        )
        self._world.notify(notices.settled(said.tool, said.action, said.how))
        return cast("ResolutionRecord", record)

    def _concealed(self, value: Any) -> Any:
        """Return what people put in, as the run keeps it: a secret that they wrote out is named again."""
        try:
            return self._world.host.vault.conceal(decode(value))
        except Undecodable as error:
            raise refusals.unreadable_entry(self._journal.store.name, 0) from error

    def _attempts_of(self, action: str) -> int:
        return max(
            (
                record.attempt
                for record in self._journal.records
                if isinstance(record, ResolutionRecord) and record.action == action
            ),
            default=1,
        )

    def _stop_if_cancelled(self) -> None:
        """End a run that somebody cancelled. Raises DurableError R502."""
        cancelled = self._cancel_watch.found()
        if cancelled is not None:
            raise cancel(self._journal, cancelled)

    def _dispatch(self, crossing: Invoke, intent: IntentRecord) -> Dispatch:
        return Dispatch(self._world, crossing, intent)

    def _drain(self) -> Outcome:
        """Take the events that no record has consumed, and what a host brings that overrides `drain`."""
        waiting: list[dict[str, Any]] = [
            {"id": entry.id, "source": entry.source, "payload": self._concealed(entry.payload)}
            for entry in events(self._journal.store, self._consumed)
        ]
        waiting += self._overridden_drain()
        self._consumed.update(event["id"] for event in waiting)
        return Answered(value=waiting)

    def _overridden_drain(self) -> list[dict[str, Any]]:
        number = len(self._journal.records)
        events = [
            {"id": f"drain:{number}:{place}", **event} for place, event in enumerate(self._world.live.drain())
        ]
        return [event for event in events if event["id"] not in self._consumed]

    # -------------------------------------------------------------------------------------------- the end

    def finish(self) -> None:
        """Write the end, unless it stands there. Raises ReplayDivergence when records are left over."""
        super().finish()
        if not self._journal.ended:
            self._journal.append("ended", how="completed")
