"""What no layout may change, and what it must: over all programs there are, and generated ones."""

import random
import re

import pytest
from edits import (
    COMMENTS,
    PROGRAMS,
    ROOT,
    comments,
    gaps,
    with_comment_everywhere,
    with_comments,
    without,
    words,
)
from generated import programs
from hypothesis import given
from hypothesis import strategies as st

from agentl_grammar import tree as t
from agentl_grammar.comments import Placement
from agentl_grammar.digest import declaration_digests, program_digest
from agentl_grammar.formatter import documents, formatted, writer
from agentl_grammar.lexer import lex
from agentl_grammar.parser import parse
from agentl_grammar.printer import print_program

TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in PROGRAMS}
EXAMPLES = [name for name in TEXTS if name.startswith("docs/")]
BLOCK = re.compile(r"```agentl\n(.*?)\n```", re.DOTALL)
SHOWN = [
    block + "\n"
    for page in sorted((ROOT / "docs").rglob("*.md"))
    for block in BLOCK.findall(page.read_text(encoding="utf-8"))
]
WIDTHS = st.sampled_from([1, 40, 80, documents.WIDTH])


def laid_out(text: str) -> str:
    """Lay a text out, and see that nothing is lost and that a second run leaves it."""
    result = formatted(text)
    assert words(result.text) == words(text)
    assert comments(result.text) == comments(text)
    assert formatted(result.text).text == result.text
    return result.text


def digests(text: str) -> tuple[str, dict[str, str]]:
    program = parse(text).program
    assert program is not None
    return program_digest(program), declaration_digests(program)


@pytest.mark.parametrize("name", TEXTS)
def test_a_program_keeps_words_comments_and_digests_and_a_second_run_leaves_it(name: str):
    text = TEXTS[name]
    assert digests(laid_out(text)) == digests(text)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_the_documents_are_laid_out(name: str):
    assert formatted(TEXTS[name]).replacements == ()


def test_the_example_on_the_page_of_the_layout_is_laid_out():
    (example,) = BLOCK.findall((ROOT / "docs" / "formatting.md").read_text(encoding="utf-8"))
    assert formatted(example + "\n").replacements == ()


def test_the_programs_shown_in_the_documents_keep_what_they_say():
    assert len(SHOWN) > 100
    for text in SHOWN:
        laid_out(text)


@pytest.mark.parametrize("comment", COMMENTS)
@pytest.mark.parametrize("name", [name for name in TEXTS if "grammar" in name])
def test_a_comment_in_every_gap_stays(name: str, comment: str):
    text = with_comment_everywhere(TEXTS[name], comment)
    assert digests(laid_out(text)) == digests(TEXTS[name])


def test_one_comment_in_any_gap_stays_and_keeps_its_place_to_the_words():
    text = TEXTS["tests/grammar/rare.agent"]
    places = [start for start, _ in gaps(text)]
    assert len(places) > 100
    for at, place in enumerate(places):
        comment = COMMENTS[at % len(COMMENTS)]
        edited = text[:place] + comment + text[place:]
        before = [len(words(edited[: found.start])) for found in lex(edited).comments]
        new = laid_out(edited)
        assert [len(words(new[: found.start])) for found in lex(new).comments] == before


@pytest.mark.parametrize("name", TEXTS)
def test_a_comment_leads_or_trails_what_it_did(name: str):
    def placed(text: str):
        found = parse(text).comments.placed()
        return [(each.comment.text, each.placement, type(each.node)) for each in found]

    assert placed(formatted(TEXTS[name]).text) == placed(TEXTS[name])
    assert all(placement in Placement for _, placement, _ in placed(TEXTS[name]))


@given(programs(), st.randoms(use_true_random=False), st.sampled_from([0, 0.05, 0.3, 1]), WIDTHS)
def test_any_program_with_comments_anywhere_keeps_all_it_says_at_any_width(
    tree: t.Program, chance: random.Random, share: float, width: int
):
    text = with_comments(print_program(tree), chance, share)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "WIDTH", width)
        new = laid_out(text)
    assert parse(new).program == tree


