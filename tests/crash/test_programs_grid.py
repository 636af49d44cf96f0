"""Every sample program, killed at every record of its journal, ends as if nothing had happened."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentl.durable import read_records

SERVER = Path(__file__).with_name("programs_server.py")
PROGRAMS = sorted((Path(__file__).parents[1] / "programs").glob("*.agent"))
KILLED = -9
ACTS = {"intent"}


class Cell:
    """One run of one program in a directory of its own."""

    def __init__(self, serve: Any, directory: Path, program: Path, promise: str) -> None:
        directory.mkdir()
        self._serve = serve
        self._spec = {
            "program": str(program),
            "run": str(directory / "run"),
            "witness": str(directory / "witness.sqlite"),
            "promise": promise,
            "output": str(directory / "told.json"),
        }

    def attempt(self, fault: dict[str, Any] | None = None) -> int:
        return self._serve({**self._spec, "fault": fault})

    @property
    def trace(self) -> str:
        return json.loads(Path(self._spec["output"]).read_text())["trace"]

    @property
    def records(self) -> list[Any]:
        return list(read_records(self._spec["run"]))

    def effects(self) -> Counter[tuple[str, str]]:
        """How often each effect happened, by tool and idempotency key: the witness is a third party."""
        with closing(sqlite3.connect(self._spec["witness"])) as file:
            return Counter(file.execute("SELECT tool, key FROM effects").fetchall())


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A process that has everything imported: it forks a child for each spec and returns its exit code."""
    environment = {"PATH": "/usr/bin:/bin", "XDG_STATE_HOME": str(tmp_path_factory.mktemp("state"))}
    process = subprocess.Popen(
        [sys.executable, str(SERVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
    )

    def ask(spec: dict[str, Any]) -> int:
        print(json.dumps(spec), file=process.stdin, flush=True)
        return int(process.stdout.readline())

    yield ask
    process.communicate()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A directory in memory where there is such a place: SIGKILL loses nothing there either."""
    room = Path("/dev/shm")  # noqa: S108  # mkdtemp makes a name of its own in it
    with tempfile.TemporaryDirectory(dir=room if room.is_dir() else tmp_path) as directory:
        yield Path(directory)


def faults(records: list[Any]) -> list[dict[str, Any]]:
    """Before each record, and after each intent: between the two, nothing but a tool can have happened."""
    points: list[dict[str, Any]] = []
    for number, record in enumerate(records, 1):
        points.append({"write": number, "side": "before"})
        if record.kind in ACTS:
            points.append({"write": number, "side": "after"})
    return points


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_killed_at_any_record_has_each_effect_once_and_the_same_trace(
    serve, memory, program: Path
) -> None:
    straight = Cell(serve, memory / "straight", program, "idempotent")
    assert straight.attempt() == 0
    assert set(straight.effects().values()) == {1}
    for number, fault in enumerate(faults(straight.records)):
        cell = Cell(serve, memory / f"cell{number}", program, "idempotent")
        assert cell.attempt(fault) == KILLED, fault
        assert cell.attempt() == 0, fault
        assert cell.effects() == straight.effects(), fault
        assert cell.trace == straight.trace, fault


@pytest.mark.parametrize("promise", ["reconcilable", "none"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_an_action_that_was_under_way_never_happens_twice_whatever_is_promised(
    serve, memory, program: Path, promise: str
) -> None:
    straight = Cell(serve, memory / "straight", program, promise)
    assert straight.attempt() == 0
    intents = [number for number, record in enumerate(straight.records, 1) if record.kind in ACTS]
    assert intents
    for number in intents:
        for fault in ({"write": number, "side": "after"}, {"write": number + 1, "side": "before"}):
            cell = Cell(serve, memory / f"{number}-{fault['side']}", program, promise)
            assert cell.attempt(fault) == KILLED, fault
            assert cell.attempt() == 0, fault
            assert max(cell.effects().values(), default=1) == 1, fault
