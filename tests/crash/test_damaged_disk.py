"""Every byte of an interrupted journal, damaged: the run goes on as if nothing were, or is refused (§5).

Damage is no crash: a disk that forgot synced bytes. What must hold: nothing altered is believed, and an
idempotent host books nothing twice; nor does a reconcilable one, while the intent is there to be reconciled.
"""

from __future__ import annotations

import shutil
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
    machine = run.run()
    return run.trace_text(), machine.state.get("tools.book.in_doubt")


@pytest.fixture(params=["idempotent", "reconcilable"])
def interrupted(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch) -> tuple[Path, str]:
    """A run that was killed after the effect, with what its resume must tell."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
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


def damages(data: bytes) -> Iterator[tuple[str, bytes]]:
    step = 1 if EVERYTHING else 67
    for at in range(0, len(data), step):
        yield "cut", data[:at]
        yield "flip", data[:at] + bytes([data[at] ^ 0x01]) + data[at + 1 :]
        yield "flip", data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :]
        yield "nul", data[:at] + bytes(len(data) - at)
        yield "nul", data[:at] + bytes(min(16, len(data) - at)) + data[at + 16 :]
    lines = data.splitlines(keepends=True)
    for at in range(len(lines)):
        yield "deleted", b"".join(lines[:at] + lines[at + 1 :])
        yield "doubled", b"".join(lines[: at + 1] + lines[at:])
        yield "swapped", b"".join([*lines[:at], *reversed(lines[at : at + 2]), *lines[at + 2 :]])


def test_every_damage_is_refused_with_its_place_or_harms_nothing(
    interrupted: tuple[Path, str], tmp_path: Path, proof
) -> None:
    origin, promise = interrupted
    data = (origin / "run" / "wal.jsonl").read_bytes()
    (booked,) = (origin / "ledger").read_text().splitlines()
    usual = tmp_path / "usual"
    shutil.copytree(origin, usual)
    trace = attempt(usual, promise)[0]
    kinds: Counter[str] = Counter()
    ends: list[str] = []
    for number, (kind, damaged) in enumerate(damages(data)):
        cell = tmp_path / str(number)
        shutil.copytree(origin, cell)
        (cell / "run" / "wal.jsonl").write_bytes(damaged)
        kinds[kind] += 1
        whole = damaged.count(b"\n") >= data.count(b"\n")
        end = outcome(cell, promise, trace)
        times = (cell / "ledger").read_text().splitlines().count(booked)
        assert times == 1 or (promise, end, whole) == ("reconcilable", "derived anew", False), (kind, number)
        ends.append(end if times == 1 else "repeated")
        shutil.rmtree(cell)
    assert all(kinds[kind] >= least for kind, least in CELLS.items()), kinds
    proof(f"a damaged journal, {promise}", ends)
