"""What may differ when a run is resumed: promises, processes, locale, time zone, hash seed, directory."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from till_cells import EVERYTHING

from agentl.durable import read_records, status

SERVER = Path(__file__).with_name("forkserver.py")
BOOKED = {"tool": "transfer", "point": "booked"}
ENTERED = {"tool": "transfer", "point": "entered"}

# promise at the call, promise at the resume → what happens to a transfer that was booked, how it is settled
EDITED = {
    ("idempotent", "idempotent"): ("once", "retry"),
    ("idempotent", "reconcilable"): ("once", "reconciled"),
    ("idempotent", "none"): ("doubt", "in_doubt"),
    ("reconcilable", "idempotent"): ("doubt", "in_doubt"),
    ("reconcilable", "reconcilable"): ("once", "reconciled"),
    ("reconcilable", "none"): ("doubt", "in_doubt"),
    ("none", "idempotent"): ("doubt", "in_doubt"),
    ("none", "reconcilable"): ("once", "reconciled"),
    ("none", "none"): ("doubt", "in_doubt"),
}


@pytest.mark.parametrize("then_now", EDITED)
def test_a_host_edited_between_crash_and_resume_cannot_promise_for_the_call(
    grid, golden, then_now, proof
) -> None:
    then, now = then_now
    outcome, how = EDITED[then_now]

    def edited(cell) -> None:
        assert cell.attempt(BOOKED)
        assert not cell.attempt(promise=now)
        assert cell.count("ledger") == 1
        assert [record.how for record in read_records(cell.run) if record.kind == "resolution"] == [how]
        assert (cell.told["trace"] == golden) is (outcome == "once")
        assert cell.told["in_doubt"]["transfer"] is (outcome == "doubt")

    grid.one(edited, then)
    end = "same" if outcome == "once" else "doubt"
    proof("another promise of the host when it is resumed", [end], f"{then}, then {now}")


def test_a_transfer_that_had_not_happened_is_executed_once_by_a_reconcilable_host(grid, golden) -> None:
    def not_executed(cell) -> None:
        assert cell.attempt(ENTERED)
        assert cell.attempt(ENTERED)
        assert not cell.attempt()
        assert cell.count("ledger") == 1
        assert cell.told["trace"] == golden
        settled = [
            (record.how, record.attempt) for record in read_records(cell.run) if record.kind == "resolution"
        ]
        assert settled == [("not_executed", 2), ("not_executed", 3)]
        assert cell.told["resumes"] == 2

    grid.one(not_executed, "reconcilable")


def test_the_notices_of_a_resume_say_what_goes_on(grid) -> None:
    def told(cell) -> None:
        assert cell.attempt(BOOKED)
        assert not cell.attempt()
        assert cell.told["notices"] == [
            "↻ resuming durable run run1: 5 journaled entries re-derived without effect",
            "  intent without result: transfer (run1:payments:t1:a1), to be settled",
            "  ↻ transfer (run1:payments:t1:a1): re-sent with the same idempotency key",
        ]

    def told_anew(cell) -> None:
        assert not cell.attempt()
        assert cell.told["notices"] == [f"→ durable run run1: {cell.run}/wal.jsonl"]
        assert not cell.attempt()
        assert cell.told["notices"] == []

    grid.one(told, "idempotent")
    grid.one(told_anew, "idempotent")


ROUNDS = 25 if EVERYTHING else 5
PROCESSES = 8


def test_of_eight_processes_that_resume_one_run_one_goes_on_and_seven_are_told_who_holds_it(
    grid, golden, proof
) -> None:
    def raced(cell) -> None:
        assert cell.attempt(BOOKED)
        outputs = [cell.directory / f"told{number}.json" for number in range(PROCESSES)]
        # Whoever wins holds the run until the others were told.
        attempts = [
            cell.spec()
            | {"output": str(output), "awaits": [str(other) for other in outputs if other != output]}
            for output in outputs
        ]
        assert cell.server.run({"together": attempts}) == 0
        told = [json.loads(output.read_text()) for output in outputs]
        winners = [one for one in told if "trace" in one]
        refused = [one["refused"] for one in told if "refused" in one]
        assert len(winners) == 1
        assert winners[0]["trace"] == golden
        assert len(refused) == PROCESSES - 1
        for code, text in refused:
            assert code == "R304"
            assert f"held by process {winners[0]['pid']} since 20" in text
        assert (cell.count("ledger"), cell.count("notices")) == (1, 1)
        assert status(cell.run).state == "completed"

    for _ in range(ROUNDS):
        grid.one(raced, "idempotent")
    proof("eight processes behind a barrier", ["same"] * ROUNDS)


ELSEWHERE = "another hash seed, locale, time zone, directory, Python"
SETTINGS = (
    {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC", "LANG": "C"},
    {"PYTHONHASHSEED": "4294967295", "LC_ALL": "fr_FR.UTF-8", "TZ": "Asia/Tokyo", "LANG": "fr_FR.UTF-8"},
)


def attempt(cell_directory: Path, settings: dict[str, str], fault: dict[str, str] | None) -> int:
    """Make one attempt in a process of its own, started in another directory, and return its exit code."""
    elsewhere = cell_directory / settings["TZ"].replace("/", "-")
    elsewhere.mkdir()
    spec = {
        "run": str(cell_directory / "run"),
        "bank": str(cell_directory / "bank.sqlite"),
        "promise": "idempotent",
        "fault": fault,
        "output": str(cell_directory / "told.json"),
    }
    environment = {"PATH": "/usr/bin:/bin", "XDG_STATE_HOME": str(elsewhere), **settings}
    done = subprocess.run(
        [sys.executable, str(SERVER)],
        input=json.dumps(spec) + "\n",
        capture_output=True,
        text=True,
        check=True,
        cwd=elsewhere,
        env=environment,
    )
    return int(done.stdout)


def crossings(run: Path) -> list[tuple[object, ...]]:
    """The crossings of a run as they stand, without what a resume adds and without digests of its facts."""
    return [
        (record.kind, record.key, record.site, record.tick, json.dumps(record.body()))
        for record in read_records(run)
        if record.kind not in {"resumed", "resolution", "checkpoint"}
    ]


def test_another_hash_seed_locale_time_zone_and_directory_derive_the_same_crossings_and_keys(
    tmp_path: Path, golden: str, proof
) -> None:
    moved, straight = tmp_path / "moved", tmp_path / "straight"
    for directory in (moved / "before", straight):
        directory.mkdir(parents=True)
    assert attempt(moved / "before", SETTINGS[0], BOOKED) == -9
    shutil.move(moved / "before", moved / "after")
    assert attempt(moved / "after", SETTINGS[1], None) == 0
    assert attempt(straight, SETTINGS[0], None) == 0
    assert crossings(moved / "after" / "run") == crossings(straight / "run")
    keys = [record.idempotency_key for record in read_records(straight / "run") if record.kind == "intent"]
    assert len(set(keys)) == 2
    for directory in (moved / "after", straight):
        assert json.loads((directory / "told.json").read_text())["trace"] == golden
    proof(ELSEWHERE, ["same"], "payments")
