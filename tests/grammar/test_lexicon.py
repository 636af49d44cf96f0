"""The lexicon is the one source: hover, completion, the page of words and the colours say the same."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest
from alternatives import Alternatives
from shapes import written

from agentl_grammar.lexicon import DESCRIPTIONS, FUNCTIONS, WORDS
from agentl_grammar.lexicon.page import page
from agentl_grammar.parser import parse
from agentl_grammar.source import Source
from agentl_server.ide.completion import completion
from agentl_server.ide.hover import hover
from agentl_server.ide.page import Page

ROOT = Path(__file__).parents[2]
TEXTMATE = ROOT / "vscode-extension"
# Where an example may stand: at the bar.
CONTEXTS = [
    "|",
    "AGENT a { | }",
    "AGENT a { PLAN p { | } }",
    "AGENT a { GOAL { | } }",
    "AGENT a { BELIEF { x = 1 | } }",
    "AGENT a { MEMORY { | } }",
    "AGENT a { MEMORY { WRITE { | } } }",
    "AGENT a { TOOL t { | } }",
    "AGENT a { POLICY { | } }",
    "AGENT a { HYPOTHESIS h { | } }",
    "AGENT a { HYPOTHESIS h { EVIDENCE { | } } }",
    "AGENT a { PLANNER { | } }",
    "AGENT a { UTILITY { | } }",
    "AGENT a { SCENARIO s { EXPECT NO ERROR | } }",
    "AGENT a { PLAN p { REASON { | } } }",
    "AGENT a { PLAN p { JUDGE { | } } }",
    "AGENT a { PLAN p { ASK b { | } } }",
    "AGENT a { PLAN p { MESSAGE m { | } } }",
    "AGENT a { OBSERVE { x | } }",
    "AGENT a { TOOL t { INPUT { | } } }",
    "AGENT a { TOOL t { EFFECT { | } } }",
    "AGENT a { POLICY { ALLOW t | } }",
    "AGENT a { PLAN p | { b() } }",
    "AGENT a { PLAN p { DELEGATE d { | } } }",
    "AGENT a { PLAN p { VERIFY { x | } } }",
    "AGENT a { PLAN p { REASON { PRODUCE { | } } } }",
    "AGENT a { PLAN p { REASON { PRODUCE { a | } } } }",
    "AGENT a { SCENARIO s { | } }",
    "AGENT a { DECIDE { | } }",
    'AGENT a { PLAN p { JUDGE { q NOUL "Is it?" | } } }',
]


ALTERNATIVES = Alternatives()
LEFT_OUT = {
    ("confidence_call", "_CONFIDENCE", "_LPAR", "_RPAR"),
    ("expect_nothing", "_EXPECT", "_LBRACE", "_RBRACE"),
}
"""What may be written and is no use: a call of CONFIDENCE without a path, an EXPECT of nothing."""
USABLE = [word for word in WORDS if word != "EVERY"]


def alternatives_of(word: str) -> set[tuple[str, ...]]:
    """Return the alternatives of agent.lark in which a word stands as itself."""
    terminals = {f"_{word}", *{"ON": ["_ON_UNKNOWN"], "VERIFY": ["_VERIFY_LABELLED"]}.get(word, [])}
    return {one for one in ALTERNATIVES.all if terminals & {*one}}


def used_in_place(piece: str, word: str) -> set[tuple[str, ...]]:
    """Return the alternatives of a word that a piece of a program uses, wherever it may stand."""
    found: set[tuple[str, ...]] = set()
    for context in CONTEXTS:
        program = context.replace("|", piece)
        used = ALTERNATIVES.used(program) & alternatives_of(word)
        if used and not parse(program).problems:
            found |= used
    return found


@pytest.mark.parametrize("word", USABLE)
def test_every_example_is_a_right_piece_of_a_program_in_which_its_word_stands(word: str):
    assert used_in_place(DESCRIPTIONS[word].example, word)


def test_the_word_that_is_not_usable_is_in_no_alternative_and_its_example_is_right():
    assert alternatives_of("EVERY") == set()
    assert used_in_place(DESCRIPTIONS["EVERY"].example, "OBSERVE")


@pytest.mark.parametrize("word", USABLE)
def test_a_shape_is_right_however_it_is_written_and_has_every_alternative_of_its_word(word: str):
    used: set[tuple[str, ...]] = set()
    for shape in written(DESCRIPTIONS[word].syntax):
        found = used_in_place(shape, word)
        assert found, shape
        used |= found
    any_case = {one for one in ALTERNATIVES.all if any(symbol.endswith("_ANY_CASE") for symbol in one)}
    assert alternatives_of(word) - any_case - LEFT_OUT - used == set()


@pytest.mark.parametrize("word", WORDS)
def test_hover_says_what_the_lexicon_says(word: str):
    found = hover(Page(Source(word)), 0)
    assert found is not None
    described = DESCRIPTIONS[word]
    for part in (described.documentation, described.syntax, described.example):
        assert part in found.markdown


@pytest.mark.parametrize(
    "text", ["", "AGENT a { ", "AGENT a { PLAN p { ", "AGENT a { TOOL t { ", "AGENT a { POLICY { "]
)
def test_completion_says_what_the_lexicon_says(text: str):
    offered = [one for one in completion(Page(Source(text)), len(text)) if one.kind == "keyword"]
    assert offered
    for candidate in offered:
        described = DESCRIPTIONS[candidate.label.split()[0]]
        assert described.documentation in candidate.documentation


def test_page_of_words_is_made_from_the_lexicon():
    assert (ROOT / "docs" / "words.md").read_text(encoding="utf-8") == page()


def test_page_of_words_has_every_word_and_function_once():
    text = page()
    assert re.findall(r"^### (\w+)$", text, re.MULTILINE) == list(WORDS)
    assert re.findall(r"^\| `(\w+)\(", text, re.MULTILINE) == list(FUNCTIONS)


def test_colours_are_made_from_the_lexicon():
    spec = importlib.util.spec_from_file_location("textmate", TEXTMATE / "tools" / "textmate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.TARGET.read_text(encoding="utf-8") == module.render()
    grammar = json.loads(module.render())
    keywords = [
        word
        for pattern in grammar["patterns"]
        if pattern.get("name", "").split(".")[0] in ("keyword", "storage")
        for word in re.findall(r"[A-Z][A-Z_]+", pattern.get("match", ""))
    ]
    assert sorted(keywords) == sorted(WORDS)
