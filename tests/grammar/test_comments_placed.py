"""A comment belongs to the node a person would say, wherever it is written."""

from pathlib import Path

import pytest
from generated import program, programs
from hypothesis import given, settings

from agentl_grammar import tree as t
from agentl_grammar.comments import Placed, Placement
from agentl_grammar.lexer import lex
from agentl_grammar.parser import parse
from agentl_grammar.printer import print_program

HERE = Path(__file__).parent
FILES = [*sorted((HERE / "samples").glob("*.agent")), HERE / "rare.agent", HERE / "forms.agent"]
TEXTS = [file.read_text(encoding="utf-8") for file in FILES]
HANDLER = "AGENT a { EVENT e {\n  WHEN x == 1 # why\n  # then\n  b()\n} }"
FIELDS = "AGENT a { TOOL t {\n  INPUT { a: Number\n    # more to come\n  }\n  OUTPUT { b: Number }\n} }"
CLOSED = "AGENT a { TOOL t { INPUT { n: Number\n  } // the inputs\n  OUTPUT { o: Number } } }"
TARGET = "AGENT a { GOAL g { TARGET { x == 1\n  } // enough\n  WEIGHT 2 } }"
SAME_LINE = "AGENT a { TOOL t { INPUT { n: Number\n  } /* the outputs */ OUTPUT { o: Number } } }"
GROUPS = "AGENT a { HYPOTHESIS h { EVIDENCE { GROUP g { x # strong\n # last\n } y } } }"


def placed(text: str, at: int, comment: str) -> Placed:
    """Return where a comment is placed that is written into `text` at `at`; the tree stays the same."""
    result = parse(text[:at] + comment + text[at:])
    assert result.program == program(text)
    begin = at + comment.index("#")
    (found,) = (one for one in result.comments.placed() if one.comment.span.start == begin)
    return found


def assert_placed_as_a_person_says(text: str) -> int:
    """Write a comment above and behind the tokens at the ends of every line; return how often it was told."""
    root = program(text)
    starts: dict[int, t.Node] = {}
    ends: dict[int, t.Node] = {}
    blocks: dict[int, t.Block] = {}
    for agent in root.agents:
        for node in t.walk(agent):  # parents first
            starts.setdefault(node.span.start, node)
            ends.setdefault(node.span.end, node)
            if isinstance(node, t.Block) and text.startswith("{", node.span.start):
                blocks[node.span.end] = node
    told = 0
    tokens = lex(text).tokens
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        first = not text[text.rfind("\n", 0, token.start) + 1 : token.start].strip()
        last = following is None or "\n" in text[token.end : following.start]
        if first and token.start in starts:
            found = placed(text, token.start, "# above\n")
            assert (found.node, found.placement) == (starts[token.start], Placement.LEADING), token
            told += 1
        if token.text == "}" and token.end in blocks:
            found = placed(text, token.start, "\n# last\n")
            assert (found.node, found.placement) == (blocks[token.end], Placement.INNER), token
            told += 1
        if last and token.end in ends and token.text not in "({[":
            found = placed(text, token.end, " # behind")
            assert (found.node, found.placement) == (ends[token.end], Placement.TRAILING), token
            told += 1
    return told


@pytest.mark.parametrize("text", TEXTS, ids=[file.stem for file in FILES])
def test_above_an_item_behind_it_and_last_in_a_block_in_every_program(text: str):
    assert assert_placed_as_a_person_says(text) > 20


@settings(max_examples=10, deadline=None)
@given(programs())
def test_above_an_item_behind_it_and_last_in_a_block_in_any_program(tree: t.Program):
    assert assert_placed_as_a_person_says(print_program(tree)) > 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HANDLER, [("trailing", "Binary"), ("leading", "CallStatement")]),
        (FIELDS, [("inner", "Tool")]),
        (GROUPS, [("trailing", "Evidence"), ("inner", "Hypothesis")]),
        (CLOSED, [("inner", "Tool")]),
        (TARGET, [("inner", "Goal")]),
        (SAME_LINE, [("leading", "Field")]),
    ],
    ids=[
        "WHEN of a handler",
        "last of the INPUT",
        "last of a GROUP",
        "behind INPUT",
        "behind TARGET",
        "before OUTPUT on its line",
    ],
)
def test_what_is_in_no_block_of_its_own(text: str, expected: list[tuple[str, str]]):
    found = parse(text).comments.placed()
    assert [(one.placement.value, type(one.node).__name__) for one in found] == expected
