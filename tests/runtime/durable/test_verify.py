"""A journal verified as a stream finds what a full reading finds, and tells the same run."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentl.durable import DurableError, DurableRun, FileStore, MemoryStore, read_records, status
from agentl.durable.chain import seal_line
from agentl.durable.journal import read
from agentl.durable.status import glance
from agentl.durable.verify import Lines, sound_lines

NO_BLOBS = dict[str, bytes]().get
LONG = 4000
"""Records that no store says in its tail alone."""


@pytest.fixture
def written(durable: Callable[..., DurableRun], bank) -> bytes:
    """The bytes of a completed journal."""
    store = MemoryStore()
    durable(bank.host(), store=store).run()
    return store.records()


def full(data: bytes) -> object:
    try:
        return [record.kind for record in read(data, "x", NO_BLOBS).records]
    except DurableError as damage:
        return damage.code, damage.place.record


def streamed(data: bytes, size: int = 50) -> object:
    pieces = (data[at : at + size] for at in range(0, len(data), size))
    try:
        return [kind for kind, _ in sound_lines(Lines(pieces), "x", NO_BLOBS)]
    except DurableError as damage:
        return damage.code, damage.place.record


def damages(data: bytes) -> Iterator[bytes]:
    lines = data.splitlines(keepends=True)
    for at in range(0, len(data), 3):
        yield data[:at]
        yield data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1 :]
    for at, line in enumerate(lines):
        yield b"".join([*lines[:at], *lines[at + 1 :]])
        yield b"".join([*lines[: at + 1], *lines[at:]])
        yield b"".join([*lines[:at], b"\0" * len(line), *lines[at + 1 :]])
        yield b"".join([*lines[:at], *lines[at : at + 2][::-1], *lines[at + 2 :]])


def test_every_damage_is_found_as_by_a_full_reading(written: bytes) -> None:
    cells = 0
    for damaged in damages(written):
        cells += 1
        assert streamed(damaged) == full(damaged), damaged
    assert cells == 2 * ((len(written) + 2) // 3) + 4 * written.count(b"\n")


def test_what_follows_an_end_and_a_wrong_number_are_found_although_they_chain(written: bytes) -> None:
    link = written.splitlines()[-1][-66:-2].decode()
    common = {"kind": "read", "agent": "", "key": "", "site": "", "tick": 1, "value": 1}
    more, _ = seal_line(link, {"n": written.count(b"\n"), **common})
    other, _ = seal_line(link, {"n": 3, **common})
    for line in (more, other):
        assert streamed(written + line + b"\n") == full(written + line + b"\n")
    assert full(written + more + b"\n") == ("R303", written.count(b"\n"))


def test_lines_are_the_same_in_pieces_of_any_size(written: bytes) -> None:
    for size in (1, 7, 72, 4096, len(written)):
        assert streamed(written, size) == full(written)


def longer(written: bytes, directory: Path, *, damaged: int | None = None) -> Path:
    """A run whose journal went on for thousands of reads before it was interrupted."""
    lines = written.splitlines()[:2]
    previous = lines[1][-66:-2].decode()
    for n in range(2, LONG):
        fields = {"n": n, "kind": "read", "agent": "", "key": "a", "site": "", "tick": n, "value": "x" * 100}
        line, previous = seal_line(previous, fields)
        lines.append(line.replace(b"xxx", b"xyx", 1) if n == damaged else line)
    directory.mkdir()
    (directory / "wal.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    return directory


def test_the_first_look_at_a_long_journal_tells_how_far_it_looked(written: bytes, tmp_path: Path) -> None:
    run = longer(written, tmp_path / "run")
    first, whole = glance(run), status(run)
    assert first is not None
    assert 1 < first.verified_from < LONG
    assert (first.state, first.run_id, first.tick, first.entries, first.head) == (
        whole.state,
        whole.run_id,
        whole.tick,
        whole.entries,
        whole.head,
    )
    assert (whole.state, whole.tick, whole.entries) == ("interrupted", LONG - 1, LONG - 1)
    assert whole.kinds == {"read": LONG - 1}


def test_old_damage_is_found_by_the_status_and_damage_at_the_end_by_no_first_look(
    written: bytes, tmp_path: Path
) -> None:
    old, new = longer(written, tmp_path / "old", damaged=10), longer(written, tmp_path / "new", damaged=3990)
    assert glance(old) is not None
    assert glance(new) is None
    for run, number in ((old, 10), (new, 3990)):
        found = status(run)
        assert (found.state, found.entries, found.repairable) == ("corrupt", number - 1, True)
        assert found.problem is not None
        assert (found.problem.code, found.problem.place.record) == ("R201", number)


def test_a_short_journal_is_looked_at_as_a_whole(durable, bank, tmp_path: Path) -> None:
    durable(bank.host(), store=FileStore(tmp_path / "run")).run()
    assert glance(tmp_path / "run") is None
    assert status(tmp_path / "run").entries == len(read_records(tmp_path / "run"))
