"""The program as a sans-I/O machine: it yields crossings and receives outcomes (architecture.md)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import suppress

from agentl.interpreter.calls import call
from agentl.interpreter.core import Core, StatementHandler, Steps, TickCut
from agentl.interpreter.crossings import Begin, Checkpoint, Crossing, Outcome
from agentl.interpreter.delegating import delegate
from agentl.interpreter.judging import judge
from agentl.interpreter.loops import foreach
from agentl.interpreter.memory import declare_memory
from agentl.interpreter.payloads import release_payload
from agentl.interpreter.people import ask, escalate_statement
from agentl.interpreter.phases import DEFAULT_ORDER, phase, run_phase
from agentl.interpreter.plans import verify
from agentl.interpreter.reactions import send
from agentl.interpreter.reasoning import reason
from agentl.interpreter.rollback import rollback
from agentl.interpreter.settling import settle_doubts
from agentl.interpreter.starting import set_initial_facts
from agentl.interpreter.statements import assign, branch, loop, retry, then, trigger
from agentl.run_state import RunState
from agentl.trace import Trace
from agentl_grammar.sites import SiteIndex
from agentl_grammar.tree import (
    Agent,
    Ask,
    Assign,
    Block,
    CallStatement,
    Delegate,
    Escalate,
    ForEach,
    If,
    Judge,
    Loop,
    MainLoop,
    Message,
    Node,
    Phase,
    Program,
    Reason,
    Retry,
    Rollback,
    Then,
    Trigger,
    Verify,
)

DEFAULT_TICKS = 10
_HANDLERS: dict[type[Node], StatementHandler] = {
    Ask: ask,
    Assign: assign,
    CallStatement: call,
    Delegate: delegate,
    Escalate: escalate_statement,
    ForEach: foreach,
    If: branch,
    Judge: judge,
    Loop: loop,
    Message: send,
    Phase: phase,
    Reason: reason,
    Retry: retry,
    Rollback: rollback,
    Then: then,
    Trigger: trigger,
    Verify: verify,
}


class Machine:
    """One agent's run.

    It calls no host, no model, no file and no clock: whoever pumps `run` answers for them.

    `run_id` is part of every action id. `length` is the number of ticks, and wins over LOOP MAX
    (language.md §4.2). With `state`, as `RunState.encoded` kept it at the end of a tick, the run goes on
    from there. The program must have passed `support.unsupported`.
    """

    def __init__(
        self,
        program: Program,
        agent: Agent,
        *,
        run_id: str = "run",
        length: int | None = None,
        state: RunState | None = None,
    ) -> None:
        self.state = RunState() if state is None else state
        self._sites = SiteIndex(program)
        self._fresh = state is None
        self._core = Core(agent, self.state, run_id=run_id, site_of=self._site_of, handlers=_HANDLERS)
        self._loop = agent.last(MainLoop)
        self._length = length

    @property
    def trace(self) -> Trace:
        """The events so far, and their chained digest."""
        return self._core.trace

    @property
    def metrics(self) -> Mapping[str, int]:
        """The counters of language.md §8.5."""
        return self.state.metrics

    @property
    def length(self) -> int:
        """How many ticks the run has, unless LOOP UNTIL ends it before."""
        if self._length is not None:
            return self._length
        maximum = None if self._loop is None or self._loop.maximum is None else int(self._loop.maximum.value)
        return maximum or DEFAULT_TICKS

    def follow(self, listener: Callable[[], None]) -> None:
        """Call `listener` after every statement and every phase, when the state can be looked at."""
        self._core.follow(listener)

    def run(self) -> Generator[Crossing, Outcome, None]:
        """Yield every crossing of the run, from Begin to the Checkpoint of the last tick."""
        core = self._core
        if self._fresh:
            set_initial_facts(core)
            declare_memory(core, (yield from core.cross(Begin(agent=core.name, tick=0))))
        while self.state.tick < self.length and not self.state.ended:
            yield from self._tick()

    def _tick(self) -> Steps[None]:
        core, state = self._core, self.state
        state.tick += 1
        state.count("ticks")
        core.begin_tick()
        core.trace.emit("tick.started", number=state.tick)
        yield from settle_doubts(core)
        with suppress(TickCut):
            yield from self._phases()
        release_payload(core)
        until = None if self._loop is None else self._loop.until
        state.ended = until is not None and core.holds(until)
        yield from core.cross(
            Checkpoint(
                agent=core.name,
                tick=state.tick,
                state_digest=state.digest,
                events_digest=core.trace.digest,
            )
        )

    def _phases(self) -> Steps[None]:
        if self._loop is None or not self._loop.body.statements:
            for word in DEFAULT_ORDER:
                yield from run_phase(self._core, word)
            return
        for statement in self._loop.body.statements:
            yield from self._core.run_body(Block(statement.span, (statement,)))

    def _site_of(self, node: Node) -> str:
        try:
            return self._sites.site(node)
        except KeyError:
            return ""
