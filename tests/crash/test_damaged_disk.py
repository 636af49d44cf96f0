"""Every byte of an interrupted journal, damaged: the run goes on as if nothing were, or is refused (§5).

Damage is no crash: a disk that forgot synced bytes. What must hold: nothing altered is believed, and an
idempotent or reconcilable host books nothing twice, also where the intent itself was lost.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from till_cells import EVERYTHING, TILL

from agentl.durable import DurableError, DurableRun, FileStore, status

CODES = {"R102", "R201", "R202", "R203", "R204", "R205", "R303"}
CELLS = {"cut": 30, "flip": 60, "nul": 60, "deleted": 5, "doubled": 5, "swapped": 5}
"""At least as many of each kind in the bounded selection."""


class Died(BaseException):
    """Stands for the death of the process."""


def attempt(directory: Path, promise: str, *, dies: bool = False) -> tuple[str, bool]:
    """Start or resume the till in this process; with `dies`, until the money has moved."""
    ledger = TILL.Ledger(str(directory / "ledger"))
    if dies:
        book = ledger.book

        def book_and_die(key: str) -> None:
            book(key)
            raise Died

        ledger.book = book_and_die
    run = DurableRun(
        TILL.PROGRAM,
        TILL.build(ledger, promise),
        store=FileStore(directory / "run"),
        run_id="run1",
        source=TILL.SOURCE,
    )
    with pytest.MonkeyPatch.context() as own:
        # Each cell stands for another life of the run, not for a copy of it (R207).
        own.setenv("XDG_STATE_HOME", str(directory.with_name(f"{directory.name}-state")))
        machine = run.run()
    return run.trace_text(), machine.state.get("tools.book.in_doubt")


@pytest.fixture(params=["idempotent", "reconcilable"])
def interrupted(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A run that was killed after the effect, with what its resume must tell."""
    origin = tmp_path / "origin"
    with pytest.raises(Died):
        attempt(origin, request.param, dies=True)
    return origin, request.param


def outcome(cell: Path, promise: str, trace: str) -> str:
    """Resume a damaged run and tell how that ended."""
    refusal: DurableError | None = None
    told = ""
    try:
        told, _ = attempt(cell, promise)
    except DurableError as error:
        refusal = error
    if refusal is None:
        # What was lost is derived again, from a world in which the money may have moved.
        assert status(cell / "run").state == "completed"
        return "same" if told == trace else "derived anew"
    assert refusal.code in CODES
    assert refusal.place.path is not None
    assert status(cell / "run").state in {"corrupt", "new"}
    return "refused"


def damages(data: bytes, promise: str) -> Iterator[tuple[str, bytes]]:
    """Damage every byte, or every 67th in the bounded part.

    What is refused is refused before any host is asked: so that every byte of a reconcilable run is cut, and
    those of an idempotent one are changed as well.
    """
    step = 1 if EVERYTHING else 67
    for at in range(0, len(data), step):
        yield "cut", data[:at]
    for at in range(0, len(data), step if promise == "idempotent" else 67):
        yield "flip", data[:at] + bytes([data[at] ^ 0x01]) + data[at + 1 :]
        yield "flip", data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :]
        yield "nul", data[:at] + bytes(len(data) - at)
        yield "nul", data[:at] + bytes(min(16, len(data) - at)) + data[at + 16 :]
    lines = data.splitlines(keepends=True)
    for at in range(len(lines)):
        yield "deleted", b"".join(lines[:at] + lines[at + 1 :])
        yield "doubled", b"".join(lines[: at + 1] + lines[at:])
        yield "swapped", b"".join([*lines[:at], *reversed(lines[at : at + 2]), *lines[at + 2 :]])


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A directory in memory where there is such a place: what is damaged here is damaged there."""
    there = Path("/dev/shm")  # noqa: S108  # mkdtemp makes a name of its own in it
    with tempfile.TemporaryDirectory(dir=there if there.is_dir() else tmp_path) as room:
        yield Path(room)


def test_every_damage_is_refused_with_its_place_or_harms_nothing(
    interrupted: tuple[Path, str], tmp_path: Path, memory: Path, proof
) -> None:
    origin, promise = interrupted
    data = (origin / "run" / "wal.jsonl").read_bytes()
    (booked,) = (origin / "ledger").read_text().splitlines()
    usual = tmp_path / "usual"
    shutil.copytree(origin, usual)
    trace = attempt(usual, promise)[0]
    kinds: Counter[str] = Counter()
    ends: list[str] = []
    cell = memory / "untouched"
    for number, (kind, damaged) in enumerate(damages(data, promise)):
        if not cell.exists():
            shutil.copytree(origin, cell)
        journal = cell / "run" / "wal.jsonl"
        journal.write_bytes(damaged)
        kinds[kind] += 1
        end = outcome(cell, promise, trace)
        assert (cell / "ledger").read_text().splitlines().count(booked) == 1, (kind, number)
        ends.append(end)
        if end != "refused" or journal.read_bytes() != damaged:
            cell = _gone(cell, memory / str(number))
    assert all(kinds[kind] >= least for kind, least in CELLS.items()), kinds
    proof("a damaged journal (cut, flip, NUL-fill, swap, delete, duplicate)", ends, promise)


def _gone(cell: Path, following: Path) -> Path:
    """Forget a run that has gone on; the next one stands somewhere else."""
    shutil.rmtree(cell)
    return following
