"""A merge conflict is one problem; what stands around it, and its first side, stay in the tree."""

import pytest

from agentl_grammar.parser import Parser, parse
from agentl_grammar.printer import print_program

CONFLICT = "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> theirs"
TOLD = ("S105", "<<<<<<< HEAD", "a merge conflict is left here")


def _text(*parts: str) -> str:
    return "\n".join(("AGENT a {", "GOAL g { x }", *parts, "EVENT e { t() }", "}", ""))


def _told(text: str) -> list[tuple[str, str, str]]:
    found = parse(text).problems
    return [(each.code, text[each.span.start : each.span.end], str(each.message)) for each in found]


def _words(text: str) -> str:
    program = parse(text).program
    assert program
    return " ".join(print_program(program).split())


@pytest.mark.parametrize(
    ("before", "first", "second", "behind"),
    [
        ("PLAN p { STEP s {", "b()", "c()", "} }"),
        ("POLICY {", "NEVER b", "NEVER c", "}"),
        ("POLICY { NEVER b WHEN", "x > 5", "x > 6", "}"),
        ("TOOL b {", "INPUT { c: String }", "INPUT { d: String }", "}"),
        ("", "POLICY {\nNEVER b", "POLICY {\nNEVER c", "}"),
        ("", "POLICY { NEVER b }", "POLICY { NEVER c }\nLOOP { OBSERVE }", ""),
        ("", "PLAN p { b() }\n||||||| base\nPLAN p { b(", "PLAN p { c() }", ""),
    ],
)
def test_a_conflict_is_one_problem_and_its_first_side_stands(
    before: str, first: str, second: str, behind: str
):
    text = _text(before, CONFLICT.format(first, second), behind)
    assert _told(text) == [TOLD]
    assert not parse(text).complete
    side = first.partition("\n|||||||")[0]
    assert _words(text) == _words(_text(before, side, behind))


def test_each_conflict_is_told_and_every_other_mistake():
    text = _text("POLICY {", CONFLICT.format("NEVER b", "NEVER c"), "ALOW d", "}", CONFLICT.format("", ""))
    assert [code for code, _, _ in _told(text)] == ["S105", "S108", "S105"]


@pytest.mark.parametrize("lines", ["<<<<<<< HEAD\nPLAN p { b() }", "<<<<<<< HEAD\nPLAN p { b() }\n======="])
def test_a_conflict_without_its_end_keeps_what_stands_behind_it(lines: str):
    assert _told(_text(lines)) == [TOLD]
    assert _words(_text(lines)) == _words(_text("PLAN p { b() }"))


@pytest.mark.parametrize("opened", ['DESCRIPTION "\n{}\n"', "/*\n{}\n*/"])
def test_markers_in_a_text_or_a_comment_are_no_conflict(opened: str):
    inside = opened.format(CONFLICT.format("b", "c"))
    assert _told(_text(inside)) == []
    assert [code for code, _, _ in _told(_text(inside, "nonsense"))] == ["S116"]


def test_an_edit_that_ends_the_conflict_leaves_nothing_of_it():
    broken, parser = _text(CONFLICT.format("PLAN p { b() }", "PLAN p { c() }")), Parser()
    assert parser.parse(broken).problems == parse(broken).problems
    healed = _text("PLAN p { c() }")
    assert parser.parse(healed) == parse(healed)
    assert parser.parse(broken).program == parse(broken).program
