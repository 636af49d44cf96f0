"""The protocol: a reply to every request, the right exit codes, nothing stray on the wire."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

URI = "file:///nowhere/demo.agent"
INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR = -32602, -32600, -32601, -32700


def code(reply):
    return reply["error"]["code"]


def test_exit_after_shutdown_is_0_and_nothing_was_logged(client):
    assert client.close() == 0
    client.__exit__()
    assert client.stderr == ""


def test_exit_without_shutdown_is_1(client):
    client.notify("exit")
    assert client.process.wait(120) == 1


def test_end_of_input_is_1(client):
    client.process.stdin.close()
    assert client.process.wait(120) == 1


def test_end_of_input_in_the_middle_of_a_message_is_1(start):
    client = start()
    client.process.stdin.write(b"Content-Length: 100\r\n\r\n{")
    client.process.stdin.close()
    assert client.process.wait(120) == 1


def test_interrupt_ends_the_server_quietly(client):
    client.process.send_signal(signal.SIGINT)
    assert client.process.wait(120) == 130
    client.__exit__()
    assert "Traceback" not in client.stderr


def test_request_before_initialize_is_refused_as_such(start):
    assert code(start().request("textDocument/hover", {})) == -32002


def test_second_initialize_is_refused(client):
    assert code(client.request("initialize", {"capabilities": {}})) == INVALID_REQUEST


def test_request_after_shutdown_is_an_invalid_request(client):
    client.request("shutdown")
    assert code(client.request("textDocument/codeLens", {"textDocument": {"uri": URI}})) == INVALID_REQUEST
    client.notify("exit")
    assert client.process.wait(120) == 0


def test_replies_and_notifications_behind_shutdown_are_passed_over_without_a_word(client):
    client.request("shutdown")
    client.send(id="asked-before-the-end", result=None)
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    client.notify("exit")
    assert client.process.wait(120) == 0
    client.__exit__()
    assert client.stderr == ""


def test_unknown_method_is_answered(client):
    assert code(client.request("agentl/nothing", {"a": 1})) == METHOD_NOT_FOUND


@pytest.mark.parametrize(
    "params",
    [None, [], 3, {}, {"textDocument": None}, {"textDocument": {"uri": 3}, "position": {"line": "x"}}],
)
def test_parameters_that_do_not_fit_are_answered_with_invalid_params(client, params):
    assert code(client.request("textDocument/hover", params)) == INVALID_PARAMS


def test_position_outside_the_text_is_answered(client):
    client.open(URI, "AGENT a { }")
    position = {"line": 900, "character": 900}
    reply = client.request("textDocument/hover", {"textDocument": {"uri": URI}, "position": position})
    assert "error" not in reply


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 100_000])
def test_body_that_is_not_json_is_answered_and_the_server_lives(client, body):
    client.send_bytes(body)
    assert code(client.reply(None)) == PARSE_ERROR
    assert client.close() == 0


@pytest.mark.parametrize(
    "message",
    [
        [],
        7,
        {"id": 1, "method": "shutdown"},
        {"jsonrpc": "2.0", "id": {}, "method": "shutdown"},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
    ],
)
def test_message_that_is_not_json_rpc_is_answered(client, message):
    client.send_bytes(json.dumps(message).encode())
    reply = client.until(lambda found: "error" in found)
    assert code(reply) == INVALID_REQUEST


def test_object_with_a_jsonrpc_key_inside_the_parameters_does_not_hang(client):
    inner = {"jsonrpc": "2.0", "id": 4, "method": "shutdown"}
    reply = client.execute("agentl.inspect", {"directory": "/nowhere", "note": inner})
    assert code(reply) == -32803


def test_notification_with_bad_parameters_is_logged_and_the_server_lives(client):
    client.notify("textDocument/didOpen", {"textDocument": {"uri": 3}})
    assert client.close() == 0
    client.__exit__()
    assert "do not fit" in client.stderr
    assert "Traceback" not in client.stderr


def test_change_of_a_text_that_is_not_open_is_logged_and_the_server_lives(client):
    change = {
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
        "text": "x",
    }
    document = {"uri": "file:///nowhere/other.agent", "version": 2}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    assert client.close() == 0


def test_response_that_nobody_asked_for_is_ignored(client):
    client.send(id="x", result={"a": {"jsonrpc": "2.0"}})
    client.send(id=None, result=None)
    assert client.close() == 0


@pytest.mark.parametrize("arguments", [[], [1], ["x"], [{}], [{"directory": 5}], [{"directory": "a"}, {}]])
def test_command_with_bad_arguments_is_an_invalid_request(client, arguments):
    assert code(client.execute("agentl.inspect", *arguments)) == INVALID_PARAMS


def test_unknown_command_and_missing_arguments_are_answered(client):
    assert code(client.execute("agentl.fly", {})) == INVALID_PARAMS
    assert code(client.request("workspace/executeCommand", {"command": "agentl.stop"})) == INVALID_PARAMS


def test_cancelled_command_is_really_cancelled(start, tmp_path):
    """A run whose host never comes up: cancelling the request ends the process that was started for it."""
    (tmp_path / "slow.agent").write_text("AGENT slow { LOOP MAX 1 { OBSERVE } }")
    pid_file = tmp_path / "pid"
    (tmp_path / "slow.py").write_text(
        "import os, pathlib, time\n"
        f"pathlib.Path({str(pid_file)!r}).write_text(str(os.getpid()))\n"
        "time.sleep(60)\n"
    )
    client = start()
    client.initialize()
    uri = (tmp_path / "slow.agent").as_uri()
    identifier = client.ask(
        "workspace/executeCommand", {"command": "agentl.run", "arguments": [{"uri": uri}]}
    )
    pid = wait_for(lambda: pid_file.exists() and pid_file.read_text())
    client.notify("$/cancelRequest", {"id": identifier})
    assert code(client.reply(identifier)) == -32800
    wait_for(lambda: not alive(int(pid)))


def wait_for(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


PRINTING = """
import os, sys
from agentl_server.lsp import hover
def handle(server, params):
    print("stray")
    os.write(1, b"below Python\\n")
    os.system("echo from a child")
    sys.stdout.write("more")
    return None
