"""What a resume would be refused with, `status` and `list` tell before anybody tries; they write nothing."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from agentl_process import start

from agentl.durable import FileStore, status
from agentl.durable.heads import heads_file, together

PROGRAM = """AGENT payer {
  OBSERVE { clock }
  TOOL pay { INPUT { n: Number } }
  POLICY { DEFAULT ALLOW }
  PLAN p WHEN clock > 0 { STEP s { pay(n = 1) } }
  LOOP MAX 16 { OBSERVE SELECT_PLAN EXECUTE }
}
"""
HOST = """import os
from agentl import Host

host = Host()
host.sensors["clock"] = lambda: 1 if os.environ.get("LARGE") is None else "x" * 60_000

@host.tool("pay")
def pay(n):
    if "DIES" in os.environ:
        os._exit(9)
"""
STORES = ["file", "sqlite"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.agent").write_text(PROGRAM)
    (tmp_path / "a.py").write_text(HOST)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


@pytest.fixture
def run(here: Path) -> Callable[..., int]:
    """Start or resume a run in a process of its own."""
    return lambda place, **environment: (
        start(here, ("run", "a.agent", "--durable", place, "--quiet"), environment).returncode
    )


def bytes_below(directory: Path) -> dict[str, tuple[str, int]]:
    files = [path for path in directory.rglob("*") if path.is_file()]
    return {
        str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files
    }


def copied(kind: str, name: str) -> str:
    if kind == "file":
        shutil.copytree("run", name)
        return name
    shutil.copy("run.db", f"{name}.db")
    return f"{name}.db#r"


@pytest.mark.parametrize("kind", STORES)
def test_a_copy_of_a_run_that_went_on_is_told_as_such(here, run, in_process, kind) -> None:
    original = "run" if kind == "file" else "run.db#r"
    assert run(original, DIES="1") == 9
    copy = copied(kind, "copy")
    assert run(original) == 0
    before = bytes_below(here)
    for lang, word in (("en", "this is a copy, and the run went on in "), ("fr", "ceci est une copie")):
        done = start(here, ("durable", "status", copy), {"AGENTL_LANG": lang})
        assert (done.returncode, done.stderr) == (0, "")
        assert f"R207: {word}" in done.stdout
        assert str(here / "run") in done.stdout
        assert str(heads_file()) in done.stdout
        assert "agentl run" not in done.stdout
    found = json.loads(in_process("durable", "status", copy, "--json").stdout)
    assert (found["state"], found["problem"], found["resume"]) == ("interrupted", None, None)
    assert found["refusal"]["code"] == "R207"
    listed = json.loads(start(here, ("durable", "list", "--format", "json"), {}).stdout)
    refusals = {Path(each["path"]).name: each["refusal"] and each["refusal"]["code"] for each in listed}
    assert refusals == {original: None, copy: "R207"}
    assert "interrupted (R207)" in in_process("durable", "list", ".").stdout
    assert bytes_below(here) == before
    refused = start(here, ("run", "a.agent", "--durable", copy), {})
    assert (refused.returncode, found["refusal"]["message"] in refused.stderr) == (2, True)


def test_an_older_journal_that_was_put_back_is_told(here, run, in_process) -> None:
    assert run("run", DIES="1") == 9
    wal = here / "run" / "wal.jsonl"
    older = wal.read_bytes()
    assert run("run") == 0
    whole = wal.read_bytes()
    assert json.loads(in_process("durable", "status", "run", "--json").stdout)["refusal"] is None
    wal.write_bytes(older)
    refusal = status("run").refusal
    assert refusal is not None
    assert "was seen here before" in str(refusal.message)
    assert "interrupted: a resume is refused" in in_process("durable", "status", "run").stdout
    wal.write_bytes(whole)
    assert status("run").refusal is None


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_a_lost_journal_is_not_told_as_a_new_run(here, run, lang) -> None:
    assert run("run", DIES="1") == 9
    (here / "run" / "wal.jsonl").unlink()
    done = start(here, ("durable", "status", "run"), {"AGENTL_LANG": lang})
    assert {"en": "new: its journal is gone", "fr": "son journal a disparu"}[lang] in done.stdout
    assert "R207: " in done.stdout
    assert run("run") == 2
    heads_file().unlink()
    assert status("run").refusal is None


def test_a_program_that_changed_is_not_said_to_resume(here, run, in_process) -> None:
    assert run("run", DIES="1") == 9
    (here / "a.agent").write_text(PROGRAM.replace("n = 1", "n = 2"))
    told = in_process("durable", "status", "run").stdout
    assert "the program changed since, so a resume is refused (R101)" in told
    assert "the same command resumes it" not in told


def test_a_first_look_at_the_end_of_a_long_journal_tells_it_as_well(here, run, in_process) -> None:
    assert run("run", LARGE="1") == 0
    wal = here / "run" / "wal.jsonl"
    lines = wal.read_bytes().splitlines(keepends=True)
    assert len(b"".join(lines)) > 600_000
    assert "R207" not in in_process("durable", "status", "run", "--quick").stdout
    wal.write_bytes(b"".join(lines[:-2]))
    told = in_process("durable", "status", "run", "--quick").stdout
    assert "verified" in told
    assert "R207: " in told


def test_the_list_of_what_was_seen_is_read_once_and_no_lock_is_taken(
    here, run, in_process, monkeypatch
) -> None:
    assert run("one", DIES="1") == 9
    for name in ("two", "three", "four"):
        shutil.copytree("one", name)
    (here / "state" / "agentl" / "runs.lock").unlink()
    opened: list[Path] = []
    real = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        opened.append(path)
        return real(path)

    before = bytes_below(here)
    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    assert len(json.loads(in_process("durable", "list", ".", "--format", "json").stdout)) == 4
    assert opened.count(heads_file()) == 1
    monkeypatch.undo()
    assert set(bytes_below(here)) == set(before)
    assert not (here / "state" / "agentl" / "runs.lock").exists()


def test_a_reader_waits_for_nobody_who_changes_the_list(here, run) -> None:
    assert run("run", DIES="1") == 9
    with together() as alone:
        assert alone
        assert status(FileStore("run")).refusal is None
