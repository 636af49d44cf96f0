"""A person types: letter by letter, with requests in between; and a client that sends anything."""

from __future__ import annotations

import random

import pytest
from lsprotocol import types as t
from raw_client import RawClient
from story import EXAMPLES, PUBLISH, REFRESHES, Editor, copy_example, environment, interrupted_run, position


@pytest.mark.asyncio
async def test_example_typed_letter_by_letter_leaves_no_squiggle_and_no_exception(tmp_path):
    program = copy_example(tmp_path)
    interrupted_run(program, tmp_path / "runs" / "payments")
    whole = program.read_text()
    editor = await Editor(tmp_path, environment(tmp_path)).begin()
    await editor.next("agentl/runChanged")
    uri = program.as_uri()
    editor.versions[uri], editor.texts[uri] = 1, ""
    item = t.TextDocumentItem(uri=uri, language_id="agentl", version=1, text="")
    editor.client.text_document_did_open(t.DidOpenTextDocumentParams(text_document=item))
    for offset, character in enumerate(whole):
        editor.splice(uri, offset, offset, character)
        if offset % 5 == 0:
            where = {
                "text_document": t.TextDocumentIdentifier(uri=uri),
                "position": position(whole, offset + 1),
            }
            await editor.client.text_document_hover_async(t.HoverParams(**where))
            await editor.client.text_document_completion_async(t.CompletionParams(**where))
        if offset % 50 == 0:
            await editor.lenses(uri)
            await editor.hints(uri)
    assert [found.code for found in await editor.diagnostics(uri)] == ["D201"]
    await editor.finish(PUBLISH, *REFRESHES)


def test_example_deleted_from_its_end_never_fails_a_request(client):
    text = (EXAMPLES / "payments.agent").read_text()
    uri = "file:///nowhere/payments.agent"
    client.open(uri, text)
    for version, length in enumerate(range(len(text), 0, -37), start=2):
        document = {"uri": uri, "version": version}
        client.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text[:length]}]}
        )
        where = position(text, length)
        params = {
            "textDocument": {"uri": uri},
            "position": {"line": where.line, "character": where.character},
        }
        for method in ("hover", "completion", "codeLens"):
            assert "error" not in client.request(f"textDocument/{method}", params)
    assert client.close() == 0
    client.__exit__()
    assert client.stderr == ""


METHODS = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "textDocument/codeAction",
    "workspace/executeCommand",
    "agentl/nothing",
    "textDocument/rename",
    "workspace/symbol",
]


def test_every_request_gets_a_reply_whatever_its_parameters(client: RawClient):
    """100 seeded requests with parameters of any shape; the server answers each, and shuts down in order."""
    chance = random.Random(3)  # noqa: S311  # a seed, so that a failure can be repeated
    uri = "file:///nowhere/a.agent"
    client.open(uri, "AGENT a { PLAN p { f(x = 1) } }")
    for _ in range(100):
        reply = client.request(chance.choice(METHODS), anything(chance, uri, 0))
        assert ("result" in reply) != ("error" in reply)
    assert client.close() == 0


def anything(chance: random.Random, uri: str, depth: int):
    kinds = (
        ["null", "number", "text", "uri", "list", "object", "object", "object"]
        if depth < 4
        else ["null", "number", "text"]
    )
    match chance.choice(kinds):
        case "null":
            return None
        case "number":
            return chance.choice([0, -1, 3, 2**31, 2**70, 1.5])
        case "text":
            return chance.choice(["", "x", "\ud800", "agentl.inspect", "a" * 1000])
        case "uri":
            return uri
        case "list":
            return [anything(chance, uri, depth + 1) for _ in range(chance.randrange(3))]
        case _:
            names = [
                "textDocument",
                "uri",
                "position",
                "line",
                "character",
                "range",
                "start",
                "end",
                "context",
                "diagnostics",
                "command",
                "arguments",
                "directory",
                "jsonrpc",
                "id",
                "method",
            ]
            return {
                name: anything(chance, uri, depth + 1) for name in chance.sample(names, chance.randrange(6))
            }
