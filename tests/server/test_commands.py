"""The commands over the wire: what starts, what is refused, and what goes on when the editor is gone."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest
from story import copy_example, interrupted_run, journal, wait_until

INVALID_PARAMS, REQUEST_FAILED = -32602, -32803
TICKING = "AGENT slow { LOOP MAX 1 { OBSERVE } OBSERVE { clock.now } }"
SLOW_TO_COME_UP = """\
import pathlib, time
from agentl import Host

here = pathlib.Path(__file__).parent
(here / "loading").touch()
while not (here / "go").exists():
    time.sleep(0.02)

def build():
    host = Host()
    host.sensors["clock.now"] = lambda: 1
    return host
"""


def slow_program(folder):
    program = folder / "slow.agent"
    program.write_text(TICKING)
    program.with_suffix(".py").write_text(SLOW_TO_COME_UP)
    return program


def test_resume_where_no_run_is_refused_and_begins_none(client, tmp_path):
    program = copy_example(tmp_path)
    for directory in (tmp_path / "nothing", tmp_path):
        error = client.execute("agentl.resume", {"uri": program.as_uri(), "directory": str(directory)})[
            "error"
        ]
        assert (error["code"], error["data"]["code"]) == (REQUEST_FAILED, "R602")
        assert "it holds no journal" in error["message"]
    assert not (tmp_path / "nothing").exists()
    assert not (tmp_path / "wal.jsonl").exists()


@pytest.mark.parametrize("command", ["agentl.resume", "agentl.inspect", "agentl.stop"])
@pytest.mark.parametrize("directory", ["runs/x", ".", "", "/runs/a\0b", "/runs/\ud800", 3, None])
def test_directory_that_is_no_absolute_path_does_not_fit(client, command, directory):
    error = client.execute(command, {"uri": "file:///nowhere/a.agent", "directory": directory})["error"]
    assert error["code"] == INVALID_PARAMS
    assert error["message"].startswith(f"{command}: directory: ")
    assert "pydantic" not in error["message"]


@pytest.mark.parametrize(
    ("argument", "field"),
    [
        ({"uri": "file:///a.agent", "ticks": "3"}, "ticks"),
        ({"uri": "file:///a.agent", "ticks": True}, "ticks"),
        ({"uri": "file:///a.agent", "ticks": 0}, "ticks"),
        ({"uri": "file:///a%00b.agent"}, "uri"),
        ({}, "uri"),
        ([], "argument"),
    ],
)
def test_argument_that_does_not_fit_is_refused_by_the_name_of_its_field(client, argument, field):
    error = client.execute("agentl.run", argument)["error"]
    assert error["code"] == INVALID_PARAMS
    assert error["message"].startswith(f"agentl.run: {field}: ")
    assert "pydantic" not in error["message"]


def test_two_runs_asked_for_at_once_get_a_directory_each(client, tmp_path):
    program = slow_program(tmp_path)
    (tmp_path / "go").touch()
    params = {"command": "agentl.run", "arguments": [{"uri": program.as_uri()}]}
    asked = [client.ask("workspace/executeCommand", params) for _ in range(2)]
    replies = [client.until(lambda message: message.get("id") in asked)["result"] for _ in asked]
    assert {reply["directory"] for reply in replies} == {
        str(tmp_path / "runs" / name) for name in ("slow", "slow-2")
    }
    assert len({reply["runId"] for reply in replies}) == 2


def test_directory_of_a_run_that_did_not_begin_is_taken_away(client, tmp_path):
    program = slow_program(tmp_path)
    program.with_suffix(".py").write_text("raise RuntimeError('no host today')")
    error = client.execute("agentl.run", {"uri": program.as_uri()})["error"]
    assert error["code"] == REQUEST_FAILED
    assert "no host today" in error["message"]
    wait_until(lambda: not (tmp_path / "runs" / "slow").exists())


def test_interpreter_that_is_not_there_is_a_refusal(start, tmp_path):
    client, program = start(), slow_program(tmp_path)
    client.initialize(initializationOptions={"interpreter": str(tmp_path / "nothing")})
    error = client.execute("agentl.run", {"uri": program.as_uri()})["error"]
    assert (error["code"], error["data"]["code"]) == (REQUEST_FAILED, "U202")
    assert not (tmp_path / "runs" / "slow").exists()


def test_of_two_resumes_at_once_one_goes_on_and_the_other_says_who_holds_the_run(start, tmp_path):
    program, directory = copy_example(tmp_path), tmp_path / "runs" / "payments"
    interrupted_run(program, directory)
    os.environ["PAYMENTS_DELAY"], os.environ["AGENTL_BANK"] = "60", str(tmp_path / "bank.sqlite")
    try:
        client = start()
    finally:
        del os.environ["PAYMENTS_DELAY"], os.environ["AGENTL_BANK"]
    client.initialize()
    argument = {"uri": program.as_uri(), "directory": str(directory)}
    params = {"command": "agentl.resume", "arguments": [argument]}
    asked = [client.ask("workspace/executeCommand", params) for _ in range(2)]
    replies = [client.until(lambda message: message.get("id") in asked) for _ in asked]
    (started,) = [reply["result"] for reply in replies if "result" in reply]
    try:
        (error,) = [reply["error"] for reply in replies if "error" in reply]
        assert error["code"] == REQUEST_FAILED
        assert "R304" in error["message"]
        # and again, while it runs
        error = client.execute("agentl.resume", argument)["error"]
        assert error["code"] == REQUEST_FAILED
        assert f"process {started['pid']}" in error["message"]
    finally:
        os.kill(started["pid"], signal.SIGKILL)


@pytest.mark.parametrize("way", ["end of input", "exit", "shutdown and exit"])
def test_run_that_is_just_being_started_outlives_the_editor(start, tmp_path, way):
    client, program = start(), slow_program(tmp_path)
    client.initialize()
    client.ask(
        "workspace/executeCommand", {"command": "agentl.run", "arguments": [{"uri": program.as_uri()}]}
    )
    wait_until((tmp_path / "loading").exists)
    if way == "end of input":
        client.process.stdin.close()
    elif way == "exit":
        client.notify("exit")
    else:
        client.close()
    client.process.wait(120)
    (tmp_path / "go").touch()
    wait_until(lambda: b'"ended"' in journal(tmp_path / "runs" / "slow"))


def test_unreadable_journal_hides_no_other_run_from_the_editor(start, tmp_path):
    program = copy_example(tmp_path)
    interrupted_run(program, tmp_path / "runs" / "payments")
    (tmp_path / "runs" / "aaa" / "wal.jsonl").mkdir(parents=True)
    (tmp_path / "runs" / "bbb").mkdir()
    os.mkfifo(tmp_path / "runs" / "bbb" / "wal.jsonl")
    client = start()
    client.initialize(rootUri=tmp_path.as_uri())
    client.open(program.as_uri(), program.read_text())
    params = {"textDocument": {"uri": program.as_uri()}}
    wait_until(lambda: "Resume" in str(client.request("textDocument/codeLens", params)))
    time.sleep(0.5)
    assert client.close() == 0
    client.__exit__()
    assert client.stderr.count("cannot be read") == 2
    assert "Traceback" not in client.stderr


def test_end_of_input_while_the_client_is_being_asked_is_quiet(start, tmp_path):
    program = copy_example(tmp_path)
    interrupted_run(program, tmp_path / "runs" / "payments")
    refreshes = {"codeLens": {"refreshSupport": True}, "inlayHint": {"refreshSupport": True}}
    client = start([sys.executable, "-c", ASKING_AT_THE_END])
    client.initialize(rootUri=tmp_path.as_uri(), capabilities={"workspace": refreshes})
    client.notify("exit")
    assert client.process.wait(120) == 1
    client.__exit__()
    assert client.stderr == ""


ASKING_AT_THE_END = """
import sys
from agentl_server import follow, session, stdio
close = session.AgentServer.close
async def closing(server):
    follow.refresh(server)
    await close(server)
session.AgentServer.close = closing
sys.exit(stdio.serve())
"""


def test_notification_that_may_be_ignored_is_ignored_without_a_word(client):
    client.notify("$/nobodyKnows", {"a": 1})
    client.notify("$/cancelRequest", {"id": 999})
    client.notify("$/setTrace", {"value": "off"})
    assert client.close() == 0
    client.__exit__()
    assert client.stderr == ""
