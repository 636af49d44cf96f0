"""Canonical text: what is printed parses back to the same tree."""

import decimal
from pathlib import Path
from typing import Any

import pytest
from generated import S, expression, program, programs
from hypothesis import given
from hypothesis import strategies as st

from agentl_grammar import tree as t
from agentl_grammar.parser import parse
from agentl_grammar.printer import print_node, print_program

SAMPLES = [p.read_text(encoding="utf-8") for p in sorted((Path(__file__).parent / "samples").glob("*.agent"))]


@pytest.mark.parametrize("text", SAMPLES)
def test_a_sample_is_printed_and_read_back(text: str):
    tree = program(text)
    printed = print_program(tree)
    assert program(printed) == tree
    assert print_program(program(printed)) == printed


@pytest.mark.parametrize(
    "text",
    [
        "NEVER transfer WHEN tools.transfer.in_doubt == true",
        "REQUIRE APPROVAL FOR * WHEN amount > 100 AND NOT (a == b OR c)",
        "NEVER SEND a.token, b",
        "DEFAULT DENY",
        "ALLOW notify",
    ],
)
def test_a_rule_is_one_line(text: str):
    (policy,) = program(f"AGENT t {{ POLICY {{ {text} }} }}").agents[0].of(t.Policy)
    assert print_node(policy.rules[0]) == text


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("((a))", "a"),
        ("(a OR b) AND c", "(a OR b) AND c"),
        ("a OR (b AND c)", "a OR b AND c"),
        ("NOT (a AND b)", "NOT (a AND b)"),
        ("(NOT a) AND b", "NOT a AND b"),
        ("(NOT a) == b", "(NOT a) == b"),
        ("(a == b) == c", "(a == b) == c"),
        ("a == (b == c)", "a == (b == c)"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a - b) - c", "a - b - c"),
        ("a / (b * c)", "a / (b * c)"),
        ("-(a + b)", "-(a + b)"),
        ("-(-a)", "--a"),
        ("(-a) * b", "-a * b"),
        ("(a + b) IN [c, (d)]", "a + b IN [c, d]"),
        ("f(x: 1 -2, (y))", "f(x=1 - 2, y)"),
        ('x."a b"."2" . 1', 'x."a b"."2".1'),
        ("x . 1 . 5", 'x."1".5'),
        ("x . 1.5", "x.1.5"),
        ("0.50", "0.50"),
        ("2026-01-01", "2026-01-01"),
        ("SHARED.k.last.VALUE", "SHARED.k.last.VALUE"),
    ],
)
def test_an_expression_has_the_fewest_parentheses(written: str, printed: str):
    (goal,) = program(f"AGENT t {{ GOAL {{ TARGET {{ {written} }} }} }}").agents[0].of(t.Goal)
    assert [print_node(target) for target in goal.targets] == [printed]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (3, "number", "3"),
        (-3, "number", "-3"),
        (0.1, "number", "0.1"),
        (1e21, "number", "1000000000000000000000.0"),
        (10**40 + 1, "number", f"1{'0' * 39}1"),
        (1e-7, "number", "0.0000001"),
        (0.999, "percent", "99.9%"),
        (0.5, "percent", "50%"),
        (90.0, "duration", "90s"),
        (0.25, "duration", "0.25s"),
    ],
)
def test_a_number_made_by_a_program_is_written_from_its_value(value: float, unit: Any, text: str):
    assert print_node(t.NumberLiteral(S, value, unit, "")) == text


def test_a_number_is_written_from_its_value_whatever_the_precision_of_the_thread():
    with decimal.localcontext(prec=1):
        assert print_node(t.NumberLiteral(S, 0.125, "percent", "")) == "12.5%"


def test_every_kind_of_node_can_be_printed():
    for sample in SAMPLES:
        for node in t.walk(program(sample)):
            assert print_node(node)


@given(programs())
def test_any_program_is_printed_and_read_back(tree: t.Program):
    printed = print_program(tree)
    result = parse(printed)
    assert result.problems == ()
    assert result.program == tree


@given(expression)
def test_any_expression_is_printed_and_read_back(tree: Any):
    (found,) = program(f"AGENT t {{ GOAL {{ TARGET {{ {print_node(tree)} }} }} }}").agents[0].of(t.Goal)
    assert found.targets == (tree,)


@given(st.lists(expression, min_size=1, max_size=4))
def test_expressions_side_by_side_stay_apart(trees: list[Any]):
    printed = print_node(t.Expect(S, tuple(trees)))
    (found,) = program(f"AGENT t {{ SCENARIO s {{ {printed} }} }}").agents[0].of(t.Scenario)
    assert found.expectations == (t.Expect(S, tuple(trees)),)
