"""Which findings are told, and how loud."""

import pytest

from agentl_grammar.checks import Selection, check
from agentl_grammar.problems import Severity

TEXT = "AGENT a { OBSERVE { x.y } PLAN p { foo() } }"


def codes(selection: Selection) -> list[str]:
    return [problem.code for problem in selection.apply(check(TEXT))]


def test_without_a_choice_all_are_told():
    assert codes(Selection()) == ["W105", "W103", "W106", "E001"]


@pytest.mark.parametrize(
    ("select", "ignore", "told"),
    [
        (("W103",), (), ["W103", "E001"]),
        (("w10",), (), ["W105", "W103", "W106", "E001"]),
        ((), ("W1",), ["E001"]),
        (("W103",), ("W1",), ["W103", "E001"]),
        (("W1",), ("W103",), ["W105", "W106", "E001"]),
        ((), ("E001",), ["W105", "W103", "W106", "E001"]),
    ],
)
def test_the_longer_beginning_decides_and_errors_are_always_told(select, ignore, told):
    assert codes(Selection(select, ignore)) == told


def test_a_severity_is_changed():
    problems = Selection(severity={"W103": Severity.ERROR}).apply(check(TEXT))
    assert {p.code: p.severity for p in problems}["W103"] is Severity.ERROR
