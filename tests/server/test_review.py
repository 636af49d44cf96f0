"""What the review of a host says in the editor: the same findings as `agentl review`, with their fixes."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_features import published
from test_syntax_fixes import edited

from agentl.host.source import read_host
from agentl.review import review
from agentl_grammar.parser import parse
from agentl_grammar.source import Source

PROGRAM = """\
AGENT payments {
  OBSERVE { door.state }
  TOOL transfer { INPUT { amount: Number } SIDE_EFFECT { ledger } }
  TOOL unlock { SIDE_EFFECT { front.door } }
  POLICY {
    NEVER transfer WHEN tools.transfer.in_doubt == true
    NEVER transfer WHEN tools.tranfer.in_doubt == true
  }
}
"""
HOST = """\
from agentl import NOT_EXECUTED, Host, current_action

host = Host()


@host.tool("transfer")
def transfer(amount):
    return {}


@host.tool("unlock")
def unlock():
    return {}


@host.reconciler("transfer")
def find(args, action):
    try:
        return bank.find(action.idempotency_key)
    except OSError:
        return NOT_EXECUTED
"""


@pytest.fixture
def opened(start, tmp_path: Path):
    """A client with the program open beside its host; the program's URI."""
    program = tmp_path / "payments.agent"
    program.write_text(PROGRAM)
    program.with_suffix(".py").write_text(HOST)
    (tmp_path / "agentl.toml").write_text('ignore = ["W1"]\n')
    client = start()
    client.initialize()
    client.open(program.as_uri(), PROGRAM)
    return client, program.as_uri()


def actions(client, uri: str, diagnostic) -> list:
    params = {
        "textDocument": {"uri": uri},
        "range": diagnostic["range"],
        "context": {"diagnostics": [diagnostic]},
    }
    found = client.request("textDocument/codeAction", params)["result"]
    return [action for action in found if action["diagnostics"][0]["code"] == diagnostic["code"]]


def applied(text: str, action, uri: str) -> str:
    for edit in reversed(action["edit"]["changes"][uri]):
        text = edited(text, edit)
    return text


def test_editor_shows_what_agentl_review_finds(opened):
    client, uri = opened
    result = parse(PROGRAM)
    expected = review(result.program, result.source, read_host(Source(HOST, "payments.py")))
    shown = published(client, uri, 1)
    assert [found["code"] for found in shown] == [problem.code for problem in expected]
    assert [found["code"] for found in shown] == ["D206", "D201", "D210", "D202"]


def test_finding_in_the_host_script_stands_at_the_tool_and_leads_to_its_place(opened):
    client, uri = opened
    (found,) = [each for each in published(client, uri, 1) if each["code"] == "D206"]
    assert found["range"]["start"] == {"line": 2, "character": 7}
    (related,) = found["relatedInformation"]
    assert related["location"]["uri"] == uri.replace(".agent", ".py")
    assert related["location"]["range"]["start"] == {"line": 20, "character": 15}


def test_fix_in_the_host_script_is_an_edit_of_that_file(opened):
    client, uri = opened
    (found,) = [each for each in published(client, uri, 1) if each["code"] == "D206"]
    raising, allowing = actions(client, uri, found)
    mended = applied(HOST, raising, uri.replace(".agent", ".py"))
    assert mended == HOST.replace("        return NOT_EXECUTED\n", "        raise\n")
    assert "// agentl: allow D206 because" in applied(PROGRAM, allowing, uri)


def test_name_of_d202_is_corrected_by_its_fix(opened):
    client, uri = opened
    (found,) = [each for each in published(client, uri, 1) if each["code"] == "D202"]
    mended = applied(PROGRAM, actions(client, uri, found)[0], uri)
    assert "tranfer" not in mended


def test_tool_without_control_gets_a_rule_a_guard_and_a_reconciler_to_be_written_out(opened):
    client, uri = opened
    shown = published(client, uri, 1)
    (control,) = [each for each in shown if each["code"] == "D210"]
    assert "REQUIRE APPROVAL FOR unlock" in applied(PROGRAM, actions(client, uri, control)[0], uri)
    (doubt,) = [each for each in shown if each["code"] == "D201"]
    guard, stub, _ = actions(client, uri, doubt)
    assert "NEVER unlock WHEN tools.unlock.in_doubt == true" in applied(PROGRAM, guard, uri)
    assert '@host.reconciler("unlock")' in applied(HOST, stub, uri.replace(".agent", ".py"))
    assert [action["isPreferred"] for action in (guard, stub)] == [True, False]


def test_finding_that_is_allowed_or_left_out_by_the_settings_is_not_shown(start, tmp_path: Path):
    program = tmp_path / "payments.agent"
    text = PROGRAM.replace(
        "  TOOL unlock", "  // agentl: allow D201 because a lock locks twice\n  TOOL unlock"
    )
    program.write_text(text)
    program.with_suffix(".py").write_text(HOST)
    (tmp_path / "agentl.toml").write_text('ignore = ["W1", "D210"]\n')
    client = start()
    client.initialize()
    client.open(program.as_uri(), text)
    assert [each["code"] for each in published(client, program.as_uri(), 1)] == ["D206", "D202"]
