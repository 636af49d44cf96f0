"""A copy of a run does not go on where the run went on elsewhere: what it lacks has happened (R207)."""

import re
import shutil
from pathlib import Path

import pytest

from agentl.durable import DurableError, FileStore, SQLiteStore, read_records, status
from agentl.durable.heads import heads_file
from agentl.durable.prune import candidates, prune
from agentl.durable.repair import plan_repair, repair

BY_FILE = ["file", "sqlite"]


@pytest.fixture
def place(request, tmp_path):
    """Return a function: a name → the place of a run in its own directory or database."""
    kind = request.param
    return lambda name: tmp_path / name if kind == "file" else f"{tmp_path / name}.db#run1"


def store_of(place):
    if isinstance(place, Path):
        return FileStore(place)
    database, _, run = place.partition("#")
    return SQLiteStore(database, run)


def copied(place, other) -> None:
    if isinstance(place, Path):
        shutil.copytree(place, other)
    else:
        shutil.copy(place.partition("#")[0], other.partition("#")[0])


def moved(place, other) -> None:
    copied(place, other)
    if isinstance(place, Path):
        shutil.rmtree(place)
    else:
        Path(place.partition("#")[0]).unlink()


@pytest.fixture
def world(durable, bank, crash):
    """Return two functions: run what is at a place, and let it die inside `transfer`."""
    bank.promise = "none"

    def run(place):
        return durable(bank.host("none"), store=store_of(place)).run()

    def die(place) -> None:
        bank.after = [crash()]
        with pytest.raises(crash):
            run(place)

    return run, die


def refused(attempt, place) -> DurableError:
    with pytest.raises(DurableError) as refusal:
        attempt(place)
    assert refusal.value.code == "R207"
    return refusal.value


@pytest.mark.parametrize("place", BY_FILE, indirect=True)
def test_a_copy_is_refused_once_the_run_went_on_and_names_where(place, world, bank) -> None:
    run, die = world
    die(place("run"))
    copied(place("run"), place("copy"))
    run(place("run"))
    refusal = refused(run, place("copy"))
    assert str(place("run")) in str(refusal.message)
    assert str(heads_file()) in str(refusal.action)
    assert len(bank.calls) == 1
    run(place("run"))


@pytest.mark.parametrize("place", BY_FILE, indirect=True)
def test_of_two_equal_copies_the_first_to_go_on_wins(place, world, bank) -> None:
    run, die = world
    die(place("run"))
    copied(place("run"), place("copy"))
    run(place("copy"))
    refusal = refused(run, place("run"))
    assert str(place("copy")) in str(refusal.message)
    assert len(bank.calls) == 1


@pytest.mark.parametrize("place", BY_FILE, indirect=True)
def test_a_run_that_was_moved_goes_on_and_its_older_copy_is_still_refused(place, world, bank) -> None:
    run, die = world
    die(place("run"))
    copied(place("run"), place("copy"))
    moved(place("run"), place("moved"))
    run(place("moved"))
    refused(run, place("copy"))
    copied(place("copy"), place("run"))
    refused(run, place("run"))
    assert len(bank.calls) == 1


def test_a_run_that_was_killed_after_the_copy_is_looked_at_where_it_lies(world, tmp_path, bank) -> None:
    """A process that is killed notes nothing at its end: what counts is what its journal holds."""
    run, die = world
    die(tmp_path / "run")
    shutil.copytree(tmp_path / "run", tmp_path / "copy")
    noted = heads_file().read_bytes()
    run(tmp_path / "run")
    heads_file().write_bytes(noted)
    refused(run, tmp_path / "copy")
    assert len(bank.calls) == 1


def test_a_copy_of_a_run_that_is_running_is_refused(world, tmp_path, durable, bank) -> None:
    run, die = world
    die(tmp_path / "run")
    shutil.copytree(tmp_path / "run", tmp_path / "copy")
    heads_file().write_bytes(b"")
    told = []

    def sensor() -> int:
        # The other process has another number; this one stands for it.
        with pytest.MonkeyPatch.context() as other:
            other.setattr("agentl.durable.copies.os.getpid", lambda: -1)
            told.append(refused(run, tmp_path / "copy").code)
        return 0

    host = bank.host("none")
    host.sensors["queue.pending"] = sensor
    durable(host, store=FileStore(tmp_path / "run")).run()
    assert told[0] == "R207"


def test_a_copy_that_is_cut_short_is_refused_although_its_original_is_gone(world, tmp_path, bank) -> None:
    run, _ = world
    run(tmp_path / "run")
    shutil.copytree(tmp_path / "run", tmp_path / "cut")
    shutil.rmtree(tmp_path / "run")
    lines = (tmp_path / "cut" / "wal.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "cut" / "wal.jsonl").write_bytes(b"".join(lines[:3]))
    refused(run, tmp_path / "cut")
    assert len(bank.calls) == 1


def test_a_whole_copy_of_a_completed_run_is_derived_again(world, tmp_path, bank) -> None:
    run, _ = world
    run(tmp_path / "run")
    shutil.copytree(tmp_path / "run", tmp_path / "copy")
    for name in ("copy", "run"):
        assert run(tmp_path / name).state.tick == 2
    assert len(bank.calls) == 1


def test_who_removes_the_lines_of_a_run_goes_on_with_the_copy(world, tmp_path) -> None:
    run, die = world
    die(tmp_path / "run")
    shutil.copytree(tmp_path / "run", tmp_path / "copy")
    run(tmp_path / "run")
    heads_file().write_text(re.sub(r'.*"run1".*\n', "", heads_file().read_text()))
    run(tmp_path / "copy")
    assert status(tmp_path / "copy").state == "completed"


def test_two_runs_of_one_name_that_begin_at_once_are_no_copies(world, bank, tmp_path) -> None:
    run, die = world
    for name in ("one", "two"):
        bank.ledger.clear()
        die(tmp_path / name)
    assert read_records(tmp_path / "one") != []
    for name in ("one", "two"):
        run(tmp_path / name)


def test_a_repaired_run_goes_on_but_not_where_a_copy_is_further(world, tmp_path) -> None:
    run, die = world
    die(tmp_path / "run")
    shutil.copytree(tmp_path / "run", tmp_path / "copy")
    run(tmp_path / "run")
    wal = tmp_path / "run" / "wal.jsonl"
    lines = wal.read_bytes().splitlines(keepends=True)
    wal.write_bytes(b"".join([*lines[:-2], b"junk\n"]))
    refused(run, tmp_path / "copy")
    repair(plan_repair(tmp_path / "run"), "ada")
    refused(run, tmp_path / "copy")
    run(tmp_path / "run")


def test_a_pruned_run_is_forgotten_also_where_it_was_before_it_moved(world, tmp_path) -> None:
    run, _ = world
    run(tmp_path / "run")
    (tmp_path / "run").rename(tmp_path / "moved")
    run(tmp_path / "moved")
    assert str(tmp_path / "run") in heads_file().read_text()
    (candidate,) = candidates([str(tmp_path / "moved")])
    prune(candidate)
    assert heads_file().read_text() == ""


def test_a_line_of_the_register_that_was_torn_hides_no_other(world, tmp_path) -> None:
    run, die = world
    die(tmp_path / "run")
    with heads_file().open("ab") as file:
        file.write(b'{"run":"x","pa')
    shutil.copytree(tmp_path / "run", tmp_path / "copy")
    run(tmp_path / "run")
    shutil.rmtree(tmp_path / "run")
    refused(run, tmp_path / "copy")
