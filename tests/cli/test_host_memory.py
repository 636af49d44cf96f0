"""Records of a host for a memory that the program does not declare: H106, and nothing runs."""

from pathlib import Path

import pytest

PROGRAM = "AGENT a { MEMORY { LONG_TERM { visits } SHARED { board } } TOOL act { } LOOP MAX 1 { act() } }"
HOST = """from agentl import Host

def build():
    host = Host()
    host.tools["act"] = lambda: open("acted", "w").close()
    host.memory = {%r: []}
    return host
"""


@pytest.mark.parametrize("durable", [True, False])
@pytest.mark.parametrize("path", ["LONG_TERM.visit", "KNOWLEDGE.visits", "visits", "SHARED.board"])
def test_records_for_what_no_memory_declares_are_refused_before_anything_runs(
    agentl, room: Path, path: str, durable: bool
):
    (room / "a.agent").write_text(PROGRAM)
    (room / "a.py").write_text(HOST % path)
    done = agentl("run", "a.agent", *(("--durable", "runs/a") if durable else ()))
    assert done.returncode == 2
    assert (
        f"error H106: host.memory has records for '{path}', which the program does not declare" in done.stderr
    )
    assert "Traceback" not in done.stderr
    assert not (room / "acted").exists()


def test_records_for_a_declared_memory_are_taken(agentl, room: Path):
    (room / "a.agent").write_text(PROGRAM)
    (room / "a.py").write_text(HOST % "LONG_TERM.visits")
    assert agentl("run", "a.agent").returncode == 0
    assert (room / "acted").exists()
