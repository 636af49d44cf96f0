"""What a function of the host does to the process it runs in: the run neither sees it nor depends on it."""

from __future__ import annotations

import asyncio
import contextlib
import decimal
import gc
import locale
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from agentl import Host, MockLLM, PermitError, parse_source
from agentl.drivers import awaiting
from agentl.drivers.live import LiveDriver
from agentl.durable import DurableRun, FileStore
from agentl.host.streams import fill_closed_numbers, keep_standard_error

PROGRAM = """
BELIEF { room.since = 2026-11-29T08:30:00  room.share = 5%  room.wide = 0.1 + 0.2 }
OBSERVE { room.level ON UNKNOWN DEGRADE 1.5 }
TOOL act { INPUT { n: Number } OUTPUT { n: Number } }
POLICY { DEFAULT ALLOW }
PLAN p WHEN room.level < 9 { act(n = room.level / 3) SET x = act.n * 1.1 }
"""


@pytest.fixture(autouse=True)
def _as_it_was() -> Generator[None]:
    """Put back what the functions below change for good."""
    here, environment, depth = Path.cwd(), dict(os.environ), sys.getrecursionlimit()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    hook, place = sys.excepthook, locale.setlocale(locale.LC_ALL)
    with warnings.catch_warnings(), decimal.localcontext():
        yield
    os.chdir(here)
    os.environ.clear()
    os.environ.update(environment)
    sys.setrecursionlimit(depth)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    sys.excepthook = hook
    locale.setlocale(locale.LC_ALL, place)
    gc.enable()


def host_that(meddles: Callable[[], object] = lambda: None) -> Host:
    host = Host()
    host.sensors["room.level"] = lambda: meddles() and None
    host.tools["act"] = lambda n: (meddles() and None) or {"n": n}
    return host


def own_loop() -> None:
    async def work() -> None:
        await asyncio.sleep(0)

    asyncio.run(work())


MEDDLING: dict[str, Callable[[], object]] = {
    "changes directory": lambda: os.chdir("/"),
    "empties the environment": os.environ.clear,
    "ignores signals": lambda: [
        signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)
    ],
    "sets a locale": lambda: locale.setlocale(locale.LC_ALL, "C"),
    "rounds decimals": lambda: decimal.setcontext(decimal.Context(prec=1, rounding=decimal.ROUND_UP)),
    "makes warnings errors": lambda: warnings.simplefilter("error"),
    "takes the hook of exceptions": lambda: setattr(sys, "excepthook", lambda *_: None),
    "collects no garbage": gc.disable,
    "runs an event loop of its own": own_loop,
    "closes its streams": lambda: [stream.close() for stream in (sys.stdout, sys.stderr)],
}


@pytest.mark.parametrize("meddling", MEDDLING)
def test_a_function_that_changes_the_process_changes_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meddling: str
):
    monkeypatch.chdir(tmp_path)
    program = parse_source(f"AGENT a {{ {PROGRAM} }}")
    plain = DurableRun(program, host_that(), store=FileStore("plain"), run_id="r").run(max_ticks=3)
    store = FileStore("meddled")
    meddled = DurableRun(program, host_that(MEDDLING[meddling]), store=store, run_id="r").run(max_ticks=3)
    assert meddled.trace.render() == plain.trace.render()
    monkeypatch.chdir(tmp_path)
    journals = [(tmp_path / name / "wal.jsonl").read_text("ascii") for name in ("plain", "meddled")]
    assert len(journals[0].splitlines()) == len(journals[1].splitlines())
    again = DurableRun(program, host_that(), store=FileStore("meddled")).run()
    assert again.trace.render() == plain.trace.render()


def test_a_tool_that_leaves_little_room_for_calls_leaves_the_run_its_own(run_agent):
    depth = sys.getrecursionlimit()
    seen = []

    def narrow() -> None:
        frames, frame = 0, sys._getframe()
        while frame := frame.f_back:
            frames += 1
        sys.setrecursionlimit(frames + 20)
        seen.append(sys.getrecursionlimit())

    run_agent(PROGRAM, host_that(narrow))
    assert seen
    assert sys.getrecursionlimit() == depth


# ------------------------------------------------------------------------------------------------ numbers


