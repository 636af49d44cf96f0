"""A durable run: started or resumed by the same call (durability.md §12)."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

from agentl.codec import encode, round_trip
from agentl.drivers.driving import drive
from agentl.drivers.durable import DurableDriver
from agentl.drivers.live import LiveDriver
from agentl.drivers.settlement import World
from agentl.durable import copies, notices, refusals
from agentl.durable import header as head
from agentl.durable.cancelling import refuse_cancelled
from agentl.durable.entries import keep_event
from agentl.durable.export import Export, export_run
from agentl.durable.journal import Journal, open_intents
from agentl.durable.records import Header
from agentl.durable.run_names import refuse_run_id
from agentl.durable.status import RunStatus, status
from agentl.durable.stores import Store
from agentl.errors import ProgramError
from agentl.host.memory import refuse_undeclared_memory
from agentl.host.registry import Host, HostEvent
from agentl.host.sink import feed_sink
from agentl.interpreter.machine import Machine
from agentl.interpreter.support import unsupported
from agentl.oracles.choosing import NoModel
from agentl.oracles.model import Model
from agentl.trace import Trace
from agentl_grammar.printer import print_program
from agentl_grammar.problems import Message
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import Agent, Program


class DurableRun:
    """One run of one program in one store. `run()` starts it, resumes it, or derives a completed one again.

    Args:
        program: a program, or its agents.
        host: the world; the same for every process of the run. Default: an empty one.
        llm: the model. Default: one that answers nothing, of which `notify` hears once (M101).
        store: where the run lies.
        run_id: the name of a new run; of an existing one, it must be its name.
        source: the text of the program, kept with the run. Default: the program's canonical text.
        host_digest: the SHA-256 of the host's file, when it has one.
        notify: hears what a person should know (durability.md §1).
        on_trace: is given the trace before its first event, to subscribe to it.

    Raises:
        ProgramError: the program uses what is not executed yet (C101).
        ValueError: there is no agent.
        DurableError: the run is refused: R101, R201 to R205, R301, R602 (durability.md §8).
    """

    def __init__(  # noqa: PLR0913  # each is a part of a run, and all but the first two have a name
        self,
        program: Program | Agent | Sequence[Agent],
        host: Host | None = None,
        llm: Model | None = None,
        *,
        store: Store,
        run_id: str | None = None,
        source: Source | None = None,
        host_digest: str | None = None,
        notify: Callable[[Message], None] | None = None,
        on_trace: Callable[[Trace], None] | None = None,
    ) -> None:
        self._program = _whole_program(program)
        self._source = source or Source(print_program(self._program))
        _refuse_unsupported(self._program, self._source)
        refuse_run_id(run_id)
        self._host = host or Host()
        self._store = store
        self._wanted_id = _name_of_run(run_id, store)
        self._host_digest = host_digest
        self._notify = notify or _nobody
        self._model = NoModel(self._notify) if llm is None else llm
        self._on_trace = on_trace or _nobody
        self._machine: Machine | None = None
        self.journal = Journal.load(store)
        self._check(self.journal, None)
        self.resumed = self._goes_on()

    # ------------------------------------------------------------------------------------------ what it tells

    @property
    def run_id(self) -> str | None:
        """The name of the run; None before a new run began without one."""
        return self._wanted_id if self.journal.header is None else self.journal.header.key

    @property
    def status(self) -> RunStatus:
        """How the run stands, computed now."""
        return status(self._store)

    @property
    def runtime(self) -> Machine:
        """The machine of the last `run()`: its state, trace and metrics. Raises RuntimeError before it."""
        if self._machine is None:
            raise RuntimeError("run() comes first")
        return self._machine

    def trace_text(self) -> str:
        """Return the trace of the last `run()`, one line an event."""
        return self.runtime.trace.render()

    def export(self) -> Export:
        """Return the run as a replay journal (durability.md §1)."""
        return export_run(self._store)

    # ------------------------------------------------------------------------------------------ running

    def run(self, max_ticks: int | None = None) -> Machine:
        """Start or resume the run and return its machine when it has completed.

        Args:
            max_ticks: the length of a new run in ticks; a resumed one keeps its own.

        Raises:
            DurableError: the run is refused, as above or with R302, R304 or R305.
            ReplayDivergence: the program and the journal part ways (R102, R103).
            StoreFailure: the journal cannot be written (R601).
        """
        self._store.open(write=True)
        try:
            self.journal = Journal.load(self._store, self.journal.reading)
            self._check(self.journal, max_ticks)
            copies.go_on(self._store, self.journal.records)
            self.resumed = self._goes_on()
            return self._run(max_ticks)
        finally:
            self._host.deliver_to(None)
            self._store.close()

    def _goes_on(self) -> bool:
        return self.journal.header is not None and not self.journal.ended

    def _check(self, journal: Journal, max_ticks: int | None) -> None:
        header, name = journal.header, self._store.name
        if header is None:
            return
        head.refuse_other_run(header, self._wanted_id, name)
        head.refuse_other_program(header, self._program, self._store.pinned(header.program), name)
        head.refuse_other_length(header, max_ticks, name)

    def _run(self, max_ticks: int | None) -> Machine:
        refuse_cancelled(self.journal)
        if self.resumed:
            head.refuse_poorer_host(self._header(), self.journal.records, self._host, self._store.name)
            self._tell_resuming()
        elif self.journal.header is None:
            self._begin(max_ticks)
        machine = self._new_machine(self._header())
        live = LiveDriver(self._host, self._model)
        driver = DurableDriver(World(self.journal, live, self._host, self._notify), interrupted=self.resumed)
        if not self.journal.ended:
            self._host.deliver_to(self._put_in)
        try:
            drive(machine, driver)
            driver.finish()
        finally:
            live.close()
            copies.note(self._store, self.journal.records)
        return machine

    def _header(self) -> Header:
        if self.journal.header is None:
            raise refusals.no_header(self._store.name)
        return self.journal.header

    def _begin(self, max_ticks: int | None) -> None:
        """Pin the source, then write the header; only then is the run told to exist (§4 "Creation")."""
        copies.refuse_lost(self._store, self._wanted_id)
        refuse_undeclared_memory(self._host, self._program.agents[0])
        fields = head.header_fields(
            self._program,
            text=self._source.text,
            run_id=self._wanted_id or secrets.token_hex(6),
            length=max_ticks,
            source=head.source_beside(self._source.name, self._store.base),
            host=head.host_table(self._host, self._host_digest),
            memory=self._host.vault.conceal(dict(self._host.memory)),
        )
        self._store.pin(fields["program"], self._source.text)
        self.journal.append("header", **fields)
        copies.note(self._store, self.journal.records)
        self._notify(notices.new_run(fields["key"], self._store.journal_name))

    def _tell_resuming(self) -> None:
        self._notify(notices.resuming(self._header().key, len(self.journal.entries)))
        for intent in open_intents(self.journal.records):
            self._notify(notices.open_intent(intent))

    def _new_machine(self, header: Header) -> Machine:
        machine = Machine(self._program, self._program.agents[0], run_id=header.key, length=header.length)
        self._on_trace(machine.trace)
        feed_sink(self._host, machine.trace)
        self._machine = machine
        return machine

    def _put_in(self, event: HostEvent) -> None:
        """Put an event of the host into the inbox: it lasts before `emit` returns (§10)."""
        conceal = self._host.vault.conceal
        payload = encode(conceal(round_trip(event["payload"])))
        keep_event(self._store, event["id"], conceal(event["source"]), payload)


def _whole_program(program: Program | Agent | Sequence[Agent]) -> Program:
    if isinstance(program, Program):
        return program
    agents = (program,) if isinstance(program, Agent) else tuple(program)
    if not agents:
        raise ValueError("a run needs an agent")
    return Program(Span(0, 0), agents)


def _refuse_unsupported(program: Program, source: Source) -> None:
    problems = unsupported(program)
    if problems:
        raise ProgramError(source, problems)


def _name_of_run(run_id: str | None, store: Store) -> str | None:
    if run_id is not None and store.run_id not in {None, run_id}:
        raise refusals.other_run(store.name, run_id, str(store.run_id))
    return run_id or store.run_id


def _nobody(_news: object) -> None:
    return
