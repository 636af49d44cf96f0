"""Runs: found, followed by their new bytes, and told exactly as agentl.durable tells of them."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "ide"))

from pages import page, run
from test_pages import dying

from agentl.durable import status
from agentl.durable.journal import open_intents
from agentl.durable.lock import RunLock
from agentl_server import journal_tail
from agentl_server.commands.run import free_directory
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
        journal_tail, "next_record", lambda before, line, name: seen.append(line) or real(before, line, name)
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
    assert free_directory(tmp_path, "payments") == tmp_path / "payments"
    touched(tmp_path / "payments/wal.jsonl", tmp_path / "payments-2")
    assert free_directory(tmp_path, "payments") == tmp_path / "payments-3"
    assert free_directory(tmp_path, "../a b/…").parent == tmp_path
    (tmp_path / "empty").mkdir()
    assert free_directory(tmp_path, "empty") == tmp_path / "empty"
