"""Formatting over the wire: a document, some lines of it, a broken one, every encoding."""

import pytest

from agentl_grammar.formatter import formatted
from agentl_grammar.source import Encoding, Position, Source

UNTIDY = 'AGENT t{\n GOAL { "é𝄞"==x /* 𝄞 */ }\n   OBSERVE { a,b }\n PLAN p {\nb()\n  }\n}'


@pytest.fixture
def opened(start, tmp_path):
    """Open a text; return its client and URI."""

    def open_text(text, *, encoding="utf-16", **options):
        program = tmp_path / "t.agent"
        program.write_text(text, newline="")
        client, uri = start(), program.as_uri()
        client.initialize(
            capabilities={"general": {"positionEncodings": [encoding]}}, initializationOptions=options
        )
        client.open(uri, text)
        return client, uri

    return open_text


def ask(client, uri, chosen=None):
    params = {"textDocument": {"uri": uri}, "options": {"tabSize": 8, "insertSpaces": False}}
    if chosen is None:
        return client.request("textDocument/formatting", params)["result"]
    (first, start), (last, end) = chosen
    where = {"start": {"line": first, "character": start}, "end": {"line": last, "character": end}}
    return client.request("textDocument/rangeFormatting", {**params, "range": where})["result"]


def applied(text, edits, encoding="utf-16"):
    source = Source(text)

    def place(position):
        return source.offset(Position(position["line"], position["character"]), Encoding(encoding))

    spans = [(place(edit["range"]["start"]), place(edit["range"]["end"])) for edit in edits]
    for (begin, end), edit in sorted(zip(spans, edits, strict=True), key=lambda pair: pair[0], reverse=True):
        text = text[:begin] + edit["newText"] + text[end:]
    return text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_document_is_laid_out_as_the_command_line_does(opened, encoding):
    client, uri = opened(UNTIDY, encoding=encoding)
    edits = ask(client, uri)
    assert applied(UNTIDY, edits, encoding) == formatted(UNTIDY).text
    assert all(edit["newText"].strip() == "" for edit in edits)


def test_a_document_that_is_laid_out_needs_no_edit(opened):
    client, uri = opened(formatted(UNTIDY).text)
    assert ask(client, uri) == []


def test_line_ends_of_a_document_stay(opened):
    text = UNTIDY.replace("\n", "\r\n")
    client, uri = opened(text)
    assert applied(text, ask(client, uri)) == formatted(UNTIDY).text.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("chosen", "changed"),
    [
        (((2, 0), (2, 5)), {2: "  OBSERVE { a, b }"}),
        (((2, 0), (3, 0)), {2: "  OBSERVE { a, b }"}),
        (((4, 1), (4, 1)), {4: "    b()"}),
        (((2, 9), (5, 0)), {2: "  OBSERVE { a, b }", 3: "  PLAN p {", 4: "    b()"}),
    ],
)
def test_only_the_lines_of_a_range_are_laid_out(opened, chosen, changed):
    client, uri = opened(UNTIDY)
    lines = UNTIDY.split("\n")
    for line, text in changed.items():
        lines[line] = text
    assert applied(UNTIDY, ask(client, uri, chosen)) == "\n".join(lines)


def test_a_broken_member_stays_and_the_others_are_laid_out(opened):
    text = "AGENT t {\n GOAL { x >   }\n PLAN p { b(  ) }\n}\n"
    client, uri = opened(text)
    assert applied(text, ask(client, uri)) == "AGENT t {\n GOAL { x >   }\n  PLAN p { b() }\n}\n"


def test_formatting_can_be_turned_off(opened):
    client, uri = opened(UNTIDY, features={"formatting": False})
    assert ask(client, uri) is None
