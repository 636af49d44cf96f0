"""One action, from its intent on the disk to its end, each step recorded (durability.md §3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agentl.codec import recorded
from agentl.drivers.attempts import Attempts
from agentl.drivers.live import LiveDriver
from agentl.drivers.matching import answer_fields, outcome_of
from agentl.durable import notices
from agentl.durable.journal import Journal
from agentl.durable.records import IntentRecord
from agentl.host.registry import Host
from agentl.interpreter.crossings import Answered, Invoke, Outcome
from agentl.vocabulary import How
from agentl_grammar.problems import Message


@dataclass(frozen=True, slots=True)
class World:
    """What a live action needs: where it is recorded, who performs it, who is told."""

    journal: Journal
    live: LiveDriver
    host: Host
    notify: Callable[[Message], None]


class Dispatch(Attempts):
    """The attempts of one action whose intent was written, each end of one a record."""

    def __init__(self, world: World, crossing: Invoke, intent: IntentRecord) -> None:
        super().__init__(world.live, world.host, crossing, intent.promise)
        self._world = world
        self._intent = intent

    def resolved(self, how: How, reason: str | None) -> None:
        """Record what became of an attempt, and tell it."""
        intent = self._intent
        fields = {"how": how, "attempt": self.attempt, "reason": reason}
        self._world.journal.append("resolution", **self._common(), **fields)
        self._world.notify(notices.settled(intent.key, intent.action, how, intent.does))

    def sent_again_by_operator(self, attempt: int) -> Outcome:
        """Send an interrupted action again because an operator wants it, and go on from there."""
        self.attempt = attempt
        self.sent_by_operator()
        return self.perform()

    def kept(self, outcome: Outcome) -> Outcome:
        """Record the result, synced, and return it as the journal gives it back."""
        journal = self._world.journal
        if isinstance(outcome, Answered):
            data, value = recorded(outcome.value)
            sealed = journal.seal(self._intent.does, **self._common(), value=data)
            given_back = outcome if value is outcome.value else Answered(value=value)
        else:
            sealed = journal.seal(self._intent.does, **self._common(), **answer_fields(outcome))
            given_back = outcome_of(sealed.record)
        journal.write(sealed)
        return given_back

    def _common(self) -> dict[str, Any]:
        intent = self._intent
        return {
            "agent": intent.agent,
            "key": intent.key,
            "site": intent.site,
            "tick": intent.tick,
            "action": intent.action,
        }
