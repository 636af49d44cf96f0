"""No edit between two tokens of a program changes a digest."""

from collections.abc import Iterator

import pytest
from edits import COMMENTS, ROOT, gaps

from agentl_grammar.digest import declaration_digests, program_digest
from agentl_grammar.lexer import lex
from agentl_grammar.parser import Parser, parse

SAMPLES = {
    name: (ROOT / "tests" / "grammar" / name).read_text(encoding="utf-8")
    for name in ("rare.agent", "samples/greenhouse.agent", "samples/payments.agent")
}


def cosmetic(text: str, start: int, end: int, comment: str) -> Iterator[str]:
    """Yield a text with a comment in one of its gaps, with a blank line there, with another indent."""
    before, gap, behind = text[:start], text[start:end], text[end:]
    yield before + gap + comment + behind
    yield f"{before}\n\n{gap}\n\n{behind}"
    # Where a comment stands its line end has to stay.
    yield f"{before}{gap}\t {behind}" if lex(gap).comments or not gap else f"{before}\n     \t{behind}"


@pytest.mark.parametrize("name", SAMPLES)
def test_a_comment_a_blank_line_or_an_indent_in_any_gap_keeps_every_digest(name: str):
    text = SAMPLES[name]
    tree = parse(text).program
    assert tree is not None
    whole, parts = program_digest(tree), declaration_digests(tree)
    # As an editor reads them, one after the other: what was not edited is not read again.
    parser = Parser()
    edits = 0
    for at, (start, end) in enumerate(gaps(text)):
        for edited in cosmetic(text, start, end, COMMENTS[at % len(COMMENTS)]):
            after = parser.parse(edited).program
            assert edited != text
            assert after is not None
            assert program_digest(after) == whole
            edits += 1
        assert at % 10 or declaration_digests(after) == parts
    assert edits == 3 * (len(lex(text).tokens) + 1)


def test_every_gap_of_the_samples_is_edited():
    assert sum(len(lex(text).tokens) + 1 for text in SAMPLES.values()) > 1000