hover.handle = handle
from agentl_server.stdio import serve
sys.exit(serve())
"""


def test_what_is_printed_goes_to_standard_error(start):
    client = start([sys.executable, "-c", PRINTING])
    client.initialize()
    client.open(URI, "AGENT a { }")
    position = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
    assert client.request("textDocument/hover", position)["result"] is None
    assert client.close() == 0
    client.__exit__()
    for text in ("stray", "below Python", "from a child", "more"):
        assert text in client.stderr


FAILING = """
import sys
from agentl_server.lsp import hover, texts
def handle(server, params):
    raise LookupError("a fault of ours")
hover.handle = texts.did_close = handle
from agentl_server.stdio import serve
sys.exit(serve())
"""


def test_fault_in_a_handler_is_answered_and_logged(start):
    client = start([sys.executable, "-c", FAILING])
    client.initialize()
    client.open(URI, "AGENT a { }")
    position = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
    assert code(client.request("textDocument/hover", position)) == -32603
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert client.close() == 0
    client.__exit__()
    assert client.stderr.count("ERROR") == 2
    assert client.stderr.count("a fault of ours") == 2


def test_version_is_printed_without_a_conversation():
    done = subprocess.run(
        [sys.executable, "-m", "agentl_server", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip()


def test_unknown_option_is_a_usage_error():
    done = subprocess.run(
        [sys.executable, "-m", "agentl_server", "--tcp"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")


def test_capabilities_name_the_commands_and_features(start):
    capabilities = start().initialize()["capabilities"]
    assert set(capabilities["executeCommandProvider"]["commands"]) == {
        "agentl.run",
        "agentl.resume",
        "agentl.inspect",
        "agentl.stop",
    }
    for feature in (
        "hoverProvider",
        "codeLensProvider",
        "inlayHintProvider",
        "completionProvider",
        "codeActionProvider",
        "documentFormattingProvider",
        "documentRangeFormattingProvider",
    ):
        assert capabilities[feature]
    assert "diagnosticProvider" not in capabilities