@pytest.mark.parametrize("number", [1, 2])
def test_a_standard_stream_that_a_tool_closed_by_its_number_is_never_the_number_of_a_file(
    run_agent, tmp_path: Path, number: int
):
    kept = os.dup(number)
    numbers = []

    def act(n: float) -> dict:
        os.close(number)
        return {"n": n}

    def level() -> int:
        numbers.append(os.open(tmp_path / "file", os.O_CREAT | os.O_RDWR))
        os.close(numbers[-1])
        return 1

    host = host_that()
    host.tools["act"], host.sensors["room.level"] = act, level
    try:
        run_agent(PROGRAM, host, ticks=2)
        assert all(each > 2 for each in numbers)
        os.write(number, b"this goes nowhere, and fails not\n")
        assert os.get_inheritable(number)
    finally:
        os.dup2(kept, number)
        os.close(kept)


def test_a_closed_number_leads_to_standard_error_where_that_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("agentl.host.streams._kept_error", [])
    kept = {number: os.dup(number) for number in (1, 2)}
    try:
        with (tmp_path / "errors").open("wb") as errors:
            os.dup2(errors.fileno(), 2)
        keep_standard_error()
        os.close(1)
        os.close(2)
        fill_closed_numbers(0, 1, 2)
        os.write(1, b"one ")
        os.write(2, b"two")
    finally:
        for number, copy in kept.items():
            os.dup2(copy, number)
            os.close(copy)
    assert (tmp_path / "errors").read_text("ascii") == "one two"


# ------------------------------------------------------------------------------------------------ left behind


def test_a_child_that_a_tool_forks_and_that_comes_back_ends_there(run_agent, tmp_path: Path):
    ours, ends = os.getpid(), []

    def act(n: float) -> dict:
        child = os.fork()
        if child:
            ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        return {"n": n}

    host = host_that()
    host.tools["act"] = act
    machine = run_agent(PROGRAM, host)
    assert (os.getpid(), ends) == (ours, [1])
    assert machine.metrics["tool_calls"] == 1


def test_a_result_that_the_host_changes_later_is_not_changed(run_agent):
    result, levels = {"n": 1.0}, [1, 9]

    def level() -> int:
        if len(levels) == 1:
            result["n"] = 99.0
        return levels.pop(0)

    host = host_that()
    host.tools["act"], host.sensors["room.level"] = (lambda n: result), level
    machine = run_agent(PROGRAM.replace("act.n * 1.1", "act.n"), host, ticks=2)
    called = next(event for event in machine.trace.events if event.code == "tool.called")
    assert (called.arguments["outputs"], machine.state.get("x"), levels) == ({"n": 1.0}, 1.0, [])


def test_a_task_that_an_async_tool_leaves_behind_performs_nothing_and_ends_with_the_run(run_agent):
    left, ends = [], []
    host = host_that()

    async def again() -> None:
        try:
            while True:
                await asyncio.sleep(0)
                try:
                    host.invoke("act", {"n": 1})
                except PermitError as error:
                    ends.append(error.code)
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise

    async def act(n: float) -> dict:
        left.append(asyncio.create_task(again()))
        await asyncio.sleep(0)
        return {"n": n}

    async def level() -> int:
        for _ in range(5):
            await asyncio.sleep(0)
        return 1

    host.tools["act"], host.sensors["room.level"] = act, level
    machine = run_agent(PROGRAM, host, ticks=2)
    assert machine.metrics["tool_calls"] == 2
    assert ends.count("cancelled") == len(left) == 2
    assert len(ends) > 2


def test_a_task_that_will_not_end_is_left_behind_with_its_loop(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(awaiting, "_LAST_GRACE", 0.01)
    go = threading.Event()
    ended = threading.Event()
    host = host_that()

    async def never() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)
        go.wait(180)
        ended.set()

    tasks = []

    async def level() -> int:
        tasks.append(asyncio.create_task(never()))
        await asyncio.sleep(0)
        return 1

    host.sensors["room.level"] = level
    with LiveDriver(host, MockLLM()) as driver:
        driver.read("room.level")
    assert not ended.is_set()
    go.set()
    assert ended.wait(180)
