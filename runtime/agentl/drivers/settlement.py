"""One action, from its intent on the disk to its end: attempts, settlement, doubt (durability.md §3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

from tenacity import Retrying, retry_if_result, wait_exponential, wait_random

from agentl.codec import round_trip
from agentl.drivers.live import LiveDriver
from agentl.drivers.matching import answer_fields, outcome_of
from agentl.durable import notices
from agentl.durable.journal import Journal
from agentl.durable.records import How, IntentRecord
from agentl.host import NOT_EXECUTED, Host
from agentl.interpreter.crossings import Answered, Doubtful, Failed, Outcome
from agentl.kernel import Permit
from agentl_grammar.problems import Message

_FIRST_WAIT = 0.1
_LONGEST_WAIT = 10.0
_INTERRUPTED = "the run was interrupted before its result was known"


@dataclass(frozen=True, slots=True)
class World:
    """What a live action needs: where it is recorded, who performs it, who is told."""

    journal: Journal
    live: LiveDriver
    host: Host
    notify: Callable[[Message], None]


class Dispatch:
    """The attempts of one action in the life of one process.

    A failure ("it did not happen") is tried again up to `retries` times. A doubt is settled: sent again under
    the same key if the host promised idempotence at the call and does so now, else by its reconciler, else it
    stays. Sending again after a doubt is bounded by `retries` too, but allowed once in each process.
    """

    def __init__(self, world: World, permit: Permit, intent: IntentRecord) -> None:
        self._world = world
        self._permit = permit
        self._intent = intent
        self._attempt = 1
        self._sent_again = 0
        self._retries = max(0, world.host.options(intent.key).retries)

    def perform(self) -> Outcome:
        """Perform an action whose intent was just written, until it ends."""
        attempts = Retrying(
            wait=wait_exponential(multiplier=_FIRST_WAIT, max=_LONGEST_WAIT) + wait_random(0, _FIRST_WAIT),
            retry=retry_if_result(lambda outcome: outcome is None),
        )
        return cast("Outcome", attempts(self._once))

    def settle(self, attempt: int) -> Outcome:
        """Settle an action that was interrupted in its `attempt`-th attempt, and go on from there."""
        self._attempt = attempt
        return self._settle(_INTERRUPTED) or self.perform()

    def _once(self) -> Outcome | None:
        outcome = self._world.live.perform(self._permit, self._attempt)
        if isinstance(outcome, Doubtful):
            return self._settle(outcome.reason)
        if isinstance(outcome, Failed) and self._sent_again < self._retries:
            return self._again("retry")
        return self._keep(outcome)

    def _settle(self, reason: str) -> Outcome | None:
        """Decide what becomes of a doubt, first match (§3); None when the action is to be sent again."""
        tool = self._intent.key
        may_send = self._sent_again < max(1, self._retries)
        if self._intent.promise == "idempotent" and self._world.host.promise(tool) == "idempotent":
            return self._again("retry") if may_send else self._in_doubt(reason)
        if tool not in self._world.host.reconcilers:
            return self._in_doubt(reason)
        try:
            known = self._reconcile(tool)
        except Exception:  # noqa: BLE001  # a reconciler that raises does not know, and neither do we
            return self._in_doubt(reason)
        if known is NOT_EXECUTED:
            return self._again("not_executed") if may_send else self._in_doubt(reason)
        self._resolve("reconciled")
        return self._keep(Answered(value=known))

    def _reconcile(self, tool: str) -> object:
        action = replace(self._permit.action, attempt=self._attempt)
        arguments = round_trip(dict(action.arguments))
        return self._world.live.call(self._world.host.reconcile, tool, arguments, action)

    def _again(self, how: How) -> None:
        self._attempt += 1
        self._sent_again += 1
        self._resolve(how)

    def _in_doubt(self, reason: str) -> Outcome:
        self._resolve("in_doubt", reason)
        return Doubtful(reason=reason)

    def _resolve(self, how: How, reason: str | None = None) -> None:
        fields = {"how": how, "attempt": self._attempt, "reason": reason}
        self._world.journal.append("resolution", **self._common(), **fields)
        self._world.notify(notices.settled(self._intent.key, self._intent.action, how))

    def _keep(self, outcome: Outcome) -> Outcome:
        return outcome_of(self._world.journal.append("invoke", **self._common(), **answer_fields(outcome)))

    def _common(self) -> dict[str, Any]:
        intent = self._intent
        common = {name: getattr(intent, name) for name in ("agent", "key", "site", "tick")}
        return {**common, "action": intent.action}
