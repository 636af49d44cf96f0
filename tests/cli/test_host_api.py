"""What a host can do beside its tools, in real processes: hear the trace, keep a secret, undo."""

from pathlib import Path

import pytest

PROGRAM = """AGENT shop {
  OBSERVE { bank.token }
  TOOL pay { INPUT { token: String } OUTPUT { receipt: String } }
  PLAN p WHEN 1 == 1 { pay(token = bank.token) ROLLBACK }
  LOOP MAX 1 { OBSERVE SELECT_PLAN EXECUTE }
}
"""
HOST = """from agentl import Host
host = Host()
token = host.secret("SHOP_CARD")
host.sensors["bank.token"] = lambda: token
heard = open("heard.txt", "w")
host.trace_sink = lambda event: print(event.text, file=heard, flush=True)

@host.tool("pay")
def pay(token):
    print("opened", len(token))
    return {"receipt": "r-" + token}

@host.compensation("pay")
def refund(arguments, result):
    print("refunded", len(arguments["token"]))
"""


@pytest.fixture
def shop(room: Path) -> Path:
    (room / "shop.agent").write_text(PROGRAM)
    (room / "shop.py").write_text(HOST)
    return room


@pytest.mark.parametrize("more", [(), ("--durable", "run")])
def test_a_secret_is_opened_for_the_host_alone_and_the_sink_hears_all(agentl, shop: Path, more: tuple):
    done = agentl("run", "shop.agent", *more, SHOP_CARD="canary-1")
    assert (done.returncode, "canary-1" in done.stdout + done.stderr) == (0, False)
    assert "opened 8" in done.stderr
    assert "refunded 8" in done.stderr
    assert "r-<secret SHOP_CARD>" in done.stdout
    heard = (shop / "heard.txt").read_text().splitlines()
    assert len(heard) == sum(line.startswith("[t") for line in done.stdout.splitlines())
    assert "canary-1" not in "".join(heard)


def test_a_host_whose_secret_is_missing_is_refused_with_its_place(agentl, shop: Path):
    done = agentl("run", "shop.agent")
    assert done.returncode == 2
    assert "R306" in done.stderr
    assert "shop.py" in done.stderr
    assert "SHOP_CARD" in done.stderr


FORKING = """import asyncio, os
from agentl import Host
host = Host()
host.sensors["bank.token"] = lambda: os.fork() and "sensor"


def act():
    open("acts.txt", "a").write("act ")
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return {"receipt": "r"}

@host.tool("pay", timeout=TIMEOUT)
ASYNC def pay(token):
    return act()
"""


@pytest.mark.parametrize(
    ("kind", "timeout", "more"),
    [
        ("", "None", ()),
        ("", "20", ()),
        ("async", "None", ()),
        ("async", "20", ()),
        ("", "None", ("--durable", "run")),
    ],
)
def test_a_child_that_the_host_forks_and_that_comes_back_does_not_go_on_with_the_run(
    agentl, shop: Path, kind: str, timeout: str, more: tuple
):
    (shop / "shop.py").write_text(FORKING.replace("ASYNC ", f"{kind} ".lstrip()).replace("TIMEOUT", timeout))
    done = agentl("run", "shop.agent", *more)
    assert done.returncode == 0
    assert (shop / "acts.txt").read_text() == "act "
    assert [line for line in done.stdout.splitlines() if "TOOL" in line] == [
        '[t1] TOOL        pay(token="sensor") → {receipt: "r"}'
    ]
