"""What every store must do; FileStore and MemoryStore alike (durability.md §11)."""

import pytest

from agentl.durable import DurableError, FileStore, MemoryStore, Store
from agentl.durable.chain import seal_line


def lines(count: int) -> list[tuple[int, str, bytes]]:
    """Chained lines: (number, h before, line)."""
    made, previous = [], ""
    for n in range(count):
        line, h = seal_line(previous, {"n": n, "kind": "test"})
        made.append((n, previous, line))
        previous = h
    return made


def fill(store: Store, count: int) -> list[bytes]:
    for n, previous, line in lines(count):
        store.append(n, previous, line, sync=n % 2 == 0)
    return [line for _, _, line in lines(count)]


def again(store: Store) -> Store:
    """The same place, as another process would open it."""
    store.close()
    return FileStore(store.directory) if isinstance(store, FileStore) else store


def test_an_empty_store_has_no_records_no_entries_and_no_holder(store: Store) -> None:
    assert store.records() == b""
    assert list(store.entries()) == []
    assert store.holder() is None
    assert store.pinned("0" * 64) is None


def test_records_come_back_byte_for_byte_in_order(store: Store) -> None:
    store.open(write=True)
    written = fill(store, 5)
    assert again(store).records() == b"".join(line + b"\n" for line in written)


@pytest.mark.parametrize("after", range(-1, 6))
def test_records_can_be_read_from_any_number_on(store: Store, after: int) -> None:
    store.open(write=True)
    written = fill(store, 5)
    assert store.records(after) == b"".join(line + b"\n" for line in written[after + 1 :])


def test_a_second_writer_is_refused_until_the_first_closes(store: Store) -> None:
    store.open(write=True)
    other = FileStore(store.directory) if isinstance(store, FileStore) else store
    with pytest.raises(DurableError) as refusal:
        other.open(write=True)
    assert refusal.value.code == "R304"
    holder = store.holder()
    assert holder is not None
    assert f"process {holder.pid}" in str(refusal.value)
    store.close()
    other.open(write=True)
    other.close()


def test_a_reader_needs_no_lock(store: Store) -> None:
    store.open(write=True)
    fill(store, 2)
    other = FileStore(store.directory) if isinstance(store, FileStore) else store
    other.open(write=False)
    assert other.records() == store.records()


def test_the_end_of_an_unfinished_line_is_cut_or_finished(store: Store) -> None:
    store.open(write=True)
    written = fill(store, 2)
    whole = store.records()
    store = again(store)
    store.open(write=True)
    store.keep(len(whole) - 1, finish=True)
    assert store.records() == whole
    store.keep(len(written[0]) + 1, finish=False)
    n, previous, line = lines(2)[1]
    store.append(n, previous, line, sync=True)
    assert store.records() == whole


def test_a_source_is_pinned_by_its_digest(store: Store) -> None:
    store.open(write=True)
    store.pin("a" * 64, "AGENT é { }\r\n")
    assert again(store).pinned("a" * 64) == "AGENT é { }\r\n"


def test_an_entry_is_put_in_once_by_its_id_and_keeps_its_place(store: Store) -> None:
    store.open(write=True)
    assert store.put_in({"id": "a", "kind": "event", "payload": {"x": [1]}})
    assert store.put_in({"id": "b"})
    assert not store.put_in({"id": "a", "kind": "other"})
    found = list(again(store).entries())
    assert found == [{"id": "a", "kind": "event", "payload": {"x": [1]}}, {"id": "b"}]
    assert list(store.entries(1)) == found[1:]


def test_closing_twice_or_without_opening_is_harmless(store: Store) -> None:
    store.close()
    store.open(write=True)
    store.close()
    store.close()


def test_a_memory_store_lasts_as_long_as_its_object() -> None:
    store = MemoryStore()
    store.open(write=True)
    fill(store, 1)
    store.close()
    assert MemoryStore().records() == b""
    assert store.records() != b""
