"""Every node knows its place in the text."""

from dataclasses import FrozenInstanceError, fields
from itertools import pairwise
from pathlib import Path

import pytest
from generated import programs
from hypothesis import given, settings

from agentl_grammar import tree as tree_of_kinds
from agentl_grammar.lexer import lex, string_value
from agentl_grammar.parser import parse
from agentl_grammar.printer import print_program
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import (
    Binary,
    Block,
    DatetimeLiteral,
    EventHandler,
    Evidence,
    If,
    MessageHandler,
    Name,
    Node,
    NumberLiteral,
    Program,
    Rule,
    Step,
    StringLiteral,
    Unary,
    children,
    walk,
)
from agentl_grammar.tree import Path as TreePath

HERE = Path(__file__).parent
SAMPLES = [*sorted((HERE / "samples").glob("*.agent")), HERE / "rare.agent", HERE / "forms.agent"]
TEXTS = [path.read_text(encoding="utf-8") for path in SAMPLES]
CRLF = [text.replace("\n", "\r\n") for text in TEXTS]
BOM = ["\ufeff" + TEXTS[0]]
ALL = pytest.mark.parametrize("text", TEXTS + CRLF + BOM)


def program(text: str) -> tuple[Node, Source]:
    result = parse(text)
    assert result.problems == ()
    assert result.program is not None
    return result.program, result.source


def implied(node: Node) -> set[int]:
    """Names that stand elsewhere: the `main` of a plain plan, and the groups around an evidence."""
    found: set[int] = set()
    for parent in walk(node):
        if isinstance(parent, Evidence):
            found |= {id(name) for name in parent.groups}
        if isinstance(parent, Step) and parent.name.text == "main":
            found.add(id(parent.name))
    return found


@ALL
def test_the_slice_of_a_name_is_its_text(text: str):
    root, source = program(text)
    elsewhere = implied(root)
    names = [node for node in walk(root) if isinstance(node, Name) and id(node) not in elsewhere]
    for name in names:
        written = source.slice(name.span)
        assert (string_value(written) if written.startswith('"') else written) == name.text


@ALL
def test_the_slice_of_a_literal_is_what_was_written(text: str):
    root, source = program(text)
    for node in walk(root):
        if isinstance(node, NumberLiteral):
            assert source.slice(node.span).replace(" ", "") == node.text
        elif isinstance(node, DatetimeLiteral):
            assert source.slice(node.span) == node.text
        elif isinstance(node, StringLiteral):
            assert string_value(source.slice(node.span)) == node.value
        elif isinstance(node, TreePath):
            written = [token for token in lex(source.slice(node.span)).tokens if token.text != "."]
            places = [(token.start + node.span.start, token.end + node.span.start) for token in written]
            assert places == [(segment.span.start, segment.span.end) for segment in node.segments]


@ALL
def test_an_operator_has_the_place_where_it_is_written_before_or_between_its_operands(text: str):
    root, source = program(text)
    operations = [node for node in walk(root) if isinstance(node, Binary | Unary)]
    for node in operations:
        assert source.slice(node.operator.span) == node.operator.text
        if isinstance(node, Binary):
            assert node.left.span.end <= node.operator.span.start
            assert node.operator.span.end <= node.right.span.start
        else:
            assert node.operator.span.start == node.span.start


@ALL
def test_a_node_lies_inside_its_parent(text: str):
    root, _ = program(text)
    elsewhere = implied(root)
    for parent in walk(root):
        for child in children(parent):
            inside = parent.span.start <= child.span.start <= child.span.end <= parent.span.end
            assert inside or id(child) in elsewhere, (parent, child)


@ALL
def test_nodes_side_by_side_do_not_overlap(text: str):
    root, _ = program(text)
    elsewhere = implied(root)
    for parent in walk(root):
        if isinstance(parent, EventHandler | MessageHandler):
            continue  # their WHEN stands inside the braces of their body
        spans = sorted((c.span.start, c.span.end) for c in children(parent) if id(c) not in elsewhere)
        for (_, end), (start, _) in pairwise(spans):
            assert end <= start, parent


@ALL
def test_a_span_has_no_space_or_comma_at_its_ends(text: str):
    root, source = program(text)
    for node in walk(root):
        written = source.slice(node.span)
        assert written == written.strip() or isinstance(node, Name | StringLiteral), node
        assert not written.endswith(","), node


@settings(max_examples=40, deadline=None)
@given(programs())
def test_so_it_is_in_any_program(tree: Program):
    text = print_program(tree)
    test_the_slice_of_a_name_is_its_text(text)
    test_the_slice_of_a_literal_is_what_was_written(text)
    test_an_operator_has_the_place_where_it_is_written_before_or_between_its_operands(text)
    test_a_node_lies_inside_its_parent(text)
    test_nodes_side_by_side_do_not_overlap(text)
    test_a_span_has_no_space_or_comma_at_its_ends(text)


def test_the_samples_have_every_kind_of_node_and_each_is_frozen_and_has_slots():
    kinds = {
        kind for kind in vars(tree_of_kinds).values() if isinstance(kind, type) and issubclass(kind, Node)
    }
    seen = {type(node) for text in TEXTS for node in walk(program(text)[0])}
    assert kinds - {Node} == seen
    for text in TEXTS:
        for node in walk(program(text)[0]):
            assert not hasattr(node, "__dict__"), type(node)
            for slot in fields(node):
                with pytest.raises(FrozenInstanceError):
                    setattr(node, slot.name, None)
            hash(node)


def sliced(text: str, kind: type[Node]) -> list[str]:
    root, source = program(text)
    return [source.slice(node.span) for node in walk(root) if isinstance(node, kind)]


def test_parentheses_belong_to_the_operation_around_them_not_to_the_operand():
    text = "AGENT t { GOAL { TARGET ( (a + b) * -(c) ) } }"
    assert sliced(text, Binary) == ["(a + b) * -(c)", "a + b"]
    assert sliced(text, Unary) == ["-(c)"]
    assert sliced(text, TreePath) == ["a", "b", "c"]


def test_a_rule_reaches_to_the_end_of_its_guard():
    assert sliced("AGENT t { POLICY { NEVER pay WHEN (a == b) , ALLOW * } }", Rule) == [
        "NEVER pay WHEN (a == b)",
        "ALLOW *",
    ]


def test_a_branch_of_one_bare_statement_is_as_long_as_that_statement():
    text = "AGENT t { PLAN p { IF a THEN b(1) ELSE { c } } }"
    assert sliced(text, If) == ["IF a THEN b(1) ELSE { c }"]
    assert sliced(text, Block) == ["{ IF a THEN b(1) ELSE { c } }", "b(1)", "{ c }"]


def test_an_empty_step_ends_where_its_title_ends():
    text = "AGENT t { PLAN p { STEP one: STEP two } }"
    assert sliced(text, Step) == ["STEP one:", "STEP two"]
    assert sliced(text, Block) == ["", ""]


def test_a_byte_order_mark_is_no_part_of_the_program_and_offsets_still_count_it():
    root, source = program("\ufeffAGENT t { }")
    assert root.span == Span(1, 12)
    assert source.slice(root.span) == "AGENT t { }"
