"""Processes that want the same run: one goes on, whatever happens to it (durability.md §4, §11)."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import run_child
from store_kinds import LASTING

from agentl.durable import read_records, status
from agentl.durable.addressing import store_at
from agentl.durable.testing import chained
from agentl.errors import Abort

Start = Callable[..., subprocess.Popen[str]]
RACERS = 8


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[subprocess.Popen[str]] = []

    def begin(*words: str) -> subprocess.Popen[str]:
        command = [sys.executable, run_child.__file__, *words]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def let_run(*processes: subprocess.Popen[str]) -> None:
    """Wait until all stand at the barrier, then open it."""
    for process in processes:
        assert heard(process) == "ready"
    for process in processes:
        tell(process)


def tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


@pytest.mark.parametrize("kind", LASTING)
def test_of_eight_processes_behind_a_barrier_one_runs_and_the_others_say_who_it_is(
    kind: str, address: Callable[[str], str], start: Start
) -> None:
    place = address(kind)
    racers = [start(place) for _ in range(RACERS)]
    let_run(*racers)
    words = {racer.pid: heard(racer) for racer in racers}
    winners = [pid for pid, word in words.items() if word == "calling"]
    assert len(winners) == 1
    refused = [word for pid, word in words.items() if pid != winners[0]]
    assert [word.split()[0] for word in refused] == ["R304"] * (RACERS - 1)
    assert all(f"process {winners[0]} " in word for word in refused)
    winner = next(racer for racer in racers if racer.pid == winners[0])
    tell(winner)
    assert heard(winner) == "completed"
    kinds = [record.kind for record in read_records(place)]
    assert kinds.count("intent") == kinds.count("invoke") == 1
    assert "resumed" not in kinds


@pytest.mark.parametrize("kind", LASTING)
def test_a_killed_process_leaves_the_run_to_the_next_at_once(
    kind: str, address: Callable[[str], str], start: Start
) -> None:
    place = address(kind)
    first, second = start(place), start(place)
    let_run(first)
    assert heard(first) == "calling"
    found = status(place)
    assert (found.state, found.holder and found.holder.pid) == ("running", first.pid)
    first.kill()
    first.wait()
    wait_for(lambda: status(place).state == "interrupted")
    assert len(status(place).open_intents) == 1
    let_run(second)
    assert heard(second) == "calling"
    tell(second)
    assert heard(second) == "completed"


def wait_for(holds: Callable[[], bool]) -> None:
    """A server notices a closed socket a moment after the process that had it is gone."""
    for _ in range(500):
        if holds():
            return
    raise AssertionError


WRITER = """
import os, sys
from agentl.durable.addressing import store_at
from agentl.durable.testing import chained
store = store_at(sys.argv[1])
store.open(write=True)
for n, previous, line in chained(100_000):
    store.append(n, previous, line, sync=n % 3 == 2)
    if n % 3 == 2:
        os.write(1, b"%d\\n" % n)
"""


@pytest.mark.parametrize("kind", LASTING)
def test_what_a_killed_writer_had_synced_is_there_and_nothing_is_half_there(
    kind: str, address: Callable[[str], str]
) -> None:
    where = address(kind)
    for _ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, where], stdout=subprocess.PIPE, text=True)
        told = [int(heard(writer)) for _ in range(5)]
        writer.kill()
        assert writer.stdout is not None
        told += [int(word) for word in writer.stdout.read().split("\n")[:-1]]
        writer.wait()
        writer.stdout.close()
        found = store_at(where).records()
        whole = b"".join(line + b"\n" for _, _, line in chained(found.count(b"\n") + 1))
        assert whole.startswith(found)
        assert found.count(b"\n") > told[-1]
        assert kind == "file" or found.endswith(b"\n")
        wait_for(lambda: store_at(where).holder() is None)
        with contextlib.closing(store_at(where)) as store:
            store.open(write=True)
            store.remove()


@pytest.mark.needs("postgres")
def test_a_frozen_process_loses_its_lease_and_cannot_write_when_it_thaws(database: str, start: Start) -> None:
    place = f"{database}#run1"
    frozen, next_one = start(place, "1"), start(place, "1")
    let_run(frozen)
    assert heard(frozen) == "calling"
    os.kill(frozen.pid, signal.SIGSTOP)
    wait_until_free(place)
    let_run(next_one)
    assert heard(next_one) == "calling"
    os.kill(frozen.pid, signal.SIGCONT)
    tell(frozen)
    assert heard(frozen).startswith("R601 ")
    tell(next_one)
    assert heard(next_one) == "completed"
    kinds = [record.kind for record in read_records(place)]
    assert kinds.count("invoke") == kinds.count("ended") == 1


def wait_until_free(place: str) -> None:
    """The server ends the frozen session by its own clock."""
    deadline = time.monotonic() + 180
    while status(place).state == "running":
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.parametrize("kind", LASTING)
def test_a_forked_child_can_neither_append_nor_keep_the_run_of_its_parent(
    kind: str, place, tmp_path: Path
) -> None:
    (_, previous, line), second = chained(2)
    store = place(kind)()
    store.open(write=True)
    store.append(0, previous, line, sync=True)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            store.append(*second, sync=True)
        except Abort as error:
            code = 0 if error.code == "R601" else 2
        os.write(writing, bytes([code]))
        signal.pause()
    try:
        assert os.read(reading, 1) == b"\0"
        store.append(*second, sync=True)
        store.close()
        other = place(kind)()
        other.open(write=True)
        other.close()
        assert other.records().count(b"\n") == 2
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)
        os.close(writing)
