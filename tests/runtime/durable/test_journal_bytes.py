"""Every byte of a small journal: it leads to the same outcome, or is refused with a number and a code."""

import hashlib
import json
from collections.abc import Callable, Iterator

import pytest

from agentl.durable import DurableError, DurableRun, MemoryStore, Record, read_records, status
from agentl.durable.chain import link, seal_line, stated_link, verified_link
from agentl.durable.journal import read

NO_BLOBS = dict[str, bytes]().get


@pytest.fixture
def written(durable: Callable[..., DurableRun], bank) -> bytes:
    """The bytes of a completed journal."""
    store = MemoryStore()
    durable(bank.host(), store=store).run()
    return store.records()


def with_bytes(data: bytes, programs: MemoryStore | None = None) -> MemoryStore:
    store = MemoryStore()
    store._data = data
    if programs is not None:
        store._programs = dict(programs._programs)
    return store


def test_the_link_covers_the_link_before_and_the_bytes_of_the_line(written: bytes) -> None:
    previous = ""
    for line in written.splitlines():
        body, _, rest = line.rpartition(b',"h":')
        previous = hashlib.sha256(previous.encode() + b"\n" + body).hexdigest()
        assert rest == f'"{previous}"}}'.encode()


def test_a_line_states_its_link_at_its_end_and_nowhere_else() -> None:
    line, h = seal_line("", {"n": 0, "key": ',"h":"' + "0" * 64 + '"}'})
    assert stated_link(line) == h
    assert verified_link("", line) == h
    assert verified_link("0" * 64, line) is None
    assert link("", line[:-72]) == h


def test_every_line_is_ascii_json_numbered_from_zero_and_ends_with_its_link(written: bytes) -> None:
    assert written.isascii()
    assert written.endswith(b"\n")
    for number, line in enumerate(written.split(b"\n")[:-1]):
        data = json.loads(line)
        assert list(data)[:6] == ["n", "kind", "agent", "key", "site", "tick"]
        assert list(data)[-1] == "h"
        assert data["n"] == number


def outcome_of_reading(data: bytes) -> tuple[Record, ...] | DurableError:
    try:
        return read(data, "x", NO_BLOBS).records
    except DurableError as refusal:
        return refusal


def flips(data: bytes) -> Iterator[tuple[int, bytes]]:
    for at in range(len(data)):
        for mask in (0x01, 0x20):
            yield at, data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def test_no_flipped_byte_is_ever_accepted_as_a_record(written: bytes) -> None:
    whole = read(written, "x", NO_BLOBS).records
    cells = 0
    for at, damaged in flips(written):
        cells += 1
        number = written.count(b"\n", 0, at)
        outcome = outcome_of_reading(damaged)
        if isinstance(outcome, DurableError):
            assert outcome.code in {"R201", "R202", "R203", "R204", "R205"}, at
            assert outcome.place.record in {number, number + 1}, at
        else:
            # Only in the last line can damage pass for an unfinished write, and then the record is dropped.
            assert outcome == whole[:-1], at
            assert number == len(whole) - 1
    assert cells == 2 * len(written)


def test_a_journal_cut_at_any_byte_loses_its_last_line_at_most(written: bytes) -> None:
    whole = read(written, "x", NO_BLOBS).records
    for at in range(len(written)):
        reading = read(written[:at], "x", NO_BLOBS)
        complete = written.count(b"\n", 0, at)
        finished = written[at : at + 1] == b"\n" and whole[complete].kind != "intent"
        assert reading.records == whole[: complete + finished], at
        if at == 0 or written[at - 1 : at] == b"\n":
            assert reading.tail is None
        else:
            assert reading.tail is not None
            assert reading.tail.keep is finished
            assert reading.length == (at if finished else written.rfind(b"\n", 0, at) + 1)


def changes(lines: list[bytes]) -> Iterator[tuple[str, int, list[bytes]]]:
    for at in range(len(lines)):
        yield "deleted", at, lines[:at] + lines[at + 1 :]
        yield "doubled", at, [*lines[: at + 1], *lines[at:]]
        yield "emptied", at, [*lines[:at], b"", *lines[at + 1 :]]
        yield "nulled", at, [*lines[:at], b"\0" * len(lines[at]), *lines[at + 1 :]]
        if at + 1 < len(lines):
            yield "swapped", at, [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]


