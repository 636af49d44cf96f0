"""Standard streams that are closed, full, unread or unable to show a character."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from agentl_process import clean_environment

RUN = ("run", "payments.agent", "--durable", "runs/p")


def shell(room: Path, line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash; `agentl` in it is the command."""
    command = line.replace("agentl ", f"{sys.executable} -m agentl ")
    return subprocess.run(
        ["bash", "-c", command],
        cwd=room,
        env=clean_environment(room, environment),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=180,
    )


@pytest.fixture
def unread(room: Path):
    """Run `agentl` with a standard output that nobody reads."""

    def start(*words: str, both: bool = False) -> tuple[int, str]:
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = subprocess.run(
                [sys.executable, "-m", "agentl", *words],
                cwd=room,
                env=clean_environment(room, {}),
                stdout=writer,
                stderr=writer if both else subprocess.PIPE,
                text=True,
                check=False,
                timeout=180,
            )
        finally:
            os.close(writer)
        return done.returncode, done.stderr or ""

    return start


@pytest.mark.parametrize("closed", [">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_a_run_with_closed_streams_completes_and_its_journal_is_sound(agentl, room: Path, closed: str):
    done = shell(room, f"agentl {' '.join(RUN)} {closed}")
    assert done.returncode == 0
    assert "error" not in done.stderr
    assert "state    completed" in agentl("durable", "status", "runs/p").stdout


def test_what_a_tool_prints_to_a_closed_stdout_never_reaches_the_journal(agentl, room: Path):
    host = room / "payments.py"
    host.write_text(host.read_text().replace("import sqlite3", "import os, sqlite3", 1))
    host.write_text(
        host.read_text() + "\n_build = build\ndef build():\n    os.system('echo loud')\n    return _build()\n"
    )
    assert shell(room, f"agentl {' '.join(RUN)} >&-").returncode == 0
    assert "loud" not in (room / "runs" / "p" / "wal.jsonl").read_text()


def test_a_character_that_the_stream_cannot_show_is_escaped(room: Path):
    (room / "r\u00e9sum\u00e9.agent").write_text("AGENT a {")
    ascii_only = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = shell(room, f"agentl {' '.join(RUN)} --lang fr", **ascii_only)
    assert done.returncode == 0
    assert done.stderr.startswith("\\u2192 ex\\xe9cution durable ")
    page = shell(room, "agentl explain R304", **ascii_only)
    assert page.returncode == 0
    narrow = shell(room, "agentl explain U105", PYTHONIOENCODING="ascii:strict")
    assert narrow.returncode == 0


def test_a_run_that_nobody_reads_is_interrupted_and_resumes(agentl, unread):
    code, told = unread(*RUN)
    assert code == 130
    assert told.endswith(
        "nobody reads the output of this run any more\ninterrupted; the same command resumes this run\n"
    )
    assert agentl(*RUN).returncode == 0


def test_a_run_whose_errors_nobody_reads_either_exits_in_the_same_way(unread):
    assert unread(*RUN, both=True)[0] == 130


def test_a_live_run_that_nobody_reads_promises_no_resume(unread):
    assert unread("run", "payments.agent") == (130, "nobody reads the output of this run any more\n")


@pytest.mark.parametrize(
    "words", [("explain",), ("explain", "R304"), ("--help",), ("durable", "show", "runs/p")]
)
def test_a_reader_that_nobody_reads_ends_quietly_with_141(agentl, unread, words: tuple[str, ...]):
    agentl(*RUN)
    assert unread(*words) == (141, "")


@pytest.mark.parametrize("line", ["run payments.agent", "explain", "durable export runs/p"])
def test_a_full_standard_output_is_named(agentl, room: Path, line: str):
    agentl(*RUN)
    done = shell(room, f"agentl {line} >/dev/full")
    assert done.returncode == 2
    assert done.stderr.startswith("error U106: standard output cannot be used: No space left on device\n")
    assert "Exception ignored" not in done.stderr


def test_a_full_disk_is_told_with_the_file(agentl, room: Path):
    agentl(*RUN)
    done = agentl("durable", "export", "runs/p", "-o", "/dev/full")
    assert done.stderr.startswith("error U106: /dev/full cannot be used: No space left on device\n")
    done = agentl("run", "payments.agent", "--events", "/dev/full")
    assert done.stderr.startswith("error U106: /dev/full cannot be used: No space left on device\n")


# ---------------------------------------------------------------------------------------------------- hosts

MEDDLER = """AGENT a {
  TOOL act { INPUT { n: Number } OUTPUT { n: Number } }
  POLICY { DEFAULT ALLOW }
  PLAN p WHEN 1 == 1 { act(n = 1) }
  LOOP { SELECT_PLAN EXECUTE }
}
"""
PLAIN_HOST = """
from agentl import Host

host = Host()
host.tools["act"] = lambda n: {"n": n}
"""
NOISY_HOST = """
import os, subprocess, sys, threading
from agentl import Host

host, calls = Host(), []

@host.tool("act")
def act(n):
    if calls:
        calls[-1].join()
    subprocess.run(["echo", "noise of a process"])
    os.write(1, b"noise by number\\n")
    sys.__stdout__.write("noise of the first stream\\n")
    ready = threading.Event()
    def later():
        stream = sys.stdout
        ready.set()
        while sys.stdout is stream:
            pass
        print("noise of a thread", flush=True)
    thread = threading.Thread(target=later, daemon=True)
    thread.start()
    ready.wait()
    calls.append(thread)
    if len(calls) == 2:
        os.dup2(os.open("noise", os.O_CREAT | os.O_WRONLY), 1)
        os.close(2)
    sys.stdout.close()
    return {"n": n}
"""


def test_what_a_host_its_processes_and_its_threads_print_is_never_among_the_results(agentl, room: Path):
    (room / "a.agent").write_text(MEDDLER)
    (room / "a.py").write_text(PLAIN_HOST)
    plain = agentl("run", "a.agent", "--ticks", "3")
    (room / "a.py").write_text(NOISY_HOST)
    noisy = agentl("run", "a.agent", "--ticks", "3", "--durable", "runs/a")
    assert (noisy.returncode, noisy.stdout) == (0, plain.stdout)
    assert {"noise of a process", "noise by number", "noise of a thread"} <= set(noisy.stderr.splitlines())
    assert "state    completed" in agentl("durable", "status", "runs/a").stdout


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
def test_events_may_go_to_standard_output_by_its_number(agentl, room: Path, name: str):
    (room / "a.agent").write_text(MEDDLER)
    (room / "a.py").write_text(PLAIN_HOST)
    done = agentl("run", "a.agent", "--ticks", "1", "--events", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count('"code": "tool.called"') == 1
    assert "act(n=1) → {n: 1}" in done.stdout


def test_a_tool_that_ends_the_process_at_once_leaves_a_run_that_resumes(agentl, room: Path):
    (room / "a.agent").write_text(MEDDLER)
    (room / "a.py").write_text(PLAIN_HOST.replace("lambda n:", "lambda n: __import__('os')._exit(7) or"))
    ended = agentl("run", "a.agent", "--ticks", "2", "--durable", "runs/a")
    assert ended.returncode == 7
    assert "state    interrupted" in agentl("durable", "status", "runs/a").stdout
    (room / "a.py").write_text(PLAIN_HOST)
    resumed = agentl("run", "a.agent", "--ticks", "2", "--durable", "runs/a")
    assert resumed.returncode == 0
    assert "act" in resumed.stdout
    assert "in doubt; it will not be sent again" in resumed.stdout


LEAVING = """
import pathlib, threading, time
from agentl import Host

def wait():
    while not pathlib.Path("go").exists():
        time.sleep(0.05)

host = Host()
threading.Thread(target=wait, name="watcher").start()
"""


def test_a_thread_that_a_host_leaves_is_named_while_the_process_waits_for_it(beside, room: Path):
    (room / "left.agent").write_text("AGENT a { PLAN p { SET x = 1 } }", encoding="utf-8")
    (room / "left.py").write_text(LEAVING, encoding="utf-8")
    process = beside("run", "left.agent", "--ticks", "1", stderr=subprocess.PIPE)
    told = process.stderr.readline()
    (room / "go").touch()
    process.communicate(timeout=120)
    assert process.returncode == 0
    assert told == "the command is done and waits for threads that the host left: watcher\n"