@given(programs())
def test_a_line_is_too_wide_only_where_no_gap_is_left_to_break(tree: t.Program):
    for line in formatted(print_program(tree)).text.splitlines():
        assert len(line) <= documents.WIDTH or '"' in line or " " not in line.strip()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_the_text_stay(end: str):
    text = TEXTS["tests/grammar/samples/payments.agent"].replace("\n", end)
    new = formatted(text).text
    assert new.count("\n") + new.count("\r") == new.count(end) * len(end)
    assert new.replace(end, "\n") == formatted(TEXTS["tests/grammar/samples/payments.agent"]).text


def test_where_line_ends_are_mixed_the_most_frequent_is_written():
    assert formatted("AGENT a {\r\nGOAL { x }\r\n\nGOAL { y }\r\n}").text == (
        "AGENT a {\r\n  GOAL { x }\r\n\r\n  GOAL { y }\r\n}\r\n"
    )


def test_a_byte_order_mark_stays():
    assert formatted("\ufeff  AGENT a { }").text == "\ufeffAGENT a { }\n"


def test_what_is_no_program_stays_as_it_is():
    for text in ("", "  \n", "// only\n", "hello {", '"', "AGENT", "GOAL { x }\n", "\x00 AGENT a { }"):
        result = formatted(text)
        assert (result.text, result.replacements, len(result.left)) == (text, (), 1)


@pytest.mark.parametrize("name", ["docs/examples/payments.agent", "tests/grammar/rare.agent"])
def test_without_any_token_what_is_broken_stays_and_nothing_is_lost(name: str):
    text = TEXTS[name]
    tokens = lex(text).tokens
    for token in tokens[:: max(1, len(tokens) // 120)]:
        broken = without(text, token)
        result = formatted(broken)
        squeezed = re.sub(r"[ \t\r\n]", "", broken)
        assert re.sub(r"[ \t\r\n]", "", result.text) == squeezed
        assert all(broken[left.start : left.end] in result.text for left in result.left)
        assert formatted(result.text).text == result.text


def test_a_member_that_is_broken_keeps_every_byte_and_the_others_are_laid_out():
    broken = "  PLAN   p {\n\t\tfoo( 1 ,\n# why\n\n\n     IF  x THEN\n\r\n   }"
    text = f"AGENT a {{\n   GOAL {{x}}\n{broken}\n\n\n TOOL  t {{ }}\n}}"
    result = formatted(text)
    assert result.text == f"AGENT a {{\n  GOAL {{ x }}\n{broken}\n\n  TOOL t {{ }}\n}}\n"
    assert [text[left.start : left.end] for left in result.left] == [broken.strip()]


@pytest.mark.parametrize("depth", [300, 5000])
def test_a_member_nested_too_deep_to_be_laid_out_stays_as_it_is_and_is_told(depth: int):
    goal = f"GOAL {{   {'(' * depth}x{')' * depth} }}"
    result = formatted(f"AGENT a {{\n{goal}\nGOAL{{y}}\n}}\n")
    assert result.text == f"AGENT a {{\n{goal}\n  GOAL {{ y }}\n}}\n"
    assert len(result.left) == 1


@pytest.mark.parametrize(("before", "behind"), [("IF x THEN { ", " }"), ("IF (a OR b) THEN LOOP { ", " }")])
def test_the_deepest_program_there_may_be_is_laid_out(before: str, behind: str):
    depth = 1
    while parse(f"AGENT a {{ PLAN p {{ {before * (depth + 1)}b(){behind * (depth + 1)} }} }}").complete:
        depth += 1
    text = f"AGENT a {{ PLAN p {{ {before * depth}b(){behind * depth} }} }}"
    assert depth > 20
    assert formatted(laid_out(text)).left == ()
