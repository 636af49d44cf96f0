"""Every declared type against every kind of value (language.md §5.5); INPUT and OUTPUT alike."""

import math

import pytest

from agentl import UNDEFINED, Symbol, parse_source
from agentl.interpreter.contracts import ContractError, check_input, check_output, risk_of
from agentl.values import Datetime

REFUSED = object()
VALUES = {
    "integer": 3,
    "integral float": 3.0,
    "fraction": 2.5,
    "huge": 10**400,
    "nan": math.nan,
    "infinity": math.inf,
    "true": True,
    "false": False,
    "word yes": Symbol("yes"),
    "word Off": Symbol("Off"),
    "word": Symbol("word"),
    "digit word": Symbol("3"),
    "text": "text",
    "text yes": "yes",
    "digits": "3",
    "date": Datetime("2026-07-26"),
    "list": [1],
    "dict": {"a": 1},
    "None": None,
    "undefined": UNDEFINED,
}
AS_IS = object()
NUMBERS = {"integer": AS_IS, "integral float": AS_IS, "fraction": AS_IS, "huge": AS_IS}
BOOLEANS = {"true": AS_IS, "false": AS_IS, "word yes": True, "word Off": False}
ACCEPTED: dict[str, dict[str, object]] = {
    "Number": NUMBERS,
    "Float": NUMBERS,
    "Int": {"integer": AS_IS, "integral float": 3, "huge": AS_IS},
    "String": {
        "word yes": "yes",
        "word Off": "Off",
        "word": "word",
        "digit word": "3",
        "text": AS_IS,
        "text yes": AS_IS,
        "digits": AS_IS,
        "date": AS_IS,
    },
    "Bool": BOOLEANS,
    "Boolean": BOOLEANS,
    "Symbol": {
        "word yes": AS_IS,
        "word Off": AS_IS,
        "word": AS_IS,
        "digit word": AS_IS,
        "text": Symbol("text"),
        "text yes": Symbol("yes"),
        "digits": Symbol("3"),
        "date": Symbol("2026-07-26"),
    },
    "List": {"list": AS_IS},
    "Any": dict.fromkeys(VALUES, AS_IS),
    "Money": dict.fromkeys(VALUES, AS_IS),
}


def tool(input_: str = "", output: str = "", risk: str = ""):
    return (
        parse_source(f"AGENT a {{ TOOL t {{ INPUT {{ {input_} }} OUTPUT {{ {output} }} {risk} }} }}")
        .agents[0]
        .tools[0]
    )


@pytest.mark.parametrize("type_", ACCEPTED)
@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("case", [str, str.upper, str.lower])
def test_a_value_and_a_type(type_: str, kind: str, case):
    value, expected = VALUES[kind], ACCEPTED[type_].get(kind, REFUSED)
    declared = tool(f"p: {case(type_)}", f"p: {case(type_)}")
    for check in (
        lambda: check_input(declared, {"p": value})["p"],
        lambda: check_output(declared.outputs, {"p": value})[0]["p"],
    ):
        if expected is REFUSED:
            with pytest.raises(ContractError) as caught:
                check()
            assert caught.value.key == "p"
        else:
            kept = check()
            wanted = value if expected is AS_IS else expected
            assert kept is wanted or (kept == wanted and type(kept) is type(wanted))


def test_every_type_of_the_design_stands_here():
    checked = {name.lower() for name in ACCEPTED} - {"any", "money"}
    assert checked == {"number", "float", "int", "string", "bool", "boolean", "symbol", "list"}


@pytest.mark.parametrize(
    ("result", "key"),
    [(None, "result"), (5, "result"), ([1], "result"), ("p", "result"), ({}, "p"), ({"q": 1}, "p")],
)
def test_a_result_holds_every_declared_key(result: object, key: str):
    with pytest.raises(ContractError) as caught:
        check_output(tool(output="p").outputs, result)
    assert caught.value.key == key


@pytest.mark.parametrize("result", [None, 5, {"x": 1}])
def test_without_output_a_result_is_ignored(result: object):
    assert check_output(tool().outputs, result) == ({}, [])


def test_undeclared_keys_are_told_in_the_order_of_the_result():
    assert check_output(tool(output="p").outputs, {"z": 1, "p": 2, 3: 4}) == ({"p": 2}, ["z", "3"])


@pytest.mark.parametrize(
    ("risk", "expected"),
    [
        ("", "LOW"),
        ("RISK HIGH", "HIGH"),
        ("RISK high", "HIGH"),
        ("RISK { money: LOW reputation: SEVERE }", "SEVERE"),
        ("RISK { money: UNSET reputation: CRITICAL }", "UNSET"),
    ],
)
def test_the_highest_risk_wins(risk: str, expected: str):
    assert risk_of(tool(risk=risk)) == expected
