"""Prune: runs that are over go, with all that is left of them; nothing else does (durability.md §4)."""

import errno
import json
import os
import sqlite3
import time
from pathlib import Path

import pytest

from agentl.cli.listing import Filter, print_runs
from agentl.cli.tidying import prune_runs
from agentl.durable import DurableError, FileStore, SQLiteStore
from agentl.durable.heads import heads_file
from agentl.durable.prune import candidates, leftovers, prune
from agentl.durable.sending import cancel_run
from agentl.durable.settling import Word, settle


@pytest.fixture
def runs(durable, bank, crash, tmp_path) -> Path:
    """A directory with one run of every state."""
    root = tmp_path / "runs"

    def at(name: str):
        bank.ledger.clear()
        return durable(bank.host(), store=FileStore(root / name), run_id=name)

    def die(name: str) -> None:
        bank.after = [crash()]
        with pytest.raises(crash):
            at(name).run()

    at("completed").run()
    die("interrupted")
    die("cancelled")
    cancel_run(root / "cancelled", who="ada")
    bank.promise = "none"
    die("doubtful")
    at("doubtful").run()
    bank.promise = "idempotent"
    at("corrupt").run()
    (root / "corrupt" / "wal.jsonl").write_bytes(b"nonsense\n")
    return root


def going(found) -> list[str]:
    return sorted(Path(candidate.place).name for candidate in found if candidate.stays is None)


def test_only_what_is_over_and_beyond_doubt_goes(runs) -> None:
    found = candidates([str(runs)])
    assert going(found) == ["completed"]
    stays = {Path(candidate.place).name: str(candidate.stays) for candidate in found if candidate.stays}
    assert stays == {
        "interrupted": "it is interrupted",
        "cancelled": "it has actions in doubt",
        "doubtful": "it has actions in doubt",
        "corrupt": "it is corrupt",
    }


@pytest.mark.parametrize(
    ("states", "names"),
    [
        ({"completed", "in_doubt"}, ["completed", "doubtful"]),
        ({"cancelled", "in_doubt"}, ["cancelled"]),
        ({"interrupted"}, []),
        ({"interrupted", "in_doubt"}, ["interrupted"]),
        ({"corrupt"}, ["corrupt"]),
    ],
)
def test_states_choose(runs, states, names) -> None:
    assert going(candidates([str(runs)], states)) == names


def test_age_is_that_of_the_last_change(runs) -> None:
    assert going(candidates([str(runs)], older_than=3600)) == []
    old = time.time() - 7200
    for path in (runs / "completed").iterdir():
        os.utime(path, (old, old))
    assert going(candidates([str(runs)], older_than=3600)) == ["completed"]
    (runs / "completed" / "inbox.jsonl").touch()
    assert going(candidates([str(runs)], older_than=3600)) == []


def test_nothing_of_a_pruned_run_is_left(runs) -> None:
    assert str(runs / "completed") in heads_file().read_text()
    before = {path.name for path in runs.iterdir()}
    (candidate,) = (found for found in candidates([str(runs)]) if found.stays is None)
    prune(candidate)
    assert {path.name for path in runs.iterdir()} == before - {"completed"}
    assert str(runs / "completed") not in heads_file().read_text()
    assert str(runs / "interrupted") in heads_file().read_text()


def test_looking_changes_nothing(runs) -> None:
    before = {str(path): path.read_bytes() for path in runs.rglob("*") if path.is_file()}
    candidates([str(runs)], {"completed", "interrupted", "corrupt", "in_doubt"})
    assert {str(path): path.read_bytes() for path in runs.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("name", "code"),
    [("interrupted", "R106"), ("doubtful", "R105"), ("cancelled", "R105"), ("corrupt", "R203")],
)
def test_a_run_that_is_named_itself_and_must_stay_is_refused(runs, name, code) -> None:
    with pytest.raises(DurableError) as refusal:
        candidates([str(runs / name)])
    assert refusal.value.code == code
    assert refusal.value.action is not None


def test_a_run_that_is_held_is_refused(runs) -> None:
    (candidate,) = candidates([str(runs / "completed")])
    holder = FileStore(runs / "completed")
    holder.open(write=True)
    for attempt in (lambda: candidates([str(runs / "completed")]), lambda: prune(candidate)):
        with pytest.raises(DurableError) as refusal:
            attempt()
        assert refusal.value.code == "R304"
    holder.close()
    assert (runs / "completed" / "wal.jsonl").exists()


def test_a_run_that_went_on_since_it_was_looked_at_stays(durable, bank, runs) -> None:
    (candidate,) = candidates([str(runs / "interrupted")], {"interrupted", "in_doubt"})
    bank.ledger.clear()
    durable(bank.host(), store=FileStore(runs / "interrupted"), run_id="interrupted").run()
    with pytest.raises(DurableError) as refusal:
        prune(candidate)
    assert refusal.value.code == "R603"
    assert (runs / "interrupted" / "wal.jsonl").exists()


