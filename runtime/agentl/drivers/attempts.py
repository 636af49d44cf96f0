"""The attempts of one action, and how a doubt is settled (durability.md §3): one rule for every driver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, TypeAlias, cast

from agentl.codec import round_trip
from agentl.drivers.attempting import attempted
from agentl.drivers.unfinished import refuse_unfinished
from agentl.drivers.within import OVERDUE
from agentl.errors import InDoubt
from agentl.host.registry import NOT_EXECUTED, Host
from agentl.interpreter.contracts import ContractError, check_shape
from agentl.interpreter.crossings import Answered, Doubtful, Failed, Invoke, Outcome
from agentl.kernel import Permit, examined
from agentl.provenance import unmarked
from agentl.values import Value, show
from agentl.vocabulary import ActionKind, How, Promise

INTERRUPTED = "the run was interrupted before its result was known"
SENT_AGAIN = "it was sent again, and failed; the attempt before it may have happened"


Prepared: TypeAlias = Callable[[], Outcome]
"""One attempt, to be made once: all that goes before the call of the host is done."""


class NoEvidence(Exception):  # noqa: N818  # an answer, no error of ours
    """A reconciler answered what is neither a result nor NOT_EXECUTED."""


class Performer(Protocol):
    """What makes one attempt: the live driver."""

    def prepared(self, permit: Permit, attempt: int = 1) -> Prepared:
        """Return what makes one attempt."""
        ...

    def call(self, function: Callable[..., Any], *arguments: object, timeout: float | None = None) -> Any:
        """Call a function of the host and wait for it; OVERDUE after `timeout` seconds."""
        ...

    def kept(self, value: Any) -> Any:
        """Return what the host said as the run keeps it."""
        ...


class Attempts:
    """The attempts of one action in the life of one process.

    A failure ("it did not happen") is tried again up to `retries` times. A doubt is settled: sent again under
    the same key if the host promised idempotence at the call and does so now, else by its reconciler, else it
    stays. Sending again after a doubt is bounded by `retries` too, but allowed once in each process. A
    failure of what was sent again says nothing of the attempt that is in doubt: the doubt outlives it.

    `promise` is what the host promised at the call. A subclass that keeps a record overrides `resolved` and
    `kept`.
    """

    def __init__(self, performer: Performer, host: Host, crossing: Invoke, promise: Promise) -> None:
        permit = crossing.permit
        self._performer = performer
        self._first: Prepared | None = None
        self._host = host
        self._permit = permit
        self._outputs = crossing.outputs
        self._promise = promise
        self._target = permit.action.target
        self._kind: ActionKind = permit.action.kind
        self._options = host.options(self._target, self._kind)
        self._sent_again = 0
        self._under_way = False
        self._doubt: str | None = None
        self.attempt = crossing.attempt
        if self.attempt > 1:
            self.sent_by_operator()

    def perform(self, first: Prepared | None = None) -> Outcome:
        """Perform an action until it ends; `first` is the next attempt, when it was prepared."""
        self._first = first
        return cast("Outcome", attempted(self._once, lambda outcome: outcome is not None))

    def perform_unless_known(self, first: Prepared | None = None) -> Outcome:
        """Perform an action that an interrupted run may have performed without a record that outlived it.

        A disk can forget what it was told to keep. So the reconciler, where one speaks for the action, is
        asked first; what it cannot tell, or raises, keeps nobody from what is most likely a new action.
        """
        if self._promise != "reconcilable":
            return self.perform(first)
        try:
            known = self._reconcile()
        except Exception:  # noqa: BLE001  # see above
            known = NOT_EXECUTED
        return self.perform(first) if known is NOT_EXECUTED else self._reconciled(known)

    def settle(self, attempt: int) -> Outcome:
        """Settle an action that was interrupted in its `attempt`-th attempt, and go on from there."""
        self.attempt = attempt
        return self._settle(INTERRUPTED) or self.perform()

    def sent_by_operator(self) -> None:
        """Let the doubt about an earlier attempt outlive a failure of this one, which an operator wants."""
        self._doubt = SENT_AGAIN
        self._sent_again = 1

    def resolved(self, how: How, reason: str | None) -> None:
        """Take note of what became of an attempt; `attempt` is already that of the next one."""

    def kept(self, outcome: Outcome) -> Outcome:
        """Keep how the action ended, and return it."""
        return outcome

    def _once(self) -> Outcome | None:
        first, self._first = self._first, None
        outcome = (first or self._performer.prepared(self._permit, self.attempt))()
        if isinstance(outcome, Doubtful):
            self._under_way = self._under_way or outcome.under_way
            return self._settle(outcome.reason)
        if isinstance(outcome, Failed) and self._doubt is not None:
            return self._again("retry") if self._may_send() else self._in_doubt(self._doubt)
        if isinstance(outcome, Failed) and self._sent_again < self._options.retries:
            return self._again("retry")
        return self.kept(outcome)

    def _may_send(self) -> bool:
        return self._sent_again < max(1, self._options.retries)

    def _settle(self, reason: str) -> Outcome | None:
        """Decide what becomes of a doubt, first match (§3); None when the action is to be sent again."""
        self._doubt = reason
        if self._promise == "idempotent" and self._host.promise(self._target, self._kind) == "idempotent":
            return self._again("retry") if self._may_send() else self._in_doubt(reason)
        if not self._host.reconciles(self._target, self._kind):
            return self._in_doubt(reason)
        try:
            known = self._reconcile()
        except Exception as error:  # noqa: BLE001  # a reconciler that raises does not know, and neither do we
            return self._in_doubt(f"{reason}; {error}" if isinstance(error, NoEvidence) else reason)
        if known is NOT_EXECUTED:
            # While a call that was given up still runs, "not executed" is true only for now.
            if self._under_way or not self._may_send():
                return self._in_doubt(reason)
            self._doubt = None
            return self._again("not_executed")
        return self._reconciled(known)

    def _reconciled(self, known: object) -> Outcome:
        self.resolved("reconciled", None)
        return self.kept(Answered(value=known))

    def _reconcile(self) -> object:
        """Return what the reconciler knows. Raises an Exception when that is nothing."""
        action = replace(self._permit.action, attempt=self.attempt)
        arguments = round_trip(dict(action.arguments))
        timeout = self._options.timeout
        with examined(action):
            known = self._performer.call(
                self._host.reconcile, self._target, arguments, action, timeout=timeout
            )
        if known is OVERDUE:
            raise TimeoutError
        return known if known is NOT_EXECUTED else self._evidence(known)

    def _evidence(self, known: object) -> object:
        """Return what a reconciler answered as a result. Raises NoEvidence when it could be none.

        `ledger.get(key)` is None where nothing was found: only a dict says that the action happened, also
        for a tool without OUTPUT.
        """
        kept = self._performer.kept(known)
        plain = unmarked(kept)[0]
        try:
            refuse_unfinished(known, None)
            check_shape(self._kind, self._outputs, plain)
        except (ContractError, InDoubt) as error:
            raise NoEvidence(f"{_answered(plain)} ({error})") from None
        if not isinstance(plain, dict):
            raise NoEvidence(_answered(plain))
        return kept

    def _again(self, how: How) -> None:
        self.attempt += 1
        self._sent_again += 1
        self.resolved(how, None)

    def _in_doubt(self, reason: str) -> Outcome:
        self.resolved("in_doubt", reason)
        return Doubtful(reason=reason)


def _answered(answer: Value) -> str:
    """Say what a reconciler answered: what is short as it is, of what holds other values the kind alone."""
    kind = type(answer).__name__
    shown = f"a {kind}" if isinstance(answer, dict | list | tuple) else show(answer)
    return f"the reconciler answered {shown}, which is no result of it"
