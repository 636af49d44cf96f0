"""Open texts: lines end at LF, CRLF and CR only, and edits land where the editor made them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types as t

from agentl_server.documents import Document, Documents, path_of
from agentl_server.texts import EditedText, TextWorkspace

ENCODINGS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
UNITS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
TEXT = st.text(st.sampled_from('ab {}"\n\r\f\v\x1c\x85\u2028\u2029é€😀'), max_size=40)


def opened(text: str, encoding: str) -> EditedText:
    workspace = TextWorkspace(None, position_encoding=t.PositionEncodingKind(encoding))
    workspace.put_text_document(
        t.TextDocumentItem(uri="file:///a.agent", language_id="agentl", version=1, text=text)
    )
    found = workspace.open_text("file:///a.agent")
    assert found is not None
    return found


def position(text: str, offset: int, encoding: str) -> t.Position:
    """The reference: how an editor counts, straight from the protocol's definition."""
    before = re.split(r"\r\n|\n|\r", text[:offset])
    units = len(before[-1].encode(ENCODINGS[encoding])) // UNITS[encoding]
    return t.Position(line=len(before) - 1, character=units)


def change(text: str, start: int, end: int, new: str, encoding: str) -> t.TextDocumentContentChangePartial:
    found = t.Range(start=position(text, start, encoding), end=position(text, end, encoding))
    return t.TextDocumentContentChangePartial(range=found, text=new)


def inside_crlf(text: str, offset: int) -> bool:
    return text[offset - 1 : offset + 1] == "\r\n"


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=200, deadline=None)
@given(text=TEXT, edits=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), TEXT), max_size=5))
def test_edits_give_the_text_that_the_editor_has(encoding, text, edits):
    document = opened(text, encoding)
    for one, other, new in edits:
        start, end = sorted((min(one, len(text)), min(other, len(text))))
        if inside_crlf(text, start) or inside_crlf(text, end):
            continue
        document.apply_change(change(text, start, end, new, encoding))
        text = text[:start] + new + text[end:]
        assert document.source == text
        assert document.text_source.text == text