def test_what_a_killed_prune_left_is_told_and_goes_with_the_next(runs, capsys) -> None:
    left = runs / ".completed.pruned-0a1b2c3d"
    (runs / "completed").rename(left)
    (runs / ".empty.pruned-0a1b2c3d").mkdir()
    assert list(leftovers([str(runs)])) == [left, runs / ".empty.pruned-0a1b2c3d"]
    assert prune_runs([str(runs)], None, None, dry_run=True) == 0
    assert f"would go {left}: the rest of a run" in capsys.readouterr().out
    assert left.exists()
    assert prune_runs([str(runs)], None, None, dry_run=False) == 0
    assert f"deleted  {left}: the rest of a run" in capsys.readouterr().out
    assert not list(runs.glob(".*"))
    assert (runs / "interrupted").exists()


@pytest.mark.parametrize(
    "name", [".photos.pruned-20260101", ".photos.pruned-2026010x", "photos.pruned-20260101"]
)
def test_what_is_not_ours_is_no_rest_of_a_run(runs, name) -> None:
    (runs / name).mkdir()
    (runs / name / "a").write_text("x")
    (runs / ".link.pruned-20260101").symlink_to(runs / "completed")
    assert not list(leftovers([str(runs)]))
    (runs / name / "run.lock").symlink_to(runs / "completed" / "run.lock")
    assert not list(leftovers([str(runs)]))


def test_what_another_prune_deletes_just_now_is_left_to_it(runs) -> None:
    left = runs / ".completed.pruned-0a1b2c3d"
    holder = FileStore(runs / "completed")
    holder.open(write=True)
    (runs / "completed").rename(left)
    assert not list(leftovers([str(runs)]))
    holder.close()
    assert list(leftovers([str(runs)])) == [left]


def test_the_lock_is_deleted_last_so_that_a_rest_is_known(runs, monkeypatch) -> None:
    (candidate,) = (found for found in candidates([str(runs)]) if found.stays is None)

    def cut(path: Path) -> None:
        raise KeyboardInterrupt(path)

    monkeypatch.setattr("agentl.durable.stores.removal.shutil.rmtree", cut)
    with pytest.raises(KeyboardInterrupt):
        prune(candidate)
    (left,) = leftovers([str(runs)])
    assert (left / "run.lock").exists()


@pytest.fixture
def closed(runs, monkeypatch) -> Path:
    """A directory that may not be read; also for root, who may read all."""
    directory = runs / "of_another"
    directory.mkdir()
    for name in ("listdir", "scandir"):
        real = getattr(os, name)

        def guarded(path, real=real):
            if os.fspath(path) == str(directory):
                raise PermissionError(errno.EACCES, "Permission denied", str(directory))
            return real(path)

        monkeypatch.setattr(os, name, guarded)
    return directory


def test_a_directory_that_may_not_be_read_is_told_and_refused(runs, closed, capsys) -> None:
    for states in (("completed",), ("corrupt",)):
        assert prune_runs([str(runs)], None, states, dry_run=True) == 2
        assert f"kept     {closed}: not a run directory: Permission denied" in capsys.readouterr().out
        with pytest.raises(DurableError) as refusal:
            prune_runs([str(closed)], None, states, dry_run=False)
        assert refusal.value.code == "R602"
    assert print_runs(str(runs), Filter(), as_json=False) == 0
    assert "corrupt (R602)" in capsys.readouterr().out
    assert print_runs(str(closed), Filter(), as_json=True) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert (told["path"], told["problem"]["code"]) == (str(closed), "R602")


def test_a_run_in_a_database_goes_too_and_the_others_in_it_stay(durable, bank, tmp_path) -> None:
    database = tmp_path / "runs.db"
    for name in ("one", "two"):
        bank.ledger.clear()
        durable(bank.host(), store=SQLiteStore(database, name), run_id=name).run()
    (candidate,) = candidates([f"{database}#one"])
    prune(candidate)
    assert SQLiteStore.runs(database) == ["two"]


def test_the_age_of_a_run_in_a_database_is_that_of_its_last_record_or_entry(durable, bank, tmp_path) -> None:
    store = SQLiteStore(tmp_path / "runs.db", "one")
    durable(bank.host(), store=store, run_id="one").run()
    (young,) = candidates([str(store.path)], older_than=3600)
    assert str(young.stays) == "it is not that old"
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE agentl_records SET at = datetime('now', '-2 hours')")
    (old,) = candidates([str(store.path)], older_than=3600)
    assert old.stays is None
    store.put_in({"id": "a", "kind": "event", "source": "x", "payload": {}})
    (touched,) = candidates([str(store.path)], older_than=3600)
    assert touched.stays is not None
    connection.close()


def test_a_word_that_waits_is_no_doubt_any_more(runs) -> None:
    settle(runs / "interrupted", None, Word("operator_not", None, "ada"))
    assert going(candidates([str(runs)], {"interrupted"})) == ["interrupted"]


def test_a_word_to_send_it_again_settles_nothing_yet(runs) -> None:
    settle(runs / "interrupted", None, Word("operator_resend", None, "ada"))
    assert going(candidates([str(runs)], {"interrupted"})) == []
