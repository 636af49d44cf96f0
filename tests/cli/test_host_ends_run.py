"""A host that ends the process instead of answering: told by H105, and resumed."""

from pathlib import Path

import pytest

PROGRAM = """AGENT a {
  OBSERVE { x.y }
  TOOL pay { INPUT { n: Number } OUTPUT { ok: Boolean } }
  POLICY { DEFAULT ALLOW %s }
  PLAN p WHEN x.y == 1 {
    STEP s { pay(n = 1) }
  }
  LOOP MAX 1 {
    OBSERVE
    SELECT_PLAN
    EXECUTE
  }
}
"""
HOST = """import asyncio, os, sys
from agentl import NOT_EXECUTED, Host, InDoubt

def end(where):
    if os.environ.get("AGENTL_END") == where:
        raise %s

def build():
    host = Host()

    @host.sensor("x.y")
    def read():
        end("sensor")
        return 1

    @host.tool("pay", timeout=30 if os.environ.get("AGENTL_TIMED") else None)
    def pay(n):
        with open("effects", "a") as effects:
            effects.write("paid ")
        end("tool")
        if os.environ.get("AGENTL_END") == "reconciler":
            raise InDoubt("who knows")
        return {"ok": True}

    @host.reconciler("pay")
    def find(args, action):
        end("reconciler")
        return {"ok": True} if os.path.exists("effects") else NOT_EXECUTED

    def approve(request):
        end("approver")
        return True

    host.approver = approve
    return host
"""


def write(room: Path, raised: str = "SystemExit(0)", policy: str = "") -> None:
    (room / "a.agent").write_text(PROGRAM % policy)
    (room / "a.py").write_text(HOST % raised)


@pytest.mark.parametrize("where", ["sensor", "tool", "reconciler", "approver"])
@pytest.mark.parametrize("durable", [True, False])
def test_an_exit_in_the_host_is_told_and_a_durable_run_resumes(agentl, room: Path, where: str, durable: bool):
    write(room, policy="REQUIRE APPROVAL FOR pay" if where == "approver" else "")
    words = ("run", "a.agent", *(("--durable", "runs/a") if durable else ()))
    done = agentl(*words, AGENTL_END=where)
    assert done.returncode == 130, done.stderr + done.stdout
    assert "error H105: the host ended the run: SystemExit(0)\n" in done.stderr
    assert "raise an Exception in the host script" in done.stderr
    assert ("the same command resumes it" in done.stderr) is durable
    assert "Traceback" not in done.stderr
    if durable:
        assert agentl(*words).returncode == 0
        assert (room / "effects").read_text() == "paid "


@pytest.mark.parametrize(
    "raised", ["SystemExit(3)", "GeneratorExit()", "BaseException('end')", "asyncio.CancelledError()"]
)
@pytest.mark.parametrize("timed", ["", "yes"])
def test_whatever_ends_the_host_is_told_in_the_same_way(agentl, room: Path, raised: str, timed: str):
    write(room, raised)
    done = agentl("run", "a.agent", "--durable", "runs/a", AGENTL_END="tool", AGENTL_TIMED=timed)
    assert done.returncode == 130, done.stderr
    assert f"error H105: the host ended the run: {raised.removeprefix('asyncio.')}\n" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("raised", ["SystemExit(7)", "KeyboardInterrupt"])
@pytest.mark.parametrize("timed", ["", "yes"])
def test_what_ends_an_async_function_of_the_host_is_told_once(agentl, room: Path, raised: str, timed: str):
    write(room, raised)
    host = (room / "a.py").read_text().replace("    def pay(n)", "    async def pay(n)")
    (room / "a.py").write_text(host)
    done = agentl("run", "a.agent", "--durable", "runs/a", AGENTL_END="tool", AGENTL_TIMED=timed)
    assert (done.returncode, "async def pay" in host) == (130, True)
    assert ("error H105: " in done.stderr) is (raised != "KeyboardInterrupt")
    assert "Traceback" not in done.stderr
    assert "never retrieved" not in done.stderr


@pytest.mark.parametrize("durable", [True, False])
def test_a_protected_value_in_what_ends_the_host_is_masked(agentl, room: Path, durable: bool):
    (room / "a.agent").write_text(
        "AGENT a { OBSERVE { x.y } POLICY { NEVER SEND x.y } TOOL pay { INPUT { n: Any } }"
        " PLAN p WHEN 1 == 1 { pay(n = x.y) } LOOP MAX 1 { OBSERVE SELECT_PLAN EXECUTE } }"
    )
    (room / "a.py").write_text(
        "import sys\nfrom agentl import Host\nhost = Host()\nhost.sensors['x.y'] = lambda: 'NEVER77'\n"
        "host.tools['pay'] = lambda n: sys.exit('bye ' + n)\n"
    )
    done = agentl("run", "a.agent", *(("--durable", "runs/a") if durable else ()))
    assert "error H105: the host ended the run: SystemExit('bye [redacted]')\n" in done.stderr
    assert "NEVER77" not in done.stdout + done.stderr


def test_a_keyboard_interrupt_of_the_host_is_an_interrupt(agentl, room: Path):
    write(room, "KeyboardInterrupt")
    done = agentl("run", "a.agent", "--durable", "runs/a", AGENTL_END="tool")
    assert done.returncode == 130
    assert done.stderr.endswith("interrupted; the same command resumes this run\n")


def test_a_missing_permit_keeps_its_own_code(agentl, room: Path):
    write(room, "__import__('agentl').Host().invoke('pay', {})")
    done = agentl("run", "a.agent", AGENTL_END="sensor")
    assert done.returncode == 2
    assert done.stderr.startswith("error P102: ")
