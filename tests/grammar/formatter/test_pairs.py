"""The pairs of pairs.md: what is written, and what it is laid out as."""

import re
from pathlib import Path

import pytest

from agentl_grammar.formatter import formatted
from agentl_grammar.parser import parse
from agentl_grammar.tree import Statement, walk
from agentl_grammar.tree.program import Member

PAGE = Path(__file__).with_name("pairs.md").read_text(encoding="utf-8")
PAIR = re.compile(
    r"^## ([^\n]+)\n\n```agentl\n(.*?)\n```\n\n```agentl\n(.*?)\n```$", re.DOTALL | re.MULTILINE
)
PAIRS = {title: (before, after) for title, before, after in PAIR.findall(PAGE)}


def test_every_title_of_the_page_has_its_pair():
    assert len(PAIRS) == PAGE.count("\n## ") >= 25


@pytest.mark.parametrize("title", PAIRS)
def test_what_is_written_is_laid_out_as_the_page_says(title: str):
    before, after = PAIRS[title]
    assert formatted(before + "\n").text.removesuffix("\n") == after


@pytest.mark.parametrize("title", PAIRS)
def test_what_is_laid_out_stays(title: str):
    _, after = PAIRS[title]
    assert formatted(after + "\n").replacements == ()


def test_every_kind_of_declaration_and_statement_is_on_the_page():
    programs = [parse(before).program for before, _ in PAIRS.values()]
    seen = {type(node) for program in programs if program for node in walk(program)}
    assert {*Member.__args__, *Statement.__args__} <= seen
