"""What every store must do, for those who write one (durability.md §11).

A check is a function of one argument: `place`, which returns a new Store object on the same, so far unused,
place each time it is called, as another process would open it. It returns when the store does what it must,
and raises AssertionError when it does not. With pytest, or with any other runner:

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_store(check, tmp_path):
        check(lambda: MyStore(tmp_path / "run"))
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Generator
from typing import Any, TypeAlias

from agentl.codec import comparable, encode
from agentl.durable.chain import START, seal_line, stated_link
from agentl.durable.run import DurableRun
from agentl.durable.status import status
from agentl.durable.stores import Store
from agentl.errors import DurableError, StoreFailure
from agentl.host import Host
from agentl_grammar.parser import parse
from agentl_grammar.tree import Program

Place: TypeAlias = Callable[[], Store]
Check: TypeAlias = Callable[[Place], None]

RUN = "run1"
"""The run that the checks make: a store that fixes a name must have this one."""
_PROGRAM = """
AGENT payer {
  OBSERVE { queue.pending }
  TOOL transfer { INPUT { amount: Number }  OUTPUT { reference: String }  SIDE_EFFECT { ledger } }
  POLICY { DEFAULT ALLOW  NEVER transfer WHEN tools.transfer.in_doubt == true }
  PLAN pay WHEN queue.pending > 0 { transfer(amount = 10) }
  LOOP MAX 3 { OBSERVE SELECT_PLAN EXECUTE }
}
"""
_AWKWARD: tuple[object, ...] = (
    "",
    "\0",
    "line\nend\r\u2028",
    "\ud800",
    "é😀",
    2**200,
    -0.0,
    float("nan"),
    float("inf"),
    b"\x00\xff",
    (1, "a"),
    {"": None, "1": 1},
    {1: "a", "1": "b"},
    {"$symbol": "x"},
    [[[1]]],
    "x" * 200_000,
)


# ------------------------------------------------------------------------------------------- what is used


def _expect(holds: object, what: str) -> None:
    if not holds:
        raise AssertionError(what)


@contextlib.contextmanager
def _refused(code: str, what: str) -> Generator[None]:
    try:
        yield
    except (DurableError, StoreFailure) as error:
        _expect(error.code == code, f"{what}: {code} expected, {error.code} raised")
    else:
        raise AssertionError(f"{what}: {code} expected, nothing raised")


@contextlib.contextmanager
def _opened(place: Place) -> Generator[Store]:
    store = place()
    store.open(write=True)
    try:
        yield store
    finally:
        store.close()


def chained(count: int, *, previous: str = START, first: int = 0) -> list[tuple[int, str, bytes]]:
    """Return (n, h of the record before, line) of so many records in one chain."""
    made: list[tuple[int, str, bytes]] = []
    for n in range(first, first + count):
        line, h = seal_line(previous, {"n": n, "kind": "test"})
        made.append((n, previous, line))
        previous = h
    return made


def _fill(store: Store, records: list[tuple[int, str, bytes]]) -> None:
    for n, previous, line in records:
        store.append(n, previous, line, sync=True)


def _text(records: list[tuple[int, str, bytes]]) -> bytes:
    return b"".join(line + b"\n" for _, _, line in records)


# ------------------------------------------------------------------------------------------- the records


def an_unused_place_is_empty(place: Place) -> None:
    """No records, no entries, no source, no holder; and to look changes nothing of that."""
    for _ in range(2):
        store = place()
        _expect(store.records() == b"", "records of nothing")
        _expect(not list(store.entries()), "entries of nothing")
        _expect(store.pinned("0" * 64) is None, "a source of nothing")
        _expect(store.holder() is None, "a holder of nothing")


def records_come_back_byte_for_byte(place: Place) -> None:
    """What was appended is read as it was written, by writer and readers, while it is held and after."""
    written = chained(6)
    with _opened(place) as store:
        _fill(store, written)
        _expect(store.records() == _text(written), "the writer reads its records")
        _expect(place().records() == _text(written), "a reader reads the records of a held run")
    _expect(place().records() == _text(written), "the records last")


def records_are_read_from_any_number_on(place: Place) -> None:
    """`records(after)` leaves out the records up to number `after`."""
    written = chained(6)
    with _opened(place) as store:
        _fill(store, written)
        for after in range(-1, 8):
            _expect(store.records(after) == _text(written[after + 1 :]), f"records after {after}")


def unsynced_records_go_with_the_next_synced_one(place: Place) -> None:
    """A reader never sees a record without those before it, and all of them once one is synced."""
    written = chained(9)
    with _opened(place) as store:
        for n, previous, line in written:
            store.append(n, previous, line, sync=n % 3 == 2)  # noqa: PLR2004  # every third
            seen = place().records()
            _expect(_text(written).startswith(seen), "a reader sees a beginning of what was written")
            if n % 3 == 2:  # noqa: PLR2004  # every third
                _expect(seen == _text(written[: n + 1]), "what was synced is seen")


def what_waits_is_kept_when_the_store_closes(place: Place) -> None:
    """A run that stops without a fault loses none of its records."""
    written = chained(3)
    with _opened(place) as store:
        for n, previous, line in written:
            store.append(n, previous, line, sync=n == 0)
    _expect(place().records() == _text(written), "unsynced records are kept at a close")


def a_large_record_is_kept(place: Place) -> None:
    """A line of some megabytes is a line like any other."""
    line, _ = seal_line(START, {"n": 0, "kind": "test", "value": "x" * 3_000_000})
    with _opened(place) as store:
        store.append(0, START, line, sync=True)
    _expect(place().records() == line + b"\n", "a large line comes back")


def records_go_on_where_they_ended(place: Place) -> None:
    """A later holder appends to what an earlier one left."""
    written = chained(4)
    with _opened(place) as store:
        _fill(store, written[:2])
    with _opened(place) as store:
        _fill(store, written[2:])
    _expect(place().records() == _text(written), "the second holder's records follow the first's")


def a_record_that_follows_another_one_is_refused(place: Place) -> None:
    """Append is a compare-and-swap on the h of the last record; a store that failed it takes nothing more."""
    written = chained(4)
    with _opened(place) as store:
        _fill(store, written[:2])
        n, _, line = written[3]
        with _refused("R601", "a record after another one"):
            store.append(n, "0" * 64, line, sync=True)
        with _refused("R601", "a record after a failed one"):
            _fill(store, written[2:3])
    _expect(place().records() == _text(written[:2]), "nothing of it is kept")
    with _opened(place) as store:
        _fill(store, written[2:])
    _expect(place().records() == _text(written), "opened again, it goes on")


def whole_records_can_be_dropped_from_the_end(place: Place) -> None:
    """`keep` leaves the records that lie within so many bytes, and the next follows the last of them."""
    written = chained(5)
    with _opened(place) as store:
        _fill(store, written)
    with _opened(place) as store:
        store.keep(len(_text(written[:3])), finish=False)
        _expect(store.records() == _text(written[:3]), "what was kept")
        _fill(store, written[3:])
    _expect(place().records() == _text(written), "what follows what was kept")


# ------------------------------------------------------------------------------------------- who holds it


def one_process_holds_a_run(place: Place) -> None:
    """A second writer is refused with R304 until the first closes; who holds it is told."""
    with _opened(place) as store:
        holder = place().holder()
        _expect(holder is not None, "a held run has a holder")
        with _refused("R304", "a second writer"):
            place().open(write=True)
        with _refused("R304", "the same object again"):
            store.open(write=True)
        _expect(place().holder() == holder, "a refusal takes nothing")
    _expect(place().holder() is None, "a closed run has no holder")
    with _opened(place):
        pass


def only_the_holder_appends(place: Place) -> None:
    """Without the lock nothing is written: R601."""
    with _opened(place):
        pass
    store = place()
    store.open(write=False)
    for n, previous, line in chained(1):
        with _refused("R601", "an append without the lock"):
            store.append(n, previous, line, sync=True)
    _expect(place().records() == b"", "nothing was written")


def closing_is_harmless_at_any_time(place: Place) -> None:
    """Twice, and without opening; and a closed store can be opened again."""
    store = place()
    store.close()
    for _ in range(2):
        store.open(write=True)
        store.close()
    store.close()


def nothing_is_left_of_a_removed_run(place: Place) -> None:
    """No records, entries, or source; only the holder can do it, and the place can be used again."""
    written = chained(3)
    with _opened(place) as store:
        _fill(store, written)
        store.pin("a" * 64, "text")
        store.put_in({"id": "a"})
    with _refused("R601", "to remove a run without its lock"):
        place().remove()
    with _opened(place) as store:
        store.remove()
    an_unused_place_is_empty(place)
    with _opened(place) as store:
        _fill(store, written)
    _expect(place().records() == _text(written), "the place is used again")


# --------------------------------------------------------------------------------- sources and entries


def sources_are_kept_by_digest(place: Place) -> None:
    """A text comes back as it was: line ends, lone surrogates and all; the last one under a digest counts."""
    texts = {"a" * 64: "AGENT é { }\r\n\n", "b" * 64: "\ud800", "c" * 64: ""}
    with _opened(place) as store:
        for digest, text in texts.items():
            store.pin(digest, "another text")
            store.pin(digest, text)
    for digest, text in texts.items():
        _expect(place().pinned(digest) == text, f"the source {text!r}")


def entries_are_put_in_once_by_their_id(place: Place) -> None:
    """An id that is there is not put in again; entries keep their content and their place."""
    with _opened(place) as store:
        _expect(store.put_in({"id": "a", "kind": "event", "payload": {"x": [1, None]}}), "a new entry")
        _expect(place().put_in({"id": "b"}), "an entry from elsewhere needs no lock")
        _expect(not store.put_in({"id": "a", "kind": "other"}), "an id that is there")
        _expect(not place().put_in({"id": "b"}), "an id that is there, from elsewhere")
        wanted = [{"id": "a", "kind": "event", "payload": {"x": [1, None]}}, {"id": "b"}]
        for reader in (store, place()):
            for after in range(3):
                _expect(list(reader.entries(after)) == wanted[after:], f"entries after {after}")
    _expect(place().put_in({"id": "c"}), "an entry for a run that nobody holds")
    _expect(len(list(place().entries())) == len(wanted) + 1, "entries last")


def entries_from_many_threads_are_all_kept(place: Place) -> None:
    """Senders at the same time lose nothing, and no reader sees places change."""
    with _opened(place):
        pass
    senders, each = 4, 5
    failures: list[BaseException] = []

    def send(sender: int) -> None:
        try:
            for number in range(each):
                place().put_in({"id": f"{sender}:{number}"})
        except BaseException as error:  # noqa: BLE001  # told by the check, not by a thread
            failures.append(error)

    threads = [threading.Thread(target=send, args=(sender,)) for sender in range(senders)]
    for thread in threads:
        thread.start()
    seen: list[Any] = []
    reader = place()
    while any(thread.is_alive() for thread in threads):
        found = list(reader.entries())
        _expect(found[: len(seen)] == seen, "an entry has its place for good")
        seen = found
    for thread in threads:
        thread.join()
    _expect(not failures, f"a sender failed: {failures}")
    _expect(len(list(reader.entries())) == senders * each, "every entry is kept")


# ------------------------------------------------------------------------------------------- whole runs


class _CrashError(BaseException):
    """Stands for the death of a process."""


def _host(calls: list[str], *, dies: bool) -> Host:
    host = Host()
    host.sensors["queue.pending"] = lambda: 1

    def transfer(amount: float) -> dict[str, str]:
        calls.append(f"{amount:g}")
        if dies:
            raise _CrashError
        return {"reference": f"r{len(calls)}"}

    host.tool("transfer", idempotent=True)(transfer)
    return host


def _run(place: Place, calls: list[str], *, dies: bool = False) -> None:
    program = parse(_PROGRAM).program
    _expect(isinstance(program, Program), "the program of the checks")
    store = place()
    with contextlib.suppress(_CrashError):
        DurableRun(program, _host(calls, dies=dies), store=store, run_id=RUN).run()  # pyright: ignore[reportArgumentType]


def a_run_is_completed_and_derived_again_without_effect(place: Place) -> None:
    """A run goes through, stands as completed, and a second `run()` calls nothing and writes nothing."""
    calls: list[str] = []
    _run(place, calls)
    _expect(len(calls) == 3, "three ticks, three payments")  # noqa: PLR2004  # LOOP MAX 3
    _expect(status(place()).state == "completed", "the run is completed")
    before = place().records()
    _run(place, calls)
    _expect(len(calls) == 3, "no payment again")  # noqa: PLR2004  # LOOP MAX 3
    _expect(place().records() == before, "no record more")


def a_run_that_died_in_a_tool_is_resumed_with_the_same_key(place: Place) -> None:
    """The intent is there, the run stands as interrupted, and the resume settles it."""
    calls: list[str] = []
    _run(place, calls, dies=True)
    found = status(place())
    _expect(found.state == "interrupted", "the run is interrupted")
    _expect([intent.key for intent in found.open_intents] == ["transfer"], "its intent is open")
    _run(place, calls)
    _expect(status(place()).state == "completed", "the run is completed")
    _expect([item.how for item in status(place()).settlements] == ["retry"], "the intent was sent again")


def awkward_values_come_back(place: Place) -> None:
    """Whatever a value is made of, its record is read as it was written."""
    previous, written = START, list[bytes]()
    with _opened(place) as store:
        for n, value in enumerate(_AWKWARD):
            line, h = seal_line(previous, {"n": n, "kind": "test", "value": encode(value)})
            store.append(n, previous, line, sync=True)
            _expect(store.put_in({"id": f"{n}", "payload": encode(value)}), "an entry of each")
            written.append(line)
            previous = h
    _expect(place().records() == b"".join(line + b"\n" for line in written), "awkward records")
    entries = [entry["payload"] for entry in place().entries()]
    _expect(comparable(entries) == comparable([encode(value) for value in _AWKWARD]), "awkward entries")
    _expect(stated_link(written[-1]) == previous, "the chain holds")


CHECKS: tuple[Check, ...] = (
    an_unused_place_is_empty,
    records_come_back_byte_for_byte,
    records_are_read_from_any_number_on,
    unsynced_records_go_with_the_next_synced_one,
    what_waits_is_kept_when_the_store_closes,
    a_large_record_is_kept,
    records_go_on_where_they_ended,
    a_record_that_follows_another_one_is_refused,
    whole_records_can_be_dropped_from_the_end,
    one_process_holds_a_run,
    only_the_holder_appends,
    closing_is_harmless_at_any_time,
    nothing_is_left_of_a_removed_run,
    sources_are_kept_by_digest,
    entries_are_put_in_once_by_their_id,
    entries_from_many_threads_are_all_kept,
    awkward_values_come_back,
    a_run_is_completed_and_derived_again_without_effect,
    a_run_that_died_in_a_tool_is_resumed_with_the_same_key,
)
"""All checks of a store. Each wants a place of its own."""
