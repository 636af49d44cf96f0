"""The trace as it leaves a run: `--events`, the ledger of effects, kinds."""

import json
from pathlib import Path

import pytest

from agentl.trace_codes import CODES

KINDS = {
    *("TICK", "OBSERVE", "BELIEF", "GOAL", "PLAN", "STEP", "TOOL", "BLOCKED", "APPROVAL", "VERIFY_OK"),
    *("VERIFY_FAIL", "LLM", "MEMORY", "EVENT", "ASK", "DELEGATE", "ERROR", "INFO", "RETRY", "BAYES"),
    *("PLANNER", "MESSAGE", "SHARED", "POLICY"),
}

PROGRAM = """
AGENT pump {
  OBSERVE { tank.level }
  TOOL fill { INPUT { litres: Number } OUTPUT { lines: Number } EFFECT { tank.level = tank.level + litres } }
  PLAN p WHEN tank.level < 3 { fill(litres = 1) }
  LOOP UNTIL tank.level >= 3 MAX 9 { OBSERVE UPDATE_BELIEFS SELECT_PLAN EXECUTE }
}
"""
HOST = """
import os, pathlib
from agentl import Host
level, crash = pathlib.Path("level"), pathlib.Path("crash")
def build():
    host = Host()
    host.sensors["tank.level"] = lambda: len(level.read_text()) if level.exists() else 0
    @host.tool("fill", idempotent=True)
    def fill(litres):
        lines = len(pathlib.Path("events.jsonl").read_text().splitlines())
        if crash.exists() and level.exists():
            crash.unlink()
            os._exit(9)
        level.write_text((level.read_text() if level.exists() else "") + "x")
        return {"lines": lines}
    return host
"""


@pytest.fixture
def pump(room: Path) -> Path:
    (room / "pump.agent").write_text(PROGRAM)
    (room / "pump.py").write_text(HOST)
    return room


def events_of(room: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (room / "events.jsonl").read_text().splitlines()]


def test_every_kind_of_event_is_one_of_the_language() -> None:
    assert {kind for kind, _ in CODES.values()} <= KINDS


def test_an_event_is_in_the_file_before_the_next_step_is_taken(pump: Path, agentl) -> None:
    assert agentl("run", "pump.agent", "--events", "events.jsonl").returncode == 0
    events = events_of(pump)
    calls = [event for event in events if event["code"] == "tool.called"]
    assert [event["detail"]["outputs"]["lines"] for event in calls] == [event["seq"] for event in calls]
    assert set(events[0]) == {"seq", "agent", "tick", "kind", "code", "text", "detail"}


def test_a_resumed_run_writes_the_events_of_the_whole_run_anew(pump: Path, agentl) -> None:
    words = ("run", "pump.agent", "--durable", "runs/p", "--events", "events.jsonl")
    (pump / "crash").touch()
    assert agentl(*words).returncode == 9
    before = events_of(pump)
    assert agentl(*words).returncode == 0
    after = events_of(pump)
    assert after[: len(before)] == before
    assert [event["seq"] for event in after] == list(range(len(after)))
    assert [event["code"] for event in after].count("tool.called") == 3


def test_the_ledger_of_effects_is_printed_behind_the_metrics(pump: Path, agentl) -> None:
    told = agentl("run", "pump.agent", "--events", "events.jsonl").stdout
    assert told.endswith("\neffects\n  fill → tank.level  confirmed 2, refuted 0\n")
    (pump / "still.agent").write_text("AGENT still { OBSERVE { tank.level } }")
    (pump / "still.py").write_text(HOST)
    assert "effects" not in agentl("run", "still.agent").stdout
