"""What edits keep of a text, told by the edits themselves, else by comparing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentl_grammar.source import Span
from agentl_server.ide.kept import Kept, kept_between

TEXT = st.text(st.sampled_from("ab\n"), max_size=12)
EDITS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), TEXT), max_size=6)


def edit(text: str, kept: Kept, start: int, end: int, new: str) -> tuple[str, Kept]:
    return text[:start] + new + text[end:], kept.edited(start, end, len(new))


@given(TEXT, EDITS)
def test_a_span_that_is_kept_reads_as_it_did_and_is_found_again(old, edits):
    new, kept = old, Kept.all(old)
    for one, other, added in edits:
        start, end = sorted((min(one, len(new)), min(other, len(new))))
        new, kept = edit(new, kept, start, end, added)
    for each in (kept, kept.refined(old, new), kept_between(old, new)):
        for start in range(len(old)):
            now = each.place(Span(start, start + 1))
            if now is not None:
                assert new[now.start : now.end] == old[start]
                assert each.origin(now.start) is not None


def test_edits_at_two_places_keep_what_is_between_and_around_them():
    old = "one two three four"
    new, kept = edit(old, Kept.all(old), 3, 3, "!!")
    new, kept = edit(new, kept, len("one!! two three"), len("one!! two three"), "??")
    assert new == "one!! two three?? four"
    assert kept.place(Span(4, 7)) == Span(6, 9)
    assert kept.place(Span(14, 18)) == Span(18, 22)
    assert kept.place(Span(8, 18)) is None
    assert (kept.origin(6), kept.origin(4), kept.origin(18)) == (4, None, 14)


def test_texts_that_differ_at_several_lines_share_the_lines_between():
    old, new = "a\nb\nc\nd\ne\n", "a\nX\nb\nc\nY d\ne\n"
    kept = kept_between(old, new)
    assert kept.place(Span(2, 5)) == Span(4, 7)
    assert kept.place(Span(6, 7)) == Span(10, 11)


def test_whole_text_replaced_by_itself_and_a_little_keeps_itself():
    old = "a\nb\nc\n"
    new, kept = edit(old, Kept.all(old), 0, len(old), "a\nX\nb\nY\nc\n")
    assert kept.place(Span(2, 3)) is None
    assert kept.refined(old, new).place(Span(2, 3)) == Span(4, 5)
