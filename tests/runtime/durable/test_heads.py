"""The list of runs that were seen: it does not grow for ever, and who dies loses nothing of it (R207)."""

import contextlib
import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from agentl.durable import DurableError, FileStore, SQLiteStore, heads
from agentl.durable.heads import forget, heads_file, note_head, seen, seen_at, together
from agentl.durable.prune import candidates, prune
from agentl.durable.records import Record, record_from


class Death(BaseException):
    """Stands for SIGKILL at a system call."""


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def journal_to(n: int, run: str = "r") -> list[Record]:
    """A first record and record `n`; the list looks at number, h and name alone, whatever their kind."""
    common = {"kind": "resumed", "agent": "", "key": run, "site": "", "tick": 0, "count": 1}
    told = ({"n": 0, "h": f"begin-{run}"}, {"n": n, "h": f"h{n}"})
    return [record_from({**common, **numbers}) for numbers in told]


def note(n: int, run: str = "r", home: str = "/runs/r") -> None:
    with together() as alone:
        note_head(home, journal_to(n, run), alone=alone)


def lines() -> list[dict[str, object]]:
    return [json.loads(line) for line in heads_file().read_text().splitlines()]


def test_a_run_that_is_resumed_again_and_again_does_not_make_the_list_grow_for_ever() -> None:
    for n in range(1, 1_000):
        note(n)
    assert heads_file().stat().st_size < 2 * heads._STEP
    assert max(head.n for head in seen("begin-r")) == 999


def test_of_every_run_at_every_place_the_furthest_line_stays_and_the_last_one_is_whole() -> None:
    note(7, "other", "/runs/other")
    note(9, "r", "/runs/copy")
    for n in range(1, 400):
        note(n)
    furthest = {("/runs/other", 7), ("/runs/copy", 9), ("/runs/r", 399)}
    assert {
        (head.path, head.n) for home in ("/runs/other", "/runs/copy", "/runs/r") for head in seen_at(home)
    } >= (furthest)
    assert heads_file().stat().st_mode & 0o777 == 0o600
    assert len(lines()) < 399


def test_a_list_of_runs_that_are_all_needed_is_left_as_it_is() -> None:
    for number in range(300):
        note(1, f"run{number}", f"/runs/{number}")
    assert len(lines()) == 300


CALLS = ("open", "ftruncate", "write", "fsync", "close", "replace")


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Counter[str]]:
    """Return a function: do something, and die before the n-th call of one name; it counts the calls."""

    def run(
        action: Callable[[], None], name: str = "", when: int = 0, *, after: bool = False
    ) -> Counter[str]:
        count: Counter[str] = Counter()

        def watched(called: str, real: Callable[..., object]) -> Callable[..., object]:
            def call(*arguments: object, **options: object) -> object:
                count[called] += 1
                dies = (called, count[called]) == (name, when)
                if dies and not after:
                    raise Death
                done = real(*arguments, **options)
                if dies:
                    raise Death
                return done

            return call

        with monkeypatch.context() as patched:
            for called in CALLS:
                patched.setattr(os, called, watched(called, getattr(os, called)))
            with contextlib.suppress(Death):
                action()
        return count

    return run


def compacted() -> None:
    heads._compact(heads_file())


def test_whoever_dies_at_a_call_while_it_is_shortened_leaves_the_old_list_or_the_new_one(dying) -> None:
    note(3, "other", "/runs/other")
    for n in range(1, 20):
        note(n)
    before = heads_file().read_bytes()
    calls = dying(compacted)
    after = heads_file().read_bytes()
    assert len(after) < len(before) / 4
    assert set(calls) == set(CALLS)
    for name, many in calls.items():
        for when in range(1, many + 1):
            for late in (False, True):
                heads_file().write_bytes(before)
                dying(compacted, name, when, after=late)
                assert heads_file().read_bytes() in {before, after}, (name, when)
    compacted()
    assert heads_file().read_bytes() == after
    assert {path.name for path in heads_file().parent.iterdir()} <= {"runs.jsonl", "runs.lock"}


def test_who_is_not_alone_adds_a_line_and_shortens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "_PATIENCE_SECONDS", 0.0)
    for n in range(1, 20):
        note(n)
    with together() as alone:
        assert alone
        note(20)
        forget(lambda path, begin: True)
        assert len(lines()) == 20


# ------------------------------------------------------------------------------------------ pruned, and lost


def test_whoever_dies_while_a_run_is_pruned_leaves_a_run_or_nothing_of_it(
    durable, bank, tmp_path, dying
) -> None:
    """Not one byte of the list may name a run that is gone."""
    place = tmp_path / "runs" / "one"

    def pruned() -> None:
        prune(*candidates([str(place)]))

    def made() -> None:
        bank.ledger.clear()
        durable(bank.host(), store=FileStore(place), run_id="one").run()

    made()
    calls = dying(pruned)["replace"]
    assert calls >= 1
    for late in (False, True):
        made()
        dying(pruned, "replace", 1, after=late)
        assert place.exists()
        pruned()
        assert not place.exists()
        assert b"one" not in b"".join(path.read_bytes() for path in heads_file().parent.iterdir())


@pytest.fixture
def lost(durable, bank, crash, tmp_path):
    """Return two functions: a run that dies after the money moved, and one that loses its journal."""

    def make(kind: str, promise: str):
        bank.promise = promise
        place = tmp_path / "run" if kind == "file" else tmp_path / "runs.db"
        store = lambda: FileStore(place) if kind == "file" else SQLiteStore(place, "run1")  # noqa: E731

        def run(run_id: str | None = "run1"):
            return durable(bank.host(), store=store(), run_id=run_id).run()

        bank.after = [crash()]
        with pytest.raises(crash):
            run()
        with contextlib.suppress(NotADirectoryError):
            (place / "wal.jsonl").unlink()
        with contextlib.suppress(OSError):
            place.unlink()
        return run

    return make


@pytest.mark.parametrize("promise", ["none", "reconcilable"])
@pytest.mark.parametrize("kind", ["file", "sqlite"])
def test_a_run_whose_journal_is_lost_is_not_begun_anew_under_its_name(lost, bank, kind, promise) -> None:
    run = lost(kind, promise)
    for _ in range(2):
        with pytest.raises(DurableError, match="the journal of run run1 is gone; its record #") as refusal:
            run()
        assert refusal.value.code == "R207"
        assert str(heads_file()) in str(refusal.value.action)
    assert len(bank.calls) == 1
    heads_file().unlink()
    run()


def test_what_still_lies_there_of_a_lost_run_keeps_one_of_another_name_away(lost, bank, tmp_path) -> None:
    run = lost("file", "none")
    with pytest.raises(DurableError, match="the journal of run run1 is gone"):
        run(None)
    assert len(bank.calls) == 1
    (tmp_path / "run").rename(tmp_path / "aside")
    with pytest.raises(DurableError, match="the journal of run run1 is gone"):
        run("run1")
    run("run2")


def test_a_pruned_run_makes_room_for_one_of_the_same_name(durable, bank, tmp_path) -> None:
    for _ in range(2):
        bank.ledger.clear()
        durable(bank.host(), store=FileStore(tmp_path / "run"), run_id="run1").run()
        prune(*candidates([str(tmp_path / "run")]))
    assert len(bank.calls) == 2
