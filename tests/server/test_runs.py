"""Runs: found, followed by their new bytes, and told exactly as agentl.durable tells of them."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "ide"))

from pages import RUN, page, run
from test_pages import dying

from agentl.durable import status
from agentl.durable.journal import open_intents
from agentl.durable.lock import RunLock
from agentl_server import journal_tail
from agentl_server.commands.run import claimed_directory
from agentl_server.discovery import Discovery
from agentl_server.journal_tail import JournalTail
from agentl_server.runs import RunIndex


@pytest.mark.parametrize("tool", ["transfer", "notify", None])
def test_index_agrees_with_the_status_of_the_durable_runner(tmp_path, tool):
    directory = run(tmp_path, host=lambda: dying(tool or "nothing"))
    view, truth = page(tmp_path).runs[0], status(directory)
    assert (view.state, view.run_id, view.entries) == (truth.state, truth.run_id, truth.entries)
    assert [call.action for call in view.open_intents] == [intent.action for intent in truth.open_intents]
    assert [call.action for call in view.in_doubt] == [doubt.action for doubt in truth.in_doubt]
    assert list(truth.open_intents) == open_intents(view.history.records)


def test_only_the_new_bytes_of_a_journal_are_read(tmp_path, monkeypatch):
    directory = run(tmp_path)
    whole = (directory / "wal.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    copy = tmp_path / "copy"
    copy.mkdir()
    seen = []
    real = journal_tail.next_record
    monkeypatch.setattr(
        journal_tail,
        "next_record",
        lambda before, line, *rest: seen.append(line) or real(before, line, *rest),
    )
    tail = JournalTail(copy)
    assert tail.read() is None
    for count in range(1, len(lines) + 1):
        with (copy / "wal.jsonl").open("ab") as journal:
            journal.write(lines[count - 1])
        reading = tail.read()
        assert [record.n for record in reading.records] == [count - 1]
    assert b"\n".join(seen) + b"\n" == whole
    assert reading.state == "completed"


def test_line_that_is_not_whole_yet_waits_for_its_end(tmp_path):
    directory = run(tmp_path)
    whole = (directory / "wal.jsonl").read_bytes()
    cut = whole.index(b"\n") + 40
    (directory / "wal.jsonl").write_bytes(whole[:cut])
    tail = JournalTail(directory)
    assert len(tail.read().records) == 1
    (directory / "wal.jsonl").write_bytes(whole)
    assert len(tail.read().records) == whole.count(b"\n") - 1


def test_altered_journal_is_corrupt_with_the_code_and_keeps_what_was_read(tmp_path):
    directory = run(tmp_path)
    data = (directory / "wal.jsonl").read_bytes()
    (directory / "wal.jsonl").write_bytes(data.replace(b'"value":1', b'"value":2', 1))
    view = page(tmp_path).runs[0]
    assert (view.state, view.entries) == ("corrupt", 0)
    assert view.problem.startswith("R201")


def test_journal_that_is_replaced_is_read_anew(tmp_path):
    first, second = run(tmp_path, run_id="first"), run(tmp_path, run_id="second", ticks=1)

    async def story():
        index = RunIndex()
        await index.read(first)
        shutil.rmtree(first)
        shutil.copytree(second, first)
        (change,) = await index.refresh()
        assert change.view.run_id == "second"
        shutil.rmtree(first)
        (change,) = await index.refresh()
        assert change.view is None
        assert index.view(first) is None
        assert await index.refresh() == []

    asyncio.run(story())


def test_lock_alone_tells_running_from_interrupted(tmp_path):
    directory = run(tmp_path, host=lambda: dying("notify"))

    async def story():
        index = RunIndex()
        assert (await index.read(directory)).state == "interrupted"
        lock = RunLock(directory / "run.lock")
        assert lock.acquire()
        (change,) = await index.refresh()
        assert change.view.state == "running"
        lock.release()
        (change,) = await index.refresh()
        assert change.view.state == "interrupted"
        assert await index.refresh() == []

    asyncio.run(story())


def test_looking_at_a_run_changes_no_byte(tmp_path):
    directory = run(tmp_path, host=lambda: dying("notify"))
    before = {
        path: (path.stat().st_mtime_ns, path.read_bytes()) for path in directory.rglob("*") if path.is_file()
    }
    page(tmp_path)
    assert before == {
        path: (path.stat().st_mtime_ns, path.read_bytes()) for path in directory.rglob("*") if path.is_file()
    }


def test_run_belongs_to_the_program_of_its_source_and_when_that_is_gone_to_one_of_the_same_meaning(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    run(home)
    (home / "other.agent").write_text((home / "payments.agent").read_text())
    assert len(page(home).runs) == 1
    index = RunIndex()
    index.discovery.programs = [home / "payments.agent"]
    asyncio.run(index.refresh())
    anatomy = page(home).anatomy
    assert index.of_program(home / "other.agent", anatomy) == []
    (home / "payments.agent").unlink()
    assert len(index.of_program(home / "other.agent", anatomy)) == 1


SPOILS = {
    "directory": Path.mkdir,
    "FIFO": os.mkfifo,
    "link": lambda journal: journal.symlink_to(journal.with_name("kept")),
}


@pytest.mark.parametrize("spoil", SPOILS)
def test_journal_that_is_no_plain_file_is_corrupt_and_hides_no_other_run(tmp_path, spoil, caplog):
    bad, good = run(tmp_path, run_id="bad"), run(tmp_path, run_id="good", ticks=1)
    (tmp_path / "payments.agent").touch()
    (bad / "wal.jsonl").rename(bad / "kept")
    SPOILS[spoil](bad / "wal.jsonl")

    async def story():
        index = RunIndex()
        for directory in (bad, good):
            index.watch(directory)
        assert {change.directory for change in await index.refresh()} == {bad, good}
        assert (index.view(bad).state, index.view(good).state) == ("corrupt", "completed")
        assert index.view(bad).problem.startswith("R602")
        assert await index.refresh() == []
        assert len(caplog.records) == 1

    asyncio.run(story())


def test_journal_that_cannot_be_read_for_a_while_is_corrupt_then_read_on_from_where_it_was(
    tmp_path, monkeypatch, caplog
):
    directory, other = run(tmp_path), run(tmp_path, run_id="other", ticks=1)
    journal = directory / "wal.jsonl"
    whole = journal.read_bytes()
    first = whole.index(b"\n") + 1
    journal.write_bytes(whole[:first])
    real, locked = os.open, set()

    def guarded(path, *rest, **more):
        if path in locked:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", guarded)

    async def story():
        index = RunIndex()
        assert (await index.read(directory)).state == "interrupted"
        index.watch(other)
        locked.add(journal)
        journal.write_bytes(whole)
        await index.refresh()
        spoiled = index.view(directory)
        assert (spoiled.state, spoiled.entries, spoiled.run_id) == ("corrupt", 0, RUN)
        assert "Permission denied" in spoiled.problem
        assert index.view(other).state == "completed"
        assert await index.refresh() == []
        assert len(caplog.records) == 1
        locked.clear()
        (change,) = await index.refresh()
        assert (change.view.state, change.view.problem) == ("completed", None)
        assert [record.n for record in change.view.history.records] == list(range(whole.count(b"\n")))

    asyncio.run(story())


def test_records_read_while_the_lock_cannot_be_asked_are_not_lost(tmp_path):
    directory = run(tmp_path, host=lambda: dying("notify"))
    (directory / "run.lock").unlink()
    os.mkfifo(directory / "run.lock")

    async def story():
        index = RunIndex()
        assert (await index.read(directory)).state == "corrupt"
        (directory / "run.lock").unlink()
        assert (await index.read(directory)).entries == status(directory).entries
        assert index.view(directory).state == "interrupted"

    asyncio.run(story())


def test_change_that_a_request_saw_first_is_still_told_by_the_watcher(tmp_path):
    directory = run(tmp_path)

    async def story():
        index = RunIndex()
        await index.read(directory)
        assert [change.directory for change in await index.refresh()] == [directory]
        assert await index.refresh() == []

    asyncio.run(story())


# ------------------------------------------------------------------------------------------------ discovery


def touched(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_runs_are_found_below_the_roots_by_the_globs_and_not_where_nobody_looks(tmp_path):
    touched(
        tmp_path / "a/b/runs/one/wal.jsonl",
        tmp_path / "runs/two/wal.jsonl",
        tmp_path / "elsewhere/three/wal.jsonl",
        tmp_path / "node_modules/runs/four/wal.jsonl",
        tmp_path / ".hidden/runs/five/wal.jsonl",
        tmp_path / "runs/two/deep/wal.jsonl",
    )
    discovery = Discovery()
    discovery.roots = [tmp_path]
    assert [path.name for path in discovery.look(set())] == ["one", "two"]


def test_glob_of_the_settings_is_followed(tmp_path):
    touched(tmp_path / "jobs/x1/wal.jsonl", tmp_path / "jobs/y1/wal.jsonl", tmp_path / "runs/z/wal.jsonl")
    discovery = Discovery()
    discovery.roots, discovery.patterns = [tmp_path], ["jobs/x?/*.jsonl"]
    assert [path.name for path in discovery.look(set())] == ["x1"]


def test_runs_beside_an_open_program_are_found_at_every_look(tmp_path):
    discovery = Discovery()
    discovery.programs = [tmp_path / "a.agent"]
    assert discovery.look(set()) == []
    touched(tmp_path / "runs/one/wal.jsonl")
    assert discovery.look(set()) == [tmp_path / "runs/one"]
    assert discovery.look({tmp_path / "runs/one"}) == []


def test_new_run_gets_the_first_free_directory_and_a_name_that_a_file_can_have(tmp_path):
    assert claimed_directory(tmp_path / "runs", "payments") == tmp_path / "runs" / "payments"
    touched(tmp_path / "payments/wal.jsonl", tmp_path / "payments-2")
    assert claimed_directory(tmp_path, "payments") == tmp_path / "payments-3"
    assert claimed_directory(tmp_path, "../a b/…").parent == tmp_path
    assert len(claimed_directory(tmp_path, "a" * 500).name) <= 255
    (tmp_path / "empty").mkdir()
    assert claimed_directory(tmp_path, "empty") == tmp_path / "empty-2"
