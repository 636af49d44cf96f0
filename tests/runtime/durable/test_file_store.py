"""The run directory: who may see it, in which order it comes to be, what a failing disk does to it."""

import errno
import os
from pathlib import Path

import pytest

from agentl.durable import DurableError, DurableRun, FileStore, StoreFailure, status
from agentl.durable.stores import journal_file


@pytest.mark.parametrize("umask", [0, 0o022, 0o077, 0o277])
def test_directories_are_0700_and_files_0600_from_creation_whatever_the_umask(
    durable, bank, tmp_path: Path, umask: int, monkeypatch
) -> None:
    seen: list[tuple[str, int]] = []
    opened = os.open

    def watching(path, flags, mode=0o777, **options):
        descriptor = opened(path, flags, mode, **options)
        if str(path).startswith(str(tmp_path / "deep")):
            seen.append((str(path), os.fstat(descriptor).st_mode & 0o777))
        return descriptor

    monkeypatch.setattr(os, "open", watching)
    before = os.umask(umask)
    try:
        host = bank.host()
        host.emit("order", number=7)
        durable(host, store=FileStore(tmp_path / "deep" / "er" / "run")).run()
    finally:
        os.umask(before)
    assert not [entry for entry in seen if entry[1] & 0o077]
    assert (tmp_path / "deep" / "er" / "run" / "inbox.jsonl").exists()
    for path in (tmp_path / "deep").rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
    assert (tmp_path / "deep").stat().st_mode & 0o777 == 0o700


def test_a_run_is_made_in_the_order_that_a_crash_cannot_harm(durable, bank, tmp_path, monkeypatch) -> None:
    calls: list[str] = []
    names: dict[int, str] = {}
    real = {name: getattr(os, name) for name in ("open", "write", "fsync")}

    def opened(path, *arguments, **options):
        descriptor = real["open"](path, *arguments, **options)
        inside = Path(path).is_relative_to(tmp_path)
        names[descriptor] = Path(path).relative_to(tmp_path).as_posix() if inside else "state"
        return descriptor

    def note(what: str, descriptor: int) -> None:
        name = names.get(descriptor, "state")
        if not name.startswith("state"):
            calls.append(f"{what} {name}")

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "write", lambda fd, data: (note("write", fd), real["write"](fd, data))[1])
    monkeypatch.setattr(os, "fsync", lambda fd: (note("sync", fd), real["fsync"](fd))[1])
    run = durable(bank.host(), notify=lambda message: calls.append("told"))
    run.run()
    program = f"run/programs/{run.journal.header.program}.agent"
    assert calls[: calls.index("told") + 1] == [
        "sync .",
        "sync run",
        f"write {program}",
        f"sync {program}",
        "sync run/programs",
        "write run/wal.jsonl",
        "sync run/wal.jsonl",
        "sync run",
        "told",
    ]


def test_an_intent_is_synced_before_the_tool_is_called_and_its_result_before_the_program_goes_on(
    durable, bank, monkeypatch
) -> None:
    story: list[str] = []
    synced, performed = journal_file.sync_file, bank.transfer
    monkeypatch.setattr(journal_file, "sync_file", lambda fd: (synced(fd), story.append("synced"))[0])

    def transfer(amount: float) -> dict[str, str]:
        story.append(f"called after {run.journal.records[-1].kind}")
        return performed(amount)

    bank.transfer = transfer
    run = durable(bank.host(), on_trace=lambda trace: trace.subscribe(lambda event: story.append(event.code)))
    run.run()
    called = story.index("called after intent")
    assert story[called - 1 : called + 3] == ["synced", "called after intent", "synced", "tool.called"]


class FailingDisk:
    """Lets the n-th write or sync of the journal fail. `fail_write`: bytes that it keeps, -1 for an error."""

    def __init__(self, directory: Path) -> None:
        self.fail_write: dict[int, int] = {}
        self.fail_sync: set[int] = set()
        self.touched_after: list[str] = []
        self._journal = directory / "wal.jsonl"
        self._writes = self._syncs = 0
        self._failed = False
        self._real = (os.write, os.ftruncate, journal_file.sync_file)

    def is_journal(self, descriptor: int) -> bool:
        journal = self._journal
        return journal.exists() and os.path.samestat(os.fstat(descriptor), journal.stat())

    def write(self, descriptor: int, data: bytes) -> int:
        write = self._real[0]
        if not self.is_journal(descriptor):
            return write(descriptor, data)
        self._writes += 1
        self._note("write")
        kept = self.fail_write.get(self._writes, len(data))
        if kept < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data[:kept])

    def truncate(self, descriptor: int, length: int) -> None:
        if self.is_journal(descriptor):
            self._note("truncate")
        self._real[1](descriptor, length)

    def sync(self, descriptor: int) -> None:
        self._syncs += 1
        self._note("sync")
        if self._syncs in self.fail_sync:
            self._failed = True
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self._real[2](descriptor)

    def _note(self, what: str) -> None:
        if self._failed:
            self.touched_after.append(what)

    def heal(self) -> None:
        self.fail_write, self.fail_sync, self._failed = {}, set(), False


@pytest.fixture
def failing(monkeypatch, tmp_path: Path) -> FailingDisk:
    disk = FailingDisk(tmp_path / "run")
    monkeypatch.setattr(os, "write", disk.write)
    monkeypatch.setattr(os, "ftruncate", disk.truncate)
    monkeypatch.setattr(journal_file, "sync_file", disk.sync)
    return disk


RECORDS = 11


