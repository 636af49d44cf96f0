"""Features over the wire: fixes, positions in every encoding, settings, `agentl lsp`."""

from __future__ import annotations

import re
import sys

import pytest
from story import copy_example

PROMISE_FREE = """\
from agentl import Host

def build():
    h = Host()
    h.tools["transfer"] = h.tools["notify"] = f
    return h
"""
PROMISED = PROMISE_FREE.replace("    return", "    h.idempotent_tools |= {'transfer', 'notify'}\n    return")


def published(client, uri, version):
    message = client.until(
        lambda found: (
            found.get("method") == "textDocument/publishDiagnostics"
            and (found["params"]["uri"], found["params"].get("version")) == (uri, version)
        )
    )
    return message["params"]["diagnostics"]


def whole(text):
    return {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n") + 1, "character": 0}}


def test_rule_of_d201_is_added_by_its_fix_and_the_finding_is_gone(start, tmp_path):
    program = copy_example(tmp_path)
    program.with_suffix(".py").write_text(PROMISE_FREE)
    client, uri, text = start(), program.as_uri(), program.read_text()
    client.initialize()
    client.open(uri, text)
    (found,) = published(client, uri, 1)
    assert (found["code"], found["source"], found["severity"]) == ("D201", "agentl", 2)
    assert found["message"].startswith("notify may end in doubt")
    (related,) = found["relatedInformation"]
    assert related["location"]["uri"] == program.with_suffix(".py").as_uri()
    params = {"textDocument": {"uri": uri}, "range": found["range"], "context": {"diagnostics": [found]}}
    action, allow = client.request("textDocument/codeAction", params)["result"]
    assert action["kind"] == allow["kind"] == "quickfix"
    assert action["diagnostics"] == [found]
    assert (action["isPreferred"], allow["isPreferred"]) == (True, False)
    ((edit,),) = action["edit"]["changes"].values()
    change = {"range": edit["range"], "text": edit["newText"]}
    client.notify(
        "textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]}
    )
    assert published(client, uri, 2) == []
    params["range"] = whole(text)
    assert client.request("textDocument/codeAction", params)["result"] == []


def test_finding_follows_the_host_script_as_it_is_saved(start, tmp_path):
    program = copy_example(tmp_path)
    script = program.with_suffix(".py")
    script.write_text(PROMISED)
    client, uri = start(), program.as_uri()
    client.initialize()
    client.open(uri, program.read_text())
    assert published(client, uri, 1) == []
    script.write_text(PROMISE_FREE)
    assert [found["code"] for found in published(client, uri, 1)] == ["D201"]
    script.unlink()
    assert published(client, uri, 1) == []


def test_code_action_of_another_kind_is_not_offered(start, tmp_path):
    program = copy_example(tmp_path)
    client, uri, text = start(), program.as_uri(), program.read_text()
    client.initialize()
    client.open(uri, text)
    published(client, uri, 1)
    context = {"diagnostics": [], "only": ["refactor"]}
    params = {"textDocument": {"uri": uri}, "range": whole(text), "context": context}
    assert client.request("textDocument/codeAction", params)["result"] == []


UNITS = {
    "utf-8": lambda text: len(text.encode()),
    "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf-32": len,
}


@pytest.mark.parametrize("encoding", UNITS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_places_are_counted_in_the_unit_of_the_client_whatever_ends_a_line(start, encoding, end):
    client, uri = start(), "file:///nowhere/a.agent"
    capabilities = {"general": {"positionEncodings": [encoding]}}
    assert client.initialize(capabilities=capabilities)["capabilities"]["positionEncoding"] == encoding
    line = 'AGENT a { DESCRIPTION "é😀\u2028" NONSENSE'
    client.open(uri, f"// \u2028 \f{end}{line}")
    (found,) = published(client, uri, 1)
    assert found["range"]["start"] == {
        "line": 1,
        "character": UNITS[encoding](line[: line.index("NONSENSE")]),
    }
    where = {"line": 1, "character": UNITS[encoding](line[: line.index("DESCRIPTION")])}
    hover = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": where})["result"]
    assert "DESCRIPTION" in hover["contents"]["value"]


def test_diagnostics_are_versioned_and_taken_back_when_the_text_is_closed(client):
    uri = "file:///nowhere/a.agent"
    client.open(uri, "AGENT", version=7)
    assert len(published(client, uri, 7)) == 1
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert published(client, uri, None) == []


def test_typing_is_looked_at_once_when_it_pauses(client):
    uri = "file:///nowhere/a.agent"
    client.open(uri, "")
    published(client, uri, 1)
    for version in range(2, 40):
        changes = [{"text": "AGENT a { }"[: version % 12]}]
        client.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes},
        )
    published(client, uri, 39)
    assert client.close() == 0
    versions = [
        message["params"]["version"]
        for message in client.seen
        if message.get("method") == "textDocument/publishDiagnostics"
    ]
    assert versions[0] == 1
    assert versions[-1] == 39
    assert len(versions) < 20


@pytest.mark.parametrize(
    ("feature", "method", "more"),
    [
        ("hover", "hover", {"position": {"line": 0, "character": 0}}),
        ("completion", "completion", {"position": {"line": 0, "character": 0}}),
        ("codeLens", "codeLens", {}),
        ("inlayHint", "inlayHint", {"range": whole("")}),
        ("codeAction", "codeAction", {"range": whole(""), "context": {"diagnostics": []}}),
    ],
)
def test_feature_that_is_off_is_silent(start, feature, method, more):
    client, uri = start(), "file:///nowhere/a.agent"
    client.initialize(initializationOptions={"features": {feature: False}})
    client.open(uri, "AGENT a { }")
    params = {"textDocument": {"uri": uri}, **more}
    assert not client.request(f"textDocument/{method}", params)["result"]


def test_host_review_that_is_off_is_silent(start, tmp_path):
    program = copy_example(tmp_path)
    client, uri = start(), program.as_uri()
    client.initialize(initializationOptions={"features": {"hostReview": False}})
    client.open(uri, program.read_text())
    assert published(client, uri, 1) == []


def test_options_that_do_not_fit_are_told_and_left_at_their_defaults(start):
    client = start()
    client.initialize(initializationOptions={"runs": 5}, capabilities={"experimental": {"agentl": "yes"}})
    client.open("file:///nowhere/a.agent", "AGENT a { }")
    params = {"textDocument": {"uri": "file:///nowhere/a.agent"}}
    (lens,) = client.request("textDocument/codeLens", params)["result"]
    assert lens["command"]["title"] == "▶ Run"
    assert client.close() == 0
    client.__exit__()
    assert re.findall("(Options|ClientFeatures) are ignored", client.stderr) == ["ClientFeatures", "Options"]


def test_agentl_lsp_is_the_same_server(start):
    client = start([sys.executable, "-m", "agentl", "lsp"])
    assert client.initialize()["serverInfo"]["name"] == "agentl"
    assert client.close() == 0
    client.__exit__()
    assert client.stderr == ""


def test_inspecting_what_is_no_run_is_refused_with_code_and_next_step(client, tmp_path):
    error = client.execute("agentl.inspect", {"directory": str(tmp_path)})["error"]
    assert (error["code"], error["data"]["code"]) == (-32803, "R602")
    assert error["data"]["action"]
