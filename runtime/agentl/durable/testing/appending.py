"""The checks of append and keep: which record may follow, and journals that are long."""

from __future__ import annotations

from collections.abc import Iterator

from agentl.durable.chain import START, seal_line, stated_link
from agentl.durable.testing.basics import Place, chained, expect, fill, fill_at_once, opened, refused, text

_Record = tuple[int, str, bytes]


def a_record_that_follows_another_one_is_refused(place: Place) -> None:
    """Append is a compare-and-swap on the h of the last record; a store that failed it takes nothing more."""
    written = chained(4)
    with opened(place) as store:
        fill(store, written[:2])
        n, _, line = written[3]
        with refused("R601", "a record after another one"):
            store.append(n, "0" * 64, line, sync=True)
        with refused("R601", "a record after a failed one"):
            fill(store, written[2:3])
    expect(place().records() == text(written[:2]), "nothing of it is kept")
    with opened(place) as store:
        fill(store, written[2:])
    expect(place().records() == text(written), "opened again, it goes on")


def number_and_link_are_compared_always_and_as_a_whole(place: Place) -> None:
    """Each by itself: also of the first append after open; of one that is not synced, by the next sync."""
    written = chained(6)
    for appended, synced in ((0, True), (1, True), (1, False)):
        for what, record in _misplaced(written[: 3 + appended]):
            for sync in (True, False):
                _start_over(place, written[:3])
                with opened(place) as store:
                    for n, previous, line in written[3 : 3 + appended]:
                        store.append(n, previous, line, sync=synced)
                    with refused("R601", f"{what}, {appended} after open, sync={sync}"):
                        store.append(*record, sync=sync)
                        fill(store, chained(1, first=record[0] + 1, previous=_link(record)))
                kept = place().records()
                expect(kept in (text(written[:3]), text(written[: 3 + appended])), f"{what}: it is not kept")
    _start_over(place, written[:3])
    with opened(place) as store:
        fill(store, written[3:])
    expect(place().records() == text(written), "those that follow are taken")


def _start_over(place: Place, records: list[_Record]) -> None:
    with opened(place) as store:
        store.keep(len(text(records)), finish=False)
        if not store.records():
            fill(store, records)


def _misplaced(standing: list[_Record]) -> Iterator[tuple[str, _Record]]:
    """Yield records that do not follow the last one, and what is wrong with them."""
    last = standing[-1]
    number, h = last[0] + 1, _link(last)
    yield "an h that differs at its end", chained(1, first=number, previous=h[:-1] + _other(h[-1]))[0]
    yield "an h that differs at its beginning", chained(1, first=number, previous=_other(h[0]) + h[1:])[0]
    yield "a number left out", chained(1, first=number + 1, previous=h)[0]
    yield "the number of the last record", chained(1, first=number - 1, previous=h)[0]
    yield "the last record again", last


def _link(record: _Record) -> str:
    return stated_link(record[2]) or ""


def _other(digit: str) -> str:
    return "0" if digit != "0" else "1"


def the_first_record_is_number_0_after_nothing(place: Place) -> None:
    """Of an unused place number and link are compared, too."""
    for what, records in (
        ("a number left out", chained(1, first=1)),
        ("a link to nothing", chained(1, previous="0" * 64)),
    ):
        with opened(place) as store, refused("R601", what):
            fill(store, records)
        expect(place().records() == b"", f"{what}: it is not kept")
    with opened(place) as store:
        fill(store, chained(2))
    expect(place().records() == text(chained(2)), "those that follow are taken")


def whole_records_can_be_dropped_from_the_end(place: Place) -> None:
    """`keep` leaves the records that lie within so many bytes, and the next follows the last of them."""
    written = chained(5)
    with opened(place) as store:
        fill(store, written)
    with opened(place) as store:
        store.keep(len(text(written[:3])), finish=False)
        expect(store.records() == text(written[:3]), "what was kept")
        fill(store, written[3:])
    expect(place().records() == text(written), "what follows what was kept")


def what_waits_counts_when_records_are_dropped(place: Place) -> None:
    """`keep` counts records that are not synced yet as the others."""
    written = chained(6)
    for kept in (6, 5, 4):
        with opened(place) as store:
            store.keep(0, finish=False)
            fill(store, written[:4])
            for n, previous, line in written[4:]:
                store.append(n, previous, line, sync=False)
            store.keep(len(text(written[:kept])), finish=False)
        expect(place().records() == text(written[:kept]), f"{kept} of 4 synced and 2 waiting records")


def many_unsynced_records_go_with_one(place: Place) -> None:
    """A run may think for long before it acts: all of it is there, in order, with the next synced record."""
    written = chained(100)
    with opened(place) as store:
        for n, previous, line in written:
            store.append(n, previous, line, sync=n == len(written) - 1)
        expect(place().records() == text(written), "what waited is seen once a record is synced")


def a_long_journal_is_read_whole(place: Place) -> None:
    """All of it comes back, in order, also in pieces; its tail is whole lines of its end."""
    written = chained(3000, value="x" * 200)
    with opened(place) as store:
        fill_at_once(store, written)
    whole = text(written)
    expect(place().records() == whole, "the records of a long journal")
    expect(b"".join(place().pieces()) == whole, "the pieces of a long journal")
    tail = place().tail()
    expect(tail and whole.endswith(tail), "the tail is the end of the journal")
    expect(b"\n" + tail in b"\n" + whole, "the tail begins with a line")
    with opened(place) as store:
        fill(store, chained(1, first=3000, previous=_link(written[-1])))
    expect(place().records(2999).count(b"\n") == 1, "it goes on where it ended")


def a_large_record_is_kept(place: Place) -> None:
    """A line of some megabytes is a line like any other."""
    line, _ = seal_line(START, {"n": 0, "kind": "test", "value": "x" * 3_000_000})
    with opened(place) as store:
        store.append(0, START, line, sync=True)
    expect(place().records() == line + b"\n", "a large line comes back")