def test_a_record_deleted_doubled_emptied_or_swapped_is_refused_with_its_number(written: bytes) -> None:
    lines = written.split(b"\n")[:-1]
    cells = 0
    for what, at, changed in changes(lines):
        if what == "deleted" and at == len(lines) - 1:
            continue  # a disk that forgot the whole last line cannot be told from a crash before it
        cells += 1
        with pytest.raises(DurableError) as refusal:
            read(b"\n".join(changed) + b"\n", "x", NO_BLOBS)
        assert refusal.value.code in {"R201", "R202", "R203", "R205", "R303"}, (what, at)
        assert refusal.value.place.record in {at, at + 1}, (what, at)
        assert refusal.value.action is not None
    assert cells == 5 * len(lines) - 2


def test_a_line_that_chains_but_is_altered_inside_is_refused(written: bytes) -> None:
    lines = written.split(b"\n")[:-1]
    altered = lines[1].replace(b'"value":1', b'"value":2')
    assert altered != lines[1]
    with pytest.raises(DurableError, match="durable journal altered at crossing #1") as refusal:
        read(b"\n".join([lines[0], altered, *lines[2:]]) + b"\n", "x", NO_BLOBS)
    assert refusal.value.code == "R201"


def resealed(lines: list[bytes], at: int, **fields: object) -> bytes:
    """Alter a record and mend the whole chain behind it: what only a seal could tell."""
    previous, out = "", []
    for number, line in enumerate(lines):
        data = json.loads(line)
        del data["h"]
        if number == at:
            data.update(fields)
        sealed, previous = seal_line(previous, data)
        out.append(sealed + b"\n")
    return b"".join(out)


@pytest.mark.parametrize(
    ("at", "fields", "code"),
    [
        (0, {"format": "agentl.journal/99"}, "R204"),
        (0, {"format": "agentl.durable.v1"}, "R204"),
        (0, {"semantics": 1}, "R204"),
        (0, {"semantics": 3}, "R204"),
        (0, {"kind": "read"}, "R205"),
        (0, {"agents": "payer"}, "R203"),
        (0, {"program": "../../etc/passwd"}, "R203"),
        (1, {"kind": "hologram"}, "R204"),
        (1, {"tick": "1"}, "R203"),
        (1, {"tick": -1}, "R203"),
        (1, {"extra": 1}, "R203"),
        (1, {"n": 7}, "R202"),
        (1, {"kind": "ended", "how": "completed"}, "R203"),
    ],
)
def test_a_well_chained_record_that_says_nonsense_is_refused(
    written: bytes, at: int, fields: dict[str, object], code: str
) -> None:
    with pytest.raises(DurableError) as refusal:
        read(resealed(written.split(b"\n")[:-1], at, **fields), "x", NO_BLOBS)
    assert (refusal.value.code, refusal.value.place.record) == (code, at)


def test_nothing_may_follow_the_end_of_a_run(written: bytes) -> None:
    lines = [json.loads(line) for line in written.splitlines()]
    more = {name: value for name, value in lines[1].items() if name != "h"} | {"n": len(lines)}
    sealed, _ = seal_line(lines[-1]["h"], more)
    with pytest.raises(DurableError) as refusal:
        read(written + sealed + b"\n", "x", NO_BLOBS)
    assert (refusal.value.code, refusal.value.place.record) == ("R303", len(lines))


def test_a_first_line_that_is_no_header_is_refused_and_a_torn_header_is_not() -> None:
    for alien in (b"hello", b"{}", b'{"n":0,"kind":"read"'):
        with pytest.raises(DurableError) as refusal:
            read(alien, "x", NO_BLOBS)
        assert refusal.value.code == "R205"
    assert read(b'{"n":0,"kind":"hea', "x", NO_BLOBS).records == ()


def test_every_crash_between_two_bytes_resumes_to_one_effect(durable, bank) -> None:
    """Cut an idempotent run's journal at every byte and go on: the same end, never a second entry."""
    original = MemoryStore()
    durable(bank.host(), store=original).run()
    golden, written = durable(bank.host(), store=original).run().trace.render(), original.records()
    header = written.index(b"\n") + 1
    first_read = written.index(b"\n", header)
    cells = 0
    for at in range(header, len(written)):
        cells += 1
        run = durable(bank.host(), store=with_bytes(written[:at], original))
        run.run()
        assert len(bank.ledger) == 1, at
        assert status(run._store).state == "completed"
        if at >= first_read:
            assert run.trace_text() == golden, at
    assert cells == len(written) - header


def test_records_are_read_without_their_header(durable, bank) -> None:
    run = durable(bank.host())
    run.run()
    assert [record.n for record in read_records(run._store)] == list(range(1, len(run.journal.entries) + 1))
