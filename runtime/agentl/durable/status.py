"""How a run stands: computed from lock and journal by readers that change no byte (durability.md §7)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from agentl.durable.addressing import store_at
from agentl.durable.copies import Own, refuse_lost, refuse_older
from agentl.durable.entries import CancelEntry, SettleEntry, cancellation, settlements
from agentl.durable.heads import Register
from agentl.durable.journal import Reading, delivered, doubts, open_intents, read
from agentl.durable.lock import Holder
from agentl.durable.pinned import pinned_text
from agentl.durable.records import EndedRecord, Header, IntentRecord, Record, ResolutionRecord, VerdictRecord
from agentl.durable.stores import Store
from agentl.durable.summary import End, Summary, link_at, take_all, take_tail
from agentl.errors import DurableError

if TYPE_CHECKING:
    from agentl_grammar.tree import Program

State = Literal["new", "running", "interrupted", "completed", "cancelled", "corrupt"]

_NOT_A_RUN = "R602"


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How a run stands. Numbers of records leave the header out.

    `in_doubt` are the settlements that left an action in doubt, `open_intents` the actions without a result,
    which a resume will settle, `settlements` all that were settled, `put_in` the words of operators that no
    record has taken yet: those on an ended run stay there, and a doubt that they end is none any more.
    `refused` maps an action to the rule by which the policy did not let it be sent again. `cancelled` says
    who cancelled the run. `problem` says why a run is corrupt, `repairable` that something of it can be kept;
    of one that is not corrupt, that the text it began with is not there as it was (R206): it is resumed
    all the same, with a program that means the same.
    `refusal` is what a resume of a sound run would be refused with, here and now: R207, or R205 where its
    journal is lost. `changed` tells whether the given program means something else than the run's, None when
    none was given.
    `verified_from` is the first record that was looked at besides the header: 0 unless it is a `glance`.
    """

    place: str
    state: State
    run_id: str | None = None
    agents: tuple[str, ...] = ()
    created: str | None = None
    length: int | None = None
    entries: int = 0
    kinds: dict[str, int] = field(default_factory=dict[str, int])
    tick: int = 0
    in_doubt: tuple[ResolutionRecord, ...] = ()
    open_intents: tuple[IntentRecord, ...] = ()
    settlements: tuple[ResolutionRecord, ...] = ()
    put_in: tuple[SettleEntry, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    cancelled: CancelEntry | None = None
    holder: Holder | None = None
    head: str | None = None
    problem: DurableError | None = None
    repairable: bool = False
    refusal: DurableError | None = None
    changed: bool | None = None
    verified_from: int = 0

    @property
    def unsettled(self) -> tuple[str, ...]:
        """The actions whose result nobody knows, and nobody has settled: a word that waits counts."""
        said = {entry.action for entry in self.put_in if entry.how != "operator_resend"}
        unknown = (record.action for record in (*self.in_doubt, *self.open_intents))
        return tuple(action for action in unknown if action not in said)


def store_of(place: Store | str | Path) -> Store:
    """Return the store at a place: a store as it is, an address as `addressing.store_at` reads it."""
    return store_at(place) if isinstance(place, str | Path) else place


def read_run(place: Store | str | Path) -> Reading:
    """Return the verified journal of a run. Raises DurableError R201 to R206, R303, R602."""
    store = store_of(place)
    store.open(write=False)
    return read(store.records(), store.name, store.blob)


def read_records(place: Store | str | Path) -> list[Record]:
    """Return the records of a run after its header. Raises DurableError R201 to R206, R303, R602."""
    return list(read_run(place).records[1:])


def status(
    place: Store | str | Path, program: Program | None = None, register: Register | None = None
) -> RunStatus:
    """Return how a run stands; a damaged one is `corrupt`. Raises DurableError R602 when there is no run.

    The journal is verified as a stream: what is held does not grow with it. Who asks of many runs reads the
    `register` of what was seen once.
    """
    register = register or Register()
    store = store_of(place)
    store.open(write=False)
    # The lock is asked first: a run that ends in between is then told as running, not as interrupted.
    holder = store.holder()
    summary = Summary(store.name, store.blob, _numbers(register))
    problem: DurableError | None = None
    try:
        take_all(store, summary)
    except DurableError as damage:
        if damage.code == _NOT_A_RUN:
            raise
        problem = damage
    found, records = _told(store.name, summary, holder, problem)
    if summary.header is not None and program is not None:
        from agentl.durable.header import changed  # noqa: PLC0415  # it loads the parser

        found = replace(found, changed=changed(summary.header, program))
    if found.problem is not None:
        return found
    try:
        found = _with_inbox(found, records, store)
    except DurableError as damage:
        return replace(found, state="corrupt", problem=damage, repairable=True)
    problem = _pinned_problem(store, summary.header)
    return replace(found, problem=problem, refusal=_refusal(store, summary, register, holder))


def glance(place: Store | str | Path) -> RunStatus | None:
    """Return how a run with a long journal stands, from its header and its end alone, in a moment.

    Of actions it tells those since record `verified_from`; which action is open, it always knows: at most one
    is, and nothing of another follows it. None where `status` is as quick, or needed to say what is wrong.
    Raises DurableError R602.
    """
    store = store_of(place)
    store.open(write=False)
    holder = store.holder()
    register = Register()
    summary = Summary(store.name, store.blob, _numbers(register))
    try:
        begin = take_tail(store, summary)
        cancelled = cancellation(store)
    except DurableError as damage:
        if damage.code == _NOT_A_RUN:
            raise
        return None
    found, _ = _told(store.name, summary, holder, None)
    if begin is None or summary.header is None or found.problem is not None:
        return None
    refusal = _refusal(store, summary, register, holder, begin)
    problem = _pinned_problem(store, summary.header)
    found = replace(found, kinds={}, verified_from=begin, refusal=refusal, problem=problem)
    return _with_cancellation(found, cancelled)


def _pinned_problem(store: Store, header: Header | None) -> DurableError | None:
    try:
        if header is not None:
            pinned_text(store, header)
    except DurableError as problem:
        return problem
    return None


def _numbers(register: Register) -> Callable[[str], Collection[int]]:
    return lambda begin: frozenset(head.n for head in register.of(begin))


def _refusal(
    store: Store, summary: Summary, register: Register, holder: Holder | None, begin: int = 0
) -> DurableError | None:
    """Return what a resume would be refused with; of a glance, as far as the records from `begin` on tell."""
    if holder is not None or store.home is None:
        return None
    try:
        if not summary.begin:
            refuse_lost(store, store.run_id, register)
        else:
            own = Own(summary.begin, summary.entries + 1, summary.end is not None, _links(store, summary))
            known = [head for head in register.of(summary.begin) if head.n >= begin]
            refuse_older(store, own, known, elsewhere=not begin)
    except DurableError as refusal:
        return refusal
    return None


def _links(store: Store, summary: Summary) -> Callable[[int], str | None]:
    return lambda n: summary.links[n] if n in summary.links else link_at(store, n)


def _with_cancellation(found: RunStatus, cancelled: CancelEntry | None) -> RunStatus:
    """Return the status with who cancelled the run: an interrupted one will not be resumed then."""
    ends = cancelled is not None and found.state == "interrupted"
    return replace(found, cancelled=cancelled, state="cancelled" if ends else found.state)


def _with_inbox(found: RunStatus, records: Sequence[Record], store: Store) -> RunStatus:
    put_in = tuple(settlements(store, delivered(records)))
    found = _with_cancellation(replace(found, put_in=put_in), cancellation(store))
    if found.state in {"completed", "cancelled"}:
        # Of words, those that settle something: what was to be sent again was not.
        found = replace(found, in_doubt=tuple(d for d in found.in_doubt if d.action in found.unsettled))
    return found


def _refused(records: Sequence[Record]) -> dict[str, str]:
    """Return the rules that kept actions from being sent again, although an operator wanted it."""
    return {
        said.action: verdict.rule
        for said, verdict in pairwise(records)
        if isinstance(said, ResolutionRecord)
        and said.how == "operator_resend"
        and isinstance(verdict, VerdictRecord)
        and verdict.verdict == "DENIED"
    }


def state_of(records: Sequence[Record], holder: Holder | None) -> State:
    """Return the state of a run whose journal is sound, from its records and who holds its lock."""
    last = records[-1] if records else None
    return _state(bool(records), last.how if isinstance(last, EndedRecord) else None, holder)


def _state(begun: bool, end: End | None, holder: Holder | None) -> State:  # noqa: FBT001  # one of three facts
    if holder is not None:
        return "running"
    if not begun:
        return "new"
    return end or "interrupted"


def _told(
    name: str, summary: Summary, holder: Holder | None, problem: DurableError | None
) -> tuple[RunStatus, Sequence[Record]]:
    """Return how a run stands as far as its journal tells, and the records that tell it."""
    records: Sequence[Record] = ()
    try:
        records = summary.records()
    except DurableError as nonsense:
        problem = problem or nonsense
    header = summary.header
    state = "corrupt" if problem is not None else _state(header is not None, summary.end, holder)
    bare = RunStatus(name, state, holder=holder, problem=problem)
    if header is None:
        return bare, records
    found = replace(
        bare,
        run_id=header.key,
        agents=tuple(header.agents),
        created=header.created,
        length=header.length,
        entries=summary.entries,
        kinds=summary.kinds,
        tick=summary.tick,
        in_doubt=tuple(doubts(records)),
        open_intents=tuple(open_intents(records)),
        settlements=tuple(record for record in records if isinstance(record, ResolutionRecord)),
        refused=_refused(records),
        head=summary.head,
        repairable=problem is not None,
    )
    return found, records
