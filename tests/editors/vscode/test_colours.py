"""The TextMate grammar: made from the lexicon, and what it says of a line."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path

import pytest

from agentl_grammar import tree
from agentl_grammar.lexer import lex
from agentl_grammar.lexicon import WORDS
from agentl_grammar.parser import parse

pytestmark = pytest.mark.needs("vsce")

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
EXTENSION = ROOT / "vscode-extension"
PROGRAMS = [
    *sorted((ROOT / "docs" / "examples").glob("*.agent")),
    *sorted((ROOT / "tests" / "grammar").rglob("*.agent")),
]
WANTED = {
    "STRING": ("string.", "constant.character.escape"),
    "NUMBER": ("constant.numeric",),
    "PERCENT": ("constant.numeric", "keyword.other.unit"),
    "TIMESPAN": ("constant.numeric", "keyword.other.unit"),
    "DATETIME": ("constant.other.datetime",),
}
WANTED |= dict.fromkeys(
    ("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"), ("keyword.operator.comparison",)
)

CONTRACT = """
TOOL                 storage.type.tool
transfer             entity.name.function.tool
{                    source
RISK                 keyword.other.tool
HIGH                 constant.other.symbol
}                    source
"""
CALL = r"""
transfer             entity.name.function.call
(                    punctuation.section.arguments.begin
amount               variable.parameter
=                    keyword.operator.assignment
queue                variable.other
.                    punctuation.accessor
VALUE                variable.other.property
,                    punctuation.separator
to                   variable.parameter
=                    keyword.operator.assignment
"                    string.quoted.double
a                    string.quoted.double
\"                   constant.character.escape
"                    string.quoted.double
)                    punctuation.section.arguments.end
"""
NUMBERS = """
TIMEOUT              keyword.other.oracle
30                   constant.numeric
s                    keyword.other.unit
99.9                 constant.numeric
%                    keyword.other.unit
2026-07-26T10:00     constant.other.datetime
"""
LOOKALIKES = """
never                variable.other
ANDx                 variable.other
IF                   keyword.control
plan                 variable.other
.                    punctuation.accessor
STEP                 variable.other.property
"""
OPERATORS = """
a                    variable.other
>=                   keyword.operator.comparison
1                    constant.numeric
AND                  keyword.operator.logical
b                    variable.other
/*                   comment.block
AGENT                comment.block
*/                   comment.block
# PLAN               comment.line.number-sign
"""
GOAL = """
GOAL                 storage.type.goal
{                    source
ACHIEVE              keyword.other.goal
x                    variable.other
}                    source
"""
EXPECTATION = """
EXPECT               keyword.other.oracle
never call           keyword.other.assertion
transfer             variable.other
"""


def tokens(*lines: str) -> list[list[list[str]]]:
    answer = subprocess.run(
        ["node", HERE / "tokens.mjs"], input=json.dumps(lines), capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def drawn(line: str) -> str:
    (found,) = tokens(line)
    return "\n" + "".join(f"{text:<20} {scope.removesuffix('.agentl')}\n" for text, scope in found)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("TOOL transfer { RISK HIGH }", CONTRACT),
        (r'transfer(amount = queue.VALUE, to = "a\"")', CALL),
        ("TIMEOUT 30s 99.9% 2026-07-26T10:00", NUMBERS),
        ("never ANDx IF plan.STEP", LOOKALIKES),
        ("a >= 1 AND b /* AGENT */ # PLAN", OPERATORS),
        ("GOAL { ACHIEVE x }", GOAL),
        ("EXPECT never call transfer", EXPECTATION),
    ],
)
def test_the_scopes_of_a_line(line, expected):
    assert drawn(line) == expected


def test_a_string_and_a_comment_go_on_over_line_ends():
    found = tokens('x = "one', 'two" AGENT', "/* PLAN", "STEP */ TOOL")
    assert [scope for _, scope in found[1]] == [
        "string.quoted.double.agentl",
        "string.quoted.double.agentl",
        "storage.type.agent.agentl",
    ]
    assert [scope for _, scope in found[3]][-1] == "storage.type.tool.agentl"
    assert {scope for _, scope in found[2]} == {"comment.block.agentl"}


def test_every_reserved_word_is_coloured_and_a_longer_name_is_not():
    reserved = tokens(*WORDS)
    assert [line[0][0] for line in reserved] == list(WORDS)
    assert [line for line in reserved if not line[0][1].startswith(("keyword.", "storage."))] == []
    assert {line[0][1] for line in tokens(*(f"{word}x" for word in WORDS))} == {"variable.other.agentl"}


def colours(text: str) -> list[str]:
    """Return the scope of every character of a text; of white space it is what stands before."""
    found: list[str] = []
    for line, parts in zip(text.split("\n"), tokens(*text.split("\n")), strict=True):
        scopes, at = [""] * (len(line) + 1), 0
        for part, scope in parts:
            at = line.index(part, at)
            scopes[at : at + len(part)] = [scope] * len(part)
            at += len(part)
        found += scopes
    return found


def names_of(program: tree.Program) -> set[int]:
    """Return where names begin: a reserved word there is an ordinary name."""
    nodes = [*tree.walk(program)]
    operators = {node.operator.span.start for node in nodes if isinstance(node, tree.Binary | tree.Unary)}
    phases = {node.word.span.start for node in nodes if isinstance(node, tree.Phase)}
    return {node.span.start for node in nodes if isinstance(node, tree.Name)} - operators - phases


@pytest.mark.parametrize("file", PROGRAMS, ids=[file.name for file in PROGRAMS])
def test_every_word_text_number_and_comment_of_a_program_has_its_colour(file: Path):
    text = file.read_text(encoding="utf-8")
    scopes, lexed, program = colours(text), lex(text), parse(text).program
    assert program is not None
    names = names_of(program)
    for token in lexed.tokens:
        if token.start in names or (token.type.startswith("_") and not token.text[0].isalpha()):
            wanted = ("",)
        elif token.type == "NAME" and token.text in ("allow", "deny"):
            wanted = ("variable.",)  # the verdict of a POLICY; behind DEFAULT elsewhere a symbol
        else:
            wanted = WANTED.get(token.type, ("keyword.", "storage."))
        for scope in scopes[token.start : token.end]:
            assert scope.startswith(wanted) or not scope, token
    for comment in lexed.comments:
        assert all(not scope or scope.startswith("comment.") for scope in scopes[comment.start : comment.end])


def test_the_grammar_file_is_the_generated_one():
    tool = EXTENSION / "tools" / "textmate.py"
    spec = importlib.util.spec_from_file_location("textmate", tool)
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert generator.TARGET.read_text() == generator.render(), (
        f"run: python {tool.relative_to(EXTENSION.parent)}"
    )
