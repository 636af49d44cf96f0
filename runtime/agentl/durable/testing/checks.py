"""The checks of records, of the lock, and of what goes with a run."""

from __future__ import annotations

import threading
from typing import Any

from agentl.codec import comparable, encode
from agentl.durable.chain import START, seal_line, stated_link
from agentl.durable.testing.basics import Place, chained, expect, fill, opened, refused, text

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


def an_unused_place_is_empty(place: Place) -> None:
    """No records, no entries, no source, no holder; and to look changes nothing of that."""
    for _ in range(2):
        store = place()
        expect(store.records() == b"", "records of nothing")
        expect(not list(store.entries()), "entries of nothing")
        expect(store.pinned("0" * 64) is None, "a source of nothing")
        expect(store.blob("0" * 64) is None, "a large value of nothing")
        expect(store.holder() is None, "a holder of nothing")
        expect(store.changed() == 0, "a change of nothing")


def records_come_back_byte_for_byte(place: Place) -> None:
    """What was appended is read as it was written, by writer and readers, while it is held and after."""
    written = chained(6)
    with opened(place) as store:
        fill(store, written)
        expect(store.records() == text(written), "the writer reads its records")
        expect(place().records() == text(written), "a reader reads the records of a held run")
    expect(place().records() == text(written), "the records last")
    expect(b"".join(place().pieces()) == text(written), "the pieces are the records")
    expect(place().tail() == text(written), "the tail of a short journal is all of it")


def records_are_read_from_any_number_on(place: Place) -> None:
    """`records(after)` leaves out the records up to number `after`."""
    written = chained(6)
    with opened(place) as store:
        fill(store, written)
        for after in range(-1, 8):
            expect(store.records(after) == text(written[after + 1 :]), f"records after {after}")


def unsynced_records_go_with_the_next_synced_one(place: Place) -> None:
    """A reader never sees a record without those before it, and all of them once one is synced."""
    written = chained(9)
    with opened(place) as store:
        for n, previous, line in written:
            store.append(n, previous, line, sync=n % 3 == 2)  # noqa: PLR2004  # every third
            seen = place().records()
            expect(text(written).startswith(seen), "a reader sees a beginning of what was written")
            if n % 3 == 2:  # noqa: PLR2004  # every third
                expect(seen == text(written[: n + 1]), "what was synced is seen")


def what_waits_is_kept_when_the_store_closes(place: Place) -> None:
    """A run that stops without a fault loses none of its records."""
    written = chained(3)
    with opened(place) as store:
        for n, previous, line in written:
            store.append(n, previous, line, sync=n == 0)
    expect(place().records() == text(written), "unsynced records are kept at a close")


def records_go_on_where_they_ended(place: Place) -> None:
    """A later holder appends to what an earlier one left."""
    written = chained(4)
    with opened(place) as store:
        fill(store, written[:2])
    with opened(place) as store:
        fill(store, written[2:])
    expect(place().records() == text(written), "the second holder's records follow the first's")


def nothing_is_left_of_a_removed_run(place: Place) -> None:
    """No records, entries, or source; only the holder can do it, and the place can be used again."""
    written = chained(3)
    with opened(place) as store:
        fill(store, written)
        store.pin("a" * 64, "text")
        store.put_blob("b" * 64, b"data")
        store.put_in({"id": "a"})
    with refused("R601", "to remove a run without its lock"):
        place().remove()
    with opened(place) as store:
        store.remove()
    an_unused_place_is_empty(place)
    expect(place().pinned("a" * 64) is None, "no source of a removed run")
    expect(place().blob("b" * 64) is None, "no large value of a removed run")
    with opened(place) as store:
        fill(store, written)
    expect(place().records() == text(written), "the place is used again")


# --------------------------------------------------------------------------------- sources and entries


def sources_are_kept_by_digest(place: Place) -> None:
    """A text comes back as it was: line ends, lone surrogates and all; the last one under a digest counts."""
    texts = {"a" * 64: "AGENT é { }\r\n\n", "b" * 64: "\ud800", "c" * 64: ""}
    with opened(place) as store:
        for digest, text in texts.items():
            store.pin(digest, "another text")
            store.pin(digest, text)
    for digest, text in texts.items():
        expect(place().pinned(digest) == text, f"the source {text!r}")


