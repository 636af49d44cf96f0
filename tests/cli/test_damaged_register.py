"""The list of runs that were seen is no part of a run: damaged, closed or gone, it costs nobody a run."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from agentl_process import start

from agentl.durable.heads import heads_file

PROGRAM = """AGENT payer {
  OBSERVE { clock }
  TOOL pay { INPUT { n: Number } }
  POLICY { DEFAULT ALLOW }
  PLAN p WHEN clock > 0 { STEP s { pay(n = 1) } }
  LOOP MAX 1 { OBSERVE SELECT_PLAN EXECUTE }
}
"""
HOST = """import os
from agentl import Host, current_action

host = Host()
host.sensors["clock"] = lambda: 1

@host.tool("pay", idempotent=True)
def pay(n):
    with open("effects", "a") as file:
        file.write(current_action().idempotency_key + chr(10))
    if "DIES" in os.environ:
        os._exit(9)
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A room in which a run died inside its action."""
    room = tmp_path_factory.mktemp("base")
    (room / "a.agent").write_text(PROGRAM)
    (room / "a.py").write_text(HOST)
    assert start(room, ("run", "a.agent", "--durable", "run"), {"DIES": "1"}).returncode == 9
    return room


@pytest.fixture
def room(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(base, tmp_path / "room")
    monkeypatch.chdir(tmp_path / "room")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "room" / "state"))
    kept = heads_file().read_text().replace(str(base), str(tmp_path / "room"))
    heads_file().write_text(kept)
    return tmp_path / "room"


def begin() -> str:
    return json.loads(Path("run/wal.jsonl").read_bytes().split(b"\n")[0])["h"]


def garbage(file: Path) -> None:
    lines = (
        b"garbage",
        b"\x00\xff",
        b"[1]",
        b"null",
        b"{}",
        b'{"n":1.5,"begin":"?"}',
        b'{"n":"1","begin":"?"}',
        b'{"n":-5,"begin":"?"}',
    )
    with file.open("ab") as stream:
        for line in lines:
            stream.write(line.replace(b"?", begin().encode()) + b"\n")
        stream.write(b'{"n":3,"pa')


def as_directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


def as_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "read-only": lambda file: file.chmod(0o400),
    "closed": lambda file: file.chmod(0),
    "cut": lambda file: file.write_bytes(file.read_bytes()[:50]),
    "garbage": garbage,
    "missing": lambda file: file.unlink(),
    "a directory": as_directory,
    "a pipe": as_pipe,
    "in a directory that is read-only": lambda file: file.parent.chmod(0o500),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_readers_and_runs_go_on_whatever_became_of_the_list(room, in_process, damage) -> None:
    DAMAGES[damage](heads_file())
    told = json.loads(in_process("durable", "status", "run", "--json").stdout)
    assert (told["state"], told["problem"], told["refusal"]) == ("interrupted", None, None)
    (listed,) = json.loads(in_process("durable", "list", "--format", "json").stdout)
    assert (listed["state"], listed["refusal"]) == ("interrupted", None)
    drop = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
    done = start(room, ("run", "a.agent", "--durable", "run"), {}, drop)
    assert (done.returncode, "Traceback" in done.stderr, "error" in done.stderr) == (0, False, False)
    assert len(set((room / "effects").read_text().split())) == 1
    heads_file().parent.chmod(0o700)