@pytest.mark.parametrize("number", range(1, RECORDS + 1))
def test_a_failed_write_stops_the_run_cuts_the_partial_line_and_a_resume_completes_it(
    durable, bank, tmp_path, failing, number: int
) -> None:
    failing.fail_write = {number: 5, number + 1: -1}
    with pytest.raises(StoreFailure) as failure:
        durable(bank.host()).run()
    assert failure.value.code == "R601"
    assert "No space left on device" in str(failure.value)
    journal = (tmp_path / "run" / "wal.jsonl").read_bytes()
    assert journal.count(b"\n") == number - 1
    assert journal == b"" or journal.endswith(b"\n")
    failing.heal()
    run = durable(bank.host())
    run.run()
    assert (len(bank.ledger), run.status.state) == (1, "completed")


def test_a_short_write_is_finished_once_and_nobody_notices(durable, bank, failing) -> None:
    failing.fail_write = {3: 7}
    run = durable(bank.host())
    run.run()
    assert run.status.state == "completed"
    assert len(run.journal.records) == RECORDS


@pytest.mark.parametrize("number", range(1, 5))
def test_a_failed_sync_is_final_nothing_is_touched_after_it(durable, bank, tmp_path, failing, number) -> None:
    failing.fail_sync = {number}
    run = durable(bank.host())
    with pytest.raises(StoreFailure) as failure:
        run.run()
    assert failure.value.code == "R601"
    assert failing.touched_after == []
    failing.heal()
    durable(bank.host()).run()
    assert len(bank.ledger) == 1
    assert status(tmp_path / "run").state == "completed"


def test_a_poisoned_store_takes_nothing_more(durable, bank, failing) -> None:
    failing.fail_sync = {2}
    run = durable(bank.host())
    with pytest.raises(StoreFailure):
        run.run()
    store = run.journal.store
    store._lock.acquire()
    with pytest.raises(StoreFailure, match="an earlier write failed"):
        run.journal.append("resumed", count=1)
    store.close()


def test_neither_a_tool_nor_a_program_can_catch_a_store_failure(durable, bank, failing) -> None:
    host = bank.host()
    caught = []

    def sensor() -> int:
        try:
            return 1
        except Exception as error:  # noqa: BLE001
            caught.append(error)
            return 0

    host.sensors["queue.pending"] = sensor
    failing.fail_write = {2: -1}
    with pytest.raises(StoreFailure):
        durable(host).run()
    assert not caught
    assert not issubclass(StoreFailure, Exception)


@pytest.mark.parametrize("name", ["notes.txt", ".git", "wal.jsonl.bak"])
def test_a_directory_that_holds_other_things_is_refused_and_left_alone(durable, bank, tmp_path, name) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    (directory / name).write_text("mine")
    for attempt in (lambda: durable(bank.host()), lambda: status(directory)):
        with pytest.raises(DurableError, match=f"not a run directory.*{name}") as refusal:
            attempt()
        assert refusal.value.code == "R602"
    assert [path.name for path in directory.iterdir()] == [name]


def test_a_run_that_has_begun_may_have_other_files_beside_it(durable, bank, tmp_path) -> None:
    durable(bank.host()).run()
    (tmp_path / "run" / "notes.txt").write_text("mine")
    assert durable(bank.host()).status.state == "completed"


@pytest.mark.parametrize("name", ["wal.jsonl", "run.lock", "inbox.jsonl"])
def test_a_link_or_a_directory_in_place_of_a_file_is_refused(durable, bank, tmp_path, name) -> None:
    directory, outside = tmp_path / "run", tmp_path / "outside"
    directory.mkdir()
    outside.write_text("")
    (directory / name).symlink_to(outside)
    with pytest.raises(DurableError) as refusal:
        durable(bank.host()).run()
    assert refusal.value.code == "R602"
    assert outside.read_text() == ""


def test_a_file_in_place_of_the_directory_is_refused(durable, bank, tmp_path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(DurableError) as refusal:
        durable(bank.host()).run()
    assert refusal.value.code == "R602"
    assert "Not a directory" in str(refusal.value)


def test_the_store_has_no_rights_and_says_so(durable, bank, tmp_path, monkeypatch) -> None:
    def no_rights(*_arguments: object, **_options: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    run = durable(bank.host())
    monkeypatch.setattr(Path, "mkdir", no_rights)
    with pytest.raises(DurableError, match="Permission denied") as refusal:
        run.run()
    assert refusal.value.code == "R602"


def test_nothing_depends_on_where_the_directory_lies(durable, bank, tmp_path, crash) -> None:
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host()).run()
    (tmp_path / "run").rename(tmp_path / "moved")
    run = durable(bank.host(), store=FileStore(tmp_path / "moved"))
    run.run()
    assert (len(bank.ledger), run.status.state) == (1, "completed")
    for file in (tmp_path / "moved").rglob("*"):
        assert str(tmp_path).encode() not in (file.read_bytes() if file.is_file() else b"")


def test_the_head_of_a_run_is_noted_for_the_person_and_its_loss_harms_nothing(
    durable, bank, tmp_path, monkeypatch
) -> None:
    run = durable(bank.host())
    run.run()
    noted = (tmp_path / "state" / "agentl" / "runs.jsonl").read_text()
    assert f'"run":"run1","path":"{(tmp_path / "run").resolve()}"' in noted
    assert run.journal.records[-1].h in noted.splitlines()[-1]
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "run" / "wal.jsonl"))
    assert isinstance(durable(bank.host()), DurableRun)
    durable(bank.host()).run()
