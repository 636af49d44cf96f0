"""-k: parts of names, joined by and, or, not and parentheses."""

import pytest

from agentl.cli.keywords import selector
from agentl.errors import UsageError

NAMES = ("lamp/lights_in_the_dark", "lamp/stays_off_by_day", "lamp/lights_with_a_blown_fuse")


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [
        (None, "012"),
        ("lamp", "012"),
        ("LIGHTS", "02"),
        ("lamp/stays", "1"),
        ("lights and blown", "2"),
        ("lights and not blown", "0"),
        ("not lights or blown", "12"),
        ("dark or day and blown", "0"),
        ("(dark or day) and not stays", "0"),
        ("not (lights or stays)", ""),
        ("not not stays", "1"),
        ("(((stays)))", "1"),
    ],
)
def test_an_expression_chooses_by_parts_of_names_and_and_binds_before_or(expression, chosen) -> None:
    select = selector(expression)
    assert "".join(str(number) for number, name in enumerate(NAMES) if select(name)) == chosen


@pytest.mark.parametrize(
    "expression", ["", " ", "(", "lights and", "or", "lights )", "not", "a b", "( a", "()", "and a"]
)
def test_what_is_no_expression_is_refused(expression) -> None:
    with pytest.raises(UsageError, match=r"^U113: -k .* cannot be understood$"):
        selector(expression)


def test_an_empty_expression_is_shown() -> None:
    with pytest.raises(UsageError, match=r"^U113: -k '' cannot be understood$"):
        selector("")