def large_values_are_kept_by_digest(place: Place) -> None:
    """Bytes come back as they were, at once and later; to keep them again is harmless; the holder keeps."""
    values = {"a" * 64: bytes(range(256)) * 400, "b" * 64: b"", "d" * 64: b"\0" * 5_000_000 + b"end"}
    with opened(place) as store:
        for digest, data in values.items():
            for _ in range(2):
                store.put_blob(digest, data)
            expect(place().blob(digest) == data, "a large value that is held")
    for digest, data in values.items():
        expect(place().blob(digest) == data, "a large value that lasts")
    expect(place().blob("c" * 64) is None, "a large value that nobody kept")


def entries_are_put_in_once_by_their_id(place: Place) -> None:
    """An id that is there is not put in again; entries keep their content and their place."""
    with opened(place) as store:
        expect(store.put_in({"id": "a", "kind": "event", "payload": {"x": [1, None]}}), "a new entry")
        expect(place().put_in({"id": "b"}), "an entry from elsewhere needs no lock")
        expect(not store.put_in({"id": "a", "kind": "other"}), "an id that is there")
        expect(not place().put_in({"id": "b"}), "an id that is there, from elsewhere")
        wanted = [{"id": "a", "kind": "event", "payload": {"x": [1, None]}}, {"id": "b"}]
        for reader in (store, place()):
            for after in range(3):
                expect(list(reader.entries(after)) == wanted[after:], f"entries after {after}")
    expect(place().put_in({"id": "c"}), "an entry for a run that nobody holds")
    expect(len(list(place().entries())) == len(wanted) + 1, "entries last")


def many_entries_are_all_told(place: Place) -> None:
    """However many wait, a reader gets each, in its place."""
    with opened(place):
        pass
    store, count = place(), 120
    for number in range(count):
        store.put_in({"id": f"{number}"})
    for reader in (store, place()):
        ids = [entry["id"] for entry in reader.entries()]
        expect(ids == [f"{number}" for number in range(count)], "every entry, in the order they came")
    expect([entry["id"] for entry in place().entries(count - 1)] == [f"{count - 1}"], "the last entry")


def what_is_put_in_is_announced(place: Place) -> None:
    """`grown` may be late by one synced append, and tells of what came before it; a reader misses nothing."""
    written = chained(3)
    with opened(place) as store:
        fill(store, written[:1])
        seen = len(store.entries())
        expect(seen == 0, "no entries yet")
        expect(place().put_in({"id": "a"}), "a new entry")
        fill(store, written[1:2])
        expect(store.grown(seen), "an entry that was put in before the last append")
        seen = len(store.entries())
        expect(seen == 1, "the entry is there")
        fill(store, written[2:])
        expect(place().grown(0), "a reader is told as well")


def the_last_change_is_told(place: Place) -> None:
    """`changed` is 0 where nothing was, and goes up with what is journaled and put in, never down."""
    expect(place().changed() == 0, "no change of nothing")
    with opened(place) as store:
        fill(store, chained(2))
    first = place().changed()
    expect(first > 0, "a change by records")
    expect(place().put_in({"id": "a"}), "a new entry")
    expect(place().changed() >= first, "a change by an entry")


def entries_from_many_threads_are_all_kept(place: Place) -> None:
    """Senders at the same time lose nothing, and no reader sees places change."""
    with opened(place):
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
        expect(found[: len(seen)] == seen, "an entry has its place for good")
        seen = found
    for thread in threads:
        thread.join()
    expect(not failures, f"a sender failed: {failures}")
    expect(len(list(reader.entries())) == senders * each, "every entry is kept")


def awkward_values_come_back(place: Place) -> None:
    """Whatever a value is made of, its record is read as it was written."""
    previous, written = START, list[bytes]()
    with opened(place) as store:
        for n, value in enumerate(_AWKWARD):
            line, h = seal_line(previous, {"n": n, "kind": "test", "value": encode(value)})
            store.append(n, previous, line, sync=True)
            expect(store.put_in({"id": f"{n}", "payload": encode(value)}), "an entry of each")
            written.append(line)
            previous = h
    expect(place().records() == b"".join(line + b"\n" for line in written), "awkward records")
    entries = [entry["payload"] for entry in place().entries()]
    expect(comparable(entries) == comparable([encode(value) for value in _AWKWARD]), "awkward entries")
    expect(stated_link(written[-1]) == previous, "the chain holds")
