"""The fixes of syntax problems over the wire: offered where the cursor is, and gone when applied."""

from __future__ import annotations

from test_features import published, whole

BROKEN = """\
AGENT pay {
  TOOL transfer { COTS 8 }
  PLAN send {
    IF asked = yes && done == no THEN transfer(
    notify('paid')
  }
  OBSERVE { queue.pending EVERY 5m }
}
"""
FIXED = """\
AGENT pay {
  TOOL transfer { COST 8 }
  PLAN send {
    IF asked == yes AND done == no THEN transfer(
    notify("paid"))
  }
  OBSERVE { queue.pending }
}
"""


def test_fix_of_every_syntax_problem_is_offered_and_removes_it(start):
    client, uri, text, version = start(), "file:///nowhere/pay.agent", BROKEN, 1
    client.initialize()
    client.open(uri, text)
    left = published(client, uri, version)
    assert [found["code"] for found in left] == ["S108", "S110", "S105", "S105", "S102", "S111"]
    while left:
        context = {"diagnostics": [left[0]]}
        params = {"textDocument": {"uri": uri}, "range": left[0]["range"], "context": context}
        action = client.request("textDocument/codeAction", params)["result"][0]
        assert action["kind"] == "quickfix"
        assert action["isPreferred"]
        for edit in sorted(action["edit"]["changes"][uri], key=place, reverse=True):
            text = edited(text, edit)
        version += 1
        document = {"uri": uri, "version": version}
        client.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]}
        )
        before, left = left, [found for found in published(client, uri, version) if found["code"][0] == "S"]
        assert [found["code"] for found in left] == [found["code"] for found in before[1:]]
    assert text == FIXED
    params = {"textDocument": {"uri": uri}, "range": whole(text), "context": {"diagnostics": []}}
    assert not [
        action
        for action in client.request("textDocument/codeAction", params)["result"]
        if action["diagnostics"][0]["code"].startswith("S")
    ]


def place(edit) -> tuple[int, int]:
    return edit["range"]["start"]["line"], edit["range"]["start"]["character"]


def edited(text: str, edit) -> str:
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    begin, end = (
        starts[at["line"]] + at["character"] for at in (edit["range"]["start"], edit["range"]["end"])
    )
    return text[:begin] + edit["newText"] + text[end:]
