"""The checks of who holds a run: in this process, and between processes."""

from __future__ import annotations

import contextlib
import functools
import time

from agentl.durable.lock import Holder
from agentl.durable.stores import Store
from agentl.durable.testing.basics import Place, chained, expect, fill, opened, refused, text
from agentl.durable.testing.processes import elsewhere

_PATIENCE = 10.0
"""Seconds after which the lock of a process that died must be free."""


def one_process_holds_a_run(place: Place) -> None:
    """A second writer is refused with R304 until the first closes; who holds it is told."""
    with opened(place) as store:
        holder = place().holder()
        expect(isinstance(holder, Holder), "a held run has a Holder")
        with refused("R304", "a second writer"):
            place().open(write=True)
        with refused("R304", "the same object again"):
            store.open(write=True)
        expect(place().holder() == holder, "a refusal takes nothing")
    expect(place().holder() is None, "a closed run has no holder")
    with opened(place):
        pass


def only_the_holder_writes(place: Place) -> None:
    """Without the lock no record, source or large value is written, and nothing dropped or removed: R601."""
    written = chained(3)
    with opened(place) as store:
        fill(store, written[:2])
    reader = place()
    reader.open(write=False)
    closed = store
    for without in (place(), reader, closed):
        _refuse_writing(without, written[2])
    with opened(place) as store:
        if (other := place()) is not store:
            _refuse_writing(other, written[2])
    expect(place().records() == text(written[:2]), "nothing was written")
    expect(place().pinned("c" * 64) is None, "no source was kept")
    expect(place().blob("c" * 64) is None, "no large value was kept")


def _refuse_writing(store: Store, record: tuple[int, str, bytes]) -> None:
    with refused("R601", "an append without the lock"):
        store.append(*record, sync=True)
    with refused("R601", "a source without the lock"):
        store.pin("c" * 64, "text")
    with refused("R601", "a large value without the lock"):
        store.put_blob("c" * 64, b"x")
    with refused("R601", "records dropped without the lock"):
        store.keep(0, finish=False)
    with refused("R601", "a run removed without the lock"):
        store.remove()


def a_reader_neither_takes_the_run_nor_frees_it(place: Place) -> None:
    """Readers come and go while a run is held: they are let in, and whoever holds the run goes on."""
    written = chained(4)
    with opened(place) as store:
        fill(store, written[:1])
        holder = place().holder()
        reader = place()
        if reader is store:
            return  # a store that is one object has no readers beside it
        for record in written[1:]:
            reader.open(write=False)
            expect(reader.records(), "a reader reads a held run")
            expect(place().holder() == holder, "an open reader leaves the holder")
            reader.close()
            expect(place().holder() == holder, "a closed reader leaves the holder")
            with refused("R304", "a second writer after a reader"):
                place().open(write=True)
            fill(store, [record])
    expect(place().records() == text(written), "the holder went on")


def closing_is_harmless_at_any_time(place: Place) -> None:
    """Twice, and without opening; and a closed store can be opened again."""
    store = place()
    store.close()
    for _ in range(2):
        store.open(write=True)
        store.close()
    store.close()


def a_run_is_held_by_one_process_among_all(place: Place) -> None:
    """Others are refused while it is held, and what they read frees nothing; one that dies frees the run."""
    written = chained(3)
    acts = (lambda: _taken(place), lambda: _looked_at(place), lambda: _taken(place))
    with elsewhere(place, *acts, lambda: _written(place, written[1])) as others:
        if others is None:
            return
        first, reader, second, heir = others
        with opened(place) as store:
            fill(store, written[:1])
            expect(first.go().tell() == "R304", "another process is refused a held run")
            expect(
                reader.go().tell() == "held, 1 record", "another process reads a held run, and sees it held"
            )
            expect(second.go().tell() == "R304", "a reader of another process frees nothing")
        expect(heir.go().tell() == "written", "another process takes a run that is free")
    expect(place().records() == text(written[:2]), "what a process synced outlasts its death")
    with _freed(place) as store:
        fill(store, written[2:])
    expect(place().records() == text(written), "a later process goes on")


def _taken(place: Place) -> str:
    place().open(write=True)
    return "taken"


def _looked_at(place: Place) -> str:
    store = place()
    store.open(write=False)
    held = "held" if store.holder() else "free"
    count = store.records().count(b"\n")
    store.close()
    return f"{held}, {count} record"


def _written(place: Place, record: tuple[int, str, bytes]) -> str:
    store = place()
    store.open(write=True)
    store.append(*record, sync=True)
    return "written"


def _freed(place: Place) -> contextlib.AbstractContextManager[Store]:
    """Hold the run as soon as it is free of a process that died."""
    deadline = time.monotonic() + _PATIENCE
    while place().holder() is not None:
        expect(time.monotonic() < deadline, "the lock goes when its process dies")
        time.sleep(0.01)
    return opened(place)


def entries_from_many_processes_are_all_kept(place: Place) -> None:
    """Senders of several processes at the same time lose nothing, and put nothing in twice."""
    senders, each = 4, 10

    def send(sender: int) -> str:
        kept = sum(place().put_in({"id": f"{sender}:{number}"}) for number in range(each))
        return f"{kept + place().put_in({'id': 'one of all'})}"

    with opened(place):
        pass
    with elsewhere(place, *(functools.partial(send, sender) for sender in range(senders))) as others:
        if others is None:
            return
        for process in others:
            process.go()
        kept = [process.tell() for process in others]
    expect(all(told.isdigit() for told in kept), f"a sender failed: {kept}")
    expect(sum(map(int, kept)) == senders * each + 1, f"every sender is told what it put in: {kept}")
    ids = [entry["id"] for entry in place().entries()]
    expect(len(ids) == len(set(ids)) == senders * each + 1, "every entry is kept once")
