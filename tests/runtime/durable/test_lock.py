import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentl.durable import DurableError, FileStore
from agentl.durable.lock import RunLock, holder

HOLD = """
import sys, time
from pathlib import Path
from agentl.durable.lock import RunLock
lock = RunLock(Path(sys.argv[1]))
print(lock.acquire(), flush=True)
time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.lock"


def start_holder(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    return process


def stop(process: subprocess.Popen[str], number: int = signal.SIGKILL) -> None:
    process.send_signal(number)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def test_a_second_lock_in_the_same_process_does_not_get_it(path: Path) -> None:
    first, second = RunLock(path), RunLock(path)
    assert first.acquire()
    assert not second.acquire()
    first.release()
    assert second.acquire()
    second.release()


def test_a_lock_held_elsewhere_is_refused_and_tells_who_holds_it(path: Path) -> None:
    process = start_holder(path)
    try:
        assert not RunLock(path).acquire()
        found = holder(path)
        assert found is not None
        assert found.pid == process.pid
        assert found.since is not None
    finally:
        stop(process)


def test_sigkill_frees_the_lock_and_what_it_left_names_nobody(path: Path) -> None:
    stop(start_holder(path))
    assert json.loads(path.read_bytes())["pid"] > 0
    assert holder(path) is None
    lock = RunLock(path)
    assert lock.acquire()
    lock.release()


def test_asking_who_holds_it_takes_nothing_and_writes_nothing(path: Path) -> None:
    lock = RunLock(path)
    assert lock.acquire()
    before = (path.read_bytes(), path.stat())
    assert holder(path) is not None
    after = (path.read_bytes(), path.stat())
    assert (before[0], before[1].st_mtime_ns) == (after[0], after[1].st_mtime_ns)
    lock.release()
    assert holder(path) is None
    path.chmod(0o400)
    assert holder(path) is None


def test_a_child_that_a_tool_forks_does_not_keep_the_lock(path: Path) -> None:
    lock = RunLock(path)
    assert lock.acquire()
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    try:
        lock.release()
        assert holder(path) is None
        assert lock.acquire()
        lock.release()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_forked_child_cannot_write_into_the_run(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "run")
    store.open(write=True)
    child = os.fork()
    if child == 0:
        try:
            store.append(0, "", b"{}", sync=True)
        except BaseException:  # noqa: BLE001  # StoreFailure is one
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    store.close()
    assert not (tmp_path / "run" / "wal.jsonl").exists()


def test_a_lock_file_that_was_renamed_away_is_not_taken_for_the_runs(path: Path, monkeypatch) -> None:
    """Prune locks, renames, deletes: whoever opened the old file meanwhile must look again."""
    opened = os.open
    moved = []

    def open_then_rename(name, flags, *arguments):
        descriptor = opened(name, flags, *arguments)
        if Path(name) == path and not moved:
            moved.append(path.rename(path.with_suffix(".pruned")))
        return descriptor

    monkeypatch.setattr(os, "open", open_then_rename)
    lock = RunLock(path)
    assert lock.acquire()
    assert os.path.samestat(os.fstat(lock._descriptor), path.stat())
    lock.release()


def test_the_lock_is_for_its_owner_alone_even_under_umask_zero(path: Path) -> None:
    before = os.umask(0)
    try:
        lock = RunLock(path)
        assert lock.acquire()
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    lock.release()


def test_a_store_that_is_held_refuses_with_the_pid(tmp_path: Path) -> None:
    process = None
    FileStore(tmp_path / "run").open(write=True)
    process = start_holder(tmp_path / "run2.lock")
    (tmp_path / "run2").mkdir()
    (tmp_path / "run2.lock").rename(tmp_path / "run2" / "run.lock")
    try:
        with pytest.raises(DurableError) as refusal:
            FileStore(tmp_path / "run2").open(write=True)
        assert refusal.value.code == "R304"
        assert f"process {process.pid} since 20" in str(refusal.value)
    finally:
        stop(process)