@pytest.mark.parametrize("separator", ["\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_separators_that_editors_do_not_know_shift_no_later_edit(separator):
    document = opened(f"# a{separator}b\nAGENT x {{ }}\n", "utf-16")
    document.apply_change(
        t.TextDocumentContentChangePartial(
            range=t.Range(start=t.Position(line=1, character=6), end=t.Position(line=1, character=7)),
            text="y",
        )
    )
    assert document.source == f"# a{separator}b\nAGENT y {{ }}\n"
    assert document.lines == (f"# a{separator}b", "AGENT y { }", "")


def test_column_behind_the_end_of_a_last_line_without_line_end_means_its_end():
    document = opened("ab", "utf-16")
    beyond = t.Position(line=0, character=99)
    document.apply_change(
        t.TextDocumentContentChangePartial(range=t.Range(start=beyond, end=beyond), text="!")
    )
    assert document.source == "ab!"


def test_line_behind_the_end_means_the_end_of_the_text():
    document = opened("ab\n", "utf-8")
    beyond = t.Position(line=9, character=9)
    document.apply_change(
        t.TextDocumentContentChangePartial(range=t.Range(start=beyond, end=beyond), text="c")
    )
    assert document.source == "ab\nc"


def test_whole_text_is_replaced_by_a_change_without_range():
    document = opened("ab", "utf-8")
    document.apply_change(t.TextDocumentContentChangeWholeDocument(text="cd"))
    assert document.source == "cd"


def test_text_that_is_not_open_is_not_read_from_disk(tmp_path):
    path = tmp_path / "a.agent"
    path.write_text("AGENT a { }")
    assert TextWorkspace(None).open_text(path.as_uri()) is None


def item(uri: str, text: str) -> t.TextDocumentItem:
    return t.TextDocumentItem(uri=uri, language_id="agentl", version=1, text=text)


def test_one_file_under_two_spellings_is_two_texts_and_closing_one_leaves_the_other():
    workspace = TextWorkspace(None)
    documents = Documents(lambda: workspace)
    plain, coded = "file:///w/ap.agent", "file:///w/%61p.agent"
    for uri, text in ((plain, "AGENT a { }"), (coded, "AGENT b { }")):
        workspace.put_text_document(item(uri, text))
        documents.opened(uri)
    workspace.update_text_document(
        t.VersionedTextDocumentIdentifier(uri=coded, version=2),
        t.TextDocumentContentChangeWholeDocument(text="AGENT c { }"),
    )
    names = [document.page(()).anatomy.program.agents[0].name.text for document in documents.all()]
    assert names == ["a", "c"]
    workspace.remove_text_document(coded)
    documents.closed(coded)
    (left,) = documents.all()
    assert (left.uri, left.text.source) == (plain, "AGENT a { }")
    assert documents.get(coded) is documents.get("file://localhost/w/ap.agent") is left
    workspace.remove_text_document("file://localhost/w/ap.agent")
    assert workspace.open_text(plain) is None


def test_file_of_this_machine_is_found_whatever_the_uri_says_of_the_host(tmp_path):
    program = tmp_path / "a b.agent"
    for uri in (program.as_uri(), program.as_uri().replace("file://", "file://LocalHost")):
        assert path_of(uri) == program.resolve()


def insert(document: EditedText, line: int, text: str) -> None:
    place = t.Position(line=line, character=0)
    document.apply_change(
        t.TextDocumentContentChangePartial(range=t.Range(start=place, end=place), text=text)
    )


def opened_document(text: str) -> tuple[Document, EditedText]:
    edited = opened(text, "utf-16")
    return Document("untitled:a", lambda: edited), edited


def test_broken_text_is_followed_edit_by_edit_from_the_last_program():
    text = "AGENT a {\n  GOAL g { ACHIEVE x == 1 }\n  PLAN p { SET x = 1 }\n}\n"
    document, edited = opened_document(text)
    plan = document.page(()).anatomy.program.agents[0].members[1].span
    insert(edited, 1, "{{\n")
    assert document.page(()).problems
    insert(edited, 3, "// two\n// more\n")
    insert(edited, 0, "// top\n")
    page = document.page(())
    assert page.source.slice(page.layers[-1].place(plan)) == "PLAN p { SET x = 1 }"
    assert page.source.slice(page.place(page.anatomy.program.agents[0].name.span)) == "a"


def test_whole_text_sent_anew_is_compared_with_the_last_program():
    text = "AGENT a {\n  PLAN p { SET x = 1 }\n}\n"
    document, edited = opened_document(text)
    plan = document.page(()).anatomy.program.agents[0].members[0].span
    edited.apply_change(t.TextDocumentContentChangeWholeDocument(text=f"// top\n{text}{{"))
    page = document.page(())
    assert page.source.slice(page.layers[-1].place(plan)) == "PLAN p { SET x = 1 }"


def test_edits_are_counted_anew_from_each_text_that_can_be_read():
    document, edited = opened_document("AGENT a {\n}\n")
    document.page(())
    insert(edited, 1, "  PLAN p { SET x = 1 }\n")
    plan = document.page(()).anatomy.program.agents[0].members[0].span
    insert(edited, 1, "{{\n")
    page = document.page(())
    assert page.source.slice(page.layers[-1].place(plan)) == "PLAN p { SET x = 1 }"


def test_program_of_a_broken_text_is_what_can_be_read_of_it_now():
    document, edited = opened_document("AGENT a {\n  PLAN p { SET x = 1 }\n}\n")
    good = document.page(()).anatomy
    insert(edited, 1, "  PLAN q { SET y = 2 }\n  GOAL { x > }\n")
    page = document.page(())
    names = [member.name.text for member in page.anatomy.program.agents[0].members[:1]]
    assert (names, page.anatomy.whole, page.fresh) == (["q"], False, page.anatomy)
    assert page.good is document.anatomy is good
    insert(edited, 0, "/*")
    page = document.page(())
    assert (page.fresh, page.anatomy) == (None, good)
